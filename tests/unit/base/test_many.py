"""Values made many at a time are those that are made one by one."""

from dataclasses import FrozenInstanceError, fields

import pytest

from afresh.base.many import maker
from afresh.base.models import Added, NewResource
from afresh.base.records.links import LinkRef
from afresh.engine.add import AddResult, Wanted


@pytest.mark.parametrize("kind", [LinkRef, Wanted, NewResource, AddResult, Added])
def test_they_are_equal_and_frozen(kind: type) -> None:
    names = [field.name for field in fields(kind)]
    given = [f"value of {name}" for name in names]
    made = maker(kind)(*given)
    one = kind(**dict(zip(names, given, strict=True)))
    assert (made, hash(made), repr(made), type(made)) == (one, hash(one), repr(one), kind)
    with pytest.raises(FrozenInstanceError):
        setattr(made, names[0], "other")
    with pytest.raises(TypeError):
        maker(kind)(*given[:-1])
