"""Sentences of the verb `completion`."""

from tokenroof.words import Catalogue

MESSAGES: Catalogue = {
    "completion.short": (
        "print what makes a shell complete commands and model names",
        "シェルでコマンドとモデル名を補完するためのスクリプトを出力",
    ),
    "completion.about": (
        "Print the script that makes a shell complete verbs, options and the names of the models "
        "that this machine has, also those with a colon such as ollama:qwen3:8b.",
        "動詞、オプション、このマシンにあるモデルの名前 (ollama:qwen3:8b のようにコロンを含むもの"
        "も) をシェルで補完するためのスクリプトを出力します。",
    ),
}
