"""The tensors of a Mamba 2 layer, as several hybrids have it."""

from __future__ import annotations

from typing import NamedTuple

from tokenroof.recipes.sketch import Block, Sketch


class MambaShape(NamedTuple):
    """The sizes of a Mamba 2 layer.

    Attributes:
        inner: its inner width.
        state: numbers of state for each of the inner width.
        heads: how many heads it is divided into.
        groups: groups of heads that share their gates.
        kernel: length of the convolution.
        bias: whether the convolution has one.
    """

    inner: int
    state: int
    heads: int
    groups: int
    kernel: int
    bias: bool


def shape(
    *, inner: int, state: int, heads: int, groups: int, kernel: int, bias: bool
) -> MambaShape:
    """The sizes, named."""
    return MambaShape(inner, state, heads, groups, kernel, bias)


def keys(sketch: Sketch, sizes: MambaShape) -> None:
    """Write the keys."""
    sketch.set("ssm.conv_kernel", sizes.kernel)
    sketch.set("ssm.inner_size", sizes.inner)
    sketch.set("ssm.state_size", sizes.state)
    sketch.set("ssm.time_step_rank", sizes.heads)
    sketch.set("ssm.group_count", sizes.groups)


def layer(block: Block, width: int, sizes: MambaShape, *, normed: bool = True) -> None:
    """Write the tensors of one layer."""
    inner, gates = sizes.inner, 2 * sizes.groups * sizes.state
    block.put("ssm_in", width, 2 * inner + gates + sizes.heads)
    block.put("ssm_conv1d", sizes.kernel, inner + gates)
    if sizes.bias:
        block.put("ssm_conv1d.bias", inner + gates)
    block.put("ssm_dt.bias", sizes.heads)
    block.put_bare("ssm_a", 1, sizes.heads)
    block.put_bare("ssm_d", 1, sizes.heads)
    if normed:
        block.put("ssm_norm", inner // sizes.groups, sizes.groups)
    block.put("ssm_out", inner, width)
