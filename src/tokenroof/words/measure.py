"""What measuring says."""

from __future__ import annotations

from tokenroof.words import Catalogue

MESSAGES: Catalogue = {
    "measure.memory": (
        "The engine held {memory} of memory at most.",
        "エンジンが使ったメモリは最大 {memory} です。",
    ),
    "measure.memory_and_vram": (
        "The engine held {memory} of memory and {vram} of the GPU's at most.",
        "エンジンが使ったメモリは最大 {memory}、GPU のメモリは最大 {vram} です。",
    ),
    "measure.energy": (
        "At {length} {length:token|tokens} a written token took {written} J and a read one {read} "
        "J, idling included ({sources}).",
        "{length} トークンでは、生成 1 トークンに {written} J、読む 1 トークンに {read} J を"
        "使いました(待機中の電力を含む。{sources})。",
    ),
    "measure.no_threads": (
        "The threads of {engine} cannot be changed while it runs, so it cannot be tried how many "
        "are enough: give a number with --threads, or use --engine embedded.",
        "{engine} は動作中にスレッド数を変えられないため、十分な数を試せません。--threads に数を"
        "指定するか、--engine embedded を使ってください。",
    ),
    "measure.threads_chosen": (
        "Up to {most} threads were tried: {decode} {decode:is|are} enough to decode, {prefill}"
        " to read prompts.",
        "{most} スレッドまで試しました。生成(decode)は {decode}、プロンプト処理(prefill)は"
        " {prefill} で足ります。",
    ),
    "measure.cannot_reuse": (
        "{engine} cannot take a prompt from its cache when asked to, so there is no pair to "
        "measure: leave out --cached, or choose another engine.",
        "{engine} は指示に応じてキャッシュのプロンプトを使えないため、組で計測できません。"
        "--cached を外すか、別のエンジンを指定してください。",
    ),
    "measure.cached_pair": (
        "A prompt of {length} {length:token|tokens} waits {cold} for its first token when it is "
        "read, and {cached} when it was just read before ({share} of it came from the cache; "
        "{pairs} {pairs:pair|pairs}).",
        "{length} トークンのプロンプトでは、最初の 1 トークンまで、読む場合は {cold}、直前に読んだ"
        "ものなら {cached} です(うち {share} はキャッシュから。{pairs} 組)。",
    ),
    "measure.bad_lengths": (
        "The lengths must be whole numbers of tokens, each at least 1, as in 512,2048.",
        "長さは 1 以上の整数(トークン数)で指定してください。例: 512,2048",
    ),
    "measure.bad_output": (
        "An answer of {tokens} {tokens:token|tokens} has no speed that can be measured; ask for "
        "at least 2.",
        "{tokens} トークンの生成では速さを計れません。2 以上にしてください。",
    ),
    "measure.bad_rounds": (
        "{rounds} {rounds:round|rounds} {rounds:is|are} too few: a median needs at least "
        "{minimum}.",
        "{rounds} 回では足りません。中央値には少なくとも {minimum} 回が必要です。",
    ),
    "measure.bad_precision": (
        "The precision must lie between 0 and 100 % (2 % is usual); {precision} does not.",
        "精度は 0 % と 100 % の間で指定してください(ふつうは 2 %)。{precision} は使えません。",
    ),
    "measure.bad_budget": (
        "The time budget must be more than 0 seconds; {seconds} is not.",
        "計測の時間は 0 秒より長くしてください。{seconds} は使えません。",
    ),
    "measure.context_too_small": (
        "A prompt of {length} {length:token|tokens} and an answer of {output} need a context of "
        "{needed} {needed:token|tokens}, but only {limit} are there: choose shorter --lengths or a "
        "larger --context, as far as the model allows.",
        "{length} トークンの入力と {output} トークンの生成には {needed} トークンのコンテキストが"
        "必要ですが、{limit} しかありません。--lengths を短くするか、モデルの上限の範囲で "
        "--context を大きくしてください。",
    ),
    "measure.engine_context_too_small": (
        "The engine made a context of {limit} tokens where {needed} were asked for. Choose shorter "
        "lengths, or give the engine a larger context.",
        "{needed} トークンのコンテキストを求めましたが、エンジンが用意したのは {limit} でした。"
        "長さを短くするか、エンジンのコンテキストを大きくしてください。",
    ),
    "measure.engine_context_other": (
        "The engine has a context of {limit} tokens, not the {asked} that were asked for, and its "
        "context is part of what is measured: leave --context out, or start the engine with "
        "{asked}.",
        "エンジンのコンテキストは {limit} トークンで、指定された {asked} ではありません。"
        "コンテキストは計測条件の一部です。--context を外すか、エンジンを {asked} で起動して"
        "ください。",
    ),
    "measure.length_too_short": (
        "A length of {length} {length:token|tokens} is too short: the tag and the instruction "
        "alone are {minimum} tokens.",
        "長さ {length} トークンは短すぎます。札と指示だけで {minimum} トークンになります。",
    ),
    "measure.length_missed": (
        "Asked for {length} {length:token|tokens}, the engine read {read} in {runs} "
        "{runs:run|runs}: no prompt came closer, and the figures stand at what was read.",
        "{length} トークンを指定しましたが、{runs} 回で読んだのは {read} トークンでした。これより"
        "近いプロンプトは作れず、値は実際に読んだ数の位置に示します。",
    ),
    "measure.all_failed": (
        "All runs failed; the last one said: {reason}",
        "計測がすべて失敗しました。最後のエラー: {reason}",
    ),
    "measure.interrupted": (
        "Stopped. {runs} {runs:run|runs} {runs:is|are} kept; go on with --resume {campaign}.",
        "中断しました。{runs} 回分の計測は残っています。--resume {campaign} で再開できます。",
    ),
    "measure.bad_plan": (
        "Campaign {campaign} cannot be resumed: its plan cannot be read ({reason}).",
        "計測 {campaign} は再開できません。計画を読めませんでした({reason})。",
    ),
    "measure.resume_differs": (
        "Campaign {campaign} cannot be resumed with another {what}: it was {before}, now it is "
        "{now}. Begin a new campaign.",
        "計測 {campaign} は {what} が違うため再開できません(以前: {before}、現在: {now})。"
        "新しく計測してください。",
    ),
    "measure.gave_up": (
        "The engine failed {failures} {failures:time|times} in a row, so the campaign ended "
        "early; the last failure: {reason}",
        "エンジンが続けて {failures} 回失敗したため、計測を打ち切りました。最後のエラー: {reason}",
    ),
    "measure.length_failed": (
        "Length {length} failed again and again and was given up; the last failure: {reason}",
        "長さ {length} は失敗が続いたため打ち切りました。最後のエラー: {reason}",
    ),
    "measure.length_excluded": (
        "Length {length} was given up: every one of its latest runs had to be excluded ({reason}).",
        "長さ {length} は打ち切りました。最近の回がすべて除かれました({reason})。",
    ),
    "measure.warm_up_unstable": (
        "The warm-up runs still differed by {percent} after {runs} of them; the first measured "
        "runs may be slower than the later ones.",
        "ウォームアップを {runs} 回しても {percent} の差が残りました。初めの数回は遅い可能性があ"
        "ります。",
    ),
    "measure.contended": (
        "{runs} of {total} {total:run|runs} began though the machine had not become quiet before; "
        "it may be faster than they show.",
        "{total} 回のうち {runs} 回は、マシンが静かにならないまま始めました。実際の速さはこれより上"
        "かもしれません。",
    ),
    "measure.probe_slower": (
        "A short test loop ran up to {percent} slower than at its best during {runs} of the runs: "
        "something else was using the processor. They are marked as contended.",
        "{runs} 回の間、短い試験の処理が最良時より最大 {percent} 遅くなりました。他の作業が CPU を"
        "使っていたため、他の作業との重なりとして印を付けました。",
    ),
    "measure.short_output": (
        "Answers of {tokens} {tokens:token|tokens} are short: a single slow step shows in the "
        "whole decode figure. 128 tokens are better.",
        "{tokens} トークンの生成は短く、1 トークンの遅れが生成の速さ全体に響きます。"
        "128 トークンを勧めます。",
    ),
    "measure.over_budget": (
        "The {rounds} {rounds:round|rounds} that every length gets took {elapsed}, longer than "
        "the budget of {budget}; nothing was added to them.",
        "各長さ {rounds} 回の計測に {elapsed} かかり、予定の {budget} を超えたため、"
        "それ以上の回は足していません。",
    ),
    "measure.drift_slower": (
        "{phase} became {percent} slower from the first third of the campaign to the last: heat, "
        "a power limit, or other work.",
        "{phase} は計測の最初の 3 分の 1 より最後の 3 分の 1 で {percent} 遅くなりました"
        "(発熱、電力制限、他の作業など)。",
    ),
    "measure.drift_faster": (
        "{phase} became {percent} faster from the first third of the campaign to the last: the "
        "warm-up was too short, or other work ended.",
        "{phase} は計測の最初の 3 分の 1 より最後の 3 分の 1 で {percent} 速くなりました"
        "(ウォームアップの不足、他の作業の終了など)。",
    ),
}
