"""``afresh completion``: what a shell reads to complete commands and options."""

import click
from click.shell_completion import get_completion_class

from afresh.doors.cli.main import cli
from afresh.doors.cli.output import json_option, print_told

_VARIABLE = "_AFRESH_COMPLETE"  # by which the shell asks; click looks for it under this name


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@json_option
def completion_command(shell: str, as_json: bool) -> int:
    """Print the script by which a shell completes commands and options.

    \b
    bash: afresh completion bash > ~/.local/share/bash-completion/completions/afresh
    zsh:  afresh completion zsh > "${fpath[1]}/_afresh"
    fish: afresh completion fish > ~/.config/fish/completions/afresh.fish
    """
    kind = get_completion_class(shell)
    assert kind is not None  # click knows the three
    script = kind.source_template % kind(cli, {}, "afresh", _VARIABLE).source_vars()
    return print_told({"shell": shell, "script": script}, script, as_json=as_json)
