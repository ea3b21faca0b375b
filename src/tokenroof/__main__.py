"""The command `tokenroof`, also as `python -m tokenroof`.

Nothing is imported before Ctrl-C is dealt with: whoever changes their mind while the program still
loads gets one line, not the inside of an import.
"""


def entry_point() -> None:
    """Carry out the command line of this process, and end it with the exit code."""
    try:
        import sys

        code = _main()
    except KeyboardInterrupt:
        _interrupted()
        code = 130
    sys.exit(code)


def _main() -> int:
    from tokenroof.cli import main

    return main()


def _interrupted() -> None:
    """The sentence of an interruption, which needs the catalogue; a word of it where that fails."""
    import sys
    from contextlib import suppress

    with suppress(AttributeError, OSError, ValueError):  # nobody may be there to be told
        try:
            from tokenroof import words

            sentence = words.text("cli.interrupted")
        except KeyboardInterrupt:
            sentence = "Interrupted."
        sys.stderr.write(sentence + "\n")


if __name__ == "__main__":
    entry_point()
