"""A heap of pages by due time in which any page can be moved or taken out."""

from afresh.base.compiled import compiled
from afresh.lab.replay.trace import Floats, Ints


@compiled()
def before(key: Floats, i: int, j: int) -> bool:
    """Earlier, and among equals the page of smaller number: the order is the same in every run."""
    return bool(key[i] < key[j] or (key[i] == key[j] and i < j))


@compiled()
def put(heap: Ints, place: Ints, page: int, at: int) -> None:
    """The page stands there from now on."""
    heap[at] = page
    place[page] = at


@compiled()
def sift_up(heap: Ints, place: Ints, key: Floats, at: int) -> None:
    """Moves the page at ``at`` towards the top."""
    page = heap[at]
    while at > 0:
        above = (at - 1) >> 1
        if not before(key, page, heap[above]):
            break
        put(heap, place, heap[above], at)
        at = above
    put(heap, place, page, at)


@compiled()
def sift_down(heap: Ints, place: Ints, key: Floats, at: int, size: int) -> None:
    """Moves the page at ``at`` away from the top."""
    page = heap[at]
    while True:
        below = 2 * at + 1
        if below >= size:
            break
        if below + 1 < size and before(key, heap[below + 1], heap[below]):
            below += 1
        if not before(key, heap[below], page):
            break
        put(heap, place, heap[below], at)
        at = below
    put(heap, place, page, at)


@compiled()
def heapify(heap: Ints, place: Ints, key: Floats, size: int) -> None:
    """Restores the order after many keys have changed."""
    for at in range(size // 2 - 1, -1, -1):
        sift_down(heap, place, key, at, size)
    for at in range(size):
        place[heap[at]] = at


@compiled()
def insert(heap: Ints, place: Ints, key: Floats, size: int, page: int) -> int:
    """Adds a page whose key is set; the new size."""
    heap[size] = page
    sift_up(heap, place, key, size)
    return size + 1


@compiled()
def move(heap: Ints, place: Ints, key: Floats, size: int, page: int) -> None:
    """Restores the order after the key of one page has changed."""
    sift_up(heap, place, key, place[page])
    sift_down(heap, place, key, place[page], size)


@compiled()
def remove(heap: Ints, place: Ints, key: Floats, size: int, page: int) -> int:
    """Takes a page out; the new size."""
    at = place[page]
    size -= 1
    if at != size:
        put(heap, place, heap[size], at)
        move(heap, place, key, size, heap[at])
    place[page] = -1
    return size
