"""`python -m tokenroof`: the same as the command `tokenroof`."""

from tokenroof.cli import entry_point

if __name__ == "__main__":
    entry_point()
