"""Sentences of the room `library`: finding the model that a name stands for."""

from tokenroof.words import Catalogue

MESSAGES: Catalogue = {
    "library.no_name": (
        "The model's name is empty; give the path of a GGUF file.",
        "モデル名が空です。GGUF ファイルのパスを指定してください。",
    ),
    "library.source_not_supported": (
        "{name}: models from '{source}' are not supported yet; "
        "download the GGUF file and give its path.",
        "{name}: 「{source}」のモデルにはまだ対応していません。"
        "GGUF ファイルをダウンロードして、そのパスを指定してください。",
    ),
    "library.not_found": (
        "{name}: there is no such file or folder, and nothing of a similar name beside it.",
        "{name}: そのようなファイルやフォルダはなく、似た名前のものもありません。",
    ),
    "library.not_found_but": (
        "{name}: there is no such file or folder; the closest names beside it are {closest}.",
        "{name}: そのようなファイルやフォルダはありません。同じ場所にある近い名前: {closest}",
    ),
    "library.no_folder": (
        "{name}: the folder {folder} does not exist.",
        "{name}: フォルダ {folder} がありません。",
    ),
    "library.empty_folder": (
        "{folder} holds no GGUF file; give the path of the model's file.",
        "{folder} には GGUF ファイルがありません。モデルファイルのパスを指定してください。",
    ),
    "library.several_models": (
        "{folder} holds {count} models; name one of them: {candidates}.",
        "{folder} には {count} 個のモデルがあります。どれか 1 つを指定してください: {candidates}",
    ),
    "library.not_a_file": (
        "{name} is neither a file nor a folder; give the path of a GGUF file.",
        "{name} はファイルでもフォルダでもありません。GGUF ファイルのパスを指定してください。",
    ),
    "library.unreadable": (
        "{name} cannot be looked at: {reason}.",
        "{name} を調べられません: {reason}",
    ),
}
