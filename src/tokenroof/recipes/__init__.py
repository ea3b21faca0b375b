"""Models that are not here yet: the header that llama.cpp would write, worked out.

A published config says how many layers, heads and experts a model has and how wide they are. From
it follow the tensors that llama.cpp's converter writes (`families/`), and from a file type the
type that its quantiser gives each of them (`quantise/`). Nothing is taken from a stored list.
"""
