"""Sentences of the room `predict`: what an estimate assumes, and why a question has no answer."""

from tokenroof.words import Catalogue

MESSAGES: Catalogue = {
    # What an estimate assumes
    "predict.assumes_engine": ("llama.cpp", "llama.cpp"),
    "predict.assumes_recipe": (
        "a recipe in the place of a file, {recipe}",
        "ファイルの代わりにレシピ {recipe}",
    ),
    "predict.assumes_ollama_build": (
        "Ollama's own build, which is as {type} but for {different}",
        "Ollama 独自の版({type} と同じだが {different})",
    ),
    "predict.assumes_one_stream": ("one stream", "同時に 1 本だけ生成"),
    "predict.assumes_one_device": (
        "all layers on one device",
        "すべての層を 1 つのデバイスに置く",
    ),
    "predict.assumes_split": (
        "layers split over {count} {count:device|devices} that work in turn: one's bandwidth "
        "bounds them all",
        "層を {count} 台に分けて順番に動かす(上限は 1 台のメモリ帯域で決まる)",
    ),
    "predict.assumes_sockets": (
        "all layers on {count} {count:processor|processors}, each reading its own memory at the "
        "same time",
        "{count} 個の CPU がそれぞれのメモリを同時に読む",
    ),
    "predict.assumes_measured_bandwidth": (
        "{bandwidth}, as measured on this CPU just now",
        "この CPU で今測ったメモリ帯域 {bandwidth}",
    ),
    "predict.assumes_resident": (
        "in memory: the file's tensors and the cache, without the engine's own buffers",
        "メモリに置く量: 全テンソルとキャッシュ(エンジン自身の作業領域は含まない)",
    ),
    "predict.assumes_weight_bytes": (
        "{weights} of weights read per token, as given",
        "1 トークンで読む重みは指定どおり {weights}",
    ),
    "predict.assumes_all_rows": (
        "all {most} of cache are read, where sparse attention may need only {least}",
        "キャッシュ {most} をすべて読む(疎な attention では {least} で済むこともある)",
    ),
    "predict.assumes_architecture": (
        "an architecture that is not known runs as its tensors and keys suggest; a token may read "
        "{least} to {most} of the weights",
        "未知のアーキテクチャがテンソルとキーの通りに動く(1 トークンで読む重みは {least}〜{most})",
    ),
    "predict.assumes_beyond_training": (
        "a context beyond the {trained} {trained:token|tokens} that the model was trained for",
        "モデルの学習時の長さ {trained} トークンを超えるコンテキスト",
    ),
    # Why a question has no answer
    "predict.no_device": (
        "Say where it runs: --on a device ('tokenroof devices' lists them), --on here for this "
        "machine's CPU, or --bandwidth GB/s.",
        "どこで動かすかを指定してください: --on デバイス名(「tokenroof devices」で一覧)、"
        "この CPU なら --on here、または --bandwidth GB/s。",
    ),
    "predict.device_twice": (
        "--on and --bandwidth both say where it runs; give one of them.",
        "--on と --bandwidth はどちらもデバイスの指定です。片方だけにしてください。",
    ),
    "predict.host_of_here": (
        "--on here is this machine as it is: leave the host out.",
        "--on here はこのマシンそのものです。ホストの指定は不要です。",
    ),
    "predict.no_model": (
        "The question names no model.",
        "モデルの指定がありません。",
    ),
    "predict.not_supported": (
        "'{key}' changes the answer in a way that is not supported yet.",
        "「{key}」は答えを変えますが、まだ対応していません。",
    ),
    "predict.out_of_range": (
        "'{key}' is {value}; it must be at least {least}.",
        "「{key}」が {value} です。{least} 以上にしてください。",
    ),
    "predict.context_too_small": (
        "A context of {context} {context:token|tokens} cannot hold {tokens}: make it at least "
        "that.",
        "コンテキスト {context} トークンには {tokens} トークンが入りません。"
        "これ以上にしてください。",
    ),
    "predict.no_decode": (
        "{model} does not generate token by token, so there is no decode rate to estimate.",
        "{model} は 1 トークンずつ生成するモデルではないため、decode の速さは見積もれません。",
    ),
    "predict.not_modelled": (
        "What a token of {model} reads is not known: its architecture is not modelled.",
        "{model} のアーキテクチャは未対応のため、1 トークンで読む量が分かりません。",
    ),
    "predict.fit_not_supported": (
        "--fit is not supported yet: choose a smaller type or context, or give more --memory.",
        "--fit にはまだ対応していません。"
        "小さい型やコンテキストを選ぶか、--memory を増やしてください。",
    ),
    "predict.bad_case": (
        "Line {line} is not a question: {reason}.",
        "{line} 行目は質問として読めません: {reason}",
    ),
    "predict.long_case": (
        "Line {line} is longer than {limit} and is not read.",
        "{line} 行目は {limit} より長いため読みません。",
    ),
    "predict.no_cases": (
        "{path} cannot be read: {reason}.",
        "{path} を読めません: {reason}",
    ),
}
