"""Sentences of the room `recipes`: headers that are worked out."""

from tokenroof.words import Catalogue

MESSAGES: Catalogue = {
    "recipes.config_lacks": (
        "{where}: the config has no {key}, which the converter needs.",
        "{where}: config に、変換に必要な {key} がありません。",
    ),
    "recipes.config_wrong": (
        "{where}: {key} cannot be {value}.",
        "{where}: {key} の値 {value} はありえません。",
    ),
    "recipes.config_contradicts": (
        "{where}: {key} contradicts the rest of the config ({why}).",
        "{where}: {key} が config の他の値と矛盾しています ({why})。",
    ),
    "recipes.no_family": (
        "{where}: there is no recipe for {architecture}; give a GGUF file of the model instead "
        "(hf:OWNER/REPO/FILE reads only its header).",
        "{where}: {architecture} の変換規則はまだありません。代わりに GGUF ファイルを"
        "指定してください (hf:OWNER/REPO/FILE ならヘッダだけを読みます)。",
    ),
    "recipes.unknown_type": (
        "{type} is no type that llama-quantize makes; it makes {types}.",
        "{type} は llama-quantize が作る型ではありません。作れる型: {types}",
    ),
    "recipes.type_missing": (
        "No file type follows the @; it may be {types}.",
        "@ の後に型がありません。指定できる型: {types}",
    ),
    "recipes.type_not_made": (
        "{type}: llama-quantize makes no such file; it comes only from checkpoints that are "
        "published so. Give the file itself (hf:OWNER/REPO/FILE).",
        "{type}: llama-quantize はこの型のファイルを作りません。この型で公開された"
        "チェックポイントからだけ作られます。ファイルそのものを指定してください "
        "(hf:OWNER/REPO/FILE)。",
    ),
    "recipes.row_refused": (
        "{type} is impossible for this model: rows of {name} have {row} weights, no multiple of "
        "{block}, and llama-quantize knows no type to take instead.",
        "このモデルを {type} にはできません。{name} の 1 行は {row} 個で {block} の倍数ではなく、"
        "llama-quantize に代わりの型がありません。",
    ),
    "recipes.fallback": (
        "{tensors} {tensors:tensor|tensors} {tensors:has|have} rows ({rows} weights) that are no "
        "whole blocks of the type, and are stored in another: {swaps}.",
        "{tensors} 個のテンソルは、1 行の長さ ({rows}) が型のブロックの倍数でないため、"
        "別の型で保存されます: {swaps}",
    ),
    "recipes.unknown_model": (
        "{name}: the catalogue has no such model; the closest names are {closest}.",
        "{name}: カタログにそのようなモデルはありません。近い名前: {closest}",
    ),
    "recipes.unlike_any_model": (
        "{name}: the catalogue has no such model and none of a similar name; "
        "`tokenroof models --catalogue` lists it.",
        "{name}: カタログにそのようなモデルはなく、似た名前のものもありません。"
        "`tokenroof models --catalogue` で一覧できます。",
    ),
    "recipes.publishers_mix": (
        "{type} is a mix of {publisher}'s own, which follows no rule of llama-quantize: a file of "
        "{model} in it has between {low} and {high}. Give the file itself for its tensors "
        "(hf:OWNER/REPO/FILE reads only its header).",
        "{type} は {publisher} 独自の組み合わせで、llama-quantize の規則では決まりません。"
        "{model} のファイルなら {low} から {high} の間です。テンソルを知るにはファイルそのものを"
        "指定してください (hf:OWNER/REPO/FILE ならヘッダだけを読みます)。",
    ),
    "recipes.publishers_matrix": (
        "{type} is made by {publisher} with an importance matrix, and some of its tensors may have "
        "other types: a plain file of {model} in it has {size}. Give the file itself for its "
        "tensors (hf:OWNER/REPO/FILE reads only its header).",
        "{type} は {publisher} が重要度行列 (imatrix) で作る型で、一部のテンソルは別の型の場合も"
        "あります。"
        "{model} の通常のファイルなら {size} です。テンソルを知るにはファイルそのものを指定して"
        "ください (hf:OWNER/REPO/FILE ならヘッダだけを読みます)。",
    ),
    "recipes.recipe": (
        "A recipe: no file was read. The tensors are those that llama.cpp's converter and "
        "quantiser make of the published config ({source}). A file is larger by its header, most "
        "of it a vocabulary that no config holds.",
        "これは計算で得たもの(recipe)で、ファイルは読んでいません。公開された config ({source}) "
        "から llama.cpp の変換と量子化が作るテンソルです。ファイルはヘッダの分だけ大きく、"
        "その大半は config にない語彙です。",
    ),
    "recipes.type_assumed": (
        "No type was said, so {type} is taken; NAME@TYPE says another, --types shows all.",
        "型の指定がないため {type} とみなします。NAME@TYPE で指定でき、--types で一覧できます。",
    ),
    "recipes.published_in": (
        "The model was published in {type}. Any other type is quantised again from that, and many "
        "files of another label leave its experts as they were.",
        "このモデルは {type} で公開されています。他の型はそこから量子化し直したもので、"
        "別の表示のファイルも expert は元のままのことが多くあります。",
    ),
    "recipes.needs_matrix": (
        "{type} is made only with an importance matrix, whose makers may choose other types for "
        "some tensors.",
        "{type} は重要度行列 (imatrix) がないと作れません。作り手が一部のテンソルに別の型を"
        "選ぶこともあります。",
    ),
    "recipes.matrix_expected": (
        "{type} depends on an importance matrix: {without} without one, as shown, and {with} with "
        "one, as most files are made.",
        "{type} は重要度行列 (imatrix) の有無で変わります。ないとき(ここに示したもの)は {without}、"
        "あるとき(多くのファイルはこちら)は {with} です。",
    ),
    "recipes.matrix_differs": (
        "With an importance matrix a few tensors get another type: {with} instead of {without}.",
        "重要度行列 (imatrix) があると一部のテンソルの型が変わります: {without} ではなく {with}。",
    ),
    "recipes.ollama_build": (
        "Ollama's own build of {name}, which is not installed here (`ollama pull {name}`): "
        "as {type}, but {different}.",
        "{name} はここにインストールされていません (`ollama pull {name}`)。Ollama 独自の版を"
        "示します: {type} と同じですが、{different} です。",
    ),
    "recipes.without_mtp": (
        "Without the blocks for multi-token prediction, which some files hold besides.",
        "複数トークン予測用の層は含みません。それを含むファイルもあります。",
    ),
}
