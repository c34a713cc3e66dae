"""Learning from people: ratings become examples, examples a model, and a model is used if it proves itself.

A few ratings alone would make a poor machine, so they correct one that was trained on many (``correcting``). With
another kernel or other measures a new machine is trained from the ratings and from what the old one remembers, its
support vectors. ``transduction`` adds pairs that nobody rated and the machine is sure of (self-training: no library
offers a transductive machine).  [M03] §3.3, §5.3.

A model judges only if it proves itself (``adopting``).
"""

import random
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from afresh import __version__
from afresh.base.errors import UsageError
from afresh.base.protocols import Store
from afresh.base.records.labels import KeptModel, Label, NewModel, Rating
from afresh.base.records.links import EVERYBODYS, VersionNotFound
from afresh.lab.verdicts.adopting import LEAST, is_better, is_enough
from afresh.lab.verdicts.correcting import PRIOR, correct, remembered
from afresh.lab.verdicts.figures import contingency
from afresh.lab.verdicts.train import Examples, Setting, calibrate, cross_decisions, fit, grid, random_folds, tune
from afresh.lab.verdicts.trainings import Wish
from afresh.links.measures.catalogue import COMBINATIONS, MEASURES
from afresh.links.models import ActiveModel
from afresh.links.verdicts.comparison import pair_values
from afresh.links.verdicts.kernels import Kernel
from afresh.links.verdicts.model import EXTRA, VerdictModel, default_model, dump_model
from afresh.links.versions import StoredPages

_GUESSED = 0.3  # a pair the machine is sure of counts as much as so many ratings
_SURE = 0.97
_ROUNDS = 3
_FOLDS = 5
_UNRATED = 200  # pairs that transduction looks at


#: Makes a model of examples and how much each of them counts.
Learn = Callable[[Examples, NDArray[np.float64]], VerdictModel]


#: A model, what it says of each rating while that is held out, and how it was made.
_Learnt = tuple[VerdictModel, NDArray[np.bool_], dict[str, float]]


@dataclass(frozen=True, slots=True)
class _Lesson:
    """What a model is learnt from."""

    store: Store
    rated: Examples
    counts: NDArray[np.float64]  # how much each of these counts
    used: VerdictModel  # the one in use
    wish: Wish
    progress: Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Trained:
    """A trained and kept model, and what speaks for putting it to use."""

    model: KeptModel
    is_better: bool  # clearly so on what people said, and no worse on what the shipped one remembers
    is_enough: bool  # there were ten ratings of each kind; with fewer a person has to say that it shall judge

    @property
    def may_judge(self) -> bool:
        return self.is_better and self.is_enough


def train_from_ratings(
    store: Store, wish: Wish, *, now: float, progress: Callable[[str], None] = lambda _: None
) -> Trained:
    """Train, validate and keep a model; putting it to use is another step."""
    models = ActiveModel(store.learning, wish.owner)
    choice = EVERYBODYS if wish.link is None else store.links.link(wish.link).model
    parent, used = models.number(choice) or None, models(choice)
    names = _names(wish, used)
    progress("measuring the rated pairs")
    rated, counts = _rated(store, names, link=wish.link, rater=wish.rater)
    if not len(rated):
        raise UsageError(f"there is no rating to learn from yet{_of_whom(wish)}; `afresh learn rate` asks for some")
    same = int(rated.same.sum())
    progress(f"{same} pairs rated the same, {len(rated) - same} different")
    lesson = _Lesson(store, rated, counts, used, wish, progress)
    if wish.kernel in (None, used.kernel) and set(names) == set(used.measures):
        model, held_out, settings = _corrected(lesson)
    else:
        model, held_out, settings = _trained_anew(lesson)
    figures = _validate(rated, held_out, model, used)
    about = {"afresh": __version__, "trained_from": "ratings", "parent": parent, **figures}
    now_right, was_right = figures["held_out_accuracy"], figures["accuracy_before"]
    progress(f"right on {now_right:.0%} of the ratings, each while it was held out; the one in use on {was_right:.0%}")
    kept = store.learning.add_model(
        NewModel(
            owner=wish.owner,
            parent=parent,
            kernel=model.kernel.value,
            measures=model.measures,
            examples=len(rated),
            settings={
                **settings,
                "seed": wish.seed,
                "time_limit": wish.time_limit,
                "transduction": wish.transduction,
                **({} if wish.link is None else {"link": wish.link}),
                **({} if wish.rater is None else {"rater": wish.rater}),
            },
            figures=figures,
            body=dump_model(replace(model, about=about)),
            note=wish.note,
        ),
        now=now,
    )
    return Trained(model=kept, is_better=is_better(figures), is_enough=is_enough(same, len(rated) - same))


