"""Sentences about llama-server."""

from __future__ import annotations

from tokenroof.words import Catalogue

MESSAGES: Catalogue = {
    "llama_server.runs_already": (
        "A llama-server that runs already keeps the flags that it was started with: give either "
        "its address, or a program and flags to start one.",
        "すでに動いている llama-server のフラグは変えられません。アドレスか、起動するプログラムと"
        "フラグの、どちらか一方を指定してください。",
    ),
    "llama_server.settings_fixed": (
        "The running llama-server keeps the settings that it was started with, so these cannot be "
        "chosen: {settings}. Leave them out, or let tokenroof start one.",
        "動いている llama-server の設定は変えられないため、次のものは指定できません: {settings}。"
        "指定を外すか、tokenroof に起動させてください。",
    ),
    "llama_server.other_model": (
        "The llama-server at {url} serves {served}, not {asked}: start it with that model, or "
        "measure the one that it has.",
        "{url} の llama-server が提供しているのは {asked} ではなく {served} です。そのモデルで"
        "起動し直すか、今のモデルを計測してください。",
    ),
    "llama_server.did_not_start": (
        "llama-server did not start (code {code}; it said: {why}): check the model, the settings "
        "and the flags, or give a smaller context.",
        "llama-server が起動しませんでした(コード {code}。出力: {why})。モデル、設定、フラグを"
        "確かめるか、コンテキストを小さくしてください。",
    ),
}
