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
    "recipes.type_not_made": (
        "{type}: llama-quantize makes no such file; it comes only from checkpoints that are "
        "published so. Give the file itself (hf:OWNER/REPO/FILE).",
        "{type}: llama-quantize はこの型のファイルを作りません。この型で公開された"
        "チェックポイントからだけ作られます。ファイルそのものを指定してください (hf:OWNER/REPO/FILE)。",
    ),
    "recipes.row_refused": (
        "{type} is impossible for this model: rows of {name} have {row} weights, no multiple of "
        "{block}, and llama-quantize knows no type to take instead.",
        "このモデルを {type} にはできません。{name} の 1 行は {row} 個で {block} の倍数ではなく、"
        "llama-quantize に代わりの型がありません。",
    ),
    "recipes.fallback": (
        "{tensors} tensors have rows ({rows} weights) that are no whole blocks of the type, and "
        "are stored in another: {swaps}.",
        "{tensors} 個のテンソルは、1 行の長さ ({rows}) が型のブロックの倍数でないため、"
        "別の型で保存されます: {swaps}",
    ),
    "recipes.without_mtp": (
        "Without the blocks for multi-token prediction, which some files hold besides.",
        "複数トークン予測用の層は含みません。それを含むファイルもあります。",
    ),
}
