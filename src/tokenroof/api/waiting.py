"""`wait`: how long an answer takes; and all that `estimate` and `wait` share about prompts."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Any

from tokenroof.api.estimating import asker
from tokenroof.api.prompt_files import count_prompt, read_prompt, told
from tokenroof.api.scoring import keep_predictions
from tokenroof.errors import OutputError, RecordError, UsageError
from tokenroof.predict.ask import HERE, is_here
from tokenroof.predict.cases import Case
from tokenroof.predict.records import Estimate


def wait(
    model: str | Path,
    device: str | None = None,
    *,
    prompt: int | None = None,
    output: int = 1,
    prompt_file: str | Path | None = None,
    runs: str | Path | None = None,
    profile: str | Path | None = None,
    keep: bool = False,
    **more: Any,
) -> Estimate:
    """How long the answer to one prompt takes; an estimate with one row, whose `wait` says it.

    Args:
        model: as for `estimate`.
        device: as for `estimate`; without it and without ``bandwidth``, this machine.
        prompt: tokens of the prompt.
        output: tokens of the answer; 1 for the wait for the first token.
        prompt_file: a text whose tokens are counted, in the place of `prompt`.
        runs: as for `estimate`.
        profile: as for `estimate`.
        keep: keep the prediction for `score`.
        more: any other key of `Case`: ``cached``, ``thinking``, ``cold``, ``turns``, ``agent``,
            ``depth``, ``bandwidth``, ``kv_type`` and the rest.

    Raises:
        UsageError: there is no prompt, or the question cannot mean anything.
        InputError: the model or the prompt cannot be read.
    """
    if device is None and more.get("bandwidth") is None:
        device = HERE
    case = Case(model=str(model), device=device, prompt=prompt, output=output, **more)
    return estimate_prompts([case], prompt_file=prompt_file, runs=runs, profile=profile, keep=keep)


def estimate_prompts(
    cases: Sequence[Case],
    *,
    prompt_file: str | Path | None = None,
    runs: str | Path | None = None,
    profile: str | Path | None = None,
    keep: bool | None = False,
) -> Estimate:
    """A row for each question, all about the prompt of a file where one is given.

    Args:
        cases: the questions.
        prompt_file: as for `wait`; each model counts it with its own vocabulary.
        runs: as for `estimate`.
        profile: as for `estimate`.
        keep: keep the predictions for `score`; None keeps those of this machine, if it can.

    Raises:
        UsageError: the prompt's length is given twice, or a question cannot mean anything.
        InputError: a model or the prompt cannot be read.
        OutputError: the predictions cannot be kept.
    """
    answers = asker(runs=runs, profile=profile)
    if prompt_file is None:
        asked = list(cases)
        rows = answers.estimate(asked).rows
    else:
        if any(case.prompt is not None for case in cases):
            raise UsageError("waiting.prompt_twice")
        text = read_prompt(prompt_file)
        counts = {case.model: count_prompt(text, answers.model(case)) for case in cases}
        asked = [counts[case.model].asked(case) for case in cases]
        rows = tuple(
            told(row, text, counts[case.model])
            for case, row in zip(asked, answers.estimate(asked).rows, strict=True)
        )
    if keep is not False:
        kept = [n for n, case in enumerate(asked) if keep or is_here(case)]
        models = [answers.model(asked[n]) for n in kept]
        # What nobody asked to be kept is no reason to fail.
        with nullcontext() if keep else suppress(OutputError, RecordError):
            keep_predictions([asked[n] for n in kept], [rows[n] for n in kept], models)
    return Estimate(rows=rows)
