"""Sentences about engines."""

from __future__ import annotations

from tokenroof.words import Catalogue

MESSAGES: Catalogue = {
    "engines.none_available": (
        "There is no engine to measure with (looked for: {looked}): install one with '{install}'.",
        "計測に使えるエンジンがありません(探したもの: {looked})。'{install}' で"
        "インストールしてください。",
    ),
    "engines.chosen_served": (
        "Measuring with an OpenAI-compatible server, since {model} names a model of one.",
        "{model} は OpenAI 互換サーバーのモデルの名前なので、そのサーバーで計測します。",
    ),
    "engines.not_installed": (
        "The engine {engine} is not installed; to get it: {install}",
        "エンジン {engine} はインストールされていません。入手方法: {install}",
    ),
    "engines.unknown": (
        "There is no engine called {engine}: choose one of {choices}.",
        "{engine} というエンジンはありません。次のどれかを指定してください: {choices}",
    ),
    "engines.option_unknown": (
        "The engine {engine} takes no option '{option}': leave it out, or choose another engine.",
        "エンジン {engine} にオプション '{option}' はありません。外すか、別のエンジンを指定して"
        "ください。",
    ),
    "engines.chosen_ollama": (
        "Measuring with the Ollama at {url}, because it runs and has {model}; for another engine "
        "use --engine.",
        "{url} で動いている Ollama に {model} があるため、それで計測します。別のエンジンは "
        "--engine で指定できます。",
    ),
    "engines.chosen_on_path": (
        "Measuring with {engine}, because it is on this machine ({path}); for another engine use "
        "--engine.",
        "{engine} がこのマシンにあるため({path})、それで計測します。別のエンジンは --engine で"
        "指定できます。",
    ),
    "engines.chosen_url": (
        "Measuring with the {engine} at {url}, because the environment names it; for another "
        "engine use --engine.",
        "環境変数が {url} の {engine} を指しているため、それで計測します。別のエンジンは "
        "--engine で指定できます。",
    ),
    "engines.chosen_installed": (
        "Measuring with the {engine} engine, because no running Ollama has this model and neither "
        "llama-server nor llama-bench is on the PATH.",
        "{engine} エンジンで計測します。このモデルを持つ Ollama は動いておらず、llama-server も "
        "llama-bench も PATH にないためです。",
    ),
    "engines.foreign_broken": (
        "The package that offers the engine {engine} cannot be imported ({why}): repair it or "
        "choose another engine.",
        "エンジン {engine} を提供するパッケージを読み込めません({why})。修復するか、"
        "別のエンジンを指定してください。",
    ),
    "engines.library_missing": (
        "The engine {engine} needs {library}, which cannot be loaded ({why}): install it with "
        "'{install}'.",
        "エンジン {engine} には {library} が必要ですが、読み込めません({why})。"
        "'{install}' でインストールしてください。",
    ),
    "engines.nothing_loaded": (
        "The engine {engine} has no model loaded: load one first.",
        "エンジン {engine} にモデルが読み込まれていません。先に読み込んでください。",
    ),
    "engines.needs_file": (
        "The engine {engine} reads a model's file itself: name a file.",
        "エンジン {engine} はモデルのファイルを直接読みます。ファイルを指定してください。",
    ),
    "engines.died": (
        "The engine {engine} ended while it was at work ({reason}; the last it said: {last}). "
        "What was measured before is kept; try again, or a smaller context.",
        "エンジン {engine} が動作中に終了しました({reason}。最後の出力: {last})。"
        "それまでの計測結果は残っています。もう一度実行するか、コンテキストを小さくして"
        "ください。",
    ),
    "engines.killed": (
        "The engine {engine} was killed from outside, most often because the memory ran out. "
        "What was measured before is kept; try a smaller context or a smaller model.",
        "エンジン {engine} が外部から強制終了されました。多くの場合、メモリ不足が原因です。"
        "それまでの計測結果は残っています。コンテキストかモデルを小さくしてください。",
    ),
    "engines.silent": (
        "The engine {engine} gave no sign of life for {duration} and was stopped. "
        "What was measured before is kept; try again, or a smaller prompt.",
        "エンジン {engine} が {duration} のあいだ応答しなかったため、停止しました。"
        "それまでの計測結果は残っています。もう一度実行するか、プロンプトを短くしてください。",
    ),
    "engines.babble": (
        "The engine {engine} said what is no answer ({line}) and was stopped: reinstall it if "
        "this happens again.",
        "エンジン {engine} の応答を解釈できないため({line})、停止しました。繰り返す場合は"
        "エンジンを再インストールしてください。",
    ),
    "engines.model_refused": (
        "llama.cpp cannot load {model}: {why}. Check that the file is complete and that this "
        "engine knows its architecture.",
        "llama.cpp が {model} を読み込めません: {why}。ファイルが完全か、このエンジンが対応する"
        "アーキテクチャかを確かめてください。",
    ),
    "engines.context_refused": (
        "llama.cpp cannot make a context for {model} under these settings: {why}. Try a smaller "
        "context, or f16 as the cache type.",
        "この設定では llama.cpp が {model} のコンテキストを作れません: {why}。コンテキストを"
        "小さくするか、キャッシュの型を f16 にしてください。",
    ),
    "engines.file_incomplete": (
        "{path} is only {present} complete, {missing} of its weights are missing: download it "
        "again before it is run.",
        "{path} は {present} しか揃っておらず、重みが {missing} 足りません。ダウンロードし直して"
        "から実行してください。",
    ),
    "engines.not_generative": (
        "{model} does not write text token by token, so there is no decode to measure: "
        "choose a generative model.",
        "{model} はトークンを 1 つずつ生成するモデルではないため、生成(decode)を計測できません。"
        "生成モデルを指定してください。",
    ),
    "engines.context_too_small": (
        "The prompt has {prompt} {prompt:token|tokens} and {output} more are to be written, but "
        "the context holds {context}: give a context of at least {needed}.",
        "プロンプトは {prompt} トークン、生成は {output} トークンですが、コンテキストは {context} "
        "トークンです。{needed} 以上のコンテキストを指定してください。",
    ),
    "engines.prompt_empty": (
        "The prompt is empty, so there is nothing to read: give it at least one word.",
        "プロンプトが空のため、読むものがありません。1 語以上を指定してください。",
    ),
    "engines.decode_failed": (
        "llama.cpp could not go on (code {code}: {why}): try a smaller context or batch.",
        "llama.cpp が処理を続けられませんでした(コード {code}: {why})。コンテキストかバッチを"
        "小さくしてください。",
    ),
    "engines.kv_type_unknown": (
        "{type} is no type of KV cache: choose one of {choices}.",
        "{type} は KV キャッシュの型ではありません。次のどれかを指定してください: {choices}",
    ),
    "engines.kv_type_needs_flash_attention": (
        "Values in the KV cache can be {type} only with flash attention: leave flash attention "
        "on or automatic, or choose f16.",
        "KV キャッシュの V を {type} にするには flash attention が必要です。flash attention を"
        "有効か自動にするか、f16 を指定してください。",
    ),
}
