"""The verdict model in use: a trained one, as the store keeps it, or the one that ships with the package."""

import logging
from threading import Lock

from afresh.core.links.learning import LearningStore
from afresh.core.verdicts import VerdictModel, default_model, load_model
from afresh.errors import ModelError

log = logging.getLogger("afresh.models")


def put_to_use(store: LearningStore, number: int, *, now: float) -> None:
    """Lets a kept model judge for its owner; ModelError if it cannot be read, and the one before goes on."""
    kept = store.model(number)
    load_model(store.model_body(number))
    store.activate_model(number, owner=kept.owner, now=now)


class ActiveModel:
    """Called for every judgement: notices by itself when another model was put to use, by whatever process."""

    def __init__(self, store: LearningStore, owner: str = "") -> None:
        self._store, self._owner = store, owner
        self._lock = Lock()
        self._number: int | None = None
        self._model: VerdictModel | None = None

    def __call__(self) -> VerdictModel:
        kept = self._store.active_model(self._owner)
        if kept is None and self._owner:  # who has no model of their own uses everybody's
            kept = self._store.active_model()
        if kept is None:
            return default_model()
        with self._lock:
            if self._model is None or self._number != kept.id:
                try:
                    self._model, self._number = load_model(self._store.model_body(kept.id)), kept.id
                except ModelError:
                    # Somebody's file was damaged: a verdict by the shipped model is better than none.
                    log.exception("model %s cannot be used; the shipped one judges instead", kept.id)
                    return default_model()
            return self._model
