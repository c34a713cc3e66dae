"""How much the beliefs of the default rule matter: one line for each, halved and doubled."""

from afresh.base.calendar import DAY
from afresh.feeds.rules import load
from afresh.feeds.rules.priced import BELIEFS, Priced
from afresh.lab.experiments import Options
from afresh.lab.experiments.sensitivity import FACTORS, effects_on, spec
from afresh.lab.population import START, generate
from afresh.lab.replay.period import Period


def test_a_variant_differs_from_the_rule_as_shipped_in_one_belief() -> None:
    for name in BELIEFS:
        for factor in FACTORS:
            changed = load(spec(name, factor))
            assert isinstance(changed, Priced)
            apart = [one for one in BELIEFS if getattr(changed, one) != getattr(Priced(), one)]
            assert apart == [name]
            assert getattr(changed, name) == getattr(Priced(), name) * factor


def test_a_belief_is_halved_and_doubled_at_no_more_polls_than_the_reference() -> None:
    begin = START + DAY
    trace, period = generate(100, 1), Period(begin, begin + 4 * DAY, begin + 10 * DAY)
    effects, spent = effects_on(trace, period, ["usual"], Options())
    assert list(effects) == [("usual", 0.5), ("usual", 2.0)]
    (_, less), (_, more) = effects.values()
    assert less < more  # the more a feed counts, the longer entries wait
    assert spent <= 1.0
