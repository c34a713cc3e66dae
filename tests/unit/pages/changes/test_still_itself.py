"""How much of a page is left, without the frame of its site."""

from afresh.pages.changes.still_itself import is_itself

_MENU = tuple(f"Menu {number}" for number in range(20))
_WALL = "Please log in to continue."


def test_half_of_the_own_text_is_enough_and_less_is_not() -> None:
    kept, gone = "The harbour was built of stone.", "The market was built of bricks."
    assert len(kept) == len(gone)
    assert is_itself((*_MENU, kept, gone), (*_MENU, kept, _WALL), own=(kept, _WALL))
    assert not is_itself((*_MENU, kept, f"{gone}!"), (*_MENU, kept, _WALL), own=(kept, _WALL))


def test_the_frame_says_nothing_however_much_of_the_page_it_is() -> None:
    assert is_itself((*_MENU, "Some text."), (*_MENU, _WALL))
    assert not is_itself((*_MENU, "Some text."), (*_MENU, _WALL), own=(_WALL,))


def test_a_page_of_links_that_are_all_there_is_itself() -> None:
    assert is_itself(_MENU, (*_MENU, _WALL), own=(_WALL,))


def test_texts_without_blanks_count_by_their_letters() -> None:
    old = ("メニュー", "地図", "営業時間は午前九時から午後六時までです。駐車場は店の裏にあります。")
    assert not is_itself(old, (*old[:2], "ログインしてください。"))
    assert is_itself(old, (old[2], "ログインしてください。"))
