"""What is said of imported figures: why something was refused, and why a figure is flagged."""

from __future__ import annotations

from tokenroof.words import Catalogue

MESSAGES: Catalogue = {
    # The verb.
    "importing.short": (
        "take in figures of llama-bench, Ollama, logs and servers",
        "llama-bench・Ollama・ログ・サーバーの数値を取り込む",
    ),
    "importing.about": (
        "Take in figures that were measured elsewhere: llama-bench in any format, "
        "llama-batched-bench, 'ollama run --verbose', 'ollama ps', logs of llama.cpp, "
        "llama-server and LM Studio, answers and streams of servers, LocalScore, runs.jsonl and "
        "report.html.\n\n"
        "They join your runs, marked with what they do not say and what cannot be true. What was "
        "not understood is listed with its line.",
        "ほかで測った数値を取り込みます。llama-bench(全形式)、llama-batched-bench、"
        "ollama run --verbose、ollama ps、"
        "llama.cpp・llama-server・LM Studio のログ、サーバーの応答とストリーム、LocalScore、"
        "runs.jsonl、report.html を読めます。\n\n"
        "不明な点とありえない値に印を付けて、これまでの計測に加えます。"
        "読み取れなかった行は一覧にします。",
    ),
    "importing.bandwidth": (
        "of the device's memory (by its name, where that is known): flags what is above its "
        "ceiling",
        "デバイスのメモリ帯域(名前から分かれば不要)。上限を超える値に印を付ける",
    ),
    "importing.no_such_file": (
        "There is no file or folder {path}; '-' reads a paste from standard input.",
        "{path} というファイルやフォルダはありません。「-」で標準入力の貼り付けを読みます。",
    ),
    "importing.not_readable": (
        "{path} could not be read ({reason}).",
        "{path} を読めませんでした({reason})。",
    ),
    "importing.empty_folder": (
        "The folder {path} holds no file that could have figures in it.",
        "フォルダ {path} には、数値のありそうなファイルがありません。",
    ),
    "importing.nothing": (
        "No figure was understood in {source}. Known are llama-bench, Ollama, llama.cpp, LM "
        "Studio, LocalScore, answers of servers, runs.jsonl and report.html.",
        "{source} から数値を読み取れませんでした。読めるのは llama-bench、Ollama、llama.cpp、"
        "LM Studio、LocalScore、サーバーの応答、runs.jsonl、report.html です。",
    ),
    "importing.summary": (
        "Runs from {source}: {runs}, of which new: {new}.",
        "{source} から {runs} 件。うち {new} 件が新しい計測です。",
    ),
    "importing.kept": (
        "Kept as {campaign}. Compare it with another file or campaign:",
        "{campaign} として保存しました。ほかのファイルや計測と比べるには:",
    ),
    "importing.kept_apart": (
        "These runs stand under {count} {count:id|ids}, as some were known before or are of "
        "several campaigns: {ids}. To compare them all, name what was imported:",
        "前からあった計測や別々の計測が含まれるため、{count} 個の ID に分かれています: {ids}。"
        "全部を比べるには、取り込んだものを指定します:",
    ),
    "importing.more_alike": (
        "{sentence} ({count} more like it)",
        "{sentence}(ほか {count} 件)",
    ),
    "importing.more_series": (
        "and {count} more",
        "ほか {count} 件",
    ),
    "importing.paste": ("the paste", "貼り付け"),
    "importing.files": ("{count} {count:file|files}", "{count} 個のファイル"),
    "importing.column_source": ("from", "出所"),
    "importing.column_model": ("model", "モデル"),
    "importing.column_runs": ("runs", "件数"),
    "importing.column_prefill": ("prefill tok/s", "prefill tok/s"),
    "importing.column_decode": ("decode tok/s", "decode tok/s"),
    "importing.heading_flags": ("To know", "知っておくこと"),
    "importing.heading_refused": ("Not understood", "読み取れなかったもの"),
    "importing.at_line": ("line {line}: {reason}", "{line} 行目: {reason}"),
    # Refused.
    "importing.unknown_line": (
        "no known format: “{text}”",
        "知られた形式ではありません: 「{text}」",
    ),
    "importing.unknown_lines": (
        "{count} {count:line|lines} of no known format, the first of them: “{text}”",
        "{count} 行が知られた形式ではありません。最初の行: 「{text}」",
    ),
    "importing.more_refused": (
        "More than {count} places were not understood; the rest is not listed.",
        "読み取れない箇所が {count} を超えました。残りは一覧にしていません。",
    ),
    "importing.too_many": (
        "More than {most} figures; what follows was left out. Import it in parts.",
        "数値が {most} 件を超えました。以降は取り込んでいません。分けて取り込んでください。",
    ),
    "importing.long_line": (
        "This line is too long to be a result; it was left out.",
        "行が長すぎて結果とは考えられないため、除きました。",
    ),
    "importing.binary": (
        "This is no text; it was left out.",
        "テキストではないため、除きました。",
    ),
    "importing.no_report": (
        "This page is no tokenroof report, or its runs cannot be read.",
        "このページは tokenroof のレポートではないか、中の計測を読めません。",
    ),
    "importing.not_json": (
        "This looks like JSON and is not valid; it was left out.",
        "JSON のようですが正しくないため、除きました。",
    ),
    "importing.cut_object": (
        "A record that begins here was cut off and is lost, as when a run is killed.",
        "ここから始まる記録は途中で切れています(強制終了など)。1 件失われました。",
    ),
    "importing.open_list": (
        "The list that begins here has no end: the run was cut off, and what should follow is "
        "missing.",
        "ここから始まる一覧は閉じられていません。途中で終わり、続きがありません。",
    ),
    "importing.cut_row": (
        "This row has not as many values as there are columns; it was cut off and is lost.",
        "値の数が列の数と合いません。途中で切れた行とみて除きました。",
    ),
    "importing.strange_row": (
        "This row of a table is no test with a rate: “{text}”",
        "テストと速さとして読めない行です: 「{text}」",
    ),
    "importing.no_test": (
        "This result does not say how many tokens were read or written.",
        "何トークンを読み、何トークンを生成したかが書かれていない結果です。",
    ),
    "importing.no_time": (
        "This result has no time and no rate that could be true.",
        "正しいと考えられる時間も速さもない結果です。",
    ),
    "importing.empty_stream": (
        "A stream that begins here holds no token and no counters.",
        "ここから始まるストリームには、トークンも計数もありません。",
    ),
    "importing.server_error": (
        "The server answered with an error: {error}",
        "サーバーの応答はエラーです: {error}",
    ),
    "importing.unknown_object": (
        "A JSON object of no kind that is known here.",
        "知られていない種類の JSON です。",
    ),
    "importing.newer": (
        "A newer tokenroof wrote this ({schema}; this one knows {known}).",
        "新しい tokenroof の記録です({schema}、ここで読めるのは {known})。",
    ),
    "importing.no_runs": (
        "This document ({schema}) holds no runs.",
        "この文書({schema})に計測は含まれていません。",
    ),
    "importing.bad_run": (
        "This run cannot be read: {reason}",
        "この計測は読めません: {reason}",
    ),
    # Why a figure is flagged.
    "importing.why_above_ceiling": (
        "Above the ceiling and not plausible: this rate of decode needs {needed} at least, and "
        "the memory gives {most}.",
        "上限を超えていて、ありえない値です。この生成(decode)の速さには少なくとも {needed} の"
        "帯域が必要ですが、メモリは {most} です。",
    ),
    "importing.why_too_fast": (
        "{rate} is more than any program writes in one stream; the rate is not what it says.",
        "{rate} は、1 つの流れで生成できる速さを超えています。書かれたとおりの速さではありません。",
    ),
    "importing.why_parts_exceed": (
        "Reading and writing took {parts}, and the whole request only {whole}: one of these is "
        "wrong.",
        "読み込みと生成で {parts} なのに、依頼全体は {whole} です。どちらかが誤りです。",
    ),
    "importing.why_unlike_rate": (
        "It says {stated}, but its count and time make {made}; the time was taken.",
        "{stated} とありますが、数と時間から計算すると {made} です。時間のほうを使いました。",
    ),
    "importing.why_short_answer": (
        "{tokens} {tokens:token|tokens} of answer are few: a single slow step shows in the whole "
        "figure.",
        "答えが {tokens} トークンと短く、遅い 1 回が全体の値に出ます。",
    ),
    "importing.why_first_slow": (
        "The first of {count} repeats took {ratio} times as long as the others: warm up more. "
        "Medians stand it, means do not.",
        "{count} 回のうち最初の 1 回だけ、ほかの {ratio} 倍かかっています。準備の実行を"
        "増やしてください。中央値はこれに耐えますが、平均は耐えません。",
    ),
    "importing.why_combined_rate": (
        "One rate for reading and writing together; it is neither, so that none is made of it.",
        "読み込みと生成を合わせた 1 つの速さです。どちらでもないので、速さを出しません。",
    ),
    "importing.why_end_to_end_rate": (
        "A rate over the whole request, reading and waiting included; it is no rate of decode.",
        "読み込みと待ち時間を含む、依頼全体の速さです。生成(decode)の速さではありません。",
    ),
    "importing.why_lower_bound": (
        "Nobody counted the tokens; there were at least as many as events of the stream.",
        "トークンは数えられていません。少なくともストリームのイベントの数だけあります。",
    ),
    "importing.why_negative_prefill": (
        "A time below zero; it is left out.",
        "0 より小さい時間です。除きました。",
    ),
    "importing.why_prompt_not_counted": (
        "The prompt's tokens were not counted, as where they came from a cache; no rate is made "
        "of it.",
        "プロンプトのトークン数がありません(キャッシュから来たときなど)。速さを出しません。",
    ),
    "importing.why_timing_disabled": (
        "The program was told to take no times: 0 ms for many tokens are none.",
        "時間を測らない設定です。多くのトークンに 0 ms は、時間ではありません。",
    ),
    "importing.why_truncated": (
        "The prompt was cut to fit the context.",
        "プロンプトはコンテキストに合わせて切られています。",
    ),
    "importing.why_contended": (
        "{seconds} are explained by nothing that was counted: another request was probably first.",
        "{seconds} は、どの計数でも説明できません。おそらく別の依頼の後で待っています。",
    ),
    "importing.why_prefill_implausible": (
        "{tokens} {tokens:token|tokens} cannot have been read in {seconds}; the time is left out.",
        "{tokens} トークンを {seconds} で読むことはできません。時間を除きました。",
    ),
    "importing.why_prefill_may_be_cached": (
        "This prompt was read too fast to have been read whole, and nothing says how much of it "
        "came from a cache; no rate is made of it.",
        "全部を読んだにしては速すぎます。キャッシュの分が書かれていないので、速さを出しません。",
    ),
    "importing.why_prefill_too_short": (
        "{tokens} {tokens:token|tokens} in {seconds}: below {least} tokens a request costs about "
        "the same whatever its length; no rate is made of it.",
        "{tokens} トークンで {seconds}。{least} トークン未満では長さによらない時間が大半なので、"
        "速さを出しません。",
    ),
    "importing.why_reloaded": (
        "The model was loaded for this request ({seconds}).",
        "この依頼のためにモデルが読み込まれました({seconds})。",
    ),
    "importing.why_stopped_early": (
        "The answer has {tokens} {tokens:token|tokens} where {usual} are usual beside it; it does "
        "not count.",
        "答えは {tokens} トークンで、ほかは {usual} トークン前後です。数えません。",
    ),
    "importing.why_unsteady": (
        "The repeats differ by {share} of their mean: not usable as a mean. Warm up more, and "
        "keep each repeat (llama-bench: -o jsonl).",
        "繰り返しのばらつきが平均の {share} あり、平均としては使えません。準備の実行を増やし、"
        "1 回ごとの値を残してください(llama-bench なら -o jsonl)。",
    ),
}
