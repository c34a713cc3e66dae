"""Learning from people: ratings become examples, examples a model, and a model is used if it proves itself.

A few ratings alone would make a poor machine. The support vectors of the model in use are what it remembers of its own
examples, so they are trained with again, and the ratings count several times as much. ``transduction`` adds pairs that
nobody rated and the machine is sure of (self-training: no library offers a transductive machine).  [M03] §3.3, §5.3.
"""

import random
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from afresh import __version__
from afresh.base.errors import UsageError
from afresh.base.protocols import Store
from afresh.base.records.labels import KeptModel, Label, NewModel, Rating
from afresh.base.records.links import EVERYBODYS, VersionNotFound
from afresh.lab.verdicts.figures import contingency
from afresh.lab.verdicts.train import Examples, Setting, calibrate, cross_decisions, fit, grid, random_folds, tune
from afresh.lab.verdicts.trainings import Wish
from afresh.links.measures.catalogue import COMBINATIONS, MEASURES
from afresh.links.models import ActiveModel
from afresh.links.verdicts.judge import pair_values
from afresh.links.verdicts.kernels import Kernel
from afresh.links.verdicts.model import EXTRA, VerdictModel, dump_model
from afresh.links.versions import StoredPages

_RATED = 5.0  # a rating counts as much as so many remembered examples
_GUESSED = 0.3  # and a pair the machine is sure of as much as this
_SURE = 0.97
_ROUNDS = 3
_UNRATED = 200  # pairs that transduction looks at
_LEAST_ALONE = 10  # ratings of each kind without which a new set of measures cannot be learnt


@dataclass(frozen=True, slots=True, kw_only=True)
class Trained:
    """A trained and kept model, and whether it is better than the one before on what people said."""

    model: KeptModel
    is_better: bool


def train_from_ratings(
    store: Store, wish: Wish, *, now: float, progress: Callable[[str], None] = lambda _: None
) -> Trained:
    """Train, validate and keep a model; putting it to use is another step."""
    deadline = time.monotonic() + wish.time_limit
    models = ActiveModel(store.learning, wish.owner)
    choice = EVERYBODYS if wish.link is None else store.links.link(wish.link).model
    parent, used = models.number(choice) or None, models(choice)
    names = _names(wish, used)
    progress("measuring the rated pairs")
    rated, counts = _rated(store, names, link=wish.link, rater=wish.rater)
    if not len(rated):
        raise UsageError(f"there is no rating to learn from yet{_of_whom(wish)}; `afresh learn rate` asks for some")
    progress(f"{int(rated.same.sum())} pairs rated the same, {int((~rated.same).sum())} different")
    examples, importance = _with_memory(rated, counts, used, names)
    kernel = wish.kernel or used.kernel
    rng = random.Random(wish.seed)
    setting = _tuned(examples, kernel, rng, deadline, progress)
    model = fit(examples, setting, importance=importance)
    if wish.transduction:
        model = _transduced(store, examples, importance, model, setting, progress)
    progress("calibrating on held-out decisions")
    decisions, _ = cross_decisions(examples, [setting], seed=wish.seed, make=random_folds)
    slope, offset = calibrate(decisions, examples.same)
    figures = _validate(rated, decisions[: len(rated)], used)
    about = {"afresh": __version__, "trained_from": "ratings", "parent": parent, **figures}
    model = replace(model, slope=slope, offset=offset, equal_from=used.equal_from, about=about)
    now_right, was_right = figures["held_out_accuracy"], figures["accuracy_before"]
    progress(f"right on {now_right:.0%} of the ratings, each while it was held out; the one in use on {was_right:.0%}")
    kept = store.learning.add_model(
        NewModel(
            owner=wish.owner,
            parent=parent,
            kernel=kernel.value,
            measures=names,
            examples=len(rated),
            settings={
                "cost": setting.cost,
                "gamma": setting.gamma,
                "seed": wish.seed,
                "time_limit": wish.time_limit,
                "transduction": wish.transduction,
                **({} if wish.link is None else {"link": wish.link}),
                **({} if wish.rater is None else {"rater": wish.rater}),
            },
            figures=figures,
            body=dump_model(model),
            note=wish.note,
        ),
        now=now,
    )
    return Trained(model=kept, is_better=figures["held_out_accuracy"] >= figures["accuracy_before"])


def _names(wish: Wish, used: VerdictModel) -> tuple[str, ...]:
    wanted = wish.measures or used.measures
    names = tuple(dict.fromkeys(name for word in wanted for name in COMBINATIONS.get(word, (word,))))
    known = {*(item.name for item in MEASURES), *EXTRA}
    if unknown := [name for name in names if name not in known]:
        raise UsageError(f"unknown measure {unknown[0]!r}; known are: {', '.join(sorted(known | set(COMBINATIONS)))}")
    return names


def _all_labels(store: Store) -> Iterator[Label]:
    after = 0
    while page := store.learning.labels(after=after, limit=500):
        yield from (label for label in page if label.is_example)
        after = page[-1].id


def _of_whom(wish: Wish) -> str:
    words = "" if wish.rater is None else f" of {wish.rater or 'the operator'}"
    return words if wish.link is None else f"{words} about link {wish.link}"


