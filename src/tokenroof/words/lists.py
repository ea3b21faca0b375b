"""Sentences about many answers at once: grids, tables, charts, and figures from elsewhere."""

from __future__ import annotations

from tokenroof.words import Catalogue

MESSAGES: Catalogue = {
    "lists.empty_grid": (
        "A grid needs at least one model, one device and one depth.",
        "モデル、デバイス、depth をそれぞれ 1 つ以上指定してください。",
    ),
    "lists.grid_and_fit": (
        "A grid looks for no placements: ask --fit for one question at a time.",
        "グリッドでは配置を探しません。--fit は 1 問ずつ使ってください。",
    ),
    # Options
    "lists.types": (
        "Types that every MODEL is asked in, with commas between; of names of the catalogue and "
        "configs.",
        "各 MODEL の量子化の型(コンマ区切り)。カタログの名前か config を指定した場合に使えます。",
    ),
    "lists.measured": (
        "Put measured figures beside the estimates: a CSV file with the columns phase (decode or "
        "prefill), tokens_per_s, and model, device, depth, prompt, output, source as needed.",
        "実測値を見積もりと並べます。CSV ファイルの列は phase(decode か prefill)、tokens_per_s と、"
        "必要に応じて model、device、depth、prompt、output、source。",
    ),
    "lists.size": (
        "Show the ceiling by a size as well, in GB (1e9 bytes), or by each model's own with "
        "'file'.",
        "モデルの大きさで割った上限も並べます。単位は GB(1e9 バイト)、"
        "file なら各モデル自身の大きさ。",
    ),
    "lists.sort": (
        "Order of the rows: model, device, depth, read, memory or wait, which rise; ceiling, "
        "decode, prefill, measured or share, which fall.",
        "行の並べ方: model、device、depth、read、memory、wait は小さい順、"
        "ceiling、decode、prefill、measured、share は大きい順。",
    ),
    "lists.table": (
        "Print nothing but the table: as Markdown, or all figures as CSV.",
        "表だけを出力します。markdown か、すべての数値を含む csv。",
    ),
    "lists.chart": (
        "Draw the ceilings over the depth, and a map of devices and models, into a file: .png, "
        ".svg or .html.",
        "depth ごとの上限と、デバイスとモデルの地図をファイルに描きます(.png、.svg、.html)。",
    ),
    # Columns; a line break may stand in a heading
    "lists.column_read": ("read per\ntoken", "読む量/\nトークン"),
    "lists.column_decode": ("decode\ntok/s", "decode\ntok/s"),
    "lists.column_prefill": ("prefill\ntok/s", "prefill\ntok/s"),
    "lists.column_by_size": ("by its\nsize", "大きさ\nから"),
    "lists.column_wait": ("wait", "待ち時間"),
    "lists.column_memory": ("in\nmemory", "メモリ"),
    "lists.column_phase": ("phase", "段階"),
    "lists.column_peak": ("peak", "ピーク"),
    "lists.column_times": ("×", "×"),
    "lists.column_measured": ("measured\ntok/s", "実測\ntok/s"),
    "lists.column_ceiling": ("at most\n(share)", "上限\n(割合)"),
    "lists.column_by_size_share": ("by its size\n(share)", "大きさから\n(割合)"),
    "lists.column_reads": ("to read\nthe prompt", "読む時間"),
    "lists.column_estimated": ("as\nestimated", "見積もり"),
    "lists.decode": ("decode", "decode"),
    "lists.prefill": ("prefill", "prefill"),
    # Why a ceiling by the size is another
    "lists.size_of": (
        "{model}: by its size of {size} the ceiling is another. A token reads {weights} of weights "
        "({difference}): {why}.{cache}",
        "{model}: 大きさ {size} で割ると上限が変わります。1 トークンで読む重みは "
        "{weights}({difference})。{why}。{cache}",
    ),
    "lists.size_less": ("{percent} less", "{percent} 少ない"),
    "lists.size_more": ("{percent} more", "{percent} 多い"),
    "lists.size_same": ("the same", "同じ"),
    "lists.why_embedding": (
        "of the input embedding one row is looked up",
        "入力 embedding は 1 行だけ参照する",
    ),
    "lists.why_experts": (
        "of the experts it reads only those that it is sent to",
        "expert は選ばれたものだけを読む",
    ),
    "lists.why_unread": (
        "some tensors are not passed at all",
        "まったく通らないテンソルがある",
    ),
    "lists.why_rounded": (
        "and the tensors come to {stored}",
        "テンソルは合計 {stored}",
    ),
    "lists.why_all": ("it reads every tensor", "すべてのテンソルを読む"),
    "lists.why_cache": (
        " Its cache at depth {depth} adds {cache}.",
        "depth {depth} ではキャッシュ {cache} が加わります。",
    ),
    # Charts
    "lists.axis_depth": ("tokens in the context (depth)", "読み込み済みの長さ(depth、トークン)"),
    "lists.axis_rate_log": (
        "decode, tokens per second (log scale)",
        "生成(decode)、トークン毎秒(対数)",
    ),
    "lists.axis_read": ("read per token, GB (log scale)", "1 トークンで読む量(GB、対数)"),
    "lists.axis_bandwidth": ("memory bandwidth, GB/s (log scale)", "メモリ帯域(GB/s、対数)"),
    "lists.title_depths": (
        "At depth {depth} the ceilings are {low} to {high} of what they are at the start",
        "depth {depth} での上限は最初の {low}〜{high}",
    ),
    "lists.title_depths_one": (
        "At depth {depth} the ceiling is {share} of what it is at the start",
        "depth {depth} での上限は最初の {share}",
    ),
    "lists.caption_depths": (
        "The most tokens per second that the memory allows: its bandwidth over what a token reads, "
        "weights and KV cache.",
        "メモリが許す最大の速さ: メモリ帯域 ÷ 1 トークンで読む量(重みと KV キャッシュ)。",
    ),
    "lists.caption_measured": ("Diamonds: measured.", "ひし形: 実測。"),
    "lists.title_map": (
        "From {low} to {high} at most: what a device's memory and a model's bytes allow",
        "上限は {low}〜{high}: デバイスのメモリ帯域とモデルの読む量で決まる",
    ),
    "lists.title_map_one": (
        "{model} on {device}: at most {rate}",
        "{model}({device}): 上限は {rate}",
    ),
    "lists.caption_map": (
        "Every diagonal is one speed. Where a device and a model cross stands the ceiling at depth "
        "{depth}, in tokens per second.",
        "斜めの線は同じ速さ。デバイスとモデルの交点が depth {depth} での上限(トークン/秒)。",
    ),
    "lists.caption_hollow": (
        "Hollow: does not fit into the memory.",
        "白抜き: メモリに入らない。",
    ),
    "lists.chart_ending": (
        "A chart cannot be drawn into '{name}': end its name with one of {known}.",
        "「{name}」には描けません。ファイル名の末尾を次のどれかにしてください: {known}",
    ),
    "lists.nothing_to_draw": (
        "There is nothing to draw: no ceiling is known.",
        "描くものがありません。上限の分かる行がありません。",
    ),
    "lists.chart_written": ("Drawn: {path}", "描画: {path}"),
    # What goes wrong
    "lists.type_twice": (
        "{model} names a type already: leave it or --types out.",
        "{model} には型がすでに含まれています。名前の型か --types のどちらかを外してください。",
    ),
    "lists.measured_and_lists": (
        "--measured answers one question a line: give at most one MODEL, --on and --depth beside "
        "it.",
        "--measured は 1 行に 1 問です。併用できる MODEL、--on、--depth はそれぞれ 1 つまでです。",
    ),
    "lists.unreadable": ("{path} cannot be read: {reason}.", "{path} を読めません: {reason}"),
    "lists.not_utf8": (
        "{path} is not text in UTF-8: save it as CSV in UTF-8.",
        "{path} は UTF-8 のテキストではありません。UTF-8 の CSV で保存してください。",
    ),
    "lists.too_long": (
        "{path} is longer than {limit} and is not read.",
        "{path} は {limit} より大きいため読みません。",
    ),
    "lists.no_figures": (
        "{path} holds no figures: its first line names the columns.",
        "{path} に数値がありません。1 行目には列の名前を書いてください。",
    ),
    "lists.bad_column": (
        "{path}: the column '{name}' is unknown, or there twice; there are {known}.",
        "{path}: 列「{name}」は未知か重複です。使える列: {known}",
    ),
    "lists.no_column": (
        "{path} has no column '{name}', which every figure needs.",
        "{path} に必須の列「{name}」がありません。",
    ),
    "lists.said_twice": (
        "{path} has a column '{name}', and the command says it as well: leave one out.",
        "{path} に列「{name}」があり、コマンドでも指定されています。どちらかを外してください。",
    ),
    "lists.said_nowhere": (
        "{path} has no column '{name}': give it in the file or with the command.",
        "{path} に列「{name}」がありません。ファイルかコマンドで指定してください。",
    ),
    "lists.bad_line": (
        "{path}, line {line}: more cells than columns.",
        "{path} の {line} 行目: セルの数が列より多くなっています。",
    ),
    "lists.bad_cell": (
        "{path}, line {line}: '{value}' is no {name}. phase is decode or prefill, "
        "tokens_per_s above 0, depth, prompt and output whole numbers, and prefill needs a prompt.",
        "{path} の {line} 行目: 「{value}」は {name} として読めません。phase は decode か prefill、"
        "tokens_per_s は正の数、depth、prompt、output は整数で、prefill には prompt が必要です。",
    ),
}
