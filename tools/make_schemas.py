"""Write docs/schema: the JSON Schema of every document that `--json` prints, from its record.

    python tools/make_schemas.py

A test writes them again and fails where they differ, and holds real documents against them.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec

from tokenroof.analysis import Analysis
from tokenroof.api import BatchPlan, BenchResult, LabResult, PlanResult
from tokenroof.comparing import Comparison, History
from tokenroof.doctor import Doctor
from tokenroof.hardware.device_search import Devices
from tokenroof.importing import Imported
from tokenroof.inventory import Listing, TypeTable
from tokenroof.model import Inspection, InspectionPair
from tokenroof.predict.learnt.profile import Profile
from tokenroof.predict.records import Estimate
from tokenroof.predict.scoring import Score
from tokenroof.records import Run
from tokenroof.store.batches import BatchRecord
from tokenroof.store.journal import CampaignRecord

FOLDER = Path(__file__).parents[1] / "docs" / "schema"

DOCUMENTS: dict[str, type[msgspec.Struct]] = {
    "batch": BatchRecord,
    "batch-plan": BatchPlan,
    "bench": BenchResult,
    "campaign": CampaignRecord,
    "compare": Comparison,
    "devices": Devices,
    "doctor": Doctor,
    "estimate": Estimate,
    "history": History,
    "import": Imported,
    "inspect": Inspection,
    "inspect-pair": InspectionPair,
    "inspect-types": TypeTable,
    "lab": LabResult,
    "models": Listing,
    "plan": PlanResult,
    "profile": Profile,
    "report": Analysis,
    "run": Run,
    "score": Score,
}

SOMETIMES = {
    ("Inspection", "tensors"),
    ("KvAllocated", "high"),
    ("KvAllocated", "low"),
    ("KvRead", "high"),
    ("Row", "error"),
    ("TensorRow", "reason"),
}
"""Keys that are there only where they say something."""

NOTICE = {
    "title": "Notice",
    "description": "A warning or finding: its id for scripts, its sentence for people.",
    "type": "object",
    "properties": {
        "id": {"type": "string"},
        "text": {"type": "string"},
        "where": {"type": ["string", "null"]},
    },
    "required": ["id", "text", "where"],
}


def schemas() -> dict[str, str]:
    """File name to content, for every document."""
    return {f"{name}.json": _written(name, record) for name, record in DOCUMENTS.items()}


def _written(name: str, record: type[msgspec.Struct]) -> str:
    (root,), components = msgspec.json.schema_components([record], ref_template="#/$defs/{name}")
    for title, component in components.items():
        _complete(title, component)
    if "Notice" in components and name != "campaign":
        if "RunConditions" in components:
            # A run keeps them in no language.
            components["KeptNotice"] = {**components["Notice"], "title": "KeptNotice"}
            kept = components["RunConditions"]["properties"]["notices"]
            kept["items"] = {"$ref": "#/$defs/KeptNotice"}
        components["Notice"] = NOTICE
    if name == "compare":
        components["Cell"]["properties"]["reason"] = {"type": ["string", "null"]}
    if name == "import":
        components["Refused"]["properties"]["reason"] = {"type": "string"}
    if name == "doctor":
        components["Finding"] = _finding(components["Finding"])
        components["FoundEngine"]["properties"]["problem"] = {"type": ["string", "null"]}
        components.pop("Notice")
    if name == "estimate":
        row = components["Row"]["properties"]
        row["assumes"] = {"type": "array", "items": {"type": "string"}}
        row["error"] = {"type": "string"}
        components.pop("Notice")
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **root,
        "$defs": dict(sorted(components.items())),
    }
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def _finding(component: dict[str, Any]) -> dict[str, Any]:
    """A finding as the document shows it: sentences in the place of notices."""
    text = {"type": "string"}
    properties = {
        "id": text,
        "harm": component["properties"]["harm"],
        "text": text,
        "fix": {"type": ["string", "null"]},
    }
    return {**component, "properties": properties, "required": list(properties)}


def _complete(title: str, component: dict[str, Any]) -> None:
    """Every key is always there, with null for what is not known, but for those in SOMETIMES."""
    properties = component.get("properties")
    if properties is None:
        return
    component["required"] = [name for name in properties if (title, name) not in SOMETIMES]
    for each in properties.values():
        each.pop("default", None)


def main() -> None:
    """Write them all."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, content in schemas().items():
        (FOLDER / name).write_text(content, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
