"""The verdict model in use: a trained one, as the store keeps it, or the one that ships with the package."""

import logging
from collections import OrderedDict
from threading import Lock

from afresh.base.errors import ModelError
from afresh.base.records.labels import KeptModel, ModelNotFound
from afresh.base.records.links import EVERYBODYS, SHIPPED, ModelChoice
from afresh.base.store_parts import LearningStore
from afresh.links.verdicts.model import VerdictModel, default_model, load_model

log = logging.getLogger("afresh.models")

_LOADED = 8  # models in memory


def put_to_use(store: LearningStore, number: int, *, now: float) -> None:
    """Lets a kept model judge for its owner; ModelError if it cannot be read, and the one before goes on."""
    kept = store.model(number)
    load_model(store.model_body(number))
    store.activate_model(number, owner=kept.owner, now=now)


def use_trained(store: LearningStore, trained: KeptModel, *, link: int | None = None, now: float) -> None:
    """Lets a model judge that was trained just now: for its owner, or for one link only."""
    if link is None:
        store.activate_model(trained.id, owner=trained.owner, now=now)
    else:
        store.choose_model(link, ModelChoice(number=trained.id))


def roll_back(store: LearningStore, owner: str = "", *, now: float) -> KeptModel | None:
    """Back to the model that was in use when the owner's present one was trained; the one that judges from now on.

    Where that was not the owner's own, the owner has none from now on and is judged for by everybody's; None: by the
    shipped one. ModelError if it cannot be read, and the present one goes on.
    """
    active = store.active_model(owner)
    if active is not None:
        before = None if active.parent is None else store.model(active.parent)
        if before is not None and before.owner == owner:
            put_to_use(store, before.id, now=now)
        else:
            store.activate_model(None, owner=owner, now=now)
    return store.active_model(owner) or (store.active_model() if owner else None)


class ActiveModel:
    """Called for every judgement: notices by itself when another model was put to use, by whatever process.

    With an owner it is that person's, whatever was chosen for a link: who asks says how to judge.
    """

    def __init__(self, store: LearningStore, owner: str = "") -> None:
        self._store, self._owner = store, owner
        self._lock = Lock()
        self._models: OrderedDict[int, VerdictModel] = OrderedDict()

    def __call__(self, choice: ModelChoice = EVERYBODYS) -> VerdictModel:
        number = self.number(choice)
        if number is None or number == SHIPPED:
            return default_model()
        with self._lock:
            if number not in self._models:
                try:
                    self._models[number] = load_model(self._store.model_body(number))
                except (ModelError, ModelNotFound):
                    # Somebody's file was damaged: a verdict by the shipped model is better than none.
                    log.exception("model %s cannot be used; the shipped one judges instead", number)
                    return default_model()
                while len(self._models) > _LOADED:
                    self._models.popitem(last=False)
            self._models.move_to_end(number)
            return self._models[number]

    def number(self, choice: ModelChoice = EVERYBODYS) -> int | None:
        """Which one it is; None: nobody has one, and the shipped one judges."""
        if not self._owner and choice.number is not None:
            return choice.number
        owner = self._owner or choice.owner
        kept = self._store.active_model(owner)
        if kept is None and owner:  # who has no model of their own uses everybody's
            kept = self._store.active_model()
        return None if kept is None else kept.id
