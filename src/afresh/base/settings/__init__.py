"""Settings: one table of options, read once from defaults, a file, the environment and the command line.

The dataclasses of the layers hold names, types and defaults; ``OPTIONS`` adds what a person needs to know: a line of
help, an example, the check, and whether it is a secret. Reference page and ``afresh config show`` come from it.
"""

from afresh.base.settings.loading import Loaded, load_settings, option_names, parse_override
from afresh.base.settings.options import OPTIONS
from afresh.base.settings.sections import ServiceSettings, Settings

__all__ = [
    "OPTIONS",
    "Loaded",
    "ServiceSettings",
    "Settings",
    "load_settings",
    "option_names",
    "parse_override",
]
