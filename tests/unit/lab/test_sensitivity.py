"""How much the beliefs of the default rule matter: one line for each, halved and doubled."""

from afresh.feeds.rules import load
from afresh.feeds.rules.priced import BELIEFS, Priced
from afresh.lab.experiments import Options, experiment
from afresh.lab.experiments.sensitivity import FACTORS, spec


def test_a_variant_differs_from_the_rule_as_shipped_in_one_belief() -> None:
    for name in BELIEFS:
        for factor in FACTORS:
            changed = load(spec(name, factor))
            assert isinstance(changed, Priced)
            apart = [one for one in BELIEFS if getattr(changed, one) != getattr(Priced(), one)]
            assert apart == [name]
            assert getattr(changed, name) == getattr(Priced(), name) * factor


def test_every_belief_is_halved_and_doubled_at_no_more_polls_than_the_reference() -> None:
    found = experiment("priced-sensitivity").run(Options(scale=0.01, jobs=2))
    assert [(row["belief"], row["value"]) for row in found.rows] == [
        (name, getattr(Priced(), name) * factor) for name in BELIEFS for factor in FACTORS
    ]
    assert any(row["entries_percent"] for row in found.rows)
    assert found.claims[0].holds, found.claims[0].why
