"""What a comparison says: what differs, what was found, and how sure it is."""

from __future__ import annotations

from tokenroof.words import Catalogue

MESSAGES: Catalogue = {
    # The answer, a sentence a phase.
    "comparing.slower": (
        "{phase}: B is slower, {by} more time per token (lengths: {count} of {lengths}).",
        "{phase}: B のほうが遅く、1 トークンの時間が {by} 長い({lengths} 通りの長さのうち "
        "{count})。",
    ),
    "comparing.faster": (
        "{phase}: B is faster, {by} less time per token (lengths: {count} of {lengths}).",
        "{phase}: B のほうが速く、1 トークンの時間が {by} 短い({lengths} 通りの長さのうち "
        "{count})。",
    ),
    "comparing.no_difference": (
        "{phase}: no difference found; one of {smallest} would have been (lengths: {count} of "
        "{lengths}).",
        "{phase}: 差は見つかりません。{smallest} の差なら見つかったはずです"
        "({lengths} 通りの長さのうち {count})。",
    ),
    "comparing.cannot_tell": (
        "{phase}: cannot tell (lengths: {count} of {lengths}).",
        "{phase}: 判断できません({lengths} 通りの長さのうち {count})。",
    ),
    "comparing.cannot_tell_yet": (
        "{phase}: cannot tell; {runs} more {runs:round|rounds} on each side are needed to find "
        "{threshold} (lengths: {count} of {lengths}).",
        "{phase}: 判断できません。{threshold} の差を見つけるには、両方であと {runs} 回ずつ"
        "必要です({lengths} 通りの長さのうち {count})。",
    ),
    # Why there is no interval.
    "comparing.too_few": (
        "Too few runs for an interval.",
        "回数が少なく、区間を出せません。",
    ),
    "comparing.no_uncertainty": (
        "A stated mean is compared only where it says its deviation and of how many runs it is; "
        "'llama-bench -o jsonl' keeps every run.",
        "平均値は、ばらつきと回数が分かるときだけ比べられます。"
        "llama-bench -o jsonl なら 1 回ごとの値が残ります。",
    ),
    "comparing.several_stated": (
        "Several stated means of one condition are not pooled; the first is shown.",
        "同じ条件の平均値がいくつもあり、合わせられません。最初のものを示します。",
    ),
    # Beside the answer.
    "comparing.contended": (
        "{name}: {count} of {total} {total:run|runs} {count:was|were} made beside other work.",
        "{name}: {total} 回のうち {count} 回は、他の作業と重なっています。",
    ),
    "comparing.on_both_sides": (
        "{count} {count:run stands|runs stand} on both sides: what is compared with itself shows "
        "no difference.",
        "{count} 件は両側にあります。同じものどうしでは差が出ません。",
    ),
    "comparing.unsteady": (
        "{name}: {count} stated {count:mean|means} {count:was|were} left out, since their repeats "
        "differ too much.",
        "{name}: ばらつきの大きい平均値 {count} 件を除きました。",
    ),
    "comparing.stated_left_out": (
        "{count} stated {count:mean|means} {count:was|were} left out: only single runs make a "
        "history.",
        "平均値 {count} 件を除きました。推移には 1 回ごとの計測だけを使います。",
    ),
    # The table and the picture.
    "comparing.title": ("{a} against {b}", "{a} と {b} の比較"),
    "comparing.table": ("Length by length", "長さごと"),
    "comparing.column_series": ("of", "対象"),
    "comparing.column_phase": ("phase", "段階"),
    "comparing.column_tokens": ("tokens", "トークン"),
    "comparing.column_a": ("A tok/s", "A tok/s"),
    "comparing.column_b": ("B tok/s", "B tok/s"),
    "comparing.column_runs": ("runs", "回数"),
    "comparing.column_change": ("change of time", "時間の変化"),
    "comparing.column_verdict": ("verdict", "判定"),
    "comparing.column_finds": ("finds", "検出"),
    "comparing.column_date": ("date", "日付"),
    "comparing.column_version": ("version", "バージョン"),
    "comparing.column_rate": ("tok/s", "tok/s"),
    "comparing.column_step": ("step", "段差"),
    "comparing.verdict_slower": ("slower", "遅い"),
    "comparing.verdict_faster": ("faster", "速い"),
    "comparing.verdict_no_difference": ("none found", "差なし"),
    "comparing.verdict_cannot_tell": ("cannot tell", "判断できない"),
    "comparing.needs": ("{verdict}, +{runs}", "{verdict}、+{runs}"),
    "comparing.note_change": (
        "Change of the time per token from A to B, ratio of medians; in brackets the interval, "
        "95 % over all lengths and phases together. “finds”: a difference that would have been "
        "found four times in five. “+n”: rounds that are missing.",
        "A から B への 1 トークンの時間の変化(中央値の比)。括弧内は、全体で 95 % の区間。"
        "「検出」は 5 回に 4 回は見つかる差。「+n」は足りない回数。",
    ),
    "comparing.picture_title": ("B against A: {found}", "A に対する B: {found}"),
    "comparing.counted_slower": ("slower at {count} of {total}", "遅い {count}/{total}"),
    "comparing.counted_faster": ("faster at {count} of {total}", "速い {count}/{total}"),
    "comparing.counted_no_difference": (
        "no difference found at {count} of {total}",
        "差は見つからない {count}/{total}",
    ),
    "comparing.counted_cannot_tell": (
        "cannot tell at {count} of {total}",
        "判断できない {count}/{total}",
    ),
    "comparing.step_label": ("{change} time", "時間 {change}"),
    "comparing.picture_subtitle": (
        "Left: median speeds of A and B. Right: change of the time per token from A to B, with an "
        "interval of 95 % over all lengths and phases. In the grey band it does not matter.",
        "左: A と B の速さの中央値。右: A から B への 1 トークンの時間の変化と、全体で "
        "95 % の区間。灰色の帯の中は問題にならない差。",
    ),
    "comparing.axis_rate": ("{phase}, tokens per second", "{phase}、トークン毎秒"),
    "comparing.axis_change": ("change of time per token, %", "1 トークンの時間の変化、%"),
    "comparing.axis_tokens": ("tokens", "トークン数"),
    "comparing.differs": ("These conditions differ:", "条件の違い:"),
    "comparing.unknown": (
        "Not stated, so that it may differ as well:",
        "示されておらず、違うかもしれないもの:",
    ),
    "comparing.further_options": (
        "{count} further {count:option|options} of the program",
        "ほかに、ソフトのオプション {count} 個",
    ),
    "comparing.not_stated": ("not stated", "不明"),
    "comparing.only_in": ("Only in {name}: {lengths}", "{name} だけにあるもの: {lengths}"),
    "comparing.side": (
        "{letter}  {name}: {runs} {runs:run|runs}",
        "{letter}  {name}: {runs} 回",
    ),
    "comparing.side_excluded": (
        "{letter}  {name}: {runs} {runs:run|runs}, of which {excluded} {excluded:does|do} not "
        "count",
        "{letter}  {name}: {runs} 回、うち {excluded} 回は除いた回",
    ),
    "comparing.condition_model": ("model", "モデル"),
    "comparing.condition_type": ("type", "量子化の形式"),
    "comparing.condition_engine": ("program", "ソフト"),
    "comparing.condition_version": ("version", "バージョン"),
    "comparing.condition_context": ("context", "コンテキスト"),
    "comparing.condition_cache_type_k": ("type of the K cache", "K キャッシュの型"),
    "comparing.condition_cache_type_v": ("type of the V cache", "V キャッシュの型"),
    "comparing.condition_flash_attention": ("flash attention", "flash attention"),
    "comparing.condition_batch": ("batch", "batch"),
    "comparing.condition_ubatch": ("ubatch", "ubatch"),
    "comparing.condition_threads": ("threads", "スレッド数"),
    "comparing.condition_gpu_layers": ("layers on the GPU", "GPU の層数"),
    "comparing.condition_place": ("computed on", "計算した場所"),
    "comparing.condition_device": ("device", "デバイス"),
    "comparing.condition_backend": ("backends", "バックエンド"),
    "comparing.condition_prompt_cached": ("prompt from a cache", "キャッシュからのプロンプト"),
    "comparing.condition_digest": ("file (digest)", "ファイル(ダイジェスト)"),
    "comparing.condition_offload": ("offload", "CPU への割り振り"),
    "comparing.condition_speculation": ("speculative decoding", "投機的デコード"),
    "comparing.condition_power": ("heat or power limits", "発熱・電力による制限"),
    # The history.
    "comparing.history": ("Session by session", "計測日ごと"),
    "comparing.history_of": (
        "{label}: {phase} at {tokens} {tokens:token|tokens}, over versions and dates",
        "{label}: {phase}、{tokens} トークン、バージョンと日付による推移",
    ),
    "comparing.history_subtitle": (
        "Median of each session with its 95 % interval; steps found: {steps}.",
        "計測日ごとの中央値と 95% 区間。見つかった段差 {steps} か所。",
    ),
    "comparing.note_step": (
        "A step is a change of the time per token against the session before whose interval "
        "excludes no change (95 % over the whole history).",
        "段差は、直前の計測からの 1 トークンの時間の変化で、区間が「変化なし」を含まないもの"
        "(推移全体で 95 %)。",
    ),
    "comparing.more_conditions": (
        "{count} other {count:condition|conditions} {count:was|were} measured too; --model and "
        "--length choose among them.",
        "ほかに {count} 通りの条件の計測があります。--model と --length で選べます。",
    ),
    # The gate.
    "comparing.gate_pass": (
        "Not slower by {limit}: passed.",
        "{limit} 以上は遅くなっていません(合格)。",
    ),
    "comparing.gate_fail": (
        "Slower by {limit} or more: failed.",
        "{limit} 以上遅くなっています(不合格)。",
    ),
    "comparing.gate_cannot_tell": (
        "Cannot tell whether it is slower by {limit}.",
        "{limit} 以上遅いかどうか判断できません。",
    ),
    # The verb.
    "comparing.short": (
        "may two results be compared, and what differs",
        "2 つの結果は比べられるか、差はあるか",
    ),
    "comparing.about": (
        "Compare two sets of runs: what differs between their conditions, then for each length "
        "and phase the ratio of medians with an interval, and whether B is slower.\n\n"
        "A and B are runs.jsonl, folders, reports, anything that 'tokenroof import' reads, or the "
        "beginning of a campaign's id. Unlike sets are refused (exit code 3) unless --allow. With "
        "--history one condition is followed over versions and dates instead.",
        "2 組の計測を比べます。まず条件の違いを、次に長さと段階ごとに中央値の比と区間を示し、"
        "B が遅いかどうかを判定します。\n\n"
        "A と B には runs.jsonl、フォルダ、レポート、tokenroof import で読めるもの、計測の ID "
        "の先頭を指定できます。条件が違えば、--allow がない限り比べません(終了コード 3)。"
        "--history では、1 つの条件をバージョンと日付で追います。",
    ),
    "comparing.option_allow": (
        "compare although conditions differ",
        "条件が違っても比べる",
    ),
    "comparing.option_fail_slower": (
        "exit with 1 where B is slower by this or more",
        "B がこれ以上遅ければ終了コード 1",
    ),
    "comparing.option_strict": (
        "with --fail-slower: exit with 1 also where nobody can tell",
        "--fail-slower で、判断できないときも終了コード 1",
    ),
    "comparing.option_markdown": ("print Markdown to paste", "貼り付け用の Markdown を出力"),
    "comparing.option_out": (
        "write the picture and the Markdown there",
        "図と Markdown を書くフォルダ",
    ),
    "comparing.option_history": (
        "one condition over versions and dates",
        "1 つの条件をバージョンと日付で追う",
    ),
    "comparing.option_model": (
        "with --history: only models with this in their names",
        "--history で、名前にこれを含むモデルだけ",
    ),
    "comparing.option_length": (
        "with --history: only prompts of so many tokens",
        "--history で、この長さのプロンプトだけ",
    ),
    "comparing.option_phase": (
        "with --history: prefill or decode",
        "--history で、prefill か decode か",
    ),
    "comparing.option_against": (
        "measure in turns under another condition, and compare: threads=N, kv-type=T, "
        "flash-attention=on|off, engine=NAME, or another model",
        "別の条件と交互に測って比べる: threads=N、kv-type=T、flash-attention=on|off、"
        "engine=NAME、または別のモデル",
    ),
    "comparing.against_alone": (
        "--against measures a MODEL now; it goes with neither --resume, --campaign nor --plan.",
        "--against は MODEL を今測ります。--resume、--campaign、--plan とは一緒に使えません。",
    ),
    "comparing.bad_change": (
        "--against {change}: no such condition; there are {known}, or another model.",
        "--against {change}: その条件はありません。使えるのは {known}、または別のモデルです。",
    ),
    "comparing.bad_change_value": (
        "--against {change}: that condition cannot have this value.",
        "--against {change}: その条件にこの値は使えません。",
    ),
    "comparing.two_sides": (
        "compare takes two sets of runs, A and B; with --history one or none.",
        "比べる A と B の 2 つを指定してください。--history では 1 つか 0 です。",
    ),
    "comparing.only_with_history": (
        "--model, --length and --phase belong to --history.",
        "--model、--length、--phase は --history と一緒に使います。",
    ),
    "comparing.only_without_history": (
        "--allow, --fail-slower and --strict do not go with --history.",
        "--allow、--fail-slower、--strict は --history と一緒には使えません。",
    ),
    # Errors.
    "comparing.unlike": (
        "These two are not alike: {what}. Measure them under the same conditions, or compare them "
        "nevertheless with --allow.",
        "この 2 つは条件が違います({what})。同じ条件で測り直すか、--allow を付ければ"
        "そのまま比べます。",
    ),
    "comparing.nothing_shared": (
        "{a} and {b} have nothing of the same condition, phase and length, so there is nothing to "
        "compare: {a} has {only_a}; {b} has {only_b}.",
        "{a} と {b} に、条件と段階と長さの同じものがなく、比べるものがありません。{a} は {only_a}、"
        "{b} は {only_b} です。",
    ),
    "comparing.no_runs": (
        "{name} holds no run that counts; there is nothing to compare.",
        "{name} に数えられる計測がなく、比べるものがありません。",
    ),
    "comparing.no_history": (
        "No run that counts is of such a condition ({phase}); measure with 'tokenroof bench', or "
        "name another model or length.",
        "条件に合う計測({phase})がありません。tokenroof bench で測るか、別のモデルや長さを"
        "指定してください。",
    ),
    "comparing.no_such_side": (
        "{name} is neither a file, nor a folder, nor the beginning of a campaign's id.",
        "{name} は、ファイルでもフォルダでも計測の ID の先頭でもありません。",
    ),
    "comparing.ambiguous_side": (
        "{name} is the beginning of several ids: {candidates}.",
        "{name} で始まる ID がいくつもあります: {candidates}。",
    ),
}
