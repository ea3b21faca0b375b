"""Sentences of the room `model`: what a token reads, computes and keeps."""

from tokenroof.words import Catalogue

MESSAGES: Catalogue = {
    "model.short_array": (
        "{key} has {length} {length:number|numbers} for {layers} {layers:layer|layers}; the file "
        "contradicts itself, so get it from its source again.",
        "{key} は {layers} 層に対して {length} 個しかありません。ファイルが矛盾しています。"
        "入手し直してください。",
    ),
    "model.negative": (
        "{key} is {value}, and a count cannot be negative; get the file from its source again.",
        "{key} が {value} です。個数は負になりません。ファイルを入手し直してください。",
    ),
    "model.no_blocks": (
        "{key} is missing or 0, and a model has at least one block; "
        "get the file from its source again.",
        "{key} がないか 0 です。モデルには 1 つ以上のブロックが必要です。"
        "ファイルを入手し直してください。",
    ),
    "model.too_many_blocks": (
        "{key} is {blocks}, and no model has more than {most} blocks; "
        "get the file from its source again.",
        "{key} が {blocks} です。{most} 個を超えるブロックを持つモデルはありません。"
        "ファイルを入手し直してください。",
    ),
    "model.too_many_passes": (
        "{key} makes {passes} {passes:pass|passes} through the blocks for one token, and no model "
        "makes more than {most}; get the file from its source again.",
        "{key} によると 1 トークンでブロックを {passes} 回通りますが、{most} 回を超えるモデルは"
        "ありません。ファイルを入手し直してください。",
    ),
    "model.only_predicting_blocks": (
        "{key} is {predicting} of {blocks} {blocks:block|blocks}, which leaves none to run; this "
        "file holds only a draft for another model, so give that model's file.",
        "{key} が {blocks} ブロック中 {predicting} で、動かすブロックが残りません。これは別の"
        "モデルの下書き用です。元のモデルのファイルを指定してください。",
    ),
    "model.no_heads": (
        "{key} is 0 in a model with attention; the file contradicts itself, "
        "so get it from its source again.",
        "attention があるのに {key} が 0 です。ファイルが矛盾しています。入手し直してください。",
    ),
    "model.more_kv_heads": (
        "{key} is {kv_heads} in layer {layer}, more than its {heads} {heads:head|heads}; the file "
        "contradicts itself, so get it from its source again.",
        "第 {layer} 層の {key} が {kv_heads} で、ヘッド数 {heads} を超えています。"
        "ファイルが矛盾しています。入手し直してください。",
    ),
    "model.heads_do_not_divide": (
        "{heads_key} ({heads}) does not divide {width_key} ({width}) into heads, and no length of "
        "them is given; "
        "the file contradicts itself, so get it from its source again.",
        "{heads_key} ({heads}) は {width_key} ({width}) を割り切れず、ヘッドの長さの指定も"
        "ありません。ファイルが矛盾しています。入手し直してください。",
    ),
    "model.experts_used": (
        "{key} is {used} of {total} {total:expert|experts}; the file contradicts itself, so get "
        "it from its source again.",
        "{key} が専門家(expert) {total} 個中 {used} です。ファイルが矛盾しています。"
        "入手し直してください。",
    ),
    "model.too_few_kv_layers": (
        "{key} leaves {own} {own:layer|layers} with a cache of their own, and the others need two "
        "to read; the file contradicts itself, so get it from its source again.",
        "{key} によると KV キャッシュを持つ層は {own} 層だけですが、ほかの層が読むには 2 層が"
        "必要です。ファイルが矛盾しています。入手し直してください。",
    ),
    "model.window_pattern_missing": (
        "{key} is missing, and llama.cpp does not load this architecture without it; "
        "convert the model again with a current llama.cpp.",
        "{key} がありません。llama.cpp はこのアーキテクチャをこれなしでは読み込みません。"
        "新しい llama.cpp で変換し直してください。",
    ),
    "model.kv_type_unknown": (
        "llama.cpp keeps no cache of type '{type}'; give one of {types}.",
        "llama.cpp に「{type}」型の KV キャッシュはありません。"
        "{types} のどれかを指定してください。",
    ),
    "model.kv_types_differ": (
        "This model's keys and values share one row, so both must have one type, not {type_k} and "
        "{type_v}; give the same for both.",
        "このモデルはキーと値を 1 行で持つため、型は {type_k} と {type_v} のように分けられません。"
        "同じ型を指定してください。",
    ),
    "model.kv_value_quantised": (
        "llama.cpp runs {architecture} without flash attention, which values of type {type} need; "
        "give f16 for the values.",
        "llama.cpp は {architecture} を flash attention なしで動かしますが、"
        "{type} の値には必要です。値の型に f16 を指定してください。",
    ),
    "model.kv_block": (
        "A cache of type {type} needs heads of a multiple of {block} numbers, and this model's "
        "have {length}; give f16.",
        "{type} 型の KV キャッシュにはヘッドの長さが {block} の倍数である必要がありますが、"
        "このモデルは {length} です。f16 を指定してください。",
    ),
    "model.not_positive": (
        "{name} is {value}; give a whole number of at least 1.",
        "{name} が {value} です。1 以上の整数を指定してください。",
    ),
    "model.negative_depth": (
        "The depth is {depth}; give the tokens in the context, a whole number of at least 0.",
        "depth が {depth} です。コンテキスト内のトークン数を 0 以上の整数で指定してください。",
    ),
    "model.not_modelled": (
        "What a token reads is not modelled for '{architecture}': only the file itself is "
        "described. Resident at most: {bytes}.",
        "「{architecture}」が 1 トークンで読む量はまだ計算できません。"
        "ファイルの内容だけを示します。メモリに置く量は最大 {bytes} です。",
    ),
    "model.projector": (
        "This is a projector of images or sound ('{architecture}'), which goes beside a model: no "
        "decoded token reads it. Give the model itself.",
        "これは画像や音声のためのプロジェクタ「{architecture}」で、モデルと一緒に使うものです。"
        "トークンの生成では読まれません。モデル本体を指定してください。",
    ),
    "model.no_tensors": (
        "The file holds no tensors, only metadata such as a vocabulary: there is nothing to read.",
        "テンソルがなく、語彙などのメタデータだけのファイルです。読むものはありません。",
    ),
    "model.architecture_unknown": (
        "The architecture '{architecture}' is not known: what its layers keep ({layers}) and what "
        "a token reads are assumed from tensors and keys, so take the bounds. Weights read per "
        "token: between {low} and {high}.",
        "アーキテクチャ「{architecture}」は未知です。層が保持するもの({layers})と "
        "1 トークンで読む量はテンソルとキーからの仮定なので、幅で見てください。"
        "1 トークンで読む重みは {low} から {high} の間です。",
    ),
    "model.draft": (
        "'{architecture}' is a draft: it runs only beside another model, whose caches and "
        "embeddings it may use. What its layers keep ({layers}) and what a token reads are assumed "
        "from tensors and keys. Weights read per token: between {low} and {high}.",
        "「{architecture}」は下書き用で、別のモデルと一緒にだけ動き、そのキャッシュや埋め込みを"
        "使うことがあります。層が保持するもの({layers})と 1 トークンで読む量はテンソルとキーからの"
        "仮定です。1 トークンで読む重みは {low} から {high} の間です。",
    ),
    "model.no_autoregressive_decode": (
        "{architecture} does not write token by token (it is an encoder or a diffusion model): it "
        "keeps no KV cache, and the weights given are those of one pass over the text.",
        "{architecture} は 1 トークンずつ生成しません(エンコーダまたは拡散モデル)。KV キャッシュは"
        "なく、示した重みは 1 回の通過で読む量です。",
    ),
    "model.layers_not_modelled": (
        "{layers} {layers:layer|layers}, from layer {first} on, keep something between tokens "
        "that is not known here; figures of the KV cache are left out.",
        "第 {first} 層からの {layers} 層がトークン間に何を持つか分かりません。KV キャッシュの値は"
        "示しません。",
    ),
    "model.window_assumed": (
        "The file names a window of {window} {window:token|tokens} and not which layers use it; "
        "the KV cache is given for none of them, and is smaller if some do.",
        "{window} トークンの窓が書かれていますが、どの層が使うか分かりません。"
        "どの層も使わないとして示します。使う層があれば KV キャッシュはもっと小さくなります。",
    ),
    "model.experts_unknown": (
        "The file holds experts and does not say how many a token uses; what a token reads of the "
        "weights is not known.",
        "専門家(expert)がありますが、1 トークンで何個使うか書かれていません。1 トークンで読む重みは"
        "分かりません。",
    ),
    "model.experts_alone": (
        "Each expert is a tensor of its own, as in files from before April 2024; a current "
        "llama.cpp does not load them, so the figures are those of an older one.",
        "専門家(expert)が 1 つずつ別のテンソルです(2024 年 4 月より前の形式)。今の llama.cpp は"
        "読み込めないため、示した値は古い llama.cpp のものです。",
    ),
    "model.engine_windows": (
        "{sliding} {sliding:layer|layers} {sliding:keeps|keep} a window of {window} "
        "{window:token|tokens}, as llama.cpp and Ollama do; an engine that keeps all layers alike "
        "(vLLM) needs the full context in each of them: {alike} per token in f16.",
        "{sliding} 層は {window} トークンの窓だけを保持します(llama.cpp と Ollama)。全層を同じに"
        "扱うエンジン(vLLM)では各層が全長を保持し、1 トークンあたり {alike}(f16)になります。",
    ),
    "model.sparse_attention": (
        "Attention is sparse: a token needs the rows that its indexer chooses, and llama.cpp may "
        "read all of them; the KV cache read is an interval, and the larger figure is shown.",
        "疎な attention です。必要なのは選ばれた行だけですが、"
        "llama.cpp は全部を読むことがあります。"
        "KV キャッシュの読み出しは幅を持ち、大きい方を示します。",
    ),
    "model.looped": (
        "{blocks} {blocks:block|blocks} {blocks:runs|run} as {passes} {passes:layer|layers} for "
        "each token: weights and KV cache count once for every pass.",
        "{blocks} ブロックを 1 トークンごとに {passes} 層として繰り返し通ります。重みと KV "
        "キャッシュは通るたびに数えます。",
    ),
    "model.label_differs": (
        "The label says {label}, but only {share} of the weights are stored so; most bytes "
        "({most_share}) are {most}.",
        "ラベルは {label} ですが、その型の重みは {share} だけです。最も多いのは {most} "
        "({most_share}) です。",
    ),
}