def _corrected(lesson: _Lesson) -> _Learnt:
    """The shipped machine, or one that somebody brought, moved by the ratings; what it says of each held out."""
    rated, counts, used, wish = lesson.rated, lesson.counts, lesson.used, lesson.wish
    # Ratings are all learnt again each time: on top of their own correction they would count twice.
    base = default_model() if used.about.get("trained_from") == "ratings" else used
    if base.measures != used.measures:
        base = used
    rated = rated.columns(base.measures)
    learn = partial(correct, base)
    lesson.progress("correcting the model by the ratings")
    model = learn(rated, counts)
    if wish.transduction:
        model = _transduced(lesson, rated, counts, model, learn)
    held_out = np.zeros(len(rated), bool)
    for train, test in random_folds(rated, min(_FOLDS, len(rated)), random.Random(wish.seed)):
        part = learn(rated.take(train), counts[train]) if len(train) else base
        held_out[test] = part.probabilities(rated.values[test]) >= base.threshold
    return model, held_out, {"prior": PRIOR}


def _trained_anew(lesson: _Lesson) -> _Learnt:
    """A machine with another kernel or other measures, and what it says of each rating while that is held out."""
    rated, used, wish = lesson.rated, lesson.used, lesson.wish
    deadline = time.monotonic() + wish.time_limit
    examples, importance = _with_memory(rated, lesson.counts, used, rated.names)
    rng = random.Random(wish.seed)
    setting = _tuned(examples, wish.kernel or used.kernel, rng, deadline, lesson.progress)

    def learn(examples: Examples, importance: NDArray[np.float64]) -> VerdictModel:
        return fit(examples, setting, importance=importance)

    model = learn(examples, importance)
    if wish.transduction:
        model = _transduced(lesson, examples, importance, model, learn)
    lesson.progress("calibrating on held-out decisions")
    decisions, _ = cross_decisions(examples, [setting], seed=wish.seed, make=random_folds)
    slope, offset = calibrate(decisions, examples.same)
    model = replace(model, slope=slope, offset=offset, equal_from=used.equal_from)
    return model, decisions[: len(rated)] > 0.0, {"cost": setting.cost, "gamma": setting.gamma}


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
        weights.append(label.weight)
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
        if not is_enough(int(rated.same.sum()), int((~rated.same).sum())):
            raise UsageError(
                f"measures the model in use does not know need {LEAST} ratings of each kind; rate more, or "
                f"choose among: {', '.join(used.measures)}"
            )
        return rated, counts
    values, same = remembered(used, names)
    memory = _examples(names, values, same, "remembered", (frozenset({""}),) * len(values))
    return _joined(rated, memory), np.concatenate([counts, np.ones(len(memory))])


def _joined(one: Examples, other: Examples) -> Examples:
    return Examples(
        names=one.names,
        values=np.vstack([one.values, other.values]),
        same=np.concatenate([one.same, other.same]),
        kinds=np.concatenate([one.kinds, other.kinds]),
        groups=(*one.groups, *other.groups),
    )


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
    lesson: _Lesson, examples: Examples, importance: NDArray[np.float64], model: VerdictModel, learn: Learn
) -> VerdictModel:
    """Self-training: unrated pairs the machine is sure of are trained with, lightly, until none is left."""
    store = lesson.store
    stored = StoredPages(store.links)
    pairs = store.learning.pairs_to_rate(limit=_UNRATED)
    if not pairs:
        return model
    values = np.array([pair_values(stored.profile(p.old), stored.profile(p.new), examples.names) for p in pairs])
    for turn in range(_ROUNDS):
        sure = np.abs(model.probabilities(values) - 0.5) >= _SURE - 0.5
        lesson.progress(f"transduction, round {turn + 1}: sure of {int(sure.sum())} of {len(pairs)} unrated pairs")
        if not sure.any():
            break
        said = model.probabilities(values[sure]) > 0.5
        guessed = _examples(examples.names, values[sure], said, "guessed", (frozenset({""}),) * len(said))
        again = learn(_joined(examples, guessed), np.concatenate([importance, np.full(len(guessed), _GUESSED)]))
        model = replace(again, slope=model.slope, offset=model.offset)
    return model


def _validate(
    rated: Examples, held_out: NDArray[np.bool_], model: VerdictModel, used: VerdictModel
) -> dict[str, float]:
    """How the new machine does on ratings it had not seen and on shipped examples, beside the one in use."""
    before = 0.0  # another set of measures cannot be compared
    if set(used.measures) == set(rated.names):
        said = used.probabilities(rated.columns(used.measures).values) >= used.threshold
        before = float((said == rated.same).mean())
    figures = contingency(rated.same, held_out).as_dict()
    return {
        "ratings": float(len(rated)),
        "accuracy_before": before,
        **{f"held_out_{name}": (0.0 if np.isnan(value) else float(value)) for name, value in figures.items()},
        "shipped_examples": _on_shipped(model),
        "shipped_examples_before": _on_shipped(used),
    }


def _on_shipped(model: VerdictModel) -> float:
    """Share of what the shipped machine remembers that a model is right about; 1 where it cannot be asked."""
    shipped = default_model()
    if not set(model.measures) <= set(shipped.measures):
        return 1.0
    values, same = remembered(shipped, model.measures)
    return float(((model.probabilities(values) >= model.threshold) == same).mean())


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
