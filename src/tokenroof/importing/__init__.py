"""Other people's figures: pastes, logs, tables and answers of servers, as runs.

A run keeps seconds, so a format that prints only a rate gives seconds = steps / rate, with as many
steps as the rate was divided by; the derived rate is then the printed one. What a format does not
say is None. What was not understood is refused, with its line; nothing is dropped in silence.

    bytes -> lines (text) -> kind of line (sniff) -> one reader a format -> Collector -> flags
"""

from tokenroof.importing.paste import import_file, import_stream
from tokenroof.importing.records import IMPORT_SCHEMA, Imported, Refused

__all__ = ["IMPORT_SCHEMA", "Imported", "Refused", "import_file", "import_stream"]
