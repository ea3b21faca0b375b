"""Sentences of `api`: what stands in the way before anything is measured."""

from tokenroof.words import Catalogue

MESSAGES: Catalogue = {
    "api.options_without_engine": (
        "Options of an engine were given, but not which engine: choose one of {choices} with "
        "--engine.",
        "エンジンのオプションが指定されましたが、エンジンが指定されていません。--engine で次の"
        "どれかを指定してください: {choices}",
    ),
    "api.not_here": (
        "{name} is not on this machine; fetch the file before measuring it.",
        "{name} はこのマシンにありません。測る前にファイルを取得してください。",
    ),
    "api.no_header": (
        "Only a server knows {name}, so its file cannot be inspected and its speed has no ceiling: "
        "measure it with 'tokenroof bench {name}'.",
        "{name} はサーバーだけが知っているモデルなので、ファイルの中身も速さの上限も分かりません。"
        "'tokenroof bench {name}' で測ってください。",
    ),
    "api.incomplete": (
        "{path} is incomplete: {missing} of {all} are missing. Fetch it again before measuring.",
        "{path} は不完全です({all} のうち {missing} が足りません)。測る前に取得し直してください。",
    ),
    "api.does_not_fit": (
        "A context of {context} {context:token|tokens} needs {needed} of memory ({weights} of "
        "weights and {cache} of KV cache), and {free} are free: choose a smaller --context, "
        "shorter --lengths, or a smaller --kv-type.",
        "{context} トークンのコンテキストには {needed} のメモリが必要ですが(重み {weights}、"
        "KV キャッシュ {cache})、空きは {free} です。--context か --lengths を小さくするか、"
        "--kv-type に小さい型を指定してください。",
    ),
    "api.lab_not_writable": (
        "The report could not be written to {path} ({reason}), so nothing was measured: run it "
        "from a folder that can be written to and has room.",
        "レポートを {path} に書き込めないため({reason})、計測しませんでした。書き込めて空きのある"
        "フォルダで実行してください。",
    ),
    "api.data_not_writable": (
        "No run could be kept in {path} ({reason}), so nothing was measured: make room there, or "
        "set TOKENROOF_DATA to a folder that can be written to.",
        "結果を {path} に保存できないため({reason})、計測しませんでした。空きを作るか、書き込める"
        "フォルダを TOKENROOF_DATA に指定してください。",
    ),
    "api.kv_needs_flash_attention": (
        "A cache whose values are kept as {type} needs flash attention: leave out "
        "'--flash-attention off', or keep the values as f16 with --kv-type {keys},f16.",
        "値を {type} で持つキャッシュには flash attention が必要です。--flash-attention off を"
        "外すか、--kv-type {keys},f16 を指定してください。",
    ),
    "api.nothing_measured": (
        "Nothing has been measured yet ({folder} holds no runs); 'tokenroof lab MODEL' does it.",
        "まだ何も測っていません({folder} に結果がありません)。tokenroof lab MODEL で測れます。",
    ),
    "api.bandwidth_measured": (
        "This CPU reads memory at {best} with {threads} {threads:thread|threads} (slowest repeat "
        "{lowest}).",
        "この CPU のメモリ読み出しは {best}({threads} スレッド、最も遅い回は {lowest})。",
    ),
}
