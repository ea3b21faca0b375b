"""Models that are not here yet: the header that llama.cpp would write, worked out.

A published config says how many layers, heads and experts a model has and how wide they are. From
it follow the tensors that llama.cpp's converter writes (`families/`), and from a file type the
type that its quantiser gives each of them (`quantise/`). Nothing is taken from a stored list.
"""

from tokenroof.recipes.blueprint import (
    Blueprint,
    blueprint,
    blueprint_of_config,
    file_types,
    recipe,
)
from tokenroof.recipes.catalogue import Entry, entries, find, lookup, search
from tokenroof.recipes.ollama_builds import ollama_build
from tokenroof.recipes.quantise import FileType, file_type

__all__ = [
    "Blueprint",
    "Entry",
    "FileType",
    "blueprint",
    "blueprint_of_config",
    "entries",
    "file_type",
    "file_types",
    "find",
    "lookup",
    "ollama_build",
    "recipe",
    "search",
]
