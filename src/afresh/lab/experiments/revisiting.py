"""The claims about polite revisiting as experiments: each figure of a report becomes a claim."""

import inspect

from afresh.lab.experiments.model import Claim, Experiment, Options, Outcome
from afresh.lab.revisit.claims import EXPERIMENTS
from afresh.lab.revisit.report import Figure, Origin, Report


def _outcome(name: str, options: Options) -> Outcome:
    function = EXPERIMENTS[name]
    offered = {"seed": options.seed, "scale": options.scale, "trace": options.trace}
    taken = {key: value for key, value in offered.items() if key in inspect.signature(function).parameters}
    report: Report = function(**taken)
    figures = [_row(item) for item in report.figures]
    return Outcome(
        rows=report.table or ([dict(report.numbers)] if report.numbers else figures),
        claims=[_claim(item) for item in report.figures],
        data={key: value for key, value in taken.items() if key in ("seed", "scale")},
    )


def _row(figure: Figure) -> dict[str, object]:
    beside = {origin.value.replace(" ", "_"): figure.expected if origin is figure.origin else None for origin in Origin}
    return {"what": figure.what, **beside, "ours": figure.ours, "wanted": figure.wanted, "holds": figure.holds}


def _claim(figure: Figure) -> Claim:
    beside = "" if figure.expected is None else f", {figure.origin} {figure.expected:g}"
    return Claim(f"{figure.what}: {figure.ours:.6g}{beside}", figure.holds, f"wanted {figure.wanted}")


def _experiment(name: str) -> Experiment:
    title = (EXPERIMENTS[name].__doc__ or name).strip().splitlines()[0].rstrip(".")
    return Experiment(name, title, "[SL], [CG03], [KPLH19]", lambda options: _outcome(name, options))


BY_NAME = {name: _experiment(name) for name in EXPERIMENTS}
