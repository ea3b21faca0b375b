"""Clock, temperature and power over a run, thinned out to what a chart can show."""

from __future__ import annotations

from collections.abc import Sequence

from tokenroof.measure.quiet import Sample

TRACED = ("clock_mhz", "temperature_celsius", "power_watts")
TRACE_POINTS = 60


def trace(
    moments: Sequence[float], samples: Sequence[Sample]
) -> dict[str, dict[str, list[float | None]]]:
    """Clock, temperature and power over time, for each device that tells one of them.

    A long run is thinned out evenly: the figures of the whole run are kept apart.
    """
    every = -(-len(samples) // TRACE_POINTS) or 1
    kept = list(zip(moments, samples, strict=True))[::every]
    found: dict[str, dict[str, list[float | None]]] = {}
    for index, (name, _) in enumerate(samples[0].readings if samples else ()):
        readings = [sample.readings[index][1] for _, sample in kept]
        told = {
            field: [getattr(reading, field) for reading in readings]
            for field in TRACED
            if any(getattr(reading, field) is not None for reading in readings)
        }
        if told:
            found[name] = {"seconds": [round(moment, 1) for moment, _ in kept], **told}
    return found