def _rated(
    store: Store, names: tuple[str, ...], *, link: int | None = None, rater: str | None = None
) -> tuple[Examples, NDArray[np.float64]]:
    """Measure values of what people said, and how much each shall count; the newest word on a pair is taken."""
    said = (label for label in _all_labels(store) if rater is None or label.rater == rater)
    newest = {(label.old, label.new): label for label in said}
    pages = StoredPages(store.links)
    values, same, groups, weights = [], [], [], []
    for label in newest.values():
        try:
            if link is not None and store.links.version(label.new).resource != link:
                continue
            old, new = pages.profile(label.old), pages.profile(label.new)
        except VersionNotFound:
            continue
        values.append(pair_values(old, new, names))
        same.append(label.verdict is Rating.EQUAL)
        groups.append(frozenset({urlsplit(label.url).netloc}))
        weights.append(_RATED * label.weight)
    measured = np.array(values).reshape(-1, len(names))
    return _examples(names, measured, np.array(same, bool), "rated", tuple(groups)), np.array(weights)


def _examples(
    names: tuple[str, ...],
    values: NDArray[np.float64],
    same: NDArray[np.bool_],
    kind: str,
    groups: tuple[frozenset[str], ...],
) -> Examples:
    return Examples(names=names, values=values, same=same, kinds=np.array([kind] * len(same)), groups=groups)


def _with_memory(
    rated: Examples, counts: NDArray[np.float64], used: VerdictModel, names: tuple[str, ...]
) -> tuple[Examples, NDArray[np.float64]]:
    """The ratings first, then what the model in use remembers, with how much each counts."""
    if not set(names) <= set(used.measures):
        if min(int(rated.same.sum()), int((~rated.same).sum())) < _LEAST_ALONE:
            raise UsageError(
                f"measures the model in use does not know need {_LEAST_ALONE} ratings of each kind; rate more, or "
                f"choose among: {', '.join(used.measures)}"
            )
        return rated, counts
    at = [used.measures.index(name) for name in names]
    values = (used.vectors * used.scale + used.centre)[:, at]
    memory = _examples(names, values, used.weights > 0.0, "remembered", (frozenset({""}),) * len(values))
    joined = Examples(
        names=names,
        values=np.vstack([rated.values, memory.values]),
        same=np.concatenate([rated.same, memory.same]),
        kinds=np.concatenate([rated.kinds, memory.kinds]),
        groups=(*rated.groups, *memory.groups),
    )
    return joined, np.concatenate([counts, np.ones(len(memory))])


def _tuned(
    examples: Examples, kernel: Kernel, rng: random.Random, deadline: float, progress: Callable[[str], None]
) -> Setting:
    """C and γ by cross-validation, as far as the time allows."""
    chosen: list[Setting] = []
    settings = grid(kernel)
    while not chosen or time.monotonic() < deadline:
        progress(f"tuning, round {len(chosen) + 1}")
        chosen.append(tune(examples, settings, rng=rng, make=random_folds))
        if len(chosen) == _ROUNDS:
            break
    return Counter(chosen).most_common(1)[0][0]


def _transduced(
    store: Store,
    examples: Examples,
    importance: NDArray[np.float64],
    model: VerdictModel,
    setting: Setting,
    progress: Callable[[str], None],
) -> VerdictModel:
    """Self-training: unrated pairs the machine is sure of are trained with, lightly, until none is left."""
    stored = StoredPages(store.links)
    pairs = store.learning.pairs_to_rate(limit=_UNRATED)
    if not pairs:
        return model
    values = np.array([pair_values(stored.profile(p.old), stored.profile(p.new), examples.names) for p in pairs])
    for turn in range(_ROUNDS):
        sure = np.abs(model.probabilities(values) - 0.5) >= _SURE - 0.5
        progress(f"transduction, round {turn + 1}: sure of {int(sure.sum())} of {len(pairs)} unrated pairs")
        if not sure.any():
            break
        said = model.probabilities(values[sure]) > 0.5
        guessed = _examples(examples.names, values[sure], said, "guessed", (frozenset({""}),) * len(said))
        joined = Examples(
            names=examples.names,
            values=np.vstack([examples.values, guessed.values]),
            same=np.concatenate([examples.same, guessed.same]),
            kinds=np.concatenate([examples.kinds, guessed.kinds]),
            groups=(*examples.groups, *guessed.groups),
        )
        again = fit(joined, setting, importance=np.concatenate([importance, np.full(len(guessed), _GUESSED)]))
        model = replace(again, slope=model.slope, offset=model.offset)
    return model


def _validate(rated: Examples, held_out: NDArray[np.float64], used: VerdictModel) -> dict[str, float]:
    """How the new machine does on ratings it had not seen, beside the one in use on the same."""
    before = 0.0  # another set of measures cannot be compared
    if set(used.measures) == set(rated.names):
        said = used.probabilities(rated.columns(used.measures).values) >= used.threshold
        before = float((said == rated.same).mean())
    figures = contingency(rated.same, held_out > 0.0).as_dict()
    return {
        "ratings": float(len(rated)),
        "accuracy_before": before,
        **{f"held_out_{name}": (0.0 if np.isnan(value) else float(value)) for name, value in figures.items()},
    }


def describe(models: Sequence[KeptModel]) -> list[dict[str, object]]:
    """Rows for people."""
    return [
        {
            "id": model.id,
            "owner": model.owner or "(everybody)",
            "link": model.settings.get("link", ""),
            "version": model.version,
            "kernel": model.kernel,
            "examples": model.examples,
            "held_out_accuracy": model.figures.get("held_out_accuracy"),
            "in use": model.is_active,
        }
        for model in models
    ]
