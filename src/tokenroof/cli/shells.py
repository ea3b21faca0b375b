"""Completion of a command line that is being typed, in bash, zsh and fish.

The shell's script hands over the line up to the cursor and gets one candidate a line. That is all
that differs from click's own scripts, and it is needed for names such as ``ollama:qwen3:8b``: bash
takes words apart at colons, before a script sees them, and puts back only the last piece.
"""

from __future__ import annotations

import os
import re
from typing import ClassVar

import click
from click.shell_completion import (
    CompletionItem,
    ShellComplete,
    add_completion_class,
    split_arg_string,
)

from tokenroof.cli.invocation import PROGRAM

VARIABLE = "_TOKENROOF_COMPLETE"
LINE = "TOKENROOF_LINE"
BREAKS = "TOKENROOF_WORDBREAKS"

_BASH = """\
_tokenroof() {
    local reply
    COMPREPLY=()
    while IFS= read -r reply; do
        [[ -n $reply ]] && COMPREPLY+=("$reply")
    done < <(%(variable)s=bash_complete %(line)s="${COMP_LINE:0:COMP_POINT}" \\
             %(breaks)s="$COMP_WORDBREAKS" "$1" 2>/dev/null)
    if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == */ ]]; then
        compopt -o nospace 2>/dev/null
    fi
}
complete -F _tokenroof tokenroof
"""

_ZSH = """\
#compdef tokenroof
_tokenroof() {
    local entry value help
    local -a values folders shown
    for entry in "${(@f)$(%(variable)s=zsh_complete \\
            %(line)s="${(j: :)words[1,CURRENT-1]} $QIPREFIX$PREFIX" tokenroof 2>/dev/null)}"; do
        [[ -n $entry ]] || continue
        value=${entry%%%%$'\\t'*}
        help=${entry#*$'\\t'}
        if [[ $value == */ ]]; then
            folders+=("$value")
        else
            values+=("$value")
            shown+=("$value${help:+  -- $help}")
        fi
    done
    (( $#values )) && compadd -M 'm:{a-zA-Z}={A-Za-z}' -l -d shown -a values
    (( $#folders )) && compadd -M 'm:{a-zA-Z}={A-Za-z}' -S '' -a folders
    (( $#values + $#folders ))
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
    _tokenroof "$@"
else
    compdef _tokenroof tokenroof
fi
"""

_FISH = """\
function __tokenroof_complete
    set -lx %(variable)s fish_complete
    set -lx %(line)s (commandline -cp)
    command tokenroof 2>/dev/null
end
complete -c tokenroof -f -a '(__tokenroof_complete)'
"""

_SPECIAL_TO_BASH = {
    "": re.compile(r"[^\w@%+=:,./-]"),
    '"': re.compile(r'["$`\\]'),
    "'": re.compile(r"(?!)"),
}
"""What bash needs a backslash before: outside quotes, and within each kind of them."""


def open_quote(line: str) -> str:
    """The quote that a line is still within at its end; empty where it is in none."""
    quote, escaped = "", False
    for character in line:
        if escaped:
            escaped = False
        elif character == "\\" and quote != "'":
            escaped = True
        elif quote:
            quote = "" if character == quote else quote
        elif character in "\"'":
            quote = character
    return quote


def _is_held_open(line: str) -> bool:
    """Whether a space at the end belongs to the word before it: quoted, or after a backslash."""
    backslashes = len(line[:-1]) - len(line[:-1].rstrip("\\"))
    return bool(open_quote(line)) or backslashes % 2 == 1


class LineComplete(ShellComplete):
    """Completes from the line as it was typed."""

    def source_vars(self) -> dict[str, str]:  # type: ignore[override]
        """What the script is filled with."""
        return {"variable": VARIABLE, "line": LINE, "breaks": BREAKS}

    def get_completion_args(self) -> tuple[list[str], str]:
        """The words before the cursor without the program, and the one at it."""
        line = os.environ.get(LINE, "")
        typed = split_arg_string(line)
        at_word = bool(typed) and (not line[-1].isspace() or _is_held_open(line))
        word = typed.pop() if at_word else ""
        return typed[1:], word

    def complete(self) -> str:
        """One candidate a line."""
        args, word = self.get_completion_args()
        items = self.get_completions(args, word)
        return "\n".join(self.written(item, word) for item in items)

    def written(self, item: CompletionItem, word: str) -> str:
        """A candidate as the shell's script reads it."""
        raise NotImplementedError

    def format_completion(self, item: CompletionItem) -> str:
        """Not used: a candidate depends on the word that it completes."""
        return self.written(item, "")


class Bash(LineComplete):
    """bash, which replaces only what follows the last colon or equals sign."""

    name: ClassVar[str] = "bash"
    source_template: ClassVar[str] = _BASH

    def written(self, item: CompletionItem, word: str) -> str:
        """What is left to be typed after the last place where bash breaks words."""
        breaks = set(os.environ.get(BREAKS, "")) & {":", "="}
        kept = max((word.rfind(mark) for mark in breaks), default=-1) + 1
        value = str(item.value)
        if value.startswith(word[:kept]):
            value = value[kept:]
        return _SPECIAL_TO_BASH[open_quote(os.environ.get(LINE, ""))].sub(r"\\\g<0>", value)


class _Described(LineComplete):
    """Shells that show what a candidate means, and that replace the whole word."""

    def written(self, item: CompletionItem, word: str) -> str:
        """The whole word and what it means."""
        option, equals, _ = word.partition("=")
        start = option + equals if equals and option.startswith("-") else ""
        return f"{start}{item.value}\t{item.help or ''}"


class Zsh(_Described):
    """zsh."""

    name: ClassVar[str] = "zsh"
    source_template: ClassVar[str] = _ZSH


class Fish(_Described):
    """fish."""

    name: ClassVar[str] = "fish"
    source_template: ClassVar[str] = _FISH


SHELLS: dict[str, type[LineComplete]] = {"bash": Bash, "zsh": Zsh, "fish": Fish}


def register() -> None:
    """Take the place of click's own classes for these shells."""
    for shell in SHELLS.values():
        add_completion_class(shell)


def script(shell: str) -> str:
    """What a shell has to run to complete commands of this program."""
    made = SHELLS[shell](click.Group(), {}, PROGRAM, VARIABLE)
    return made.source()
