"""A name -> a model file.

For now a name is a path: a file, any part of a split set, or a folder that holds one model.
Later sources (Ollama, Hugging Face, LM Studio, the catalogue) are further files in this room.
"""

from tokenroof.library.resolve import resolve

__all__ = ["resolve"]
