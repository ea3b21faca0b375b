"""Sentences about learning a machine, and about what was learnt."""

from __future__ import annotations

from tokenroof.words import Catalogue

MESSAGES: Catalogue = {
    "calibrate.short": (
        "learn this machine, to predict models never run here",
        "このデバイスを学び、動かしたことのないモデルを予測する",
    ),
    "calibrate.about": (
        "Learn this machine once: small models with random weights are written, measured and "
        "removed, and say how fast each stored type, the cache and the arithmetic are here. "
        "'estimate --on here' then predicts models that were never run on it.",
        "このデバイスを一度だけ学びます。乱数の重みを持つ小さなモデルを作り、計測し、消して、"
        "型ごとの重み、キャッシュ、演算の速さを求めます。以後「estimate --on here」は、"
        "ここで動かしたことのないモデルの速さを予測します。",
    ),
    "calibrate.option_quick": (
        "About two minutes (the default).",
        "約 2 分で測る(既定)。",
    ),
    "calibrate.option_full": (
        "About fifteen minutes: more types, longer contexts, smaller intervals.",
        "約 15 分で測る。型と長いコンテキストを増やし、区間を狭める。",
    ),
    "calibrate.option_show": (
        "Show the newest profile instead of making one.",
        "新しく測らず、最新のプロファイルを表示する。",
    ),
    "calibrate.option_chart": (
        "Draw it as a .png, .svg or .html: rates, residuals, and what takes a token's time.",
        "速さ、当てはめの誤差、トークンの時間の内訳を .png、.svg、.html の図にする。",
    ),
    "calibrate.option_engine": (
        "The engine to learn: embedded (the default), llama-server, llama-bench, ollama (a running "
        "one, which is given temporary models). With --show: the newest profile of that engine.",
        "学ぶエンジン: embedded(既定)、llama-server、llama-bench、ollama(動いているものに一時的な"
        "モデルを渡します)。--show では、そのエンジンの最新のプロファイル。",
    ),
    "calibrate.option_threads": (
        "Threads of the engine (default: the cores that may be used).",
        "エンジンのスレッド数(既定: 使えるコアの数)。",
    ),
    "calibrate.option_resume": (
        "Go on with a calibration that was stopped.",
        "中断した較正の続きを行う。",
    ),
    "calibrate.both_modes": (
        "--quick and --full cannot both be meant: give one of them.",
        "--quick と --full は同時に指定できません。どちらか一方にしてください。",
    ),
    "calibrate.engine": (
        "'{engine}' cannot be calibrated: the engine has to read models that were just written. "
        "Choose one of {choices}.",
        "「{engine}」は較正できません。作ったばかりのモデルを読めるエンジンが必要です。"
        "{choices} から選んでください。",
    ),
    "calibrate.elsewhere": (
        "The Ollama at {url} is on another machine, and what it does tells nothing of this one: "
        "calibrate there, and bring the profile with 'estimate --profile FILE'.",
        "{url} の Ollama は別のマシンにあり、このデバイスのことは分かりません。そちらで較正し、"
        "できたプロファイルを「estimate --profile FILE」で使ってください。",
    ),
    "calibrate.not_on_cpu": (
        "{engine} does not compute on this machine's processor alone, or does not say so, and a "
        "calibration is of the processor: choose --engine embedded.",
        "{engine} はこのデバイスの CPU だけでは計算していないか、どこで計算しているか示しません。"
        "較正は CPU を学ぶものです。--engine embedded を指定してください。",
    ),
    "calibrate.uploads": (
        "Ollama at {url} is given {count} {count:model|models} one after the other, {size} in all, "
        "and each is removed after its runs.",
        "{url} の Ollama に {count} 個のモデルを 1 つずつ渡し(合計 {size})、計測のたびに"
        "削除します。",
    ),
    "calibrate.removed_left": (
        "{count} temporary {count:model|models} of a calibration that was killed {count:was|were} "
        "removed from Ollama.",
        "強制終了した較正が Ollama に残した一時的なモデル {count} 個を削除しました。",
    ),
    "calibrate.rest": (
        "Ollama at {url} still keeps {size} of what it was given, though the models are gone: it "
        "removes that when it is started an hour from now or later.",
        "{url} の Ollama には、モデルを削除した後も渡したデータが {size} 残っています。"
        "1 時間以上たってから Ollama を起動し直すと消えます。",
    ),
    "calibrate.faster_since": (
        "The cores have been faster since {count} {count:model was|models were} measured, so "
        "{count:it is|they are} measured again.",
        "{count} 個のモデルを測った後でコアが速くなったため(その間は他の負荷があったと見られます)、"
        "測り直します。",
    ),
    "calibrate.not_read": (
        "The engine did not read the whole prompt anew, so its time tells nothing.",
        "エンジンがプロンプトの全体を読み直さなかったため、その時間からは何も分かりません。",
    ),
    "calibrate.nothing_to_resume": (
        "No calibration --{mode} with this engine and these threads was stopped: start one "
        "without --resume.",
        "このエンジンとスレッド数で中断した --{mode} の較正はありません。"
        "--resume を付けずに始めてください。",
    ),
    "calibrate.interrupted": (
        "Interrupted; what was measured is kept: {command} goes on.",
        "中断しました。計測した分は残っています。{command} で続けられます。",
    ),
    "calibrate.kept": (
        "What was measured is kept: {command} goes on.",
        "計測した分は残っています。{command} で続けられます。",
    ),
    "calibrate.anew": (
        "{count} {count:model|models} of a calibration that was stopped will be measured again; "
        "press Ctrl-C now and add --resume to keep them.",
        "中断した較正の {count} 個のモデルは測り直します。残すには、今 Ctrl-C を押し、"
        "--resume を付けてやり直してください。",
    ),
    "calibrate.anew_unlike": (
        "{count} {count:model|models} of a calibration that was stopped had other conditions and "
        "will be replaced.",
        "中断した較正の {count} 個のモデルは条件が違うため、置き換えられます。",
    ),
    "calibrate.running": (
        "A calibration is running on this machine already, and each would disturb the other: wait "
        "until it is done.",
        "このデバイスでは較正がすでに動いています。互いに妨げになるため、終わるまで待ってください。",
    ),
    "calibrate.died": (
        "The engine is started again for {name}: {reason}",
        "{name} のためにエンジンを起動し直します: {reason}",
    ),
    "calibrate.no_profile": (
        "No machine has been learnt yet: run 'tokenroof calibrate'.",
        "まだ較正していません。「tokenroof calibrate」を実行してください。",
    ),
    "calibrate.no_profile_of": (
        "No calibration with {engine} is kept here: run 'tokenroof calibrate --engine {engine}'.",
        "{engine} での較正はまだありません。「tokenroof calibrate --engine {engine}」を実行して"
        "ください。",
    ),
    "calibrate.show_alone": (
        "--show measures nothing, so {option} has no meaning beside it: leave one of them out.",
        "--show は何も測らないため、{option} は使えません。どちらかを外してください。",
    ),
    "calibrate.no_room": (
        "{path} has {free} left and the largest model needs {needed}: make room there, or set "
        "TOKENROOF_DATA to a folder on a larger disk.",
        "{path} の空きは {free} で、最大のモデルには {needed} 必要です。空きを増やすか、"
        "TOKENROOF_DATA で大きなディスクのフォルダを指定してください。",
    ),
    "calibrate.not_written": (
        "A model could not be written in {path}: {reason}. Make room there, or set TOKENROOF_DATA "
        "to another folder.",
        "{path} にモデルを書けませんでした({reason})。空きを増やすか、TOKENROOF_DATA で別の"
        "フォルダを指定してください。",
    ),
    "calibrate.no_figures": (
        "The engine did not say how long it took, so nothing can be learnt from it.",
        "エンジンが所要時間を示さないため、何も学べません。",
    ),
    "calibrate.trial": (
        "Model {number} of {count}: {name}",
        "モデル {number}/{count}: {name}",
    ),
    "calibrate.trial_left": (
        "Model {number} of {count}: {name} · {left} left",
        "モデル {number}/{count}: {name} · 残り {left}",
    ),
    "calibrate.trial_waiting": (
        "Model {number} of {count}: {name} · watching whether the machine is quiet, {patience} "
        "at most",
        "モデル {number}/{count}: {name} · 静かかどうかを見ています(最長 {patience})",
    ),
    "calibrate.trial_waiting_for": (
        "Model {number} of {count}: {name} · not quiet, waiting {patience} at most: {reason}",
        "モデル {number}/{count}: {name} · 静かになるのを待っています(最長 {patience}): {reason}",
    ),
    "calibrate.starting": (
        "Starting the engine",
        "エンジンを起動しています",
    ),
    "calibrate.reading_memory": (
        "Measuring how fast memory is read",
        "メモリの読み出しの速さを測っています",
    ),
    "calibrate.fitting": (
        "Fitting the rates to what was measured",
        "計測した値から速さを求めています",
    ),
    "calibrate.again": (
        "{name} was disturbed and is measured again.",
        "{name} は計測中に他の負荷があったため、測り直します。",
    ),
    "calibrate.skipped": (
        "{name} was skipped: {reason}",
        "{name} は飛ばしました: {reason}",
    ),
    "calibrate.title": (
        "{cpu} with {engine}",
        "{cpu}、{engine}",
    ),
    "calibrate.learnt_decode": (
        "A token of a model never seen is predicted to within {spread} (standard deviation on "
        "models left out of the fit; the farthest was {worst} off).",
        "見たことのないモデルの 1 トークンを {spread} の誤差で予測します(除いたモデルでの"
        "標準偏差。最大の外れは {worst})。",
    ),
    "calibrate.learnt_prefill": (
        "Reading a prompt is predicted to within {spread} (farthest {worst}).",
        "プロンプトの読み込みは {spread} の誤差で予測します(最大 {worst})。",
    ),
    "calibrate.drift": (
        "The model that was measured in every turn differed by {drift}: the machine's speed "
        "wandered, and the intervals are wider for it.",
        "各巡で測った同じモデルに {drift} の差がありました。デバイスの速さが揺れたため、"
        "区間を広げています。",
    ),
    "calibrate.contended": (
        "{count} of {all} figures were taken while others used the machine: calibrate again when "
        "it is quiet.",
        "{all} 個のうち {count} 個は、他の負荷がある間の数字です。静かなときに較正し直して"
        "ください。",
    ),
    "calibrate.heading_type": ("type", "型"),
    "calibrate.heading_bytes": ("decode reads", "decode の読み出し"),
    "calibrate.heading_share": ("of measured", "実測比"),
    "calibrate.heading_flop": ("prefill computes", "prefill の演算"),
    "calibrate.heading_other": ("other work", "その他の処理"),
    "calibrate.heading_costs": ("costs", "時間"),
    "calibrate.heading_model": ("model", "モデル"),
    "calibrate.heading_depth": ("depth", "depth"),
    "calibrate.heading_measured": ("measured", "実測"),
    "calibrate.heading_fitted": ("fit / measured", "当てはめ比"),
    "calibrate.heading_most": ("takes most", "最も長いもの"),
    "calibrate.work_cache_bytes": ("a GB of KV cache", "KV キャッシュ 1 GB"),
    "calibrate.work_attention_flop": ("a GFLOP of attention", "attention の 1 GFLOP"),
    "calibrate.work_scores": ("a million attention scores", "attention スコア 100 万個"),
    "calibrate.work_pieces": ("a million keys that lie far apart", "離れたキー 100 万個"),
    "calibrate.work_logits": ("a vocabulary of 100,000", "10 万語の語彙"),
    "calibrate.work_rows": ("a million rows of matrices", "行列の 100 万行"),
    "calibrate.work_vectors": ("a norm or the like", "ノルムなど 1 つ"),
    "calibrate.work_layer": ("a layer", "層 1 つ"),
    "calibrate.work_step": ("a token", "トークン 1 つ"),
    "calibrate.work_expert_layer": ("a layer with experts, on top", "エキスパート層 1 つの上乗せ"),
    "calibrate.work_expert_bytes": ("a GB of experts, on top", "エキスパート 1 GB の上乗せ"),
    "calibrate.part_weights": ("weights", "重み"),
    "calibrate.part_cache": ("cache and attention", "キャッシュと attention"),
    "calibrate.part_overhead": ("overhead", "オーバーヘッド"),
    "calibrate.not_learnt": (
        "Not told apart from other work, whose rates hold it too: {kinds}.",
        "他の処理と区別できず、その速さに含まれるもの: {kinds}。",
    ),
    "calibrate.not_run": (
        "Skipped, as the engine could not run them: {models}.",
        "エンジンが動かせず、飛ばしたもの: {models}。",
    ),
    "calibrate.kind_cache_bytes": ("the KV cache", "KV キャッシュ"),
    "calibrate.kind_attention_flop": ("arithmetic of attention", "attention の演算"),
    "calibrate.kind_scores": ("attention scores", "attention スコア"),
    "calibrate.kind_pieces": ("keys that lie far apart", "離れたキー"),
    "calibrate.kind_logits": ("the vocabulary", "語彙"),
    "calibrate.kind_rows": ("rows of matrices", "行列の行"),
    "calibrate.kind_vectors": ("norms and the like", "ノルムなど"),
    "calibrate.kind_layer": ("layers", "層"),
    "calibrate.kind_step": ("what a token costs once", "トークンごとに一度かかるもの"),
    "calibrate.kind_expert_layer": ("layers with experts", "エキスパート層"),
    "calibrate.kind_expert_bytes": ("bytes of experts", "エキスパートのバイト"),
    "calibrate.kind_type": ("weights in {type}", "{type} の重み"),
    "calibrate.nothing_to_draw": (
        "There is nothing to draw: the profile has no figures.",
        "図にできる数字がプロファイルにありません。",
    ),
    "calibrate.chart_rates": (
        "{type} is read fastest: {rate} of the measured bandwidth",
        "最も速く読めるのは {type}: {rate}(実測の帯域に対する割合)",
    ),
    "calibrate.chart_rates_alone": (
        "{type} is read fastest: {rate}",
        "最も速く読めるのは {type}: {rate}",
    ),
    "calibrate.chart_rates_about": (
        "{of} · the line: {bandwidth}, the read bandwidth that was measured",
        "{of} · 線は実測の読み出し帯域 {bandwidth}",
    ),
    "calibrate.chart_about": ("{of}", "{of}"),
    "calibrate.chart_rows_about": (
        "{of} · rows: model and depth in tokens",
        "{of} · 行はモデルと depth(トークン)",
    ),
    "calibrate.chart_residuals": (
        "Half of the fitted times are within {median} of those measured, all within {worst}",
        "当てはめの半数は実測から {median} 以内、すべて {worst} 以内",
    ),
    "calibrate.chart_parts": (
        "Weights take {least} to {most} of a token's time",
        "トークンの時間のうち重みの読み出しは {least} から {most}",
    ),
    "calibrate.chart_model": ("{model} · {depth}", "{model} · {depth}"),
    "calibrate.axis_rate": (
        "bytes of weights read in decode, GB/s",
        "decode での重みの読み出し(GB/s)",
    ),
    "calibrate.axis_ratio": ("fitted / measured time", "当てはめ/実測の時間"),
    "calibrate.axis_parts": (
        "% of a token's time, at the longest depth measured",
        "トークンの時間に占める割合(%、測った中で最も長い depth)",
    ),
    "calibrate.phase_decode": ("a token (decode)", "1 トークン(decode)"),
    "calibrate.phase_prefill": ("a prompt (prefill)", "プロンプト処理(prefill)"),
    "calibrate.saved": (
        "Kept as {path}; 'tokenroof estimate MODEL --on here' uses it.",
        "{path} に残しました。「tokenroof estimate MODEL --on here」が使います。",
    ),
}
