"""Sentences of `score`: how good predictions were."""

from tokenroof.words import Catalogue

MESSAGES: Catalogue = {
    "scoring.short": (
        "How good were the predictions, now that it was measured?",
        "予測は、計測してみてどれだけ当たっていたか?",
    ),
    "scoring.about": (
        "Hold predictions that were kept (all of this machine, and those that were asked to be) "
        "against runs that were measured after them: of the same model, device and conditions, at "
        "about the same depth or length. A ratio above 1 took longer than was said.",
        "残しておいた予測(このマシンのものと、残すよう頼んだもの)を、その後に計測した回と比べます。"
        "同じモデル、デバイス、条件で、長さがほぼ同じものが対象です。比が 1 より大きければ、"
        "予測より長くかかったことになります。",
    ),
    "scoring.runs": (
        "The runs of FILE instead of this machine's journal.",
        "このマシンの記録ではなく FILE の実測を使う。",
    ),
    "scoring.none": (
        "No prediction has been kept yet. 'tokenroof wait MODEL --prompt N --output N' makes one "
        "of this machine, and 'tokenroof bench MODEL' measures it.",
        "残された予測はまだありません。「tokenroof wait MODEL --prompt N --output N」がこのマシンに"
        "ついて予測し、「tokenroof bench MODEL」がそれを計測します。",
    ),
    "scoring.none_measured": (
        "Of {kept} {kept:prediction|predictions} none has been measured since.",
        "予測 {kept} 件のうち、その後に計測したものはまだありません。",
    ),
    "scoring.answer": (
        "{scored} of {kept} {kept:prediction|predictions} measured since: {inside} of {figures} "
        "{figures:figure|figures} lay in their interval",
        "予測 {kept} 件のうち {scored} 件をその後に計測: {figures} 個の値のうち {inside} 個が"
        "見込みの幅に入った",
    ),
    "scoring.of": ("{model} on {device}", "{device} の {model}"),
    "scoring.measure": ("To measure what was not", "まだ計測していないものを計測するには"),
    "scoring.column_what": ("figure", "値"),
    "scoring.column_count": ("measured", "計測"),
    "scoring.column_inside": ("inside", "幅の中"),
    "scoring.column_ratio": ("ratio", "比"),
    "scoring.column_error": ("typical error", "ふつうの誤差"),
    "scoring.column_worst": ("worst", "最大"),
    "scoring.column_at": ("at", "条件"),
    "scoring.column_predicted": ("predicted", "予測"),
    "scoring.column_measured": ("measured", "実測"),
    "scoring.what_decode": ("decode", "生成(decode)"),
    "scoring.what_prefill": ("prefill", "処理(prefill)"),
    "scoring.what_wait": ("wait", "待ち時間"),
    "scoring.at_depth": ("depth {depth}", "depth {depth}"),
    "scoring.at_prompt": ("prompt {prompt}", "プロンプト {prompt}"),
    "scoring.at_wait": ("{prompt} + {output}", "{prompt} + {output}"),
}
