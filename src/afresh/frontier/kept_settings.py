"""The settings of a frontier as its store keeps them, shared by all scheduler processes."""

import json

from afresh.base.records.frontier_store import FrontierStore
from afresh.base.settings.frontier import FrontierSettings

KEY = "frontier.settings"


def read_settings(store: FrontierStore) -> tuple[FrontierSettings, str]:
    """The settings, and what is wrong with them: of damaged ones nothing is taken."""
    text = store.get_setting(KEY) or "{}"
    try:
        return FrontierSettings.from_thesis(json.loads(text)), ""
    except (ValueError, TypeError, AttributeError) as error:
        return FrontierSettings(), f"the settings of the frontier cannot be read ({error}); the defaults hold"


def write_settings(store: FrontierStore, settings: FrontierSettings) -> None:
    store.put_setting(KEY, json.dumps(settings.to_thesis()))
