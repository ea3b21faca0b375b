"""Sentences about servers that speak OpenAI's dialect."""

from __future__ import annotations

from tokenroof.words import Catalogue

MESSAGES: Catalogue = {
    "openai.no_url": (
        "Nobody says where the OpenAI-compatible server is: give its address with --url or in the "
        "variable {variable}, such as http://127.0.0.1:8080/v1.",
        "OpenAI 互換サーバーのアドレスが分かりません。--url か環境変数 {variable} で "
        "http://127.0.0.1:8080/v1 のように指定してください。",
    ),
    "openai.not_one": (
        "What answers at {url} is no OpenAI-compatible server (address from: {source}): correct "
        "the address; it mostly ends in /v1.",
        "{url} で応答しているのは OpenAI 互換サーバーではありません(アドレスの出どころ: {source})。"
        "アドレスを直してください。多くの場合、末尾は /v1 です。",
    ),
    "openai.no_model": (
        "The server does not have one model that {model} could mean; it has: {choices}. Name one "
        "as 'openai:NAME'.",
        "{model} に当たるモデルがサーバーで 1 つに決まりません。あるもの: {choices}。"
        "'openai:名前' で指定してください。",
    ),
    "openai.cannot_set": (
        "An OpenAI-compatible server is set up where it starts, so these settings cannot be asked "
        "for: {settings}. Leave them out, and start the server with them.",
        "OpenAI 互換サーバーの設定は起動時に決まるため、次の設定は指定できません: {settings}。"
        "これらを外し、サーバーの起動時に指定してください。",
    ),
}
