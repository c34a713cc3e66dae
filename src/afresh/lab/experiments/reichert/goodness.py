"""The worked examples of the goodness measure, to the printed digit.  [R12] §4.3.6, Tables 4.1-4.4."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from afresh.base.models import Row
from afresh.lab.experiments.model import Experiment, Options, Outcome
from afresh.lab.experiments.reichert.judge import Judge
from afresh.lab.experiments.reichert.published import WORKED, WORKED_GOODNESS, WORKED_TABLES
from afresh.lab.metrics import (
    Mean,
    Qualities,
    combine_modes,
    goodness,
    mean_of_hats,
    normalise_to_best,
    normalise_to_worst,
)

COLUMNS = ("delay_hat", "ape_hat", "recall_hat", "arithmetic", "geometric", "harmonic")
FIRST = ("A1", "A2", "A3")


def run(options: Options) -> Outcome:  # noqa: ARG001
    """Recomputes the four tables; there is nothing to replay."""
    rows = [*_mean_tables(), *_goodness_table()]
    judge = Judge()
    worst = max(_differences(rows))
    judge.say(
        "Tables 4.1-4.4 follow from their inputs to the printed digit",
        worst <= 0.0005 + 1e-9,
        f"largest difference {worst:.5f}",
    )
    _judge_means(judge)
    notes = (
        'Table 4.3 needs a "1 -" that is missing in Eq. 4.19. Eq. 4.16 to 4.21 print argmin and argmax for min and max.'
    )
    return Outcome(rows=rows, claims=judge.claims, notes=notes)


def qualities(labels: Sequence[str]) -> Qualities:
    """The invented algorithms of these names."""
    delay, ape, recall = zip(*(WORKED[label] for label in labels), strict=True)
    return Qualities.of(60.0 * np.array(delay, dtype=np.float64), ape, recall)


def _mean_tables() -> Iterator[dict[str, object]]:
    for name, printed in WORKED_TABLES.items():
        q = qualities(list(printed))
        hats = normalise_to_worst(q) if name == "4.3" else normalise_to_best(q)
        means = [mean_of_hats(hats, mean=mean) for mean in (Mean.ARITHMETIC, Mean.GEOMETRIC, Mean.HARMONIC)]
        values = np.column_stack((hats, *means))
        for label, ours in zip(printed, values, strict=True):
            yield _beside({"table": name, "algorithm": label}, COLUMNS, ours, printed[label])


def _goodness_table() -> Iterator[dict[str, object]]:
    # G keeps the normalisation of Table 4.2, over all eight; its ratio to the best of the five is goodness
    everyone = goodness(qualities(list(WORKED))).raw
    chosen = everyone[[list(WORKED).index(label) for label in WORKED_GOODNESS]]
    for label, raw in zip(WORKED_GOODNESS, chosen, strict=True):
        ours = np.array([raw, raw / chosen.max()])
        yield _beside({"table": "4.4", "algorithm": label}, ("geometric", "goodness"), ours, WORKED_GOODNESS[label])


def _beside(
    lead: Mapping[str, object], columns: Sequence[str], ours: Row, printed: Sequence[float]
) -> dict[str, object]:
    row = dict(lead)
    for column, value, published in zip(columns, ours.tolist(), printed, strict=True):
        row[column] = round(value, 6) if value == value else None
        row[f"published_{column}"] = published if published == published else None
    return row


def _differences(rows: Sequence[Mapping[str, object]]) -> Iterator[float]:
    for row in rows:
        for name, value in row.items():
            printed = row.get(f"published_{name}")
            if isinstance(value, float) and isinstance(printed, float):
                yield abs(value - printed)


def _judge_means(judge: Judge) -> None:
    """Does adding A4 to A8 change the order or the ratios of A1 to A3?"""
    few, many = qualities(FIRST), qualities(list(WORKED))
    ratios = {}
    for mean in Mean:
        alone = mean_of_hats(normalise_to_best(few), mean=mean)
        among = mean_of_hats(normalise_to_best(many), mean=mean)[: len(FIRST)]
        ratios[mean] = float(np.abs((among / among[0]) / (alone / alone[0]) - 1).max())
    judge.say(
        "C31: the geometric mean keeps order and ratios when algorithms join the comparison; arithmetic and harmonic "
        "means do not",
        ratios[Mean.GEOMETRIC] < 1e-12 and min(ratios[Mean.ARITHMETIC], ratios[Mean.HARMONIC]) > 0.1,
        f"ratios among A1 to A3 move by up to {ratios[Mean.ARITHMETIC]:.0%} (arithmetic), {ratios[Mean.HARMONIC]:.0%} "
        f"(harmonic) and {ratios[Mean.GEOMETRIC]:.0%} (geometric) when A4 to A8 join",
    )
    both = combine_modes(goodness(many).value, goodness(many).value)
    judge.say(
        "Goodness over both modes of equal results is that goodness (§5.3.2)",
        bool(np.allclose(both, goodness(many).value)),
        "the geometric mean of a number with itself",
    )


GOODNESS = Experiment(
    "reichert-goodness", "The worked examples of the goodness measure", "[R12] §4.3.6, Tables 4.1-4.4", run
)
