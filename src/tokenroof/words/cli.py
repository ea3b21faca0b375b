"""Sentences of the command line: help, usage errors, and what it shows on the screen."""

from tokenroof.words import Catalogue

MESSAGES: Catalogue = {
    # The page of the command itself
    "cli.about": (
        "Measure, explain and predict the speed of local language models.",
        "手元で動かす言語モデルの速さを測り、理由を説明し、予測します。",
    ),
    "cli.heading_usage": ("Usage:", "使い方:"),
    "cli.heading_options": ("Options", "オプション"),
    "cli.heading_verbs": ("Commands", "コマンド"),
    "cli.heading_examples": ("Examples", "例"),
    "cli.help": ("Show this page and exit.", "このページを表示して終わります。"),
    "cli.version": ("Show the version and exit.", "バージョンを表示して終わります。"),
    "cli.lang": (
        "The language to speak; by default that of your locale.",
        "表示する言語。指定がなければロケールに従います。",
    ),
    "cli.json": (
        "Print one JSON document and nothing else.",
        "JSON 文書を 1 つだけ出力します。",
    ),
    # One line a verb
    "cli.lab_short": (
        "The whole job: inspect, measure, explain, report.",
        "全部まとめて: 調べる、測る、説明する、レポートにする。",
    ),
    "cli.inspect_short": (
        "What is in a model file, and what one token costs.",
        "モデルファイルの中身と、1 トークンにかかる量。",
    ),
    "cli.estimate_short": (
        "How fast at most, and does it fit.",
        "速さの上限と、メモリに入るかどうか。",
    ),
    "cli.bench_short": (
        "Measure prefill and decode on this machine.",
        "このマシンで prefill と decode を測ります。",
    ),
    "cli.report_short": (
        "Make the report of runs that were measured before.",
        "計測済みの結果からレポートを作ります。",
    ),
    # Options of several verbs
    "cli.kv_type": (
        "Type of the KV cache, or of keys and values apart (f16).",
        "KV キャッシュの型。キーと値を別々にも指定できます(f16)。",
    ),
    "cli.context": (
        "Tokens of context that memory is set aside for.",
        "メモリを確保するコンテキストのトークン数。",
    ),
    "cli.ubatch": (
        "Tokens of a micro-batch of prefill (512).",
        "prefill のマイクロバッチのトークン数(512)。",
    ),
    # estimate
    "cli.estimate_about": (
        "Say how fast a model can decode at most: memory bandwidth divided by the bytes that one "
        "token reads. Where the memory is known too, say whether it fits.",
        "モデルの生成(decode)の速さの上限を求めます。"
        "メモリ帯域を 1 トークンで読む量で割った値です。"
        "メモリ容量が分かれば、入るかどうかも表示します。",
    ),
    "cli.estimate_on": (
        "Where it runs: a name that 'tokenroof devices' knows, as [Nx ]NAME[ + HOST], or 'here' "
        "to measure this machine's CPU. May be repeated.",
        "どこで動かすか。「tokenroof devices」にある名前([Nx ]NAME[ + HOST])か、"
        "このマシンの CPU を測る here。何度でも指定できます。",
    ),
    "cli.estimate_bandwidth": (
        "Memory bandwidth of the device, in GB/s.",
        "デバイスのメモリ帯域(GB/s)。",
    ),
    "cli.estimate_memory": (
        "Memory of the device, in GB (1e9 bytes).",
        "デバイスのメモリ容量(GB = 10^9 バイト)。",
    ),
    "cli.estimate_tflops": (
        "Arithmetic of the device, in TFLOP/s: bounds prefill.",
        "デバイスの演算性能(TFLOP/s)。prefill の上限に使います。",
    ),
    "cli.estimate_depth": (
        "Tokens already in the context.",
        "すでにコンテキストにあるトークン数。",
    ),
    "cli.estimate_prompt": (
        "Tokens of the prompt that is read on top of the depth.",
        "depth のあとに読むプロンプトのトークン数。",
    ),
    "cli.estimate_output": ("Tokens to write.", "生成するトークン数。"),
    "cli.estimate_cases": (
        "Answer the questions of a file, one JSON object a line.",
        "ファイルの質問(1 行に JSON オブジェクト 1 つ)に答えます。",
    ),
    "cli.estimate_batch": (
        "Tokens of a batch (2048).",
        "バッチのトークン数(2048)。",
    ),
    "cli.estimate_parallel": (
        "Sequences that memory is set aside for.",
        "メモリを確保する系列の数。",
    ),
    "cli.estimate_engine": (
        "Whose way of setting memory aside is followed: llama-server, llama-bench, ollama, "
        "lmstudio or embedded.",
        "メモリの確保のしかたを合わせるエンジン: llama-server、llama-bench、ollama、lmstudio、"
        "embedded。",
    ),
    "cli.estimate_projector": (
        "File that turns pictures or sound into tokens (mmproj).",
        "画像や音声をトークンにするファイル(mmproj)。",
    ),
    "cli.estimate_host": (
        "What holds that which the device does not: a CPU or its memory, as ddr5-5600 x2.",
        "デバイスに載らない分を置く CPU かメモリ(例: ddr5-5600 x2)。",
    ),
    "cli.estimate_gpu_layers": (
        "How many of the last layers go to the GPU, the output layer counted.",
        "GPU に置く層の数(後ろから数え、出力層を含む)。",
    ),
    "cli.estimate_cpu_moe": (
        "Of how many first blocks the experts stay with the host.",
        "expert をホストに残すブロックの数(前から数える)。",
    ),
    "cli.estimate_override": (
        "Tensors that go elsewhere, by a pattern of their names; with commas between several.",
        "別の場所に置くテンソル(名前のパターン)。複数はコンマで区切ります。",
    ),
    "cli.estimate_split_mode": (
        "How several GPUs share the layers (layer).",
        "複数の GPU での分け方(layer)。",
    ),
    "cli.estimate_tensor_split": (
        "In what proportion they share them (that of their memory).",
        "分ける比(指定しなければメモリ量の比)。",
    ),
    "cli.estimate_no_kv_offload": (
        "Keep the KV cache in the host's memory.",
        "KV キャッシュをホストのメモリに置きます。",
    ),
    "cli.estimate_fit": (
        "Find the fastest placement that fits, and print what to paste.",
        "メモリに入る最速の配置を探し、貼り付けられる指定を表示します。",
    ),
    "cli.cases_and_lists": (
        "--cases answers one question a line: give at most one MODEL, --on and --depth beside it, "
        "and neither --measured, --size nor --chart.",
        "--cases は 1 行 1 問です。併用できる MODEL、--on、--depth は 1 つまでで、"
        "--measured、--size、--chart は併用できません。",
    ),
    "cli.answer": (
        "{model} on {device}: at most {rate} at depth {depth}, since each token reads {read}.",
        "{model}({device}): depth {depth} での上限は {rate}。1 トークンで {read} を読むためです。",
    ),
    "cli.answer_predicted": (
        "{model} on {device}: about {point} at depth {depth} ({range} in 4 of 5 cases), at most "
        "{rate}.",
        "{model}({device}): depth {depth} で約 {point}(5 回に 4 回は {range})、上限は {rate}。",
    ),
    "cli.answer_several": ("{model} on {device}:", "{model}({device}):"),
    "cli.answer_model": ("{model}:", "{model}:"),
    "cli.answer_unknown": (
        "{model} on {device}: the memory bandwidth is unknown, so there is no ceiling to give.",
        "{model}({device}): メモリ帯域が不明なため、上限は分かりません。",
    ),
    "cli.answer_does_not_fit": (
        "{model} does not fit on {device}: it needs {resident} and there are {capacity}.",
        "{model} は {device} に入りません。必要なのは {resident}、容量は {capacity} です。",
    ),
    "cli.answer_fits_nowhere": (
        "{model} does not fit on {device}, however it is placed: it needs {resident} in all and "
        "there are {capacity}.",
        "{model} は {device} にどう置いても入りません。必要なのは全部で {resident}、"
        "容量は {capacity} です。",
    ),
    "cli.answer_fits": (
        "{model} on {device} fits with {layers}: at most {rate} at depth {depth}.",
        "{model}({device}): {layers}置けば入ります。depth {depth} での上限は {rate}。",
    ),
    "cli.answer_fits_predicted": (
        "{model} on {device} fits with {layers}: about {point} at depth {depth} ({range} in 4 of 5 "
        "cases), at most {rate}.",
        "{model}({device}): {layers}置けば入ります。depth {depth} で約 {point}(5 回に 4 回は "
        "{range})、上限は {rate}。",
    ),
    "cli.layers_of": (
        "{cards} of {layers} {layers:layer|layers} on the GPU",
        "{layers} 層のうち {cards} 層を GPU に",
    ),
    "cli.experts_behind": (
        ", without the experts of the first {count} {count:block|blocks}",
        "(先頭 {count} ブロックの expert は除いて)",
    ),
    "cli.paste": ("To paste:", "貼り付け用:"),
    "cli.lm_studio_experts": (
        "in the load settings: experts of {count} {count:layer|layers} on the CPU",
        "ロード設定で expert を CPU に置く層の数を {count} にする",
    ),
    "cli.lm_studio_kv_types": (
        "in the load settings: KV cache of type {keys} for keys and {values} for values",
        "ロード設定で KV キャッシュの型を、キーは {keys}、値は {values} にする",
    ),
    "cli.lm_studio_kv_on_host": (
        "in the load settings: KV cache not on the GPU",
        "ロード設定で KV キャッシュを GPU に置かない",
    ),
    "cli.ollama_environment": (
        "and in the environment of Ollama's server:",
        "Ollama サーバーの環境変数に:",
    ),
    "cli.ollama_cannot": (
        "Ollama has no setting for: {options}",
        "Ollama では設定できないもの: {options}",
    ),
    "cli.where": ("where", "置き場所"),
    "cli.column_layers": ("layers", "層"),
    "cli.column_weights": ("weights", "重み"),
    "cli.column_cache": ("cache", "キャッシュ"),
    "cli.column_buffers": ("buffers", "作業領域"),
    "cli.column_capacity": ("there are", "容量"),
    "cli.column_read_here": ("read per token", "1 トークンで読む量"),
    "cli.column_time": ("which takes", "その時間"),
    "cli.no_answer": ("row {row}: {reason}", "{row} 行目: {reason}"),
    "cli.no_questions": ("The file holds no questions.", "ファイルに質問がありません。"),
    "cli.assumes": ("Assumes: {notes}.", "前提: {notes}。"),
    "cli.assumes_of": ("{device}: {notes}.", "{device}: {notes}。"),
    "cli.verify": ("To measure it:", "確かめるには:"),
    "cli.verify_fit": ("To find a placement that fits:", "入る配置を探すには:"),
    "cli.fits": ("fits", "入る"),
    "cli.tight": ("tight", "余裕なし"),
    "cli.does_not_fit": ("does not fit", "入らない"),
    "cli.fit_unknown": ("unknown", "不明"),
    # Columns
    "cli.column_model": ("model", "モデル"),
    "cli.column_device": ("device", "デバイス"),
    "cli.column_depth": ("depth", "depth"),
    "cli.column_decode": ("decode tok/s", "decode tok/s"),
    "cli.column_ceiling": ("at most", "上限"),
    "cli.column_prefill": ("prefill tok/s", "prefill tok/s"),
    "cli.column_resident": ("in memory", "メモリ"),
    "cli.column_fits": ("fits?", "入るか"),
    # Of several pages
    "cli.comma": (", ", "、"),
    # bench and lab
    "cli.bench_about": (
        "Measure how fast a model reads prompts (prefill) and writes answers (decode) on this "
        "machine, at several lengths, interleaved, on a quiet machine. Every run is kept at once, "
        "so an interrupted campaign loses nothing.",
        "このマシンで、モデルがプロンプトを読む速さ(prefill)と答えを書く速さ(decode)を、"
        "いくつかの長さで交互に、静かな状態で測ります。1 回ごとにすぐ保存するので、"
        "中断しても何も失われません。",
    ),
    "cli.lab_about": (
        "Do the whole job: inspect the model, measure the memory bandwidth and the model's "
        "speed, say what limits it, and write a report into lab/<model>-<date>/.",
        "全部まとめて行います。モデルを調べ、メモリ帯域と速さを測り、何が速さを決めているかを説"
        "明し、lab/<モデル>-<日時>/ にレポートを書きます。",
    ),
    "cli.measure_bandwidth": (
        "Memory bandwidth of where the layers are, in GB/s, where it cannot be measured: on a "
        "GPU, or where the engine does not say where it ran.",
        "層を置くメモリの帯域(GB/s)。GPU や、どこで動いたか分からないエンジンなど、"
        "測れない場合に指定します。",
    ),
    "cli.measure_lengths": (
        "Prompt lengths in tokens, also as a sweep such as 512-8k*2 (512,2k,4k,8k as far as they "
        "fit).",
        "プロンプトの長さ(トークン)。512-8k*2 のような範囲も書けます。既定は 512,2k,4k,8k のうち"
        "入るもの。",
    ),
    "cli.measure_output": (
        "Tokens to write after each prompt (128).",
        "プロンプトごとに生成するトークン数(128)。",
    ),
    "cli.measure_rounds": (
        "Runs that every length gets at least (3).",
        "長さごとの最少の回数(3)。",
    ),
    "cli.measure_precision": (
        "Stop when the 95% interval is within this of the median (2%).",
        "95% 区間が中央値のこの割合に収まれば終わります(2%)。",
    ),
    "cli.measure_budget": (
        "Time for the whole campaign, as 90s, 10m or 1h (5m).",
        "全体の時間。90s、10m、1h のように書きます(5m)。",
    ),
    "cli.measure_context": (
        "Context for all lengths (what the longest needs).",
        "すべての長さに共通のコンテキスト(既定は最長の長さに必要な量)。",
    ),
    "cli.measure_threads": (
        "Threads of the engine; auto finds how many are enough (its own choice).",
        "エンジンのスレッド数。auto で足りる数を探します(既定はエンジンに任せます)。",
    ),
    "cli.measure_flash_attention": (
        "Flash attention (the engine's own choice).",
        "Flash Attention(既定はエンジンに任せます)。",
    ),
    "cli.measure_engine": (
        "ollama, llama-server, llama-bench, embedded or openai (a running Ollama that has the "
        "model, else what is on the PATH, else embedded).",
        "ollama、llama-server、llama-bench、embedded、openai のどれか(既定はモデルを持つ動作中の "
        "Ollama、次に PATH にあるもの、最後に embedded)。",
    ),
    "cli.measure_cached": (
        "Send each prompt twice, and compare the wait when it is read and when it is cached.",
        "各プロンプトを 2 回送り、読む場合とキャッシュにある場合の待ち時間を比べます。",
    ),
    "cli.measure_url": (
        "Address of a server that runs already, for --engine.",
        "すでに動いているサーバーのアドレス(--engine と使います)。",
    ),
    "cli.measure_engine_program": (
        "File of llama-server or llama-bench, for --engine (found on the PATH).",
        "llama-server か llama-bench のファイル(--engine と使います。既定は PATH から)。",
    ),
    "cli.measure_engine_flags": (
        "Further flags of llama-server or llama-bench, passed on as they are.",
        "llama-server か llama-bench にそのまま渡すフラグ。",
    ),
    "cli.measure_watch_queue": (
        "A ComfyUI whose queue must be empty while we measure.",
        "計測中に空であるべき ComfyUI のキューの URL。",
    ),
    "cli.measure_wait_quiet": (
        "How long to wait for a quiet machine before a run (60s).",
        "実行前に、静かになるのを待つ時間(60s)。",
    ),
    "cli.measure_strict": (
        "Stop with exit code 4 when the machine does not become quiet.",
        "静かにならなければ終了コード 4 で終わります。",
    ),
    "cli.measure_resume": (
        "Go on with an interrupted campaign, by its id, or 'last'; MODEL is not needed then.",
        "中断した計測を続けます。id か last(最後のもの)を指定します。MODEL は要りません。",
    ),
    # report
    "cli.report_about": (
        "Make the report of runs that were measured before. RUNS is a campaign's id, a runs "
        "file, a report.html, or a folder with a runs file; without it, the latest campaign of "
        "your data folder.",
        "計測済みの結果からレポートを作ります。RUNS は計測の ID、結果ファイル、report.html、また"
        "は結果ファイルのあるフォルダです。指定がなければ、データフォルダの最新の計測を使います。",
    ),
    "cli.report_out": (
        "The folder to write into (lab/<model>-<date>).",
        "書き込むフォルダ(既定は lab/<モデル>-<日時>)。",
    ),
    "cli.report_format": (
        "html: everything; md: the summary alone; json: on standard output.",
        "html: すべて、md: 要約だけ、json: 標準出力へ。",
    ),
    "cli.no_model": (
        "MODEL is missing; give the path of a GGUF file, or --resume with a campaign.",
        "MODEL がありません。GGUF ファイルのパスか、--resume で計測の ID を指定してください。",
    ),
    "cli.resume_alone": (
        "--resume goes on as the campaign was begun: leave MODEL and the other options out.",
        "--resume は始めたときの設定で続けます。MODEL や他のオプションは付けないでください。",
    ),
    # Results
    "cli.column_length": ("tokens", "トークン"),
    "cli.column_reached": ("reached", "達成"),
    "cli.column_runs": ("runs", "回数"),
    "cli.intervals": (
        "[low, high]: 95% interval of the median.",
        "[下, 上]: 中央値の 95% 区間。",
    ),
    "cli.stated": (
        "Each figure stands for several runs, as whoever measured them says.",
        "どの数値も、測った人が示した複数回の代表値です。",
    ),
    "cli.no_intervals": (
        "Medians; an interval needs {runs} {runs:run|runs}.",
        "中央値です。区間には {runs} 回が必要です。",
    ),
    "cli.written": (
        "{count} {count:file|files} {count:is|are} in:",
        "{count} 個のファイルを書きました:",
    ),
    "cli.open_page": (
        "The report opens in any browser, offline:",
        "レポート(オフラインで開けます):",
    ),
    "cli.kept": (
        "Every run is kept; this makes the report of them:",
        "すべての回を保存しました。レポートを作るには:",
    ),
    # Progress
    "cli.loading": ("Loading the model", "モデルを読み込んでいます"),
    "cli.warming": (
        "Warming up, run {run} of at most {most}",
        "慣らし運転中(最大 {most} 回のうち {run} 回目)",
    ),
    "cli.warming_reading": (
        "Warming up, run {run} of at most {most}: read {done} of {total}",
        "慣らし運転中(最大 {most} 回のうち {run} 回目): {total} のうち {done} まで読んだ",
    ),
    "cli.warming_writing": (
        "Warming up, run {run} of at most {most}: wrote {done} of {total}",
        "慣らし運転中(最大 {most} 回のうち {run} 回目): {total} のうち {done} まで書いた",
    ),
    "cli.runs_follow": ("{runs} {runs:run|runs} follow", "続いて {runs} 回"),
    "cli.kept_goes_on": (
        "Every run is kept at once. Should this be stopped, go on with:",
        "1 回ごとにすぐ保存します。途中で止まったら、次で続けられます:",
    ),
    "cli.kept_shows": (
        "Every run is kept at once. Should this be stopped, see what there is with:",
        "1 回ごとにすぐ保存します。途中で止まったら、そこまでの結果は次で見られます:",
    ),
    "cli.stopped_goes_on": (
        "Stopped. {runs} {runs:run is|runs are} kept; go on with: {command}",
        "中断しました。保存済みの回数: {runs}。続けるには: {command}",
    ),
    "cli.stopped_shows": (
        "Stopped. {runs} {runs:run is|runs are} kept; see what there is with: {command}",
        "中断しました。保存済みの回数: {runs}。見るには: {command}",
    ),
    "cli.waiting_quiet": (
        "Watching whether the machine is quiet, {patience} at most",
        "静かかどうかを見ています(最長 {patience})",
    ),
    "cli.waiting_for": (
        "Not quiet, waiting {patience} at most: {reason}",
        "静かになるのを待っています(最長 {patience}): {reason}",
    ),
    "cli.running": ("{tokens} {tokens:token|tokens}", "{tokens} トークン"),
    "cli.reading": (
        "{tokens} {tokens:token|tokens}: read {done}",
        "{tokens} トークン: {done} まで読んだ",
    ),
    "cli.writing": (
        "{tokens} {tokens:token|tokens}: wrote {done} of {total}",
        "{tokens} トークン: {total} のうち {done} まで書いた",
    ),
    "cli.time_given": ("budget {budget}", "時間の上限 {budget}"),
    "cli.time_left": ("{left} left", "残り {left}"),
    "cli.run_done": (
        "Run {done} of {expected}: {tokens} {tokens:token|tokens}, prefill {prefill}, decode "
        "{decode}",
        "{done}/{expected} 回目: {tokens} トークン、prefill {prefill}、decode {decode}",
    ),
    "cli.run_excluded": (
        "Run {done} of {expected}: {tokens} {tokens:token|tokens}, prefill {prefill}, decode "
        "{decode}, not counted ({reason})",
        "{done}/{expected} 回目: {tokens} トークン、prefill {prefill}、decode {decode}、"
        "数えません({reason})",
    ),
    # Usage errors
    "cli.usage_error": ("{what} {way_out}", "{what}{way_out}"),
    "cli.see_help": ("See '{path} --help'.", "「{path} --help」を見てください。"),
    "cli.unknown_verb": (
        "There is no command '{verb}'; the commands are {verbs}.",
        "「{verb}」というコマンドはありません。コマンド: {verbs}。",
    ),
    "cli.unknown_verb_but": (
        "There is no command '{verb}'; did you mean '{closest}'?",
        "「{verb}」というコマンドはありません。「{closest}」ではありませんか。",
    ),
    "cli.unknown_option": (
        "There is no option {option}.",
        "{option} というオプションはありません。",
    ),
    "cli.unknown_option_but": (
        "There is no option {option}; did you mean {closest}?",
        "{option} というオプションはありません。{closest} ではありませんか。",
    ),
    "cli.missing": ("{name} is missing.", "{name} がありません。"),
    "cli.option_needs_value": (
        "{option} is used wrongly: it needs a value, or takes none.",
        "{option} の使い方が違います(値が必要か、値を取らないオプションです)。",
    ),
    "cli.not_a_choice": (
        "{name} must be one of {choices}.",
        "{name} は次のどれかです: {choices}。",
    ),
    "cli.bad_value": ("{name}: {reason}.", "{name}: {reason}。"),
    "cli.usage": ("{reason}.", "{reason}。"),
    "cli.not_flags": (
        "The flags '{value}' have a quotation mark that is not closed: close it.",
        "フラグ「{value}」の引用符が閉じていません。閉じてください。",
    ),
    "cli.not_a_count": (
        "'{value}' is not a whole number from {least} on (4k is 4,096)",
        "「{value}」は {least} 以上の整数ではありません(4k は 4,096)",
    ),
    "cli.not_positive": (
        "'{value}' is not a number above zero",
        "「{value}」は 0 より大きい数ではありません",
    ),
    "cli.not_a_span": (
        "'{value}' is not a span of time such as 90s, 10m or 1h",
        "「{value}」は時間ではありません(90s、10m、1h のように書きます)",
    ),
    "cli.not_a_queue": (
        "'{value}' is not the address of a queue, such as http://127.0.0.1:8188",
        "「{value}」はキューのアドレスではありません(http://127.0.0.1:8188 のように書きます)",
    ),
    "cli.not_cache_types": (
        "'{value}' is neither one cache type nor two with a comma between",
        "「{value}」はキャッシュの型 1 つでも、コンマで区切った 2 つでもありません",
    ),
    # Failures
    "cli.interrupted": (
        "Interrupted.",
        "中断しました。",
    ),
    "cli.system": (
        "The system said no: {reason}.",
        "システムに断られました: {reason}。",
    ),
    "cli.system_at": (
        "{place}: the system said no: {reason}.",
        "{place}: システムに断られました: {reason}。",
    ),
    "cli.our_mistake": (
        "tokenroof made a mistake of its own ({kind}: {detail}); please report it with what "
        "{debug}=1 shows for the same command.",
        "tokenroof 自身の誤りです({kind}: {detail})。同じコマンドに {debug}=1 を付けて"
        "表示される内容を添えて報告してください。",
    ),
}
