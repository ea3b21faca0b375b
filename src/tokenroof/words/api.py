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
