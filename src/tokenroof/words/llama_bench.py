"""Sentences about llama-bench."""

from __future__ import annotations

from tokenroof.words import Catalogue

MESSAGES: Catalogue = {
    "llama_bench.takes_no_text": (
        "llama-bench reads no text, only so many tokens of its own: choose another engine for a "
        "prompt.",
        "llama-bench は文章を読まず、指定した数のトークンを自分で作ります。プロンプトには別の"
        "エンジンを使ってください。",
    ),
    "llama_bench.failed": (
        "llama-bench ended with code {code} ({why}): check the settings, or choose others.",
        "llama-bench がコード {code} で終了しました({why})。設定を確かめるか、変えてください。",
    ),
    "llama_bench.not_one_row": (
        "llama-bench printed {rows} rows where one was expected: give each of its flags one value.",
        "llama-bench の出力が 1 行ではなく {rows} 行でした。フラグの値は 1 つずつ指定して"
        "ください。",
    ),
    "llama_bench.strange_row": (
        "llama-bench printed a row that does not answer the question ({row}): use another build "
        "of it.",
        "llama-bench の出力が質問に対応していません({row})。別の版の llama-bench を使って"
        "ください。",
    ),
    "llama_bench.no_depth": (
        "This build of llama-bench ({version}) cannot measure at a depth, because it has no "
        "option -d: use a newer one.",
        "この llama-bench({version})には -d がなく、読み込み済みの長さ(depth)を指定して測れません。"
        "新しい版を使ってください。",
    ),
}
