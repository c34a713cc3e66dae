"""``afresh learn``: rate versions side by side, train a model from what was said, put it to use or back."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from afresh.base.durations import parse_duration
from afresh.base.errors import ModelError
from afresh.base.extras import need
from afresh.base.records.labels import LabelOrigin, NewLabel, NewModel, Rating, RatingPair
from afresh.doors.cli.context import settings_of, with_store
from afresh.doors.cli.lazy import PlainGroup
from afresh.doors.cli.learn_example import example_command
from afresh.doors.cli.main import EXIT_WRONG
from afresh.doors.cli.output import clean, json_option, moment, print_json, print_table, print_told
from afresh.lab.verdicts.learning import Trained, describe, train_from_ratings
from afresh.lab.verdicts.trainings import Wish
from afresh.links.difference import diff_pages
from afresh.links.models import put_to_use, roll_back, use_trained
from afresh.links.verdicts.kernels import Kernel
from afresh.links.verdicts.model import MAX_CHARACTERS, load_model
from afresh.links.versions import StoredPages
from afresh.store import opened_store
from afresh.store.finding import find_one

if TYPE_CHECKING:
    from afresh.base.protocols import Store

_KEYS = {"s": Rating.EQUAL, "d": Rating.DIFFERENT, "u": Rating.UNKNOWN, "k": Rating.SKIP}
_MARKS = {"added": "+ ", "removed": "- "}
_SHOWN = 15  # pieces that went, and as many that came


@click.group("learn", cls=PlainGroup)
def learn_command() -> None:
    """Teach afresh which pages are still the page that was saved."""


learn_command.add_command(example_command)


@learn_command.command("next")
@click.option("--limit", type=click.IntRange(1, 1000), default=20, show_default=True)
@click.option("--rater", default="", help="Whose ratings; empty: the operator's.")
@json_option
@with_store
def next_command(store: Store, limit: int, rater: str, as_json: bool) -> int:
    """Pairs of versions to be rated, the most doubtful first."""
    pairs = store.learning.pairs_to_rate(limit=limit, rater=rater)
    rows = [
        {"check": p.check, "old": p.old, "new": p.new, "same_page": round(p.probability, 3), "url": p.url}
        for p in pairs
    ]
    if as_json:
        print_json(rows)
    else:
        print_table(
            list(rows[0]) if rows else ["old", "new", "url"], [[clean(str(v)) for v in row.values()] for row in rows]
        )
    return 0


@learn_command.command("rate")
@click.argument("old", type=int, required=False)
@click.argument("new", type=int, required=False)
@click.argument("verdict", type=click.Choice([rating.value for rating in Rating]), required=False)
@click.option("--rater", default="", help="Who says so; empty: the operator.")
@click.option("--note", default="", help="What you want to remember about it.")
@json_option
@with_store
def rate_command(
    store: Store,
    old: int | None,
    new: int | None,
    verdict: str | None,
    rater: str,
    note: str,
    as_json: bool,
) -> int:
    """Rate a pair of versions; without arguments, go through the pairs that wait, one key each."""
    if old is None:
        return _rate_waiting(store, rater)
    if new is None or verdict is None:
        raise click.UsageError("say which versions, and what they are: afresh learn rate OLD NEW equal")
    rating = NewLabel(old=old, new=new, verdict=Rating(verdict), rater=rater, note=note, origin=LabelOrigin.MANUAL)
    label = store.learning.add_label(rating, now=time.time())
    return print_told(
        {"id": label.id, "old": label.old, "new": label.new, "verdict": label.verdict.value},
        f"rating {label.id}: versions {label.old} and {label.new} are {label.verdict.value}",
        as_json=as_json,
    )


@learn_command.command("labels")
@click.option("--limit", type=click.IntRange(1, 10_000), default=100, show_default=True)
@json_option
@with_store
def labels_command(store: Store, limit: int, as_json: bool) -> int:
    """What was rated, and how much each counts."""
    found = store.learning.labels(limit=limit)
    rows = [
        {
            "id": label.id,
            "old": label.old,
            "new": label.new,
            "verdict": label.verdict.value,
            "origin": label.origin.value,
            "weight": label.weight,
            "rater": label.rater or "operator",
            "at": moment(label.at),
            "url": clean(label.url),
        }
        for label in found
    ]
    if as_json:
        print_json(rows)
    else:
        print_table(list(rows[0]) if rows else ["id"], [[str(value) for value in row.values()] for row in rows])
    return 0


@learn_command.command("devalue")
@click.argument("number", type=int)
@click.option("--weight", type=click.FloatRange(0), default=0.0, show_default=True, help="0: it does not count.")
@json_option
@with_store
def devalue_command(store: Store, number: int, weight: float, as_json: bool) -> int:
    """Let a rating count less, or not at all."""
    label = store.learning.change_label(number, weight=weight)
    told = {"id": label.id, "weight": label.weight}
    return print_told(told, f"rating {label.id} counts {label.weight:g} times", as_json=as_json)


@learn_command.command("train")
@click.option(
    "--kernel",
    type=click.Choice([kernel.value for kernel in Kernel]),
    help="Shape of the boundary between same and different (default: as the model in use).",
)
@click.option(
    "--measure",
    "measures",
    multiple=True,
    help="A measure, or a class of them (TEXT, LINK, …); may be repeated; default: as the model in use.",
)
@click.option(
    "--time-limit",
    metavar="DURATION",
    default="60s",
    show_default=True,
    help="How long the best settings may be sought for.",
)
@click.option("--transduction", is_flag=True, help="Also learn from unrated pairs the machine is sure of.")
@click.option("--owner", default="", help="Whose model; empty: everybody's.")
@click.option("--rater", help="Learn from this person's ratings only ('': the operator's).")
@click.option("--link", help="Learn from the ratings of this link only, by URL or number, and judge only it.")
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--note", default="", help="What you want to remember about it.")
@click.option("--use/--no-use", "wants_use", default=True, help="Put it to use if it proves better.  [default: use]")
@click.option("--force", is_flag=True, help="Put it to use whatever the validation says.")
@json_option
@click.pass_context
def train_command(
    ctx: click.Context,
    kernel: str | None,
    measures: tuple[str, ...],
    time_limit: str,
    transduction: bool,
    owner: str,
    rater: str | None,
    link: str | None,
    seed: int,
    note: str,
    wants_use: bool,
    force: bool,
    as_json: bool,
) -> int:
    """Train a model from the ratings; exit 1 if it is no better than the one in use.

    Better means: clearly so on ratings it had not seen, and no worse on what the shipped model knows. With fewer than
    ten ratings of each kind you are asked before it is put to use.
    """
    need("lab", "training")
    if (seconds := parse_duration(time_limit)) < 1:
        raise click.UsageError(f"--time-limit {time_limit}: a second at least")
    with opened_store(settings_of(ctx).settings) as store:
        wish = Wish(
            owner=owner,
            rater=rater,
            link=None if link is None else find_one(store, link),
            kernel=Kernel(kernel) if kernel else None,
            measures=measures or None,
            time_limit=seconds,
            transduction=transduction,
            seed=seed,
            note=note,
        )
        trained = train_from_ratings(store, wish, now=time.time(), progress=lambda text: click.echo(text, err=True))
        is_used = force or (wants_use and (trained.may_judge or _is_wanted(trained)))
        if is_used:
            use_trained(store.learning, trained.model, link=wish.link, now=time.time())
    answer = {"model": trained.model.id, "is_better": trained.is_better, "in_use": is_used, **trained.model.figures}
    if as_json:
        print_json(answer)
    else:
        state = "in use" if is_used else "kept, not in use"
        click.echo(f"model {trained.model.id} of {trained.model.examples} ratings: {state}")
    return 0 if trained.is_better or force else EXIT_WRONG


def _is_wanted(trained: Trained) -> bool:
    """Whether a person says that a model of few ratings shall judge; where nobody can be asked it does not."""
    if not trained.is_better or not sys.stdin.isatty():
        return False
    return click.confirm("better on the ratings, but there are fewer than ten of each kind; use it?", err=True)


@learn_command.command("models")
@json_option
@with_store
def models_command(store: Store, as_json: bool) -> int:
    """Trained models, newest first."""
    rows = describe(store.learning.models())
    if as_json:
        print_json(rows)
    else:
        print_table(list(rows[0]) if rows else ["id"], [[str(value) for value in row.values()] for row in rows])
        if not any(row["in use"] for row in rows):
            click.echo("the model that ships with afresh is in use")
    return 0


@learn_command.command("use")
@click.argument("model")
@click.option("--owner", default="", help="With `shipped`: who goes back to it; empty: everybody.")
@json_option
@click.pass_context
def use_command(ctx: click.Context, model: str, owner: str, as_json: bool) -> int:
    """Put a model to use by its number; `shipped` goes back to the one that came with afresh."""
    number = None if model == "shipped" else int(model) if model.isdecimal() else -1
    if number == -1:
        raise click.UsageError("a number of `afresh learn models`, or `shipped`")
    with opened_store(settings_of(ctx).settings) as store:
        if number is None:
            store.learning.activate_model(None, owner=owner, now=time.time())
        else:
            put_to_use(store.learning, number, now=time.time())
    words = "the shipped model is in use" if number is None else f"model {number} is in use"
    return print_told({"model": number, "owner": owner}, words, as_json=as_json)


@learn_command.command("rollback")
@click.option("--owner", default="", help="Whose model; empty: everybody's.")
@json_option
@with_store
def rollback_command(store: Store, owner: str, as_json: bool) -> int:
    """Go back to the model that was in use when the present one was trained."""
    judging = roll_back(store.learning, owner, now=time.time())
    if as_json:
        print_json({"owner": owner, "model": None if judging is None else judging.id})
    else:
        what = "the shipped model" if judging is None else f"model {judging.id}"
        whose = " (everybody's)" if judging is not None and judging.owner != owner else ""
        click.echo(f"{what}{whose} is in use")
    return 0


@learn_command.command("export")
@click.argument("model", type=int)
@click.option("--json", "as_json", is_flag=True, help="Print JSON, which a model is anyway.")
@with_store
def export_command(store: Store, model: int, as_json: bool) -> int:  # noqa: ARG001 (either way)
    """Print a model: plain numbers as JSON, with a version and a checksum."""
    store.learning.model(model)
    click.echo(store.learning.model_body(model), nl=False)
    return 0


@learn_command.command("import")
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@click.option("--owner", default="", help="Whose model; empty: everybody's.")
@click.option("--note", default="", help="What you want to remember about it.")
@json_option
@click.pass_context
def import_command(ctx: click.Context, file: str, owner: str, note: str, as_json: bool) -> int:
    """Keep a model of a file, as `export` prints them; `use` puts it to use."""
    # Characters take a byte at least: what is longer in bytes is longer than what is read, or not ASCII and not ours.
    if Path(file).stat().st_size > MAX_CHARACTERS:
        raise ModelError(f"{file} is larger than a model may be ({MAX_CHARACTERS:,} characters)")
    body = Path(file).read_text(encoding="utf-8", errors="replace")
    try:
        model = load_model(body)
    except ModelError as error:
        raise ModelError(f"{file}: {error}") from error
    new = NewModel(owner=owner, kernel=str(model.kernel), measures=model.measures, examples=0, body=body, note=note)
    with opened_store(settings_of(ctx).settings, makes=True) as store:
        kept = store.learning.add_model(new, now=time.time())
    return print_told({"model": kept.id, "owner": owner}, f"model {kept.id} kept, not in use", as_json=as_json)


def _rate_waiting(store: Store, rater: str) -> int:
    pairs = store.learning.pairs_to_rate(limit=1000, rater=rater)
    if not pairs:
        click.echo("nothing waits for a rating; `afresh check --save` a second time compares with what was saved")
        return 0
    stored = StoredPages(store.links)
    click.echo("s same page · d different · u cannot be told · k skip · q end")
    for place, pair in enumerate(pairs, start=1):
        _show(stored, pair, place, len(pairs))
        key = click.prompt("same, different, unknown, skip, quit", type=click.Choice([*_KEYS, "q"]), show_choices=True)
        if key == "q":
            break
        machine = "equal" if pair.probability >= 0.5 else "different"
        store.learning.add_label(
            NewLabel(old=pair.old, new=pair.new, verdict=_KEYS[key], check=pair.check, machine=machine, rater=rater),
            now=time.time(),
        )
    return 0


def _show(stored: StoredPages, pair: RatingPair, place: int, count: int) -> None:
    click.echo(f"\n{place}/{count}  {clean(pair.url)}  (same page with {pair.probability:.0%})")
    pieces = diff_pages(stored.profile(pair.old).page, stored.profile(pair.new).page)
    left = dict.fromkeys(_MARKS, _SHOWN)
    for piece in pieces:
        # Of a page that was replaced all lines went: they must not hide what came instead.
        if left.get(piece.change, 0) > 0:
            left[piece.change] -= 1
            click.echo(_MARKS[piece.change] + clean(piece.text)[:200])
