"""Sentences of waiting: the verb `wait`, its page and picture, and what a wait assumes."""

from tokenroof.words import Catalogue

MESSAGES: Catalogue = {
    # The verb and its options
    "waiting.short": (
        "How long until an answer is there?",
        "答えが出るまで何秒待つ?",
    ),
    "waiting.about": (
        "Say how long the answer to a prompt takes: loading the model if it is cold, reading what "
        "of the prompt no cache holds, and every further token at its own depth. Without --on it "
        "is about this machine. What was measured here under the same conditions is used in the "
        "place of a prediction.",
        "プロンプトの答えが出るまでの時間を見積もります。モデルの読み込み(--cold のとき)、"
        "キャッシュにないプロンプトの処理、その先の 1 トークンごとの生成を、それぞれの長さ(depth)で"
        "足し合わせます。--on がなければこのマシンについて答えます。同じ条件の実測があれば、"
        "予測の代わりにそれを使います。",
    ),
    "waiting.on": (
        "The device, as for estimate; 'here', this machine, by default.",
        "デバイス(estimate と同じ)。省略時はこのマシン(here)。",
    ),
    "waiting.prompt": ("Tokens of the prompt.", "プロンプトのトークン数。"),
    "waiting.output": (
        "Tokens of the answer; without it, the wait for the first token.",
        "答えのトークン数。省略すると最初の 1 トークンまでの時間。",
    ),
    "waiting.cached": (
        "Tokens at the prompt's beginning that a cache holds already.",
        "プロンプトの先頭のうち、すでにキャッシュにあるトークン数。",
    ),
    "waiting.thinking": (
        "Tokens that the model thinks before it answers.",
        "答える前に考える(thinking)トークン数。",
    ),
    "waiting.cold": (
        "The model is not in memory yet: it is loaded first.",
        "モデルがまだメモリにない場合(読み込みから数える)。",
    ),
    "waiting.turns": (
        "A conversation of so many prompts, each on top of all before it.",
        "会話の往復の数。毎回のプロンプトは、それまでの全部に続く。",
    ),
    "waiting.agent": (
        "With --turns: an agent that sends everything again each time, with N tokens more.",
        "--turns と使う。毎回すべてを送り直し、N トークンずつ増えるエージェント。",
    ),
    "waiting.prompt_file": (
        "Count the tokens of this text, with the model's own vocabulary where its file is here.",
        "このテキストのトークン数を数える(モデルのファイルがあれば、その語彙で)。",
    ),
    "waiting.runs": (
        "Take measured runs from FILE instead of this machine's journal.",
        "実測を、このマシンの記録ではなく FILE から取る。",
    ),
    "waiting.profile": (
        "Predict '--on here' by FILE, which 'tokenroof calibrate' wrote here or elsewhere.",
        "「--on here」を、「tokenroof calibrate」がここや他のマシンで書いた FILE で予測する。",
    ),
    "waiting.keep": (
        "Keep the prediction for 'tokenroof score'; those of this machine are kept anyway.",
        "予測を「tokenroof score」のために残す(このマシンの予測はいつも残る)。",
    ),
    "waiting.chart": (
        "Write the picture to FILE, as .png, .svg or .html.",
        "図を FILE(.png、.svg、.html)に書く。",
    ),
    # What stands in the way
    "waiting.cached_beyond_prompt": (
        "{cached} {cached:token|tokens} cannot be in the cache of a prompt of {prompt}: --cached "
        "counts tokens of the prompt, --depth those before it.",
        "{prompt} トークンのプロンプトのうち {cached} トークンがキャッシュにあることはありません。"
        "--cached はプロンプトの中、--depth はその前のトークン数です。",
    ),
    "waiting.agent_without_turns": (
        "An agent sends several prompts: say with --turns how many.",
        "エージェントは何度もプロンプトを送ります。回数を --turns で指定してください。",
    ),
    "waiting.no_prompt": (
        "There is no prompt to wait for: say --prompt N or --prompt-file FILE.",
        "プロンプトがありません。--prompt N か --prompt-file FILE を指定してください。",
    ),
    "waiting.prompt_twice": (
        "--prompt and --prompt-file both say how long the prompt is: leave one out.",
        "--prompt と --prompt-file のどちらか一方だけを指定してください。",
    ),
    "waiting.prompt_file_and_lists": (
        "--prompt-file is for questions of its own: leave out --cases, --measured, --size and "
        "--chart.",
        "--prompt-file は --cases、--measured、--size、--chart と一緒には使えません。",
    ),
    "waiting.unreadable_prompt": (
        "{path} cannot be read as text ({reason}): give a text file in UTF-8.",
        "{path} をテキストとして読めません({reason})。UTF-8 のテキストファイルを指定してください。",
    ),
    "waiting.empty_prompt": (
        "{path} is empty: there is nothing to read.",
        "{path} は空です。読むものがありません。",
    ),
    "waiting.not_known": (
        "{model} on {device}: how long it takes is not known, since figures alone do not tell how "
        "fast it computes; name a device with --on",
        "{device} の {model}: 数値だけでは計算の速さが分からないため、時間は分かりません。--on で"
        "デバイス名を指定してください",
    ),
    # What a wait rests on
    "waiting.assumes_measured": (
        "measured: {count} {count:run|runs} with {engine}, the last on {date}",
        "実測: {engine} の {count} 回(最後は {date})",
    ),
    "waiting.assumes_another_build": (
        "the runs' file of this model reads {weights} of weights a token, for which the interval "
        "allows",
        "実測したファイルは 1 トークンで重みを {weights} 読む(見込みの幅に含む)",
    ),
    "waiting.assumes_disk": (
        "the model file read from its disk at 2 GB/s (0.5 to 7)",
        "モデルファイルをディスクから 2 GB/s(0.5~7)で読む",
    ),
    "waiting.assumes_load_measured": (
        "loading as in {count} {count:load|loads} of this model that {count:was|were} measured",
        "読み込みは、このモデルの実測 {count} 回による",
    ),
    "waiting.assumes_load_calibrated": (
        "the model file gets ready at {rate}, as the files of the calibration did, which had just "
        "been written; from a disk at 0.5 to 7 GB/s",
        "モデルファイルの読み込みは {rate}(較正で書いたばかりのファイルの速さ)、ディスクからは "
        "0.5~7 GB/s",
    ),
    "waiting.assumes_thoughts_dropped": (
        "thoughts are not sent back, so each turn reads the answer before it again",
        "thinking は送り返されないため、毎回その前の答えを読み直す",
    ),
    "waiting.assumes_counted": (
        "{tokens} {tokens:token|tokens}, counted with the model's own vocabulary, without a chat "
        "template",
        "{tokens} トークン(モデル自身の語彙で数えた。チャットの書式は含まない)",
    ),
    "waiting.guessed_no_file": (
        "between {low} and {high} {high:token|tokens} by the languages of the text, since no file "
        "of the model is here to count with",
        "数えるためのモデルファイルがないため、文章の言語から {low}~{high} トークンとする",
    ),
    "waiting.guessed_no_engine": (
        "between {low} and {high} {high:token|tokens} by the languages of the text; to count, "
        "install tokenroof[embedded]",
        "文章の言語から {low}~{high} トークンとする(数えるには tokenroof[embedded] を入れる)",
    ),
    "waiting.guessed_refused": (
        "between {low} and {high} {high:token|tokens} by the languages of the text, since "
        "llama.cpp could not count with this model",
        "llama.cpp がこのモデルで数えられなかったため、文章の言語から {low}~{high} トークンとする",
    ),
    # The page
    "waiting.answer": (
        "{model} on {device}: an answer of {output} {output:token|tokens} to a prompt of {prompt} "
        "is there in {total} ({low} to {high}), its first token in {ttft}",
        "{device} の {model}: {prompt} トークンのプロンプトに {output} トークンで答え終わるまで "
        "{total}({low}~{high})、最初の 1 トークンまで {ttft}",
    ),
    "waiting.answer_first": (
        "{model} on {device}: the first token after a prompt of {prompt} {prompt:token|tokens} is "
        "there in {ttft} ({low} to {high})",
        "{device} の {model}: {prompt} トークンのプロンプトの後、最初の 1 トークンまで {ttft}"
        "({low}~{high})",
    ),
    "waiting.answer_turns": (
        "{model} on {device}: {turns} turns take {total} ({low} to {high}) in all, the first token "
        "of the first in {ttft}",
        "{device} の {model}: {turns} 往復の合計は {total}({low}~{high})、1 回目の最初の 1 トークン"
        "まで {ttft}",
    ),
    "waiting.answer_does_not_fit": (
        "{model} does not fit on {device}: there is nothing to wait for",
        "{model} は {device} に入らないため、待ち時間はありません",
    ),
    "waiting.column_part": ("part", "内訳"),
    "waiting.column_tokens": ("tokens", "トークン"),
    "waiting.column_seconds": ("time", "時間"),
    "waiting.column_range": ("range", "見込みの幅"),
    "waiting.column_basis": ("basis", "根拠"),
    "waiting.column_share": ("share", "割合"),
    "waiting.column_turn": ("turn", "回"),
    "waiting.column_cached": ("in cache", "キャッシュ"),
    "waiting.column_read": ("read", "読む"),
    "waiting.column_first": ("first token", "最初の 1 トークン"),
    "waiting.column_total": ("whole", "全体"),
    "waiting.part_load": ("load", "読み込み"),
    "waiting.part_prefill": ("prefill", "プロンプト処理(prefill)"),
    "waiting.part_thinking": ("thinking", "thinking"),
    "waiting.part_answer": ("answer", "答えの生成(decode)"),
    "waiting.basis_measured": ("measured", "実測"),
    "waiting.basis_calibrated": ("calibrated", "較正"),
    "waiting.basis_public": ("public", "公開値"),
    "waiting.basis_spec": ("spec", "仕様"),
    "waiting.unreused": (
        "Without a cache, with every prompt read from its beginning: {total}",
        "キャッシュがなく、毎回プロンプトを先頭から読むと {total}",
    ),
    "waiting.characters": (
        "Japanese comes at {low} to {high} characters a second; people read 8 to 10",
        "日本語で毎秒 {low}~{high} 文字(人が読む速さは毎秒 8~10 文字)",
    ),
    "waiting.nothing_to_draw": (
        "No wait is known, so there is nothing to draw: name a device with --on.",
        "待ち時間が分からないため、描くものがありません。--on でデバイス名を指定してください。",
    ),
    # The picture
    "waiting.chart_title": (
        "{model} on {device}: {total} to the last token",
        "{device} の {model}: 最後のトークンまで {total}",
    ),
    "waiting.chart_title_turns": (
        "{model} on {device}: {turns} turns in {total}",
        "{device} の {model}: {turns} 往復で {total}",
    ),
    "waiting.chart_title_devices": (
        "{model}: from {least} to {most} to the last token",
        "{model}: 最後のトークンまで {least} から {most}",
    ),
    "waiting.chart_subtitle": (
        "A prompt of {prompt}, an answer of {output} {output:token|tokens}; the line spans what it "
        "may take.",
        "プロンプト {prompt}、答え {output} トークン。線はかかりうる時間の幅。",
    ),
    "waiting.axis_seconds": ("seconds", "秒"),
    "waiting.axis_turn": ("turn {number}", "{number} 回目"),
}
