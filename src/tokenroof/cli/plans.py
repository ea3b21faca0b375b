"""What would be measured, on the screen."""

from __future__ import annotations

from tokenroof import words
from tokenroof.api import PlanResult
from tokenroof.cli.screen import Screen
from tokenroof.safetext import printable
from tokenroof.units import count, duration, percent

_UNKNOWN = "–"
_COLUMNS = (
    "planning.column_length",
    "planning.column_runs",
    "planning.column_each",
    "planning.column_all",
)
_BASES = {"earlier_runs": "planning.earlier_runs", "at_least": "planning.at_least"}


def show(result: PlanResult, language: str) -> None:
    """Print a plan: its conditions, its lengths, its order, and how long it takes."""
    screen, plan = Screen(), result.plan

    def said(message: str, **values: object) -> str:
        return words.text(message, language, **values)

    if result.why is not None:
        screen.say(result.why.text(language))
        screen.gap()
    settings = plan.settings
    types = [each or said("planning.choice") for each in (settings.kv_type_k, settings.kv_type_v)]
    context = settings.context
    screen.facts(
        [
            (said("planning.model"), printable(result.model.name or plan.model)),
            (said("planning.engine"), printable(plan.engine)),
            (
                said("planning.context"),
                _UNKNOWN if context is None else said("planning.tokens", tokens=count(context)),
            ),
            (said("planning.cache"), ", ".join(dict.fromkeys(types))),
            (said("planning.answer"), said("planning.tokens", tokens=count(plan.output_tokens))),
            (said("planning.order"), " | ".join(" ".join(map(str, row)) for row in result.order)),
        ]
    )
    rows = [
        [
            count(each.length),
            str(each.runs),
            _time(each.seconds_per_run),
            _time(None if each.seconds_per_run is None else each.seconds_per_run * each.runs),
        ]
        for each in result.lengths
    ]
    screen.gap()
    screen.table([said(each) for each in _COLUMNS], rows, left=())
    screen.gap()
    screen.say(_runs(result, language))
    if plan.cached:
        screen.say(said("planning.cached"))
    screen.say(how_long(result, language))


def how_long(result: PlanResult, language: str) -> str:
    """How long the promised runs take, and what that is known from; or why there are none."""
    if result.does_not_fit is not None:
        reason = result.does_not_fit.text(language)
        return words.text("planning.does_not_fit", language, reason=reason)
    if result.promised_seconds is None or result.basis is None:
        return words.text("planning.unknown", language, engine=printable(result.plan.engine))
    return words.text(_BASES[result.basis], language, duration=duration(result.promised_seconds))


def _runs(result: PlanResult, language: str) -> str:
    runs = sum(each.runs for each in result.lengths)
    precision = percent(result.plan.precision)
    budget = result.budget_seconds
    if budget is None:
        return words.text("planning.runs_without_end", language, runs=runs, precision=precision)
    values = {"runs": runs, "precision": precision, "budget": duration(budget)}
    return words.text("planning.runs", language, **values)


def _time(seconds: float | None) -> str:
    return _UNKNOWN if seconds is None else duration(seconds)
