"""Sentences of the room `predict`: what an estimate assumes, and why a question has no answer."""

from tokenroof.words import Catalogue

MESSAGES: Catalogue = {
    # What an estimate assumes
    "predict.assumes_engine": ("llama.cpp", "llama.cpp"),
    "predict.assumes_no_model": (
        "no model is named, so without its KV cache",
        "モデルの指定がないので KV キャッシュを含まない",
    ),
    "predict.assumes_unknown_engine": (
        "llama.cpp, since how {engine} sets memory aside is not known",
        "{engine} のメモリの取り方は分からないので llama.cpp とする",
    ),
    "predict.assumes_host_room": (
        "{size} free in the host's memory, whose size is not given",
        "ホストのメモリ(容量の指定なし)に {size} の空きがある",
    ),
    "predict.assumes_recipe": (
        "a recipe in the place of a file, {recipe}",
        "ファイルの代わりにレシピ {recipe}",
    ),
    "predict.assumes_ollama_build": (
        "Ollama's own build, which is as {type} but for {different}",
        "Ollama 独自の版({type} と同じだが {different})",
    ),
    "predict.assumes_this_engine": ("{engine}", "{engine}"),
    "predict.assumes_one_stream": ("one stream", "同時に 1 本だけ生成"),
    "predict.assumes_one_device": (
        "all layers on one device",
        "すべての層を 1 つのデバイスに置く",
    ),
    "predict.assumes_split": (
        "layers split over {count} {count:device|devices} that work in turn, so their times add",
        "層を {count} 台に分けて順番に動かす(時間は足し算になる)",
    ),
    "predict.assumes_side_by_side": (
        "every layer cut over {count} {count:device|devices} that work side by side and exchange "
        "their parts",
        "各層を {count} 台に分けて同時に動かし、結果を交換する",
    ),
    "predict.assumes_layers": (
        "{cards} of {layers} {layers:layer|layers} on the GPU, the rest with the host",
        "{layers} 層のうち {cards} 層を GPU に、残りをホストに置く",
    ),
    "predict.assumes_experts": (
        "{read} of experts read per token from the host's memory",
        "1 トークンごとにホストのメモリから読む expert {read}",
    ),
    "predict.assumes_kv_on_host": (
        "the KV cache in the host's memory",
        "KV キャッシュはホストのメモリに置く",
    ),
    "predict.assumes_host": (
        "a host with {host} ({bandwidth}), because none is named",
        "ホストの指定がないため {host}({bandwidth})とする",
    ),
    "predict.assumes_link": (
        "a link of {bandwidth} between memories (PCIe 4.0 x16)",
        "メモリ間のリンクは {bandwidth}(PCIe 4.0 x16)",
    ),
    "predict.assumes_slots": (
        "memory for {count} {count:sequence|sequences}, each with its own part of the context",
        "メモリは {count} 系列分(コンテキストを系列ごとに分ける)",
    ),
    "predict.assumes_slots_shared": (
        "memory for {count} {count:slot|slots} that share one context",
        "メモリは {count} スロット分(1 つのコンテキストを共有)",
    ),
    "predict.assumes_reserve": (
        "{reserve} left free on every GPU, for its driver and the screen",
        "各 GPU に {reserve} の空きを残す(ドライバーと画面表示のため)",
    ),
    "predict.assumes_backend": ("the {backend} backend", "バックエンドは {backend}"),
    "predict.assumes_build": ("a build of {year}", "{year} 年のビルド"),
    "predict.assumes_kin": (
        "speeds that were published for {count} {count:device|devices} of its kind",
        "同種のデバイス {count} 台について公開された速度",
    ),
    "predict.assumes_no_kin": (
        "speeds that were published for devices of other kinds, because there are none of its own",
        "同種のデバイスの公開データがないため、ほかの種類の公開速度",
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
    "predict.assumes_profile_bandwidth": (
        "{bandwidth}, as measured on the CPU when it was calibrated: the most there was",
        "較正したときにその CPU で測ったメモリ帯域 {bandwidth}(最も速かった値)",
    ),
    "predict.assumes_resident": (
        "in memory: tensors, caches, and the most that the engine's own buffers may take",
        "メモリに置く量: テンソルとキャッシュ、エンジンの作業領域(最大の場合)",
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
        "The question names no model: give MODEL as a path or a name, which 'tokenroof models' "
        "lists, or in a file of questions 'weight_bytes'.",
        "モデルの指定がありません。MODEL にパスか名前('tokenroof models' で一覧)を指定するか、"
        "質問ファイルでは 'weight_bytes' を指定してください。",
    ),
    "predict.out_of_range": (
        "'{key}' is {value}; it must be at least {least}.",
        "「{key}」が {value} です。{least} 以上にしてください。",
    ),
    "predict.too_large": (
        "'{key}' is {value}; it must be at most {most}.",
        "「{key}」が {value} です。{most} 以下にしてください。",
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
    "predict.fit_and_places": (
        "--fit looks for the placement: leave out the options that give one.",
        "--fit は配置を探します。配置のオプションは外してください。",
    ),
    "predict.fit_needs_memory": (
        "--fit needs to know how much memory the device has: give --memory GB.",
        "--fit にはデバイスのメモリ量が必要です。--memory GB で指定してください。",
    ),
    "predict.split_of_cards": (
        "The split has {given} {given:part|parts}, and there {cards:is|are} {cards} "
        "{cards:card|cards}: give one for each.",
        "分割の指定が {given} 個、カードは {cards} 枚です。カードごとに 1 つ指定してください。",
    ),
    "predict.split_of_nothing": (
        "A split needs proportions that are not negative, and one that is not 0.",
        "分割の比は 0 以上で、少なくとも 1 つは 0 より大きくしてください。",
    ),
    "predict.bad_split": (
        "'{text}' is no split: give a number for each card, as 3,1.",
        "「{text}」は分割として読めません。3,1 のようにカードごとの数を指定してください。",
    ),
    "predict.bad_override": (
        "'{text}' says no place: write PATTERN=CPU, or = and a card's number.",
        "「{text}」に置き場所がありません。PATTERN=CPU、または = とカードの番号を書いてください。",
    ),
    "predict.bad_pattern": (
        "'{pattern}' is no pattern: {reason}.",
        "「{pattern}」はパターンとして読めません: {reason}",
    ),
    "predict.no_such_card": (
        "There is no card {card}: the device has {cards}, counted from 0.",
        "カード {card} はありません。デバイスには {cards} 枚あり、番号は 0 からです。",
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
