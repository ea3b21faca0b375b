"""Sentences of the page of `inspect`."""

from tokenroof.words import Catalogue

MESSAGES: Catalogue = {
    # The verb
    "inspect.about": (
        "Show what a model file really holds, what one decoded token reads of it, what the KV "
        "cache costs and what reading a prompt takes, in llama.cpp. Only the header is read. "
        "MODEL is a GGUF file, any part of a split set, a folder with one model, a name as its "
        "tool gives it (ollama:NAME, lmstudio:NAME, hf:OWNER/REPO/FILE, https://...), or "
        "NAME@TYPE of a model that is not here yet; two of them are shown side by side.",
        "モデルファイルの本当の中身、1 トークンの生成で読む量、KV キャッシュの大きさ、"
        "プロンプト処理にかかる量を、llama.cpp の場合で表示します。読むのはヘッダだけです。"
        "MODEL は GGUF ファイル、分割ファイルのどれか、モデルが 1 つ入ったフォルダ、"
        "各ツールでの名前(ollama:NAME、lmstudio:NAME、hf:OWNER/REPO/FILE、https://...)、またはまだ手元に"
        "ないモデルの NAME@TYPE です。"
        "2 つ指定すると並べて表示します。",
    ),
    "inspect.depth": (
        "What the next token reads of the cache with N tokens in the context.",
        "コンテキストに N トークンあるとき、次の 1 トークンがキャッシュから読む量。",
    ),
    "inspect.context": (
        "What is allocated for a context of N tokens.",
        "コンテキスト N トークンのために確保する量。",
    ),
    "inspect.prompt": (
        "What reading a prompt of N tokens takes.",
        "N トークンのプロンプト処理(prefill)にかかる量。",
    ),
    "inspect.parallel": (
        "Sequences side by side that --context is for (1).",
        "--context を分け合う系列の数(1)。",
    ),
    "inspect.unified": (
        "They share one cache, as the slots of llama-server do by default.",
        "系列がキャッシュを 1 つ共有します(llama-server のスロットの既定)。",
    ),
    "inspect.swa_full": (
        "Sliding layers keep the whole context, as llama.cpp's --swa-full makes them.",
        "窓を持つ層も全長を保持します(llama.cpp の --swa-full)。",
    ),
    "inspect.tensors": (
        "List every tensor with what a token reads of it; of two models, those that differ.",
        "すべてのテンソルと、1 トークンで読む量を並べます。2 つのモデルでは違うものだけです。",
    ),
    "inspect.types": (
        "Instead, the table of all file types that llama-quantize makes: size, bits, what a token "
        "reads, and the ceiling on a device. MODEL is a name of the catalogue or a config.json.",
        "代わりに、llama-quantize が作る全ての型の表を出します。大きさ、ビット数、1 トークンで"
        "読む量と、デバイスでの上限です。MODEL はカタログの名前か config.json です。",
    ),
    "inspect.on": (
        "With --types: a device whose figures are known, as for estimate.",
        "--types のとき:数値のわかっているデバイス(estimate と同じ)。",
    ),
    "inspect.bandwidth": (
        "With --types: bandwidth of the device's memory, instead of --on.",
        "--types のとき:--on の代わりに、デバイスのメモリ帯域。",
    ),
    "inspect.memory": (
        "With --types: memory of the device.",
        "--types のとき:デバイスのメモリ容量。",
    ),
    "inspect.types_alone": (
        "--types shows one model and goes with --on, --bandwidth and --memory alone.",
        "--types はモデル 1 つを表示し、一緒に使えるのは --on、--bandwidth、--memory だけです。",
    ),
    "inspect.device_without_types": (
        "--on, --bandwidth and --memory go with --types; for one type use tokenroof estimate.",
        "--on、--bandwidth、--memory は --types と使います。型が 1 つなら tokenroof estimate を"
        "使ってください。",
    ),
    "inspect.types_title": (
        "{model} in every type that llama-quantize makes",
        "{model}:llama-quantize が作る全ての型",
    ),
    "inspect.types_device": (
        "Ceiling: tok/s on {device}, at most, at depth 0.",
        "上限は {device} での tok/s(depth 0)です。",
    ),
    "inspect.types_fits": (
        "Fits: with a context of {context} {context:token|tokens}.",
        "「収まる」は {context} トークンの文脈の場所を含みます。",
    ),
    "inspect.types_need_matrix": (
        "* made only with an importance matrix, whose makers may choose other types for some "
        "tensors.",
        "* 重要度行列 (imatrix) がないと作れません。作り手が一部に別の型を選ぶこともあります。",
    ),
    "inspect.types_with_matrix": (
        "With an importance matrix some tensors get another type: {sizes}.",
        "重要度行列 (imatrix) があると一部のテンソルの型が変わります:{sizes}。",
    ),
    "inspect.types_fall_back": (
        "+ some tensors have rows that are no whole blocks of the type, and are stored in another; "
        "inspect NAME@TYPE says which.",
        "+ 行の長さが型のブロックの倍数でないテンソルは別の型になります。詳しくは "
        "inspect NAME@TYPE。",
    ),
    "inspect.types_impossible": ("Impossible: {types}.", "作れない型:{types}。"),
    "inspect.too_many": (
        "inspect shows one model or two side by side, not {given}.",
        "inspect が表示できるのは 1 つか 2 つのモデルです({given} 個は指定できません)。",
    ),
    # Names of what is shown
    "inspect.comma": (", ", "、"),
    "inspect.unknown": ("unknown", "不明"),
    "inspect.none": ("none", "なし"),
    "inspect.nothing": ("nothing", "なし"),
    "inspect.never": ("never", "ならない"),
    "inspect.range": ("{low} to {high}", "{low}〜{high}"),
    "inspect.tokens": ("{tokens} {tokens:token|tokens}", "{tokens} トークン"),
    "inspect.model": ("model", "モデル"),
    "inspect.architecture": ("architecture", "アーキテクチャ"),
    "inspect.label": ("label of the file", "ファイルのラベル"),
    "inspect.parameters": ("parameters", "パラメータ数"),
    "inspect.bits": ("bits per weight", "重み 1 つのビット数"),
    "inspect.layers": ("layers", "層の数"),
    "inspect.trained_for": ("trained for", "学習時の長さ"),
    "inspect.recipe": ("recipe", "レシピ"),
    "inspect.tensors_of": ("its tensors", "テンソル"),
    "inspect.file": ("file", "ファイル"),
    "inspect.in_parts": ("{size} in {parts} {parts:part|parts}", "{size}、{parts} 個に分割"),
    "inspect.missing": ("{size}, {missing} missing", "{size}({missing} 不足)"),
    "inspect.resident": ("resident", "メモリに置く量"),
    "inspect.resident_some": (
        "{resident} of {all}; the rest stays in the file",
        "{all} のうち {resident}(残りはファイルのまま)",
    ),
    # What is stored, and where
    "inspect.heading_types": ("What is stored", "保存されている型"),
    "inspect.heading_parts": ("Where the bytes are", "バイトの内訳"),
    "inspect.column_type": ("type", "型"),
    "inspect.column_share": ("share", "割合"),
    "inspect.column_size": ("size", "大きさ"),
    "inspect.column_tensors": ("tensors", "テンソル数"),
    "inspect.column_part": ("part", "部分"),
    "inspect.column_per_token": ("read/token", "読む量"),
    "inspect.part_embedding": ("embeddings", "埋め込み"),
    "inspect.part_output": ("output projection", "出力層"),
    "inspect.part_attention": ("attention", "attention"),
    "inspect.part_state": ("states' mixing", "状態の計算"),
    "inspect.part_feed_forward": ("feed-forward", "フィードフォワード"),
    "inspect.part_experts": ("experts", "専門家(expert)"),
    "inspect.part_other": ("norms and others", "正規化など"),
    "inspect.part_modality": ("images and sound", "画像・音声"),
    "inspect.part_prediction": ("multi-token prediction", "複数トークン予測"),
    "inspect.part_encoder": ("encoder", "エンコーダ"),
    "inspect.part_shared": ("another layer's instead", "他の層ので代用"),
    "inspect.part_idle": ("of no use here", "使われないもの"),
    "inspect.part_overlap": ("counted twice above", "重複分"),
    "inspect.part_besides": ("header and padding", "ヘッダと詰め物"),
    "inspect.part_file": ("the file", "ファイル全体"),
    # What a token reads
    "inspect.heading_token": ("What one decoded token reads", "1 トークンの生成で読む量"),
    "inspect.heading_pass": ("What one pass over a text reads", "テキスト 1 回の通過で読む量"),
    "inspect.weights": ("weights", "重み"),
    "inspect.of_tensors": ("{read}, {share} of all {all}", "{read}(全体 {all} の {share})"),
    "inspect.several_times": (
        "{read}: of all {all}, some several times",
        "{read}(全体 {all} の一部を何度も読む)",
    ),
    "inspect.if_as_named": (
        "{read} if it runs as its names suggest; between {low} and {high}",
        "名前から推定すると {read}({low}〜{high} の間)",
    ),
    "inspect.between": (
        "between {low} and {high}; the architecture is not modelled",
        "{low} から {high} の間(アーキテクチャが未対応)",
    ),
    "inspect.embedding": ("token embedding", "トークン埋め込み"),
    "inspect.embedding_row": (
        "one row of {all}: only looked up",
        "{all} のうち 1 行だけ(引くだけ)",
    ),
    "inspect.embedding_tied": (
        "all {all}: it is the output projection too",
        "{all} すべて(出力層を兼ねるため)",
    ),
    "inspect.experts": ("experts", "専門家(expert)"),
    "inspect.experts_used": (
        "{used} of {total} a layer: {read} of {all}",
        "各層 {total} 個のうち {used} 個({all} のうち {read})",
    ),
    "inspect.unread": ("never read", "読まれない"),
    "inspect.unread_why": ("{size}: {why}", "{size}({why})"),
    # What the context costs
    "inspect.heading_cache": ("What the context costs", "コンテキストにかかる量"),
    "inspect.cache_of": ("engine and cache", "エンジンと型"),
    "inspect.engine_and_type": ("{engine}, {type}", "{engine}、{type}"),
    "inspect.bytes_per_token": ("per further token", "1 トークン増えるごとに"),
    "inspect.states": ("states", "状態"),
    "inspect.cache_layers": ("layers keep", "層が保持するもの"),
    "inspect.kind_full": ("{layers} the whole context", "全体 {layers} 層"),
    "inspect.kind_window": (
        "{layers} a window of {window} {window:token|tokens}",
        "{window} トークンの窓 {layers} 層",
    ),
    "inspect.kind_latent": ("{layers} latent rows (MLA)", "潜在表現(MLA){layers} 層"),
    "inspect.kind_indexer": ("{layers} an index", "索引 {layers} 層"),
    "inspect.kind_compressed": ("{layers} compressed rows", "圧縮した行 {layers} 層"),
    "inspect.kind_state": ("{layers} a state", "状態 {layers} 層"),
    "inspect.kind_shared": ("{layers} nothing, and read another's", "他の層のを読む {layers} 層"),
    "inspect.kind_none": ("{layers} nothing", "なし {layers} 層"),
    "inspect.outweighs": ("more than the weights", "重みより多くなる"),
    "inspect.beyond": ("beyond a depth of {depth}", "depth {depth}から先"),
    "inspect.column_depth": ("depth", "depth"),
    "inspect.column_cache": ("cache read/token", "キャッシュから読む量"),
    "inspect.column_all": ("all read/token", "読む量の合計"),
    "inspect.column_cache_share": ("cache's share", "キャッシュの割合"),
    "inspect.column_context": ("context", "コンテキスト"),
    "inspect.column_allocated": ("cache allocated", "確保するキャッシュ"),
    "inspect.column_resident": ("in memory", "メモリ"),
    # What reading a prompt takes
    "inspect.heading_prefill": ("What reading a prompt takes", "プロンプト処理(prefill)にかかる量"),
    "inspect.per_token": ("per token", "1 トークンあたり"),
    "inspect.work_and_attention": ("{work}, and attention", "{work} と attention"),
    "inspect.micro_batch": ("micro-batch of {tokens}", "{tokens} トークンのマイクロバッチ"),
    "inspect.moves": ("moves {bytes} of weights", "重み {bytes} を読む"),
    "inspect.moves_experts": (
        "moves {bytes} of weights, with {experts} of {total} {total:expert|experts}",
        "重み {bytes} を読む(専門家(expert){total} 個中 {experts} 個)",
    ),
    "inspect.column_prompt": ("prompt", "プロンプト"),
    "inspect.column_work": ("operations", "演算量"),
    "inspect.column_attention": ("for attention", "attention 分"),
    "inspect.column_weights": ("weights moved", "読む重み"),
    "inspect.column_cache_moved": ("cache read", "読むキャッシュ"),
    # Every tensor
    "inspect.heading_tensors": ("Every tensor", "すべてのテンソル"),
    "inspect.heading_differing": ("Tensors that differ", "異なるテンソル"),
    "inspect.no_difference": (
        "No tensor differs in shape, type or place.",
        "形や型が異なるテンソルはありません。",
    ),
    "inspect.column_tensor": ("tensor", "テンソル"),
    "inspect.column_shape": ("shape", "形"),
    "inspect.column_class": ("use", "使い方"),
    "inspect.class_read": ("read", "読む"),
    "inspect.class_lookup": ("lookup", "引く"),
    "inspect.class_expert": ("expert", "専門家"),
    "inspect.class_unread": ("unread", "読まない"),
    "inspect.heading_warnings": ("To know", "注意"),
    "inspect.heading_warnings_of": ("To know of {model}", "{model} の注意"),
    # Two models
    "inspect.column_ratio": ("B / A", "B / A"),
    "inspect.at_depth": ("read at depth {depth}", "depth {depth} で読む量"),
    "inspect.at_context": ("cache for {context}", "{context} の確保量"),
    "inspect.at_prompt": ("a prompt of {prompt}", "{prompt} のプロンプト"),
}
