"""A model that can be made in any file type, from the catalogue or from a config."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from tokenroof.errors import InputError
from tokenroof.gguf import Header
from tokenroof.notices import Notice
from tokenroof.recipes.build import build, sketch_of
from tokenroof.recipes.catalogue import DEFAULT_TYPE, Entry, find
from tokenroof.recipes.config import Config
from tokenroof.recipes.mixes import Mix, mix
from tokenroof.recipes.quantise import FILE_TYPES_BY_NAME, FileType, file_type
from tokenroof.recipes.quantise.file_types import DIFFER_BY_MATRIX, NEED_A_MATRIX
from tokenroof.recipes.sketch import Sketch
from tokenroof.units import size


@dataclass(frozen=True)
class Blueprint:
    """What the converter would write, before a type is chosen.

    Attributes:
        id: how the model is called where its recipes are asked for.
        name: as it was published.
        source: where its config comes from.
        default_type: what is meant where no type is said.
        published: the quantised type that it was published in; None for a usual checkpoint.
        sketch: its tensors and metadata.
        config: its config.
    """

    id: str
    name: str
    source: str
    default_type: FileType
    published: str | None
    sketch: Sketch
    config: Config

    def header(self, kind: FileType | str | None = None, *, matrix: bool = False) -> Header:
        """The header in a file type.

        Args:
            kind: the file type or its name; the default one where it is not said.
            matrix: whether an importance matrix is used.

        Raises:
            UsageError: llama-quantize makes no such type.
            InputError: it cannot make this model in it, or the type is a publisher's own mix.
        """
        chosen = self._type(kind)
        header = build(self.sketch, self.config, self.name, chosen, matrix=matrix)
        notices = [
            Notice("recipes.recipe", {"source": self.source}),
            *self._matrix_notices(chosen, header, matrix=matrix),
        ]
        if self.published and chosen.name != self.published:
            notices.append(Notice("recipes.published_in", {"type": self.published}))
        if kind is None:
            notices.append(Notice("recipes.type_assumed", {"type": chosen.name}))
        return replace(
            header,
            recipe=f"{self.id}@{chosen.name}",
            problems=(*notices, *header.problems),
        )

    def tensor_bytes(self, kind: FileType | str, *, matrix: bool = False) -> int:
        """Bytes of all tensors in a file type; raises what `header` does."""
        return build(
            self.sketch, self.config, self.name, self._type(kind), matrix=matrix
        ).tensor_bytes

    def _type(self, kind: FileType | str | None) -> FileType:
        if kind is None:
            return self.default_type
        if isinstance(kind, FileType):
            return kind
        own = mix(kind)
        if own is not None:
            raise self._mixed(own)
        return file_type(kind)

    def _mixed(self, own: Mix) -> InputError:
        plain = file_type(own.low), file_type(own.high)
        sizes = [
            self.tensor_bytes(kind, matrix=matrix) for kind in plain for matrix in (False, True)
        ]
        values = {"type": own.name, "publisher": own.publisher, "model": self.id}
        if min(sizes) == max(sizes):
            return InputError("recipes.publishers_matrix", **values, size=size(sizes[0]))
        low, high = size(min(sizes)), size(max(sizes))
        return InputError("recipes.publishers_mix", **values, low=low, high=high)

    def _matrix_notices(self, kind: FileType, header: Header, *, matrix: bool) -> list[Notice]:
        values = {"type": kind.name}
        if kind.name in NEED_A_MATRIX:
            return [Notice("recipes.needs_matrix", values)]
        if kind.name not in DIFFER_BY_MATRIX:
            return []
        other = self.tensor_bytes(kind, matrix=not matrix)
        if other == header.tensor_bytes:
            return []
        sizes = (other, header.tensor_bytes) if matrix else (header.tensor_bytes, other)
        values |= {"without": size(sizes[0]), "with": size(sizes[1])}
        message = "recipes.matrix_expected" if kind.name == "IQ3_XXS" else "recipes.matrix_differs"
        return [Notice(message, values)]


def blueprint(entry: Entry) -> Blueprint:
    """The blueprint of a model of the catalogue."""
    sketch, config = sketch_of(entry.config, entry.id)
    return Blueprint(
        id=entry.id,
        name=entry.name,
        source=entry.source,
        default_type=entry.default_type,
        published=entry.published,
        sketch=sketch,
        config=config,
    )


def blueprint_of_config(values: Mapping[str, Any], where: str, name: str) -> Blueprint:
    """The blueprint of a config.

    Args:
        values: the JSON object.
        where: how the config is called in errors, and where its recipes are asked for.
        name: the model's.

    Raises:
        InputError: it lacks something, contradicts itself, or no recipe is known for it.
    """
    sketch, config = sketch_of(values, where)
    published = "MXFP4_MOE" if "MXFP4" in sketch.stored.values() else None
    return Blueprint(
        id=where,
        name=name,
        source=where,
        default_type=file_type(published or DEFAULT_TYPE),
        published=published,
        sketch=sketch,
        config=config,
    )


def recipe(name: str, kind: str | None = None, *, matrix: bool = False) -> Header:
    """The header that llama.cpp would write for a model of the catalogue.

    Args:
        name: the model, in any common spelling.
        kind: the file type, such as ``Q4_K_M``; by default the one most people run, or the one
            that the model was published in.
        matrix: whether an importance matrix is used.

    Raises:
        NotFound: no such model; the error lists the closest three.
        UsageError: llama-quantize makes no such type.
        InputError: it cannot make this model in it, or the type is a publisher's own mix.
    """
    return blueprint(find(name)).header(kind, matrix=matrix)


def file_types() -> tuple[FileType, ...]:
    """Every file type that llama-quantize makes, the smallest first."""
    order = {name: at for at, name in enumerate(_BY_SIZE)}
    return tuple(sorted(FILE_TYPES_BY_NAME.values(), key=lambda kind: order[kind.name]))


_BY_SIZE = (
    "Q1_0", "IQ1_S", "TQ1_0", "IQ1_M", "IQ2_XXS", "TQ2_0", "IQ2_XS", "Q2_0", "IQ2_S", "IQ2_M",
    "Q2_K_S", "Q2_K", "IQ3_XXS", "IQ3_XS", "Q3_K_S", "IQ3_S", "IQ3_M", "Q3_K_M", "Q3_K_L",
    "IQ4_XS", "MXFP4_MOE", "Q4_0", "IQ4_NL", "Q4_K_S", "Q4_K_M", "Q4_1", "Q5_0", "Q5_K_S",
    "Q5_K_M", "Q5_1", "Q6_K", "Q8_0", "F16", "BF16", "F32",
)  # fmt: skip
"""Sizes differ from model to model; this is their order for a usual dense one."""
