"""Sentences of the verb `models`."""

from tokenroof.words import Catalogue

MESSAGES: Catalogue = {
    "models.short": (
        "list the models that this machine has",
        "このマシンにあるモデルの一覧",
    ),
    "models.about": (
        "List the models that this machine has: those of Ollama, LM Studio, llama.cpp and the "
        "Hugging Face caches, and those below each FOLDER given.\n\n"
        "Every figure comes from the files themselves. A name as it is shown can be given to "
        "every other command.",
        "このマシンにあるモデルを一覧します。Ollama、LM Studio、llama.cpp、Hugging Face の"
        "キャッシュと、指定した FOLDER 以下のモデルです。\n\n"
        "数値はすべてファイル自体から求めます。表示された名前は、そのまま他のコマンドに"
        "渡せます。",
    ),
    "models.catalogue": (
        'Instead, the models of the catalogue with all these words in their names ("" for all): '
        "popular ones that are worked out from their published configs. Each is told in the type "
        "most people run.",
        '代わりに、カタログのモデルのうち名前にこの語を全て含むものを一覧します("" で全部)。'
        "公開された config から計算した、よく使われるモデルです。型は最も使われるものです。",
    ),
    "models.catalogue_summary": (
        "Models: {count}, not here but worked out from their published configs. NAME@TYPE means "
        "another type, tokenroof inspect NAME --types shows all. Bytes a token are those of the "
        "first one; KV in f16.",
        "{count} モデル。手元にはなく、公開された config から計算したものです。他の型は "
        "NAME@TYPE、全ての型は tokenroof inspect NAME --types。読む量は最初のトークンのもの、"
        "KV は f16 です。",
    ),
    "models.catalogue_summary_fits": (
        "Models: {count}, not here but worked out from their published configs. NAME@TYPE means "
        "another type, tokenroof inspect NAME --types shows all. Bytes a token and ceiling are "
        'those of the first token, KV in f16; "fits" leaves room for a context of 4,096 tokens.',
        "{count} モデル。手元にはなく、公開された config から計算したものです。他の型は "
        "NAME@TYPE、全ての型は tokenroof inspect NAME --types。読む量と上限は最初のトークンの"
        "もの、KV は f16、「収まる」は 4,096 トークンの文脈の場所を含みます。",
    ),
    "models.on": (
        "Device that they are held against, as for estimate: adds the ceiling and whether each "
        "fits.",
        "比べるデバイス(estimate と同じ)。上限と、収まるかどうかを加えます。",
    ),
    "models.sort": (
        "order: name, size, read (bytes a token), kv, bits, architecture or source",
        "並べる順: name(名前)、size(大きさ)、read(1 トークンで読む量)、kv、"
        "bits、architecture、source(場所)",
    ),
    "models.none": (
        "No models were found: neither Ollama, LM Studio, llama.cpp nor the Hugging Face caches "
        "have any here. Name a folder: tokenroof models FOLDER",
        "モデルが見つかりませんでした。Ollama、LM Studio、llama.cpp、Hugging Face の"
        "キャッシュのどれにもありません。フォルダを指定してください: tokenroof models FOLDER",
    ),
    "models.architecture": ("architecture", "構造"),
    "models.types": ("types", "型"),
    "models.bits": ("bits", "ビット"),
    "models.size": ("size", "大きさ"),
    "models.read": ("read/token", "読む量"),
    "models.kv": ("KV/token", "KV 増分"),
    "models.ceiling": ("ceiling", "上限"),
    "models.fits": ("fits", "収まる"),
    "models.verdict_fits": ("yes", "はい"),
    "models.verdict_tight": ("tight", "僅か"),
    "models.verdict_does_not_fit": ("no", "いいえ"),
    "models.also": ("also {names}", "別名 {names}"),
    "models.projector": ("projector", "プロジェクタ"),
    "models.adapter": ("adapter", "アダプタ"),
    "models.draft": ("draft model", "ドラフトモデル"),
    "models.other": ("not a model", "モデル以外"),
    "models.with": ("with a {kind} of {size}", "{size} の{kind}付き"),
    "models.with_by": (
        "{name} comes with a {kind} of {size}",
        "{name} には {size} の{kind}が付属",
    ),
    "models.missing": ("{size} of it is missing", "{size} 足りません"),
    "models.summary": (
        "Files: {count}, {size}. Bytes a token are those of the first one; KV in f16.",
        "{count} ファイル、{size}。読む量は最初のトークンのもの、KV は f16 です。",
    ),
    "models.summary_fits": (
        "Files: {count}, {size}. Bytes a token and ceiling are those of the first token, KV in "
        'f16; "fits" leaves room for a context of 4,096 tokens.',
        "{count} ファイル、{size}。読む量と上限は最初のトークンのもの、KV は f16、"
        "「収まる」は 4,096 トークンの文脈の場所を含みます。",
    ),
    "models.reading": (
        "reading the headers of {total} {total:model|models}",
        "{total} 個のモデルのヘッダを読んでいます",
    ),
}
