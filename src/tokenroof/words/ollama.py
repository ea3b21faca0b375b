"""Sentences about Ollama as an engine."""

from __future__ import annotations

from tokenroof.words import Catalogue

MESSAGES: Catalogue = {
    "ollama.not_one": (
        "What answers at {url} is not Ollama (address from: {source}): correct the address.",
        "{url} で応答しているのは Ollama ではありません(アドレスの出どころ: {source})。アドレスを"
        "直してください。",
    ),
    "ollama.needs_name": (
        "Ollama runs the models that it has by name, not {model}: name one as 'ollama:NAME' "
        "('ollama list' shows them), or choose another engine.",
        "Ollama は登録済みのモデルを名前で動かすもので、{model} は動かせません。'ollama:名前' で"
        "指定するか('ollama list' で一覧)、別のエンジンを指定してください。",
    ),
    "ollama.not_pulled": (
        "Ollama at {url} has no model {name}: get it with 'ollama pull {name}'.",
        "{url} の Ollama にモデル {name} がありません。'ollama pull {name}' で取得してください。",
    ),
    "ollama.cloud": (
        "{name} does not run on this machine but in Ollama's cloud, so there is nothing to measure "
        "here: choose a model that 'ollama list' shows with a size.",
        "{name} はこのマシンではなく Ollama のクラウドで動くため、ここでは計測できません。"
        "'ollama list' でサイズが表示されるモデルを指定してください。",
    ),
    "ollama.not_loaded": (
        "Ollama cannot load {name}: {why}. Try a smaller context or a smaller model.",
        "Ollama が {name} を読み込めません: {why}。コンテキストかモデルを小さくしてください。",
    ),
    "ollama.not_created": (
        "Ollama makes no model of the file: {why}.",
        "Ollama はこのファイルからモデルを作れません: {why}。",
    ),
    "ollama.prompt_too_long": (
        "The prompt does not fit into Ollama's context of {context} {context:token|tokens} "
        "({why}): give a larger context.",
        "プロンプトが Ollama のコンテキスト({context} トークン)に収まりません({why})。"
        "コンテキストを大きくしてください。",
    ),
    "ollama.cannot_set": (
        "Ollama decides {option} where its daemon starts, not for each request: leave {option} "
        "out, and set {variable} in the daemon's environment.",
        "Ollama の {option} は依頼ごとではなく、サーバーの起動時に決まります。{option} を外し、"
        "サーバー側の環境変数 {variable} で設定してください。",
    ),
    "ollama.unknown_setting": (
        "Ollama has no such settings: {settings}. Leave them out, or choose another engine.",
        "Ollama には次の設定がありません: {settings}。外すか、別のエンジンを指定してください。",
    ),
    "ollama.one_batch": (
        "Ollama has one batch size, so a micro-batch of {ubatch} beside a batch of {batch} cannot "
        "be had: give both the same value.",
        "Ollama のバッチサイズは 1 つだけなので、バッチ {batch} に対してマイクロバッチ {ubatch} は"
        "指定できません。同じ値にしてください。",
    ),
}
