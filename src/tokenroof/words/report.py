"""Sentences of the room `report`: (English, Japanese)."""

from __future__ import annotations

from tokenroof.words import Catalogue

MESSAGES: Catalogue = {
    # Words of the charts.
    "report.kind_moe": ("MoE", "MoE"),
    "report.kind_dense": ("dense", "密・dense"),
    "report.model": ("model", "モデル"),
    "report.input": ("input tokens", "入力のトークン数"),
    "report.rate": ("tokens per second", "トークン毎秒"),
    "report.measured": ("measured", "実測"),
    "report.status": ("run", "回"),
    "report.started": ("started", "開始"),
    "report.axis_input": ("input tokens", "入力のトークン数"),
    "report.axis_input_log": ("input tokens (log scale)", "入力のトークン数(対数)"),
    "report.axis_prefill_rate": (
        "prefill, tokens per second",
        "プロンプト処理(prefill)、トークン毎秒",
    ),
    "report.axis_decode_rate": ("decode, tokens per second", "生成(decode)、トークン毎秒"),
    "report.axis_bytes": (
        "read per token: weights and KV cache, GB",
        "1 トークンで読む量(重みと KV キャッシュ)、GB",
    ),
    "report.axis_token_time": ("time per token, ms", "1 トークンの時間、ミリ秒"),
    "report.axis_reading_time": (
        "time to read the prompt, seconds",
        "入力を読み終えるまでの時間、秒",
    ),
    "report.floor": ("at {bandwidth}, nothing else", "{bandwidth} で読むだけの時間"),
    "report.bar": ("{share}: {rate} of {ceiling}", "{share}: {ceiling} のうち {rate}"),
    "report.bar_unknown": ("{rate}, ceiling unknown", "{rate}、上限は不明"),
    "report.status_counted": ("counted", "数えた回"),
    "report.status_contended": (
        "counted, beside other work (contended)",
        "数えた回、他の作業と重なり(contended)",
    ),
    "report.status_excluded": ("excluded: {reason}", "除いた回: {reason}"),
    "report.runs_one": ("one run per length", "長さごとに 1 回"),
    "report.runs_median": (
        "median of {runs} {runs:run|runs} per length",
        "長さごとに {runs} 回の中央値",
    ),
    "report.runs_stated": (
        "each figure stands for several runs ({statistics})",
        "各値は複数の回をまとめたもの({statistics})",
    ),
    # Titles, made from the data.
    "report.title_speed": (
        "Prefill {prefill}, decode {decode}",
        "プロンプト処理(prefill)は {prefill}、生成(decode)は {decode}",
    ),
    "report.title_speed_prefill": ("Prefill {prefill}", "プロンプト処理(prefill)は {prefill}"),
    "report.title_speed_decode": ("Decode {decode}", "生成(decode)は {decode}"),
    "report.title_ceiling": (
        "Decode reached {low} to {high} of the ceiling",
        "生成(decode)は上限の {low}〜{high}",
    ),
    "report.title_ceiling_one": (
        "Decode reached {share} of the ceiling",
        "生成(decode)は上限の {share}",
    ),
    "report.title_ceiling_unknown": (
        "Decode; the ceiling is unknown",
        "生成(decode)の速さ。上限は不明",
    ),
    "report.title_reads": (
        "Time per token against bytes read per token",
        "1 トークンで読む量と、1 トークンの時間",
    ),
    "report.title_reads_one": (
        "{model}: added bytes were read at {rate}",
        "{model}: 増えた分は {rate} で読まれている",
    ),
    "report.title_reads_range": (
        "Added bytes were read at {low} to {high}",
        "増えた分は {low}〜{high} で読まれている",
    ),
    "report.title_reading": (
        "{model} took {time} to read {tokens} {tokens:token|tokens}",
        "{model}: {tokens} トークンを読むのに {time}",
    ),
    "report.title_runs_all": (
        "{counted} {counted:run counts|runs count}, none is excluded",
        "数えた回は {counted}、除いた回は無い",
    ),
    "report.title_runs": (
        "{counted} {counted:run|runs} {counted:counts|count}, {excluded} {excluded:is|are} "
        "excluded",
        "数えた回は {counted}、除いた回は {excluded}",
    ),
    # Captions, made from the data.
    "report.caption_speed": (
        "Speed of both phases against the length of the input, on a log scale.",
        "入力の長さ(対数)と、2 つの段の速さ。",
    ),
    "report.caption_scales_differ": (
        "The two vertical scales differ by a factor of {factor}.",
        "縦軸の目盛りは左右で {factor} 倍違う。",
    ),
    "report.caption_scales_alike": (
        "The two vertical scales differ, but only by a factor of {factor}.",
        "縦軸の目盛りは左右で違うが、差は {factor} 倍に留まる。",
    ),
    "report.caption_intervals": (
        "Bars are 95 % intervals of the median.",
        "縦棒は中央値の 95% 区間。",
    ),
    "report.caption_kinds": (
        "MoE: each token passes through a part of the weights only; dense: through all.",
        "MoE はトークンごとに重みの一部だけを、密(dense)は全てを使うモデル。",
    ),
    "report.caption_ceiling": (
        "The shortest input of each model, at a mean depth of {depth} {depth:token|tokens}.",
        "各モデルのいちばん短い入力(平均の depth は {depth} トークン)。",
    ),
    "report.caption_ceiling_from": (
        "The ceiling is {bandwidth} over the weights and the KV cache that one token reads at that "
        "depth.",
        "上限は {bandwidth} を、その depth で 1 トークンが読む重みと KV キャッシュの量で割った値。",
    ),
    "report.caption_ceiling_unknown": (
        "Where no ceiling is drawn, the bandwidth of the device or the bytes of a token are not "
        "known.",
        "上限の無い棒は、デバイスのメモリ帯域か 1 トークンで読む量が分からないもの。",
    ),
    "report.caption_reads": (
        "One point for each length, with its input tokens; from left to right the context grows, "
        "and the KV cache with it.",
        "長さごとに 1 点(数字は入力のトークン数)。右へ行くほど読み込み済みのトークンが多く、"
        "KV キャッシュが大きい。",
    ),
    "report.caption_line": (
        "{model}: {per_gb} for each added GB, which is {rate}.",
        "{model}: 1 GB 増えるごとに {per_gb}、つまり {rate}。",
    ),
    "report.caption_not_from_zero": (
        "The horizontal axis does not begin at zero.",
        "横軸は 0 から始まらない。",
    ),
    "report.caption_floor": (
        "Dashed: the time that reading alone would take.",
        "破線は、読み出しだけにかかる時間。",
    ),
    "report.caption_floor_above": (
        "Dashed: the time that reading alone would take; every point lies above it.",
        "破線は、読み出しだけにかかる時間。実測は全てその上にある。",
    ),
    "report.caption_floor_crossed": (
        "Dashed: the time that reading alone would take; some points lie below it, so the "
        "bandwidth, the bytes or the times are wrong.",
        "破線は、読み出しだけにかかる時間。その下に点があるので、帯域か、読む量か、時間が"
        "誤っている。",
    ),
    "report.caption_reading": (
        "Time until the whole prompt is read.",
        "入力を読み終えるまでの時間。",
    ),
    "report.caption_curve": (
        "Curves: a + b n + c n², fitted by relative error, none negative.",
        "曲線は a + b n + c n² を相対誤差で合わせたもの(負の係数は無し)。",
    ),
    "report.caption_joined": (
        "Where fewer than four lengths were measured, straight lines join the points.",
        "長さが 4 つ未満のものは、点を直線で結んだだけ。",
    ),
    "report.caption_growth": (
        "{model}: from {low} to {high} {high:token|tokens} the length grew {tokens}-fold, the "
        "time {time}-fold.",
        "{model}: {low} から {high} トークンへ、長さは {tokens} 倍、時間は {time} 倍。",
    ),
    "report.caption_runs": (
        "Every run, those of one length set a little apart; the bars are the medians of the runs "
        "that count.",
        "全ての回(同じ長さの回は少し横にずらしてある)。横線は、数えた回の中央値。",
    ),
    "report.caption_runs_stated": (
        "Records that stand for several runs are not among the dots.",
        "複数の回をまとめた記録は、ここに含めていない。",
    ),
    "report.caption_excluded": (
        "{count} {count:run|runs} {count:is|are} excluded for what was seen beside them, never "
        "for their speed.",
        "{count} 回を除いた。理由はその回に起きていた事で、速さそのものではない。",
    ),
    "report.caption_none_excluded": ("No run is excluded.", "除いた回は無い。"),
    # Tables.
    "report.phase_prefill": ("prefill", "プロンプト処理(prefill)"),
    "report.phase_decode": ("decode", "生成(decode)"),
    "report.table_prefill": ("Prefill: reading the prompt", "プロンプト処理(prefill)"),
    "report.table_decode": ("Decode: writing the answer", "生成(decode)"),
    "report.table_waits": ("Waiting for an answer", "答えを待つ時間"),
    "report.table_fits": ("Fits and ratios", "当てはめと比"),
    "report.table_cached": (
        "The same prompt again, from the cache",
        "同じプロンプトをもう一度(キャッシュから)",
    ),
    "report.table_used": ("What the runs took", "計測に使ったもの"),
    "report.col_first_read": ("first token after, prompt read", "最初の 1 トークンまで(読む場合)"),
    "report.col_first_cached": (
        "first token after, prompt cached",
        "最初の 1 トークンまで(キャッシュにある場合)",
    ),
    "report.col_from_cache": ("found in the cache", "キャッシュにあった割合"),
    "report.col_pairs": ("pairs", "組数"),
    "report.col_memory": ("memory, at most", "メモリ(最大)"),
    "report.col_vram": ("GPU memory, at most", "GPU のメモリ(最大)"),
    "report.col_read_joules": ("joules per token read", "読む 1 トークンのエネルギー(J)"),
    "report.col_write_joules": ("joules per token written", "生成 1 トークンのエネルギー(J)"),
    "report.col_temperature": ("°C, at most", "温度(最高、°C)"),
    "report.col_clock": ("MHz, at least", "クロック(最低、MHz)"),
    "report.note_energy": (
        "Energy: medians, by the counters of whole devices, idling included ({sources}).",
        "エネルギーは中央値。デバイス全体の計数で、待機中の電力を含む({sources})。",
    ),
    "report.cell_failed": ("{reason}: {detail}", "{reason}: {detail}"),
    "report.source_measured_range": (
        "{value}: the fastest of {repeats} {repeats:repeat|repeats} with {threads} "
        "{threads:thread|threads} (median {median}, slowest {lowest})",
        "{value}({threads} スレッドで {repeats} 回の最速。中央値 {median}、最も遅い回 {lowest})",
    ),
    "report.source_measured_often": (
        "{times} measurements, of which the best counts, since a disturbance only ever makes a "
        "measurement slower: {each}",
        "{times} 回測り、最も速い値を採用(乱れは計測を遅くするだけなので): {each}",
    ),
    "report.table_excluded": ("Runs that do not count", "除いた回"),
    "report.col_context": ("tokens in the context", "読み込み済みのトークン数"),
    "report.col_prefill": ("prefill, tok/s", "prefill、tok/s"),
    "report.col_decode": ("decode, tok/s", "decode、tok/s"),
    "report.col_reading": ("time to read", "読み終えるまで"),
    "report.col_token_time": ("time per token", "1 トークンの時間"),
    "report.col_bytes": ("read per token", "1 トークンで読む量"),
    "report.col_achieved": ("achieved", "実際に読んだ速さ"),
    "report.col_share": ("of the ceiling", "上限に対して"),
    "report.col_flop": ("arithmetic", "計算の速さ"),
    "report.col_runs": ("runs", "回数"),
    "report.col_range": ("slowest–fastest", "最も遅い〜速い"),
    "report.col_with_excluded": ("with the excluded runs", "除いた回を戻すと"),
    "report.col_ask": ("prompt and answer", "入力と答え"),
    "report.col_ttft": ("first token after", "最初の 1 トークンまで"),
    "report.col_total": ("whole answer after", "答えの終わりまで"),
    "report.col_from_to": ("between", "見込みの幅"),
    "report.note_spread": ("The span: {meaning}.", "見込みの幅は、{meaning}。"),
    "report.col_outside": ("beyond what was measured", "実測の範囲の外"),
    "report.col_added": ("added bytes read at", "増えた分を読む速さ"),
    "report.col_per_gb": ("per added GB", "1 GB 増えるごとに"),
    "report.col_zero_bytes": (
        "time at zero bytes on this line",
        "この直線で読む量 0 の時間",
    ),
    "report.col_curve": (
        "seconds to read n tokens (largest misfit)",
        "n トークンを読む秒数(最大のずれ)",
    ),
    "report.col_ratio": (
        "arithmetic a second, prefill over decode",
        "1 秒の計算量、prefill ÷ decode",
    ),
    "report.col_run": ("run", "回"),
    "report.col_reason": ("why", "理由"),
    "report.col_figure": ("figure", "数値"),
    "report.col_source": ("where it comes from", "出所"),
    "report.cell_stated": ("{statistic} of several", "複数回の {statistic}"),
    "report.cell_stated_of": ("{statistic} of {of}", "{of} 回の {statistic}"),
    "report.cell_excluded": (
        "{counted} (+ {excluded} excluded)",
        "{counted}(他に除いた回 {excluded})",
    ),
    "report.cell_interval": ("{rate} ({ends})", "{rate}({ends})"),
    "report.cell_share": ("{share} of {ceiling}", "{ceiling} の {share}"),
    "report.cell_ask": (
        "{prompt} + {output} {output:token|tokens}",
        "{prompt} + {output} トークン",
    ),
    "report.spread_interval": (
        "95 % intervals of the medians, and the misfit of the curve",
        "中央値の 95% 区間と、曲線のずれ",
    ),
    "report.spread_range": (
        "slowest and fastest run (too few for an interval), and the misfit of the curve",
        "最も遅い回と速い回(区間を出すには回数が足りない)と、曲線のずれ",
    ),
    "report.spread_reports": (
        "by how much reports of one condition differ (one or two runs do not tell their spread), "
        "and the misfit of the curve",
        "同じ条件の報告どうしの差(1~2 回ではばらつきが分からない)と、曲線のずれ",
    ),
    # Conditions and sources.
    "report.conditions": ("Conditions", "条件"),
    "report.sources": ("Where the figures come from", "数値の出所"),
    "report.machine_os": ("system", "OS"),
    "report.machine_kernel": ("kernel", "カーネル"),
    "report.machine_cpu": ("CPU", "CPU"),
    "report.machine_physical_cores": ("cores", "コア数"),
    "report.machine_logical_cores": ("hardware threads", "ハードウェアスレッド数"),
    "report.machine_usable_cores": ("usable cores", "使えるコア数"),
    "report.machine_memory": ("memory", "メモリ"),
    "report.machine_cache": ("last-level cache", "最終段のキャッシュ"),
    "report.machine_governor": ("frequency governor", "周波数の制御"),
    "report.machine_on_battery": ("on battery", "電池で動作"),
    "report.setting_context": ("context, tokens", "コンテキスト長"),
    "report.setting_kv_k": ("KV cache, keys", "KV キャッシュの型(K)"),
    "report.setting_kv_v": ("KV cache, values", "KV キャッシュの型(V)"),
    "report.setting_flash_attention": ("flash attention", "flash attention"),
    "report.setting_gpu_layers": ("layers on the GPU", "GPU に置く層"),
    "report.setting_threads": ("threads", "スレッド数"),
    "report.setting_threads_batch": ("threads, prefill", "スレッド数(prefill)"),
    "report.setting_batch": ("batch", "batch"),
    "report.setting_ubatch": ("ubatch", "ubatch"),
    "report.condition_device": ("device", "デバイス"),
    "report.condition_engine": ("engine", "エンジン"),
    "report.condition_flags": ("engine options", "エンジンのオプション"),
    "report.condition_file": ("quantisation", "量子化"),
    "report.condition_digest": ("digest of the model", "モデルのダイジェスト"),
    "report.condition_dates": ("measured (UTC)", "計測(UTC)"),
    "report.condition_source": ("runs from", "計測の取得元"),
    "report.basis_given": ("given by the person", "利用者の指定"),
    "report.basis_measured": ("measured here", "ここで実測"),
    "report.basis_public": ("published", "公開された値"),
    "report.basis_spec": ("data sheet", "仕様"),
    "report.source_times": ("times and token counts", "時間とトークン数"),
    "report.source_times_said": (
        "the engine's own clock and count, run by run; a rate is steps / seconds, of the median "
        "time per token",
        "エンジン自身の計時と計数(回ごと)。速さは、1 トークンの時間の中央値から steps ÷ 秒で求める",
    ),
    "report.source_interval": ("intervals (in brackets)", "区間(括弧の中)"),
    "report.source_interval_said": (
        "order statistics of the runs, at least 95 %; from {need} runs on, else none",
        "回の順序統計による 95% 以上の区間。{need} 回から出し、それ未満では出さない",
    ),
    "report.source_bytes": ("bytes read per token", "1 トークンで読む量"),
    "report.source_bytes_of": ("bytes and operations of {model}", "{model} の読む量と計算量"),
    "report.source_bytes_said": (
        "the model file's own tensor table, and the KV cache at the mean depth of the steps, f16 "
        "where the engine did not say otherwise",
        "モデルのファイルのテンソルの表と、生成中の平均の depth での KV キャッシュ"
        "(型が分からなければ f16 とする)",
    ),
    "report.source_flop": ("arithmetic", "計算の速さ"),
    "report.source_flop_said": (
        "two operations for each weight that a token is multiplied with, the head once a prompt, "
        "and attention over the positions that each token sees; over the measured time",
        "トークンに掛ける重み 1 個につき 2 回、出力層は入力ごとに 1 回、注意機構は各トークンが"
        "見る位置の分を数え、実測の時間で割る",
    ),
    "report.source_bandwidth": ("memory bandwidth", "メモリ帯域"),
    "report.source_bandwidth_unknown": (
        "not known; --bandwidth GB/s gives it",
        "不明。--bandwidth GB/s で指定できる",
    ),
    "report.source_bandwidth_of_two": (
        "of no use alone: the model was on the GPU and on the host, and each has its own",
        "1 つでは足りない。モデルが GPU と本体のメモリに分かれ、帯域もそれぞれ違う",
    ),
    "report.source_arithmetic": ("peak arithmetic", "計算の速さの最大"),
    "report.source_peak_said": ("{value}, {basis}", "{value}、{basis}"),
    # The page and the summary.
    "report.page_title": ("Speed of {models}", "{models} の速さ"),
    "report.page_empty": ("No runs", "計測なし"),
    "report.notices": ("What to know about these figures", "数値を読むときの注意"),
    "report.remarks": ("From whoever made the record", "記録した人から"),
    "report.figures": ("Pictures", "図"),
    "report.results": ("Results", "結果"),
    "report.rerun": ("To measure it again", "もう一度測るには"),
    "report.data": ("Data", "データ"),
    "report.data_said": (
        "All {count} {count:run|runs} {count:is|are} in this file, as JSON in the element with "
        "the id {element}.",
        "全 {count} 回の記録が、この文書の中の id が {element} の要素に JSON で入っています。",
    ),
    "report.made_by": ("Made by tokenroof {version}.", "tokenroof {version} で作成。"),
    "report.pictures_in_english": (
        "The PNG pictures are in English, because no font here has Japanese letters; the SVG "
        "pictures and the page are not.",
        "日本語の文字を持つフォントが無いので、PNG の図だけは英語です(SVG とページは日本語)。",
    ),
    "report.all_counted": ("No run is excluded.", "除いた回はありません。"),
    "report.not_a_report": (
        "{path} is not a report of tokenroof: it holds no runs. Give the report.html of a lab "
        "folder, or its runs.jsonl.",
        "{path} は tokenroof のレポートではなく、計測の記録がありません。lab フォルダの "
        "report.html か runs.jsonl を指定してください。",
    ),
}
