"""Pairs from version histories and from generated pages."""

import csv
import random
from pathlib import Path

import pytest

from afresh.lab.traces.errors import TraceError
from afresh.lab.verdicts.pairs import (
    other_site_pairs,
    positive_pairs,
    read_histories,
    replaced_pairs,
    same_site_pairs,
)
from afresh.lab.verdicts.replaced import HELD_OUT, JUDGED, TRAINING, replace_page
from afresh.lab.verdicts.sites import MIX_1, OPERATORS, evolve, make_page, make_site
from afresh.lab.verdicts.thesis_sets import set_1, set_2, set_3
from afresh.lab.verdicts.versions import read_versions
from afresh.links.verdicts.without_model import inspect_page


def write_folder(folder: Path, rows: list[dict[str, object]]) -> Path:
    """A folder of page versions as they are recorded."""
    for row in rows:
        path = folder / str(row["file"])
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(row.pop("body"))  # type: ignore[arg-type]
    with (folder / "index.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return folder


def generated(folder: Path, sites: int = 4, pages: int = 2, versions: int = 4) -> Path:
    rng = random.Random(5)
    rows: list[dict[str, object]] = []
    for number in range(sites):
        site = make_site(rng, number)
        for index in range(pages):
            line = evolve(make_page(rng, site, f"/{index}.html", "semantic", 3), versions, MIX_1, rng)
            rows += [
                {
                    "page_id": f"p{number}-{index}", "site": site.host, "group": site.host, "url": line.url,
                    "timestamp": 1000 * at, "file": f"pages/p{number}-{index}/{at}.html", "suspect": "", "body": body,
                }
                for at, body in enumerate(line.bodies)
            ]  # fmt: skip
    rows[1]["suspect"] = "wall"
    return write_folder(folder, rows)


def test_pairs_of_a_folder(tmp_path: Path) -> None:
    histories = read_histories(read_versions(generated(tmp_path)))
    assert len(histories.versions) == 4 * 2 * 4 - 1  # the suspect one is left out
    positives = positive_pairs(histories)
    assert len(positives) == 4 * 2 * 3 - 1
    assert all(pair.old.page.url == pair.new.page.url and pair.same for pair in positives)
    other = other_site_pairs(histories, 20, random.Random(1))
    assert all(len(pair.groups) == 2 and not pair.same for pair in other)
    same = same_site_pairs(histories, 20, random.Random(1))
    assert all(len(pair.groups) == 1 and pair.old.page.url != pair.new.page.url for pair in same)
    replaced = replaced_pairs(histories, 10, random.Random(1), TRAINING)
    assert all(pair.old.page.url == pair.new.page.url and not pair.same for pair in replaced)
    again = replaced_pairs(histories, 10, random.Random(1), TRAINING)
    assert [p.new.page.raw for p in replaced] == [p.new.page.raw for p in again]


@pytest.mark.parametrize(
    ("index", "message"),
    [
        (None, "cannot be read"),
        ("page_id,url\n", "lacks the columns file"),
        ("page_id,file\n", "no usable rows"),
        ("page_id,file\na,../../etc/passwd\n", "not below the folder"),
        ("page_id,file\na,missing.html\n", "not below the folder"),
        ("page_id,file,timestamp\na,index.csv,soon\n", "timestamp"),
    ],
)
def test_bad_folders(tmp_path: Path, index: str | None, message: str) -> None:
    if index is not None:
        (tmp_path / "index.csv").write_text(index)
    with pytest.raises(TraceError, match=message):
        read_versions(tmp_path)


def test_folders_without_the_pairs_asked_for(tmp_path: Path) -> None:
    histories = read_histories(read_versions(generated(tmp_path, sites=1, pages=1)))
    with pytest.raises(TraceError, match="two sites"):
        other_site_pairs(histories, 1, random.Random(1))
    with pytest.raises(TraceError, match="two pages"):
        same_site_pairs(histories, 1, random.Random(1))


def test_training_and_held_out_templates_share_no_wording() -> None:
    assert not {r.body for r in TRAINING.replacements} & {r.body for r in HELD_OUT.replacements}
    assert not {r.title for r in TRAINING.replacements if "$" not in r.title} & {r.title for r in HELD_OUT.replacements}
    assert not set(TRAINING.layouts) & set(HELD_OUT.layouts)
    assert not {t.name for t in TRAINING.topics} & {t.name for t in HELD_OUT.topics}
    for templates in (TRAINING, HELD_OUT):
        kinds = {replacement.kind for replacement in templates.replacements} | {"taken_over"}
        assert kinds >= {kind for kinds_of in JUDGED for kind in kinds_of}


def test_a_site_keeps_its_frame_around_an_error_page() -> None:
    rng = random.Random(3)
    body = evolve(make_page(rng, make_site(rng, 1), "/a.html", "divs", 4), 1, MIX_1, rng).bodies[0]
    made = {replace_page(body, "http://h/a.html", ("soft_404",), TRAINING, random.Random(seed)) for seed in range(12)}
    assert any(b'id="nav"' in page for page in made)
    assert all(page != body for page in made)


@pytest.mark.parametrize("kinds", JUDGED)
def test_odd_pages_can_be_replaced_too(kinds: tuple[str, ...]) -> None:
    for body in (b"", b"\xff\xfe\x00", b"plain text", b"<title>$host ${x}</title>"):
        assert replace_page(body, "not a url", kinds, HELD_OUT, random.Random(1))


def test_generated_sets_have_the_shape_of_the_thesis() -> None:
    first, second = set_1(0), set_2(0)
    assert sum(pair.same for pair in first.pairs) == 168
    assert sum(not pair.same for pair in first.pairs) == 837
    assert sum(pair.same for pair in second.pairs) == 229
    assert sum(not pair.same for pair in second.pairs) == 570
    positives = [pair for pair in first.pairs if pair.same]
    same_text = sum(pair.old.page.text == pair.new.page.text for pair in positives) / len(positives)
    assert 0.15 <= same_text <= 0.45


def test_the_hard_set_has_two_label_sets() -> None:
    loose, strict = set_3(1, 0.2), set_3(1, 0.2, attributive=True)
    assert len(loose.pairs) == len(strict.pairs)
    flipped = [a for a, b in zip(loose.pairs, strict.pairs, strict=True) if a.same != b.same]
    assert flipped
    assert all(pair.same for pair in flipped)
    kinds = {pair.kind for pair in strict.pairs}
    assert kinds == {"same", "grey", "replaced", "same_site"}


def test_no_benign_change_looks_like_a_sign() -> None:
    rng = random.Random(7)
    mix = dict.fromkeys(OPERATORS, 1)
    line = evolve(make_page(rng, make_site(rng, 1), "/", "plain", 4), 20, mix, rng)
    assert len(line.bodies) == 20
    histories = [pair.new for pair in set_1(0, 0.2).pairs]
    assert not any(inspect_page(page) for page in histories)
