"""Sentences of the room `inventory`: what models this machine has."""

from tokenroof.words import Catalogue

MESSAGES: Catalogue = {
    "inventory.no_folder": (
        "{folder} is not a folder; give a folder with models, or none at all.",
        "{folder} はフォルダではありません。モデルのあるフォルダを指定するか、省略してください。",
    ),
    "inventory.memory_alone": (
        "A memory without a bandwidth says nothing of speed; give --bandwidth GB/S as well.",
        "メモリだけでは速さは分かりません。--bandwidth GB/S も指定してください。",
    ),
}
