"""``afresh lab verdicts``: is it still the page that was saved?  Judge the shipped model, or train one."""

from pathlib import Path
from typing import Any

import click

from afresh.base.errors import UsageError
from afresh.base.extras import need
from afresh.doors.cli.output import json_option, print_json, print_table
from afresh.doors.cli.patience import tell_progress
from afresh.lab.verdicts.background import background_table
from afresh.lab.verdicts.evaluate import evaluate
from afresh.lab.verdicts.pairs import read_histories
from afresh.lab.verdicts.shipped import train_model
from afresh.lab.verdicts.versions import read_versions
from afresh.links.verdicts.kernels import Kernel
from afresh.links.verdicts.model import VerdictModel, default_model, dump_model, load_model

_FIGURES = ("accuracy", "precision", "recall", "f")
#: With a saved version: seen to be another page, and named; without: recognised, also where the site is probed.
_RECOGNISED = ("different", "named", "first_sight", "with_probe")


@click.command("verdicts")
@click.option("--pages", type=click.Path(), help="Folder with index.csv and page versions to judge a model on.")
@click.option("--model", "model_file", type=click.Path(), help="Model to judge (default: the one that ships).")
@click.option("--train", type=click.Path(), help="Folder with index.csv and page versions to train a model on.")
@click.option("--background", type=click.Path(), help="With --train: write the table of common words to this file.")
@click.option("--output", "-o", type=click.Path(), help="With --train: file for the model.")
@click.option(
    "--kernel",
    type=click.Choice([kernel.value for kernel in Kernel]),
    default=Kernel.POLYNOMIAL.value,
    show_default=True,
    help="With --train.",
)
@click.option("--seed", type=int, default=0, show_default=True)
@json_option
def verdicts_command(
    pages: str | None,
    model_file: str | None,
    train: str | None,
    background: str | None,
    output: str | None,
    kernel: str,
    seed: int,
    as_json: bool,
) -> int:
    """Judge the model of link verdicts on real page versions, or train one.

    Also what is recognised of replaced pages, by kind and by script: with a saved version (different, named) and
    without one (first sight, with probe).
    """
    if bool(pages) == bool(train):
        raise UsageError("say either --pages DIR (judge) or --train DIR --output FILE (train)")
    if train:
        need("lab", "training")
        return _train(Path(train), output, background, Kernel(kernel), seed, as_json=as_json)
    result = evaluate(Path(pages or ""), _model(model_file), seed=seed)
    if as_json:
        print_json(result)
    else:
        _tell(result)
    return 0


def _model(path: str | None) -> VerdictModel:
    if path is None:
        return default_model()
    try:
        return load_model(Path(path).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read the model {path}: {error}") from error


def _train(
    folder: Path, output: str | None, background: str | None, kernel: Kernel, seed: int, *, as_json: bool
) -> int:
    if not output and not background:
        raise UsageError("--train needs --output FILE for the model, or --background FILE for the table of words")
    histories = read_histories(read_versions(folder))
    if background:
        _write(background, background_table(histories.versions, histories.pages))
    if not output:
        return 0
    model = train_model(histories, kernel=kernel, seed=seed, progress=tell_progress)
    _write(output, dump_model(model))
    if as_json:
        print_json({"output": output, "support_vectors": len(model.weights), **model.about})
    else:
        click.echo(f"{len(model.weights)} support vectors over {len(model.measures)} measures written to {output}")
        _table("cross-validated, grouped by site", model.about["cross_validated_by_site"])
    return 0


def _write(path: str, text: str) -> None:
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}") from error


def _tell(result: dict[str, Any]) -> None:
    counts = ", ".join(f"{n:,} {kind}" for kind, n in result["pairs"].items())
    click.echo(f"{result['pages']:,} pages of {result['sites']:,} sites; pairs: {counts}")
    _table("model", result["kinds"])
    classes = result["classes"]
    _table("became", classes["by_kind"], _RECOGNISED)
    _table("soft 404, script", classes["by_script"], _RECOGNISED)
    alarms = classes["false_alarms"]
    click.echo(f"false alarms at first sight: {alarms['alarms']:,} of {alarms['pages']:,} real pages")
    for name, table in result["baselines"].items():
        _table(name, table)
    click.echo(f"{result['ms_per_pair']:.2f} ms a comparison, {result['ms_per_page_read']:.2f} ms to read a page")


def _table(title: str, kinds: dict[str, dict[str, float]], names: tuple[str, ...] = _FIGURES) -> None:
    rows = [[kind, *(f"{figures[name]:.3f}" for name in names)] for kind, figures in kinds.items()]
    print_table([title, *(name.replace("_", " ") for name in names)], rows)
