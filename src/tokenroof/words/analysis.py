"""Sentences of the room `analysis`: (English, Japanese)."""

from __future__ import annotations

from tokenroof.words import Catalogue

MESSAGES: Catalogue = {
    # What comes first where the figures are in doubt.
    "analysis.contended": (
        "The machine was not quiet: {count} of {total} {total:run|runs} {count:was|were} made "
        "beside other work (contended), so the figures may be too low.",
        "{total} 回のうち {count} 回は、他の作業と重なって測りました(contended)。"
        "数値は実際より低いおそれがあります。",
    ),
    "analysis.contended_busy": (
        "The machine was not quiet: {count} of {total} {total:run|runs} {count:was|were} made "
        "beside other work (contended), which used up to {share} of the {source}, so the "
        "figures may be too low.",
        "{total} 回のうち {count} 回は、他の作業と重なって測りました(contended。{source} の最大"
        " {share} を使用)。数値は実際より低いおそれがあります。",
    ),
    "analysis.contended_queue": (
        "The machine was not quiet: {count} of {total} {total:run|runs} {count:was|were} made "
        "beside other work (contended), with jobs in the queue at {source}, so the figures may "
        "be too low.",
        "{total} 回のうち {count} 回は、他の作業と重なって測りました(contended。{source} の"
        "キューに仕事あり)。数値は実際より低いおそれがあります。",
    ),
    "analysis.contended_probe": (
        "The machine was not quiet: {count} of {total} {total:run|runs} {count:was|were} made "
        "beside other work (contended), which slowed a short test loop down by up to {share}, "
        "so the figures may be too low.",
        "{total} 回のうち {count} 回は、他の作業と重なって測りました(contended。短い試験の処理が"
        "最大 {share} 遅くなった)。数値は実際より低いおそれがあります。",
    ),
    "analysis.contended_excluded": (
        "{count} of {total} {total:run|runs} {count:was|were} made beside other work (contended) "
        "and {count:is|are} left out.",
        "{total} 回のうち {count} 回は、他の作業と重なったので除いてあります(contended)。",
    ),
    "analysis.no_runs": (
        "There are no runs to show.",
        "示せる計測がありません。",
    ),
    "analysis.nothing_counted": (
        "No run gave a figure that counts (of {total}); the reasons are listed below.",
        "{total} 回の計測のうち、数えられるものは 1 つもありません。理由は下の一覧にあります。",
    ),
    # How fast.
    "analysis.fast_both_length": (
        "{model} reads a prompt of {read_short_at} {read_short_at:token|tokens} at {read_short} "
        "(prefill) and writes at {write_short} (decode).",
        "{model} は、{read_short_at} トークンの入力を {read_short} で読み(prefill)、"
        "{write_short} で生成します(decode)。",
    ),
    "analysis.fast_both_lengths": (
        "{model} reads a prompt of {read_short_at} {read_short_at:token|tokens} at {read_short} "
        "(prefill) and then writes at {write_short} (decode); at {read_long_at} "
        "{read_long_at:token|tokens} it reads at {read_long}, and with {write_long_at} in the "
        "context it writes at {write_long}.",
        "{model} は、{read_short_at} トークンの入力を {read_short} で読み(prefill)、"
        "続けて {write_short} で生成します(decode)。入力が {read_long_at} トークンでは "
        "{read_long} で読み、{write_long_at} トークンを読んだ後では {write_long} で生成します。",
    ),
    "analysis.fast_prefill_length": (
        "{model} reads a prompt of {read_short_at} {read_short_at:token|tokens} at {read_short} "
        "(prefill); writing was not measured.",
        "{model} は、{read_short_at} トークンの入力を {read_short} で読みます(prefill)。"
        "生成は測っていません。",
    ),
    "analysis.fast_prefill_lengths": (
        "{model} reads a prompt of {read_short_at} {read_short_at:token|tokens} at {read_short} "
        "(prefill), one of {read_long_at} at {read_long}; writing was not measured.",
        "{model} は、{read_short_at} トークンの入力を {read_short} で、{read_long_at} トークンの"
        "入力を {read_long} で読みます(prefill)。生成は測っていません。",
    ),
    "analysis.fast_decode_length": (
        "{model} writes at {write_short} (decode) with {write_short_at} "
        "{write_short_at:token|tokens} in the context; reading was not measured.",
        "{model} は、{write_short_at} トークンを読んだ後に {write_short} で生成します(decode)。"
        "プロンプト処理は測っていません。",
    ),
    "analysis.fast_decode_lengths": (
        "{model} writes at {write_short} (decode) with {write_short_at} "
        "{write_short_at:token|tokens} in the context and at {write_long} with {write_long_at}; "
        "reading was not measured.",
        "{model} は、{write_short_at} トークンを読んだ後は {write_short}、"
        "{write_long_at} トークンを読んだ後は {write_long} で生成します(decode)。"
        "プロンプト処理は測っていません。",
    ),
    # What limits it.
    "analysis.limit_memory_spare": (
        "Reading memory limits the writing: each token reads {bytes}, which makes {rate} at {at}"
        " {at:token|tokens}, while arithmetic has room to spare, since prefill did {ratio}"
        " times as many operations a second on the same device.",
        "生成を縛るのはメモリの読み出しです。1 トークンごとに {bytes} を読み、{at} トークンの時"
        "点で {rate} になります。同じデバイスが prefill では 1 秒に {ratio} 倍の計算をこなしたの"
        "で、計算の速さには余裕があります。",
    ),
    "analysis.limit_memory": (
        "Reading memory takes most of the writing time: each token reads {bytes}, which makes "
        "{rate} at {at} {at:token|tokens}.",
        "生成の時間の大半はメモリの読み出しです。1 トークンごとに {bytes} を読み、"
        "{at} トークンの時点で {rate} になります。",
    ),
    "analysis.limit_below_half_spare": (
        "Each token reads {bytes}, which makes {rate} at {at} {at:token|tokens}; prefill did "
        "{ratio} times as many operations a second, so this device can do more of both; what "
        "takes the rest of the time was not measured (unpacking the weights counts as no "
        "operation here).",
        "1 トークンごとに {bytes} を読み、{at} トークンの時点で {rate} になります。prefill では"
        " 1 秒に {ratio} 倍の計算をこなしたので、このデバイスはどちらもこれ以上できます。残りの"
        "時間が何に使われたかは測っていません(重みの展開は、ここでは計算に数えません)。",
    ),
    "analysis.limit_below_half": (
        "Each token reads {bytes}, which makes {rate} at {at} {at:token|tokens}: less than half "
        "of what the memory could do, and what takes the rest of the time was not measured.",
        "1 トークンごとに {bytes} を読み、{at} トークンの時点で {rate} になります。"
        "メモリ帯域の半分に届いておらず、残りの時間が何に使われたかは測っていません。",
    ),
    "analysis.limit_spare": (
        "Each token reads {bytes}, which makes {rate} at {at} {at:token|tokens}; arithmetic is "
        "not the limit, since prefill did {ratio} times as many operations a second on the same "
        "device.",
        "1 トークンごとに {bytes} を読み、{at} トークンの時点で {rate} になります。同じデバイスが"
        " prefill では 1 秒に {ratio} 倍の計算をこなしたので、計算の速さが上限ではありません。",
    ),
    "analysis.limit_open": (
        "Each token reads {bytes}, which makes {rate} at {at} {at:token|tokens}; whether memory "
        "or arithmetic is the limit cannot be told from these runs.",
        "1 トークンごとに {bytes} を読み、{at} トークンの時点で {rate} になります。"
        "メモリと計算のどちらが上限かは、この計測からは分かりません。",
    ),
    "analysis.limit_arithmetic": (
        "Arithmetic limits the writing too: prefill did only {ratio} times as many operations a "
        "second as decode, which reads {bytes} a token ({rate} at {at} {at:token|tokens}).",
        "生成も計算の速さに縛られています。prefill が 1 秒にこなした計算は decode の {ratio} 倍"
        "だけです(1 トークンで読む量は {bytes}、{at} トークンの時点で {rate})。",
    ),
    "analysis.limit_unknown": (
        "What limits it is not known here, since what one token reads of this model is not known.",
        "このモデルが 1 トークンで読む量が分からないので、何が上限かは分かりません。",
    ),
    # The share of the ceiling.
    "analysis.ceiling_share": (
        "That is {share} of the ceiling: {rate} of the {ceiling} that {bandwidth} would allow at "
        "{at} {at:token|tokens}.",
        "これは上限の {share} です({at} トークンの時点で、{bandwidth} から計算した上限 {ceiling} "
        "に対して {rate})。",
    ),
    "analysis.ceiling_shares": (
        "That is {share} of the ceiling: {rate} of the {ceiling} that {bandwidth} would allow at "
        "{at} {at:token|tokens}; at {long_at} {long_at:token|tokens} it is {long_share}.",
        "これは上限の {share} です({at} トークンの時点で、{bandwidth} から計算した上限 {ceiling} "
        "に対して {rate})。{long_at} トークンの時点では {long_share} です。",
    ),
    "analysis.ceiling_exceeded": (
        "At {long_at} {long_at:token|tokens} it is {long_share} of the ceiling, more than "
        "{bandwidth} allows: that bandwidth, the bytes counted for a token, or the times are "
        "wrong.",
        "{long_at} トークンの時点で上限の {long_share} です。{bandwidth} で読める量を超えている"
        "ので、その帯域か、1 トークンで読む量か、計測した時間のどれかが誤っています。",
    ),
    "analysis.ceiling_unknown": (
        "The ceiling is unknown, because nobody said what memory bandwidth the device has: give "
        "it with --bandwidth GB/s.",
        "デバイスのメモリ帯域が分からないので、上限は不明です。--bandwidth GB/s で指定できます。",
    ),
    "analysis.ceiling_of_two": (
        "There is no share of a ceiling to give: the model was partly on the GPU and partly in the "
        "memory of the host, so its ceiling needs the bandwidths of both.",
        "上限に対する割合は出せません。モデルの一部は GPU、一部は本体のメモリにあり、上限には"
        "両方の帯域が必要です。",
    ),
    "analysis.ceiling_not_applicable": (
        "There is no share of a ceiling to give: a token of these runs is not one read of known "
        "size on one device.",
        "上限に対する割合は出せません。この計測の 1 トークンは、1 つのデバイスで決まった量を 1 "
        "回読むものではないためです。",
    ),
    # The line and the curve.
    "analysis.line_too_few": (
        "No line of time against bytes: it needs {need} lengths with a decode time that counts "
        "(here: {lengths}).",
        "読む量と時間の直線は引いていません。数えられる生成(decode)の時間が {need} 通りの長さで"
        "必要ですが、{lengths} 通りしかありません。",
    ),
    "analysis.line_too_narrow": (
        "No line of time against bytes: from the shortest to the longest input the bytes of a "
        "token grow by {share} only, and a line needs a tenth; inputs of {tokens}"
        " {tokens:token|tokens} or more (--lengths) would give one.",
        "読む量と時間の直線は引いていません。いちばん短い入力から長い入力まで、1 トークンで読む"
        "量の変化が {share} しかなく、1 割は要ります。{tokens} トークン以上の入力(--lengths)を加"
        "えれば引けます。",
    ),
    "analysis.line_flat": (
        "No line of time against bytes: the bytes of a token grow by {share} only, and a line "
        "needs a tenth.",
        "読む量と時間の直線は引いていません。1 トークンで読む量の変化が {share} しかなく、1 割は"
        "要ります。",
    ),
    "analysis.line_not_rising": (
        "The time per token does not grow with the bytes, so there is no rate of the added bytes.",
        "読む量が増えても 1 トークンの時間が増えていないので、増えた分を読む速さは出せません。",
    ),
    "analysis.line_above_peak": (
        "The added bytes seem to be read at {added}, more than the {peak} of the memory: a nearer "
        "cache holds some of them, the lengths differ too little, or a figure is wrong.",
        "増えた分を {added} で読んだ計算になり、メモリ帯域の {peak} を超えます。近いキャッシュに"
        "一部が載っているか、長さの差が小さすぎるか、どれかの数値が誤っています。",
    ),
    "analysis.line_below_zero": (
        "At zero bytes the line stands at {time}, which is the cost of nothing: weights and cache "
        "are read at different rates.",
        "直線は読む量 0 の所で {time} になりますが、これは何かにかかる時間ではありません。"
        "重みと KV キャッシュを読む速さが違うためです。",
    ),
    "analysis.curve_too_few": (
        "No curve of reading times: it needs {need} lengths with a prefill time that counts "
        "(here: {lengths}).",
        "プロンプト処理(prefill)の時間の曲線は引いていません。数えられる時間が {need} 通りの長さ"
        "で必要ですが、{lengths} 通りしかありません。",
    ),
    "analysis.curve_misfit": (
        "The curve of reading times misses a measured length by up to {share}, so the times of "
        "the lengths do not lie on one curve; waits for other lengths may be off by as much.",
        "プロンプト処理(prefill)の時間の曲線は、実測から最大 {share} 外れています。各長さの時間"
        "が 1 本の曲線に乗らないためで、曲線から求めた待ち時間も同じだけ外れます。",
    ),
    "analysis.curve_misfit_straight": (
        "The straight line of reading times misses a measured length by up to {share}; how "
        "reading slows down as prompts grow shows from {need} lengths on (here: {lengths}).",
        "プロンプト処理(prefill)の時間の直線は、実測から最大 {share} 外れています。入力が長いほ"
        "ど遅くなる様子は {need} 通りの長さから分かります(ここでは {lengths} 通り)。",
    ),
    # How steady.
    "analysis.drift_slower": (
        "The machine got slower while it was measured: the last third of the runs took longer "
        "than the first ({phases}).",
        "計測の間に遅くなりました。最後の 3 分の 1 の回は、最初の 3 分の 1 より長くかかっています"
        "({phases})。",
    ),
    "analysis.drift_faster": (
        "The machine got faster while it was measured: the last third of the runs took less time "
        "than the first ({phases}), so it may not have been warm.",
        "計測の間に速くなりました。最後の 3 分の 1 の回は、最初の 3 分の 1 より短く({phases})、"
        "まだ温まっていなかったのかもしれません。",
    ),
    "analysis.two_modes": (
        "Runs of one length fall into two groups, and their median lies in one of them by chance "
        "({groups}).",
        "同じ長さの回が 2 つの組に分かれ、中央値がどちらに入るかは偶然です({groups})。",
    ),
    "analysis.kept_slow": (
        "{count} {count:run|runs} took over a tenth longer than the median of their length "
        "without a known cause, and {count:counts|count} all the same ({where}).",
        "{count} 回は、原因が分からないまま、その長さの中央値より 1 割以上長くかかりました。"
        "除かずに数えています({where})。",
    ),
    # Findings about runs that count: flag_<flag>.
    "analysis.flag_above_ceiling": (
        "{count} of {total} {total:run|runs} {count:was|were} faster than the memory allows: "
        "speculation, a cache, or a wrong byte count.",
        "{total} 回のうち {count} 回は、メモリ帯域で可能な速さを超えています。投機的デコード、"
        "キャッシュ、または読む量の数え違いが考えられます。",
    ),
    "analysis.flag_combined_rate": (
        "{count} of {total} {total:run|runs} {count:has|have} one time for reading and writing "
        "together, and so no rate of either.",
        "{total} 回のうち {count} 回は、読む時間と生成の時間を合わせた値しかなく、どちらの速さも"
        "出せません。",
    ),
    "analysis.flag_contended": (
        "{count} of {total} {total:run|runs} {count:was|were} made beside other work and count "
        "all the same.",
        "{total} 回のうち {count} 回は、他の作業と重なったまま数えています。",
    ),
    "analysis.flag_empty_output": (
        "{count} of {total} {total:run|runs} counted tokens but returned no text: the speed is "
        "measured, the answer was not checked.",
        "{total} 回のうち {count} 回は、トークンは数えられましたが文章が空でした。"
        "速さは測れていますが、答えの中身は確かめていません。",
    ),
    "analysis.flag_end_to_end_rate": (
        "{count} of {total} {total:run|runs} {count:has|have} a rate over the whole request only.",
        "{total} 回のうち {count} 回は、依頼全体にわたる速さしかありません。",
    ),
    "analysis.flag_length_missed": (
        "{count} of {total} {total:run|runs} read a prompt over 2 % away from the length that was "
        "asked for; {count:its figures stand|their figures stand} at the tokens that were read.",
        "{total} 回のうち {count} 回は、プロンプトの長さが指定から 2 % を超えて外れています。"
        "値は、実際に読んだトークン数の位置に示します。",
    ),
    "analysis.flag_lower_bound": (
        "{count} of {total} {total:run|runs} {count:gives|give} a bound only: the true speed is "
        "at least as high.",
        "{total} 回のうち {count} 回は下限の値で、実際の速さはそれ以上です。",
    ),
    "analysis.flag_partial_offload": (
        "{count} of {total} {total:run|runs} had part of the model on another device, so no one "
        "bandwidth is their ceiling.",
        "{total} 回のうち {count} 回は、モデルの一部が別のデバイス(CPU など)にあり、"
        "1 つの帯域では上限が決まりません。",
    ),
    "analysis.flag_prefill_implausible": (
        "{count} of {total} {total:run|runs} {count:has|have} a prefill time that cannot be true; "
        "it is left out.",
        "{total} 回のうち {count} 回は、prefill の時間がありえない値なので使っていません。",
    ),
    "analysis.flag_prefill_may_be_cached": (
        "{count} of {total} {total:run|runs} may have found their prompt in a cache; their "
        "prefill is left out.",
        "{total} 回のうち {count} 回は、プロンプトがキャッシュにあったおそれがあり、"
        "prefill の速さを出していません。",
    ),
    "analysis.flag_prefill_too_short": (
        "{count} of {total} {total:run|runs} read too short a prompt to time it; their prefill is "
        "left out.",
        "{total} 回のうち {count} 回は、入力が短すぎて prefill の速さを出せません。",
    ),
    "analysis.flag_reloaded": (
        "{count} of {total} {total:run|runs} loaded the model anew.",
        "{total} 回のうち {count} 回は、モデルを読み込み直しています。",
    ),
    "analysis.flag_speculative": (
        "{count} of {total} {total:run|runs} used speculative decoding: a step may give several "
        "tokens, so they have no ceiling here.",
        "{total} 回のうち {count} 回は投機的デコードです。1 回の読み出しで複数のトークンが出うる"
        "ので、ここでは上限を出していません。",
    ),
    "analysis.flag_stopped_early": (
        "{count} of {total} {total:run|runs} stopped before the answer was as long as asked.",
        "{total} 回のうち {count} 回は、頼んだ長さになる前に生成が終わりました。",
    ),
    "analysis.flag_throttled": (
        "{count} of {total} {total:run|runs} {count:was|were} slowed down by heat or power limits.",
        "{total} 回のうち {count} 回は、発熱・電力による減速がありました。",
    ),
    "analysis.flag_timing_disabled": (
        "{count} of {total} {total:run|runs} {count:has|have} no times, because the engine was "
        "told not to take any.",
        "{total} 回のうち {count} 回は、エンジンの計時が切られていて時間がありません。",
    ),
    "analysis.flag_truncated": (
        "{count} of {total} {total:run|runs} had their prompt cut to fit the context.",
        "{total} 回のうち {count} 回は、入力がコンテキストに入るよう切り詰められました。",
    ),
    "analysis.flag_unsteady": (
        "{count} of {total} {total:record|records} {count:stands|stand} for repeats that differ "
        "so much that their mean says little.",
        "{total} 件のうち {count} 件は、繰り返しのばらつきが大きく、平均では判断できません。",
    ),
    # Why a run does not count: excluded_<reason>.
    "analysis.excluded_cache_hit": (
        "part of the prompt was in a cache",
        "プロンプトの一部がキャッシュにあった",
    ),
    "analysis.excluded_clock_step": (
        "the clock stepped or the machine slept",
        "時計がずれた、またはマシンが休止した",
    ),
    "analysis.excluded_contended": (
        "other work ran beside it",
        "他の作業と重なった",
    ),
    "analysis.excluded_failed": ("it failed", "失敗した"),
    "analysis.excluded_queue_busy": (
        "the queue of the declared other job was not empty",
        "指定された他の仕事のキューが空でなかった",
    ),
    "analysis.excluded_reloaded": ("the model was loaded anew", "モデルが読み込み直された"),
    "analysis.excluded_stopped_early": (
        "the answer ended before it was as long as asked",
        "頼んだ長さになる前に生成が終わった",
    ),
    "analysis.excluded_throttled": (
        "heat or power limits slowed the machine down",
        "発熱・電力による減速があった",
    ),
    "analysis.excluded_truncated": (
        "the prompt was cut to fit the context",
        "入力がコンテキストに入るよう切り詰められた",
    ),
}
