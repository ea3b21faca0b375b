"""Sentences of the room `inventory`: what models this machine has."""

from tokenroof.words import Catalogue

MESSAGES: Catalogue = {
    "inventory.no_folder": (
        "{folder} is not a folder; give a folder with models, or none at all.",
        "{folder} はフォルダではありません。モデルのあるフォルダを指定するか、省略してください。",
    ),
    "inventory.below_four_bits": (
        "Below about 4 bits a weight, decode hardly gets faster any more: unpacking the weights "
        "costs what reading less of them saves, and the ceiling knows of the reading alone.",
        "重み 1 つが 4 ビット程度を下回ると、decode はほとんど速くなりません。読む量が減った分を"
        "展開の計算が打ち消すためで、上限は読む時間だけから求めています。",
    ),
    "inventory.folders_and_catalogue": (
        "--catalogue lists models that are nowhere yet; leave the folders out, or it.",
        "--catalogue はまだ手元にないモデルの一覧です。フォルダと一緒には指定できません。",
    ),
    "inventory.memory_alone": (
        "A memory without a bandwidth says nothing of speed; give --bandwidth GB/S as well.",
        "メモリだけでは速さは分かりません。--bandwidth GB/S も指定してください。",
    ),
}
