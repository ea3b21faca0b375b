"""The published JSON Schemas of `docs/schema`, and checking a document against one."""

from __future__ import annotations

import json
from functools import cache

import jsonschema

from support.source import ROOT

FOLDER = ROOT / "docs" / "schema"


@cache
def validator(name: str) -> jsonschema.Draft202012Validator:
    """The validator of `docs/schema/<name>.json`, to which no undocumented key is valid.

    What is published allows further keys, since later versions may add some; here they must be
    documented first.
    """
    schema = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    for component in schema["$defs"].values():
        if "properties" in component:
            component["additionalProperties"] = False
    return jsonschema.Draft202012Validator(schema)


def check(document: object, name: str) -> None:
    """Fail where a document does not follow its schema."""
    errors = [f"{each.json_path}: {each.message}" for each in validator(name).iter_errors(document)]
    assert not errors, "\n".join(errors)
