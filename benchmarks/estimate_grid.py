"""How long the estimator takes for a million cells of model, device and depth.

    python benchmarks/estimate_grid.py [--models 50] [--devices 100] [--depths 200] [--rounds 5]

The models are those of the catalogue, whose headers are made before the clock starts; looking up
the devices, placing the models and all arithmetic are timed (promise: a million under 2 s on two
cores). Some cells are then asked one at a time, as `tokenroof estimate` does, and must be the same
to the last digit. One JSON line.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import time
from math import isnan
from statistics import median

from tokenroof.api.estimating import asker
from tokenroof.api.models import open_model
from tokenroof.hardware.device_table import devices_by_name
from tokenroof.predict.ask import Asker
from tokenroof.predict.cases import Case
from tokenroof.predict.grid import Grid, grid
from tokenroof.recipes.catalogue import entries


def main() -> None:
    """Time it, check it, print it."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name, default in (("models", 50), ("devices", 100), ("depths", 200), ("rounds", 5)):
        parser.add_argument(f"--{name}", type=int, default=default)
    asked = parser.parse_args()
    read = {}
    for entry in entries():
        model = open_model(entry.name)
        if model.writes_tokens and model.caches is not None and model.decode_weight_bytes:
            read[entry.name] = model
        if len(read) == asked.models:
            break
    devices = [name for name in devices_by_name() if "," not in name][: asked.devices]
    depths = [round(131_072 * n / asked.depths) for n in range(asked.depths)]
    seconds, cpu = [], []
    for _ in range(asked.rounds):
        fresh = asker(load=read.__getitem__)
        began, worked = time.perf_counter(), time.process_time()
        made = grid(fresh, list(read), devices, depths)
        seconds.append(time.perf_counter() - began)
        cpu.append(time.process_time() - worked)
    cells = made.ceiling_tokens_per_second.size
    print(
        json.dumps(
            {
                "benchmark": "estimate_grid",
                "cells": cells,
                "models": len(read),
                "devices": len(devices),
                "depths": len(depths),
                "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else None,
                "seconds": [round(each, 3) for each in seconds],
                "median_seconds": round(median(seconds), 3),
                "median_cpu_seconds": round(median(cpu), 3),
                "predicted": int((made.predicted_tokens_per_second > 0).sum()),
                "rows_that_differ": differing(made, fresh),
            }
        )
    )


def differing(made: Grid, fresh: Asker) -> int:
    """How many of 200 cells are not what a row says."""
    chance = random.Random(1)
    shape = made.ceiling_tokens_per_second.shape
    places = [tuple(chance.randrange(n) for n in shape) for _ in range(200)]
    cases = [
        Case(
            model=made.models[model],
            device=made.devices[device],
            depth=int(made.depths[depth]),
            context=made.context,
        )
        for model, device, depth in places
    ]
    wrong = 0
    for place, row in zip(places, fresh.estimate(cases).rows, strict=True):
        cell = float(made.ceiling_tokens_per_second[place])
        asked_alone = row.ceiling_tokens_per_s
        same = isnan(cell) if asked_alone is None else cell == asked_alone
        if row.decode is not None and row.decode.basis == "public":
            same &= row.decode.tokens_per_s == float(made.predicted_tokens_per_second[place])
        wrong += not same or row.read_bytes != int(made.read_bytes[place[0], 0, place[2]])
    return wrong


if __name__ == "__main__":
    main()
