"""`estimate`: how fast a model could be on a device, and whether it fits."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from tokenroof.api.models import open_model
from tokenroof.errors import RecordError, TokenroofError
from tokenroof.predict.ask import Asker
from tokenroof.predict.cases import Case, read_cases
from tokenroof.predict.records import Estimate

if TYPE_CHECKING:
    from tokenroof.hardware.device import Device
    from tokenroof.model import Model
    from tokenroof.predict.learnt.calibrated import Learned
    from tokenroof.records import Run


def estimate(
    model: str | Path,
    device: str | None = None,
    depth: int = 0,
    *,
    bandwidth: float | None = None,
    memory: float | None = None,
    tflops: float | None = None,
    prompt: int | None = None,
    output: int | None = None,
    context: int | None = None,
    ubatch: int | None = None,
    kv_type: str | None = None,
    runs: str | Path | None = None,
    profile: str | Path | None = None,
    **more: Any,
) -> Estimate:
    """One question, answered in one row.

    Args:
        model: a file, any part of a split set, or a folder with one model.
        device: ``[Nx ]NAME[ + HOST]`` of a device whose figures are known, or ``"here"`` for
            this machine's CPU, whose bandwidth is measured now.
        depth: tokens already in the context.
        bandwidth: of the device's memory, in GB/s, instead of `device`.
        memory: of the device, in GB, instead of what is known of it.
        tflops: its arithmetic, in 1e12 operations a second.
        prompt: tokens to read on top of `depth`.
        output: tokens to write.
        context: tokens that memory is set aside for; by default what the question needs.
        ubatch: tokens of a micro-batch.
        kv_type: type of the cache, or of keys and values with a comma between.
        runs: a file or folder of runs; those of this very condition answer in the place of a
            prediction. By default the journal of this machine.
        profile: a file of `calibrate`, for the device ``"here"``: an older one, or of another
            machine. By default the newest of this machine that was made under these conditions.
        more: any other key of `Case`: `cached`, `thinking`, `cold`, `turns`, `agent`, `host`,
            `engine`, `parallel`, `gpu_layers`, `cpu_moe`, `override_tensor`, `split_mode`,
            `tensor_split`, `kv_offload`, `projector`, `fit`.

    Raises:
        TypeError: a key that is none.
        AmbiguousName: the device's name means several; the error names them.
        UsageError: the question cannot mean anything, or the device is unknown.
        InputError: the model cannot be read, or what a token reads of it is not known.
    """
    case = Case(
        model=str(model),
        device=device,
        depth=depth,
        bandwidth=bandwidth,
        memory=memory,
        tflops=tflops,
        prompt=prompt,
        output=output,
        context=context,
        ubatch=ubatch,
        kv_type=kv_type,
        **more,
    )
    return estimate_cases([case], runs, profile)


def estimate_cases(
    cases: Iterable[Case], runs: str | Path | None = None, profile: str | Path | None = None
) -> Estimate:
    """A row for each question.

    Args:
        cases: the questions.
        runs: as for `estimate`.
        profile: as for `estimate`.

    Raises:
        TokenroofError: the first question that cannot be answered.
    """
    return asker(runs=runs, profile=profile).estimate(cases)


def estimate_file(
    path: str | Path,
    defaults: Case | None = None,
    runs: str | Path | None = None,
    profile: str | Path | None = None,
) -> Estimate:
    """A row for each line of a file of questions; one without an answer has `error`.

    Args:
        path: one JSON object a line, with the keys of `Case`.
        defaults: stands in for what a line does not say.
        runs: as for `estimate`.
        profile: as for `estimate`.

    Raises:
        InputError: the file cannot be read.
    """
    defaults = defaults or Case()
    cases = (
        each if isinstance(each, TokenroofError) else _filled(each, defaults)
        for each in read_cases(Path(path))
    )
    return asker(runs=runs, profile=profile).estimate_each(cases)


def _filled(case: Case, defaults: Case) -> Case:
    """The case, with what it does not say taken from the defaults.

    A line that says where it runs in one way is not told so a second time in the other.
    """
    has_place = case.device is not None or case.bandwidth is not None
    missing = {
        name: value
        for name, value in msgspec.structs.asdict(defaults).items()
        if getattr(case, name) is None and not (has_place and name in {"device", "bandwidth"})
    }
    return msgspec.structs.replace(case, **missing)


def asker(
    load: Callable[[str], Model] = open_model,
    runs: str | Path | None = None,
    profile: str | Path | None = None,
) -> Asker:
    """Who answers questions; models and devices are looked up once.

    Args:
        load: makes the model of a name.
        runs: as for `estimate`.
        profile: as for `estimate`.

    Raises:
        NotFound: there is no such profile.
        RecordError: it is none.
    """
    from tokenroof.predict.learnt.calibrated import Learned
    from tokenroof.predict.learnt.profiles import read_profile

    given = None if profile is None else Learned((read_profile(Path(profile)),), is_given=True)
    # What a person names is looked at in any case, if only to say that it is not there.
    named = None if runs is None else runs_known(runs)
    learned = cache(lambda: given or learned_here())
    return Asker(
        load,
        lambda: measured_here(learned()),
        learned,
        lambda: runs_known() if named is None else named,
    )


def runs_known(path: str | Path | None = None) -> list[Run]:
    """The runs of a file or folder, or of this machine's journal, where one can be read.

    Raises:
        NotFound: nothing is at the path.
        RecordError: it cannot be read as runs.
    """
    from tokenroof.store.journal import Journal
    from tokenroof.store.runs import load_runs

    if path is not None:
        return load_runs(path)
    try:
        return Journal().runs()
    except RecordError:
        return []  # `report` and `compare` say why; a prediction is no worse for it


def learned_here() -> Learned:
    """What was learnt of this machine, the newest first."""
    from tokenroof.engines.versions import installed_version
    from tokenroof.predict.learnt.calibrated import Learned
    from tokenroof.predict.learnt.profiles import own_profiles

    return Learned(own_profiles(), installed=installed_version)


def measured_here(learned: Learned | None = None) -> Device:
    """This machine's CPU, with the best bandwidth that was measured now or at its calibration.

    Args:
        learned: the profiles that may answer. If a person named one of another processor, that
            one is the device, and what its memory holds is not known.
    """
    from tokenroof.hardware.bandwidth import cpu_device, measure_read_bandwidth
    from tokenroof.hardware.machine import this_machine
    from tokenroof.predict.learnt.profile_device import device_of, with_bandwidth_of

    machine = this_machine()
    learned = learned or learned_here()
    newest = next(iter(learned.profiles), None)
    if learned.is_given and newest is not None and not newest.is_of(machine.cpu_name):
        return device_of(newest)
    measured = cpu_device(machine, measure_read_bandwidth())
    return measured if newest is None else with_bandwidth_of(newest, measured, machine)
