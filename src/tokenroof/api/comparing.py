"""`compare`: two sets of runs, wherever they are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from tokenroof.api.importing import import_figures
from tokenroof.comparing import Comparison, History, compare_runs, history_of
from tokenroof.comparing.compare import THRESHOLD
from tokenroof.comparing.records import Phase
from tokenroof.errors import AmbiguousName, InputError, NotFound
from tokenroof.notices import Notice
from tokenroof.records import Run
from tokenroof.safetext import printable
from tokenroof.store.journal import Journal
from tokenroof.store.runs import RUNS_NAME, each_run

_ID_CHARACTERS = set("0123456789abcdef-")
_LONGEST_ID = 64
_OWN = b'{"'
_SCHEMA = b'"tokenroof.run/'
_HEAD = 4096

Runs = str | Path | Iterable[Run]
"""A file, a folder, the beginning of a campaign's id, or runs."""


def compare(
    a: Runs,
    b: Runs,
    *,
    allow: bool = False,
    threshold: float = THRESHOLD,
    fail_slower: float | None = None,
    strict: bool = False,
) -> Comparison:
    """What differs between two sets of runs, and whether B is slower than A.

    Args:
        a: what is compared with: a runs file, a folder, a report, anything that can be imported,
            the beginning of a campaign's id, or runs.
        b: what is judged; the same kinds.
        allow: give an answer although conditions differ.
        threshold: the difference of time that matters, as a share.
        fail_slower: judge B by this slow-down; see `Comparison.gate`.
        strict: let "cannot tell" be a "no" of that judgement.

    Raises:
        NotFound: there is nothing of such a name.
        AmbiguousName: the beginning of an id that fits several campaigns.
        InputError: it cannot be read, or one side has no run that counts.
    """
    notices: list[Notice] = []
    names = (_name(a, "A"), _name(b, "B"))
    found = compare_runs(
        _runs(a, notices),
        _runs(b, notices),
        names=names,
        allow=allow,
        threshold=threshold,
        fail_slower=fail_slower,
        strict=strict,
        notices=notices,
    )
    for side in (found.a, found.b):
        if side.runs == side.excluded:
            raise InputError("comparing.no_runs", name=side.name)
    return found


def history(
    source: Runs | None = None,
    *,
    model: str | None = None,
    tokens: int | None = None,
    phase: Phase = "decode",
) -> History:
    """One condition over versions and dates.

    Args:
        source: as for `compare`; None for everything that this person measured.
        model: only models with this text in their names.
        tokens: only prompts of so many tokens.
        phase: of which phase.

    Raises:
        NotFound: no run that counts is of such a condition.
    """
    notices: list[Notice] = []
    if source is None:
        journal = Journal()
        runs = each_run(journal.path, notices) if journal.path.exists() else iter(())
    else:
        runs = iter(_runs(source, notices))
    return history_of(runs, model=model, tokens=tokens, phase=phase, notices=notices)


def _name(side: Runs, fallback: str) -> str:
    return printable(str(side), 120) if isinstance(side, str | Path) else fallback


def _runs(side: Runs, notices: list[Notice]) -> Iterable[Run]:
    if not isinstance(side, str | Path):
        return side
    place = Path(side)
    if place.exists():
        return _in_place(place, notices)
    if isinstance(side, str) and side and set(side.lower()) <= _ID_CHARACTERS:
        return _of_campaign(side.lower(), notices)
    raise NotFound("comparing.no_such_side", name=printable(str(side)))


def _in_place(place: Path, notices: list[Notice]) -> Iterable[Run]:
    """The runs of a file or folder: our own are read one by one, others are imported."""
    main = place / RUNS_NAME if place.is_dir() else place
    if main.is_file() and _is_own(main):
        return each_run(main, notices)
    imported = import_figures([place])
    notices.extend(imported.notices)
    return imported.runs


def _is_own(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD)
    except OSError:
        return False
    return head.startswith(_OWN) and _SCHEMA in head.split(b"\n", 1)[0]


def _of_campaign(beginning: str, notices: list[Notice]) -> Iterator[Run]:
    """The runs of the one campaign, or import, whose id begins so."""
    journal = Journal()
    if len(beginning) > _LONGEST_ID or not journal.path.exists():
        raise NotFound("comparing.no_such_side", name=beginning)
    runs = [
        run
        for run in each_run(journal.path, notices)
        if run.campaign is not None and run.campaign.startswith(beginning)
    ]
    ids = sorted({run.campaign for run in runs if run.campaign is not None})
    if not ids:
        raise NotFound("comparing.no_such_side", name=beginning)
    if len(ids) > 1:
        listed = ", ".join(ids[:10])
        raise AmbiguousName("comparing.ambiguous_side", name=beginning, candidates=listed)
    return iter(runs)
