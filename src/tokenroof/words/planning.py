"""Sentences about what would be measured."""

from __future__ import annotations

from tokenroof.words import Catalogue

MESSAGES: Catalogue = {
    "planning.option": (
        "Only show what would be measured and how long it takes.",
        "計測せず、何をどれだけの時間で測るかだけを表示します。",
    ),
    "planning.model": ("Model", "モデル"),
    "planning.engine": ("Engine", "エンジン"),
    "planning.context": ("Context", "コンテキスト"),
    "planning.tokens": ("{tokens} {tokens:token|tokens}", "{tokens} トークン"),
    "planning.answer": ("Answer", "生成"),
    "planning.cache": ("KV cache", "KV キャッシュ"),
    "planning.order": ("Order", "順序"),
    "planning.choice": ("the engine's choice", "エンジンに任せる"),
    "planning.column_length": ("tokens", "トークン"),
    "planning.column_runs": ("runs", "回数"),
    "planning.column_each": ("each", "1 回"),
    "planning.column_all": ("together", "合計"),
    "planning.runs": (
        "{runs} {runs:run|runs} {runs:is|are} promised; further ones follow until the precision "
        "of {precision} is reached, as far as they end within the budget of {budget}.",
        "少なくとも {runs} 回測ります。精度 {precision} に達するまで、時間の上限 {budget} に収まる"
        "範囲で回数を足します。",
    ),
    "planning.runs_without_end": (
        "{runs} {runs:run|runs} {runs:is|are} promised; further ones follow until the precision "
        "of {precision} is reached.",
        "少なくとも {runs} 回測ります。精度 {precision} に達するまで回数を足します。",
    ),
    "planning.cached": (
        "Each prompt is sent a second time, to be found in the engine's cache.",
        "各プロンプトをもう一度送り、エンジンのキャッシュから使わせます。",
    ),
    "planning.earlier_runs": (
        "The promised runs take about {duration}, by earlier runs of this model, and loading and "
        "warming up come to it.",
        "このモデルの過去の計測から、約束した回数にかかる時間は約 {duration} です。読み込みと"
        "ウォームアップの時間が加わります。",
    ),
    "planning.at_least": (
        "The promised runs take at least {duration}: that long the memory needs for the answers, "
        "and the machine has to be quiet before each; reading the prompts comes to it.",
        "約束した回数には少なくとも {duration} かかります。生成でメモリを読む時間と、各回の前に"
        "静かになるのを待つ時間です。プロンプト処理(prefill)の時間が加わります。",
    ),
    "planning.does_not_fit": (
        "It does not fit, so nothing would be measured. {reason}",
        "メモリに収まらないため、計測は行われません。{reason}",
    ),
    "planning.unknown": (
        "How long the promised runs take is not known: this model was not measured here before "
        "with {engine} and these settings. --bandwidth gives a least time.",
        "約束した回数にかかる時間は不明です。このモデルは {engine} とこの設定ではここで計測された"
        "ことがありません。--bandwidth を指定すると最短の時間が分かります。",
    ),
}
