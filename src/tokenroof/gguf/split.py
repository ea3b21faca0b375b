"""One model in several files, opened by any of them or by their folder.

The set is found by its names (``stem-00001-of-00003.gguf``, counted from 1) and checked against
what each file says (`split.no`, counted from 0; `split.count`; `split.tensors.count`, the number
of tensors in all parts). Only the first part holds the metadata; any part may hold no tensors.
"""

from __future__ import annotations

import re
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, TypeVar

from tokenroof.errors import AmbiguousName, GGUFError, NotFound
from tokenroof.gguf.header import Header
from tokenroof.gguf.problems import Problems, shown
from tokenroof.gguf.reader import Part, read_part
from tokenroof.safetext import printable

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping, Sequence

    from tokenroof.clock import Clock
    from tokenroof.gguf.tensors import Tensor
    from tokenroof.gguf.values import Value

_PART_NAME = re.compile(
    r"(?P<stem>.+)-(?P<number>\d{5})-of-(?P<total>\d{5})(?P<suffix>\.gguf)", re.I
)
_SHOWN_CANDIDATES = 8

AnyPath = TypeVar("AnyPath", bound=PurePath)


def read_header(
    path: str | os.PathLike[str], *, strict: bool = False, clock: Clock | None = None
) -> Header:
    """Read the header of a model.

    Args:
        path: its file; any file of a split set; or a folder that holds one model.
        strict: make an error of the first thing that is wrong, instead of a notice.
        clock: what the deadline of one second a file is measured with.

    Raises:
        NotFound: there is no such file, or no model in the folder.
        AmbiguousName: the folder holds several models.
        GGUFError: it cannot be read as GGUF, changed while it was read, or is a split set
            with a part missing or parts that do not belong together.
    """
    path = Path(path)
    if _is_folder(path):
        path = _only_model_in(path)

    def read(one: Path) -> Part:
        return read_part(one, strict=strict, clock=clock)

    parts, paths, problems = read_set(path, read, strict=strict)
    return join(parts, paths, problems)


def read_set(
    path: AnyPath, read: Callable[[AnyPath], Part], *, strict: bool = False
) -> tuple[list[Part], list[AnyPath], Problems]:
    """Read a file and, if it is one part of a set, the others beside it.

    Args:
        path: the file; any file of a split set.
        read: reads one of them, and raises `NotFound` where there is none.
        strict: as for `read_header`.

    Raises:
        GGUFError: a part is missing, or they do not belong together.
    """
    part = read(path)
    problems = Problems(printable(str(path)), strict=strict)
    total = _split_integer(part.metadata, "split.count", path)
    named = _PART_NAME.fullmatch(path.name)
    if total is None or total <= 1:
        if named and int(named["total"]) > 1:
            problems.add("gguf.split_in_name_only", name=shown(path.name))
        return [part], [path], problems
    if named is None:
        raise GGUFError("gguf.split_name", path=printable(str(path)), total=total)
    if int(named["total"]) != total:
        raise _disagrees(path, "split.count", total, int(named["total"]))
    paths = [path.with_name(_part_name(named, number, total)) for number in range(1, total + 1)]
    parts = []
    for number, one in enumerate(paths, 1):
        if number == int(named["number"]):
            parts.append(part)
            continue
        try:
            parts.append(read(one))
        except NotFound as error:
            raise GGUFError(
                "gguf.part_missing",
                path=printable(str(path)),
                missing=printable(one.name),
                number=number,
                total=total,
            ) from error
    _check_set(parts, paths)
    return parts, paths, problems


def join(parts: Sequence[Part], paths: Sequence[Path], problems: Problems) -> Header:
    """The header of a model from those of its parts, in their order.

    Args:
        parts: at least one.
        paths: where they are, one for each; none for parts that come from no file.
        problems: told of tensors that several parts have.
    """
    tensors: dict[str, Tensor] = {}
    tensor_bytes = 0
    for index, part in enumerate(parts):
        tensor_bytes += part.tensor_bytes
        for tensor in part.tensors:
            if tensor.name in tensors:
                problems.add("gguf.duplicate_tensor", tensor.name, name=shown(tensor.name))
                tensor_bytes -= tensor.bytes
            else:
                tensors[tensor.name] = tensor._replace(part=index) if index else tensor
    first = parts[0]
    return Header(
        version=first.version,
        byte_order=first.byte_order,
        alignment=first.alignment,
        data_offset=first.data_offset,
        metadata=first.metadata,
        tensors=tuple(tensors.values()),
        paths=tuple(paths),
        file_bytes=sum(p.file_bytes for p in parts),
        tensor_bytes=tensor_bytes,
        promised_bytes=sum(p.promised_bytes for p in parts),
        present_bytes=sum(min(p.file_bytes, p.promised_bytes) for p in parts),
        problems=(*(n for p in parts for n in p.problems), *problems.notices()),
    )


def _check_set(parts: Sequence[Part], paths: Sequence[PurePath]) -> None:
    """Make sure that the parts belong together and are all there."""
    first = parts[0]
    for index, (part, path) in enumerate(zip(parts, paths, strict=True)):
        for key, expected in (("split.no", index), ("split.count", len(parts))):
            found = _split_integer(part.metadata, key, path)
            if found != expected:
                raise _disagrees(path, key, found, expected)
        name = part.metadata.get("general.architecture")
        if name not in (None, first.metadata.get("general.architecture")):
            raise _disagrees(path, "general.architecture", name, paths[0].name)
    promised = _split_integer(first.metadata, "split.tensors.count", paths[0])
    found = sum(p.tensor_entries for p in parts)
    if promised is not None and promised != found:
        raise _disagrees(paths[0], "split.tensors.count", promised, found)


def _disagrees(path: PurePath, key: str, found: object, expected: object) -> GGUFError:
    return GGUFError(
        "gguf.split_disagrees",
        path=printable(str(path)),
        key=key,
        found=shown(str(found)),
        expected=shown(str(expected)),
    )


def _split_integer(metadata: Mapping[str, Value], key: str, path: PurePath) -> int | None:
    value = metadata.get(key)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int):
        raise _disagrees(path, key, value, "integer")
    return value


def _part_name(named: re.Match[str], number: int, total: int) -> str:
    return f"{named['stem']}-{number:05d}-of-{total:05d}{named['suffix']}"


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False  # the reader will say what is wrong with it


def _only_model_in(folder: Path) -> Path:
    """The file, or the first part that is there, of the one model in a folder."""
    try:
        files = sorted(p for p in folder.iterdir() if p.suffix.lower() == ".gguf")
    except OSError as error:
        raise GGUFError(
            "gguf.unreadable", path=printable(str(folder)), reason=printable(str(error.strerror))
        ) from error
    models: dict[str, Path] = {}
    for file in files:
        named = _PART_NAME.fullmatch(file.name)
        models.setdefault(f"{named['stem']}-of-{named['total']}" if named else file.name, file)
    # A vision projector lies beside its model and is not one.
    found = [p for p in models.values() if "mmproj" not in p.name.lower()] or [*models.values()]
    if not found:
        raise NotFound("gguf.no_model_in_folder", path=printable(str(folder)))
    if len(found) > 1:
        names = [printable(p.name) for p in found]
        listed = ", ".join(names[:_SHOWN_CANDIDATES]) + (
            ", …" if len(names) > _SHOWN_CANDIDATES else ""
        )
        raise AmbiguousName(
            "gguf.several_models", path=printable(str(folder)), listed=listed, candidates=names
        )
    return found[0]
