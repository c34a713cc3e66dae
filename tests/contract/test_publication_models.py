"""Every publication model and every refresh strategy obeys the laws of its kind."""

from collections.abc import Callable

import pytest

from afresh.feeds.estimators import Estimator
from afresh.feeds.strategies import Strategy
from afresh.lab.refresh.catalogue import ESTIMATORS, STRATEGIES, estimator, strategy
from tests.laws.estimators import MODEL_LAWS, STRATEGY_LAWS

MODELS = [estimator(name) for name in ESTIMATORS] + [
    estimator("single", adaptive=True, naive=True),
    estimator("periodic", adaptive=True, slots=48),
    estimator("hybrid", memory=0.0),
]
RULES = [strategy(name, budget=6.0) for name in STRATEGIES if name != "uniform_random"] + [
    strategy("uniform_random", interval=4.0, rounds=4.0),
    strategy("two_steps", budget=0.4, horizon=50.0, least=10.0, tau=1e4),
    strategy("uniform", budget=2.5),
]


@pytest.mark.parametrize("law", MODEL_LAWS, ids=lambda law: law.__name__)
@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_models(model: Estimator, law: Callable[[Estimator], None]) -> None:
    law(model)


@pytest.mark.parametrize("law", STRATEGY_LAWS, ids=lambda law: law.__name__)
@pytest.mark.parametrize("chosen", RULES, ids=lambda chosen: f"{chosen.name}-{chosen.budget}")
def test_strategies(chosen: Strategy, law: Callable[[Strategy], None]) -> None:
    law(chosen)
