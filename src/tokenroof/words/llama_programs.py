"""Sentences about llama.cpp's own programs."""

from __future__ import annotations

from tokenroof.words import Catalogue

MESSAGES: Catalogue = {
    "llama_programs.not_on_path": (
        "{engine} was not found: install llama.cpp, or say where it is with --engine-program or "
        "with {variable}.",
        "{engine} が見つかりません。llama.cpp をインストールするか、--engine-program または "
        "{variable} で場所を指定してください。",
    ),
    "llama_programs.not_there": (
        "There is no program {path}: say where {engine} is with --engine-program.",
        "{path} というプログラムがありません。--engine-program で {engine} の場所を指定して"
        "ください。",
    ),
    "llama_programs.cannot_start": (
        "{path} cannot be started ({reason}): give the file of {engine} with --engine-program.",
        "{path} を起動できません({reason})。--engine-program で {engine} のファイルを指定して"
        "ください。",
    ),
    "llama_programs.not_one": (
        "{path} does not look like {engine}, because its help names no option for a model: give "
        "the right file with --engine-program.",
        "{path} は {engine} ではないようです(ヘルプにモデルのオプションがありません)。"
        "--engine-program で正しいファイルを指定してください。",
    ),
    "llama_programs.flag_unknown": (
        "This build of {engine} ({version}) has no option {flag}: options come and go, so look "
        "into its --help for the one of today.",
        "この {engine}({version})に {flag} というオプションはありません。オプションは版によって"
        "変わるため、--help で現在のものを確かめてください。",
    ),
    "llama_programs.flag_is_ours": (
        "{flag} of {engine} is set by tokenroof itself: use tokenroof's own option for it.",
        "{engine} の {flag} は tokenroof が設定します。tokenroof のオプションを使ってください。",
    ),
}
