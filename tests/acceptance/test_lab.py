"""``afresh lab`` as a black box: histories made, replayed, recommended on, described; experiments by name."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from afresh.base.durations import format_duration

DAY = 86_400.0
SHORT = ("--train", "7d", "--test", "20d", "--jobs", "1")


def afresh(*arguments: str, cwd: Path, code: int = 0) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": os.environ["PATH"], "HOME": str(cwd)}
    answer = subprocess.run(
        [sys.executable, "-m", "afresh", "lab", *arguments],
        cwd=cwd, env=environment, capture_output=True, text=True, timeout=240,
    )  # fmt: skip
    assert answer.returncode == code, answer.stderr
    return answer


def told(*arguments: str, cwd: Path) -> Any:
    return json.loads(afresh(*arguments, "--json", cwd=cwd).stdout)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a synthetic history in it."""
    folder = tmp_path_factory.mktemp("lab")
    summary = told("generate", "feeds", "--count", "150", "--seed", "5", "-o", "feeds", cwd=folder)
    assert summary["feeds"] == 150
    assert summary["entries"] > 1_000
    return folder


def test_a_history_is_not_overwritten_unasked(made: Path) -> None:
    again = ("generate", "feeds", "--count", "1", "-o", "feeds")
    refused = afresh(*again, cwd=made, code=2)
    assert refused.stderr == "afresh: feeds holds a history already; name another folder, or add --overwrite\n"
    assert told("trace", "describe", "feeds", cwd=made)["feeds"] == 150
    afresh("generate", "feeds", "--count", "1", "-o", "other", cwd=made)
    assert told("generate", "feeds", "--count", "2", "-o", "other", "--overwrite", cwd=made)["feeds"] == 2


def test_what_there_is(tmp_path: Path) -> None:
    shown = told("list", cwd=tmp_path)
    names = [item["name"] for item in shown["experiments"]]
    assert {"reichert-comparison", "reichert-goodness", "afresh-rules"} <= set(names)
    assert all(item["title"] and item["source"] for item in shown["experiments"])
    assert {"mavsync", "priced", "sqrt", "miniflux"} <= {item["name"] for item in shown["rules"]}


def test_replay(made: Path) -> None:
    rules = ("--rule", "mavsync", "--rule", "fix:interval=1d", "--rule", "priced")
    rows = told("replay", "--trace", "feeds", *rules, "--match-polls", "mavsync", *SHORT, cwd=made)
    assert [row["name"] for row in rows] == ["mavsync", "fix", "priced"]
    mavsync, fix, priced = rows
    assert fix["polls"] == 150 * 20
    assert fix["params"] == {"interval": 86_400.0}
    for row in rows:
        assert row["feeds"] == 150
        assert 0 < row["recall_entries"] == pytest.approx(row["found"] / (row["found"] + row["missed"] + row["open"]))
        assert row["ape_entries"] == pytest.approx(row["polls"] / row["found"])
        assert row["polls_per_second"] > 0
    assert max(row["goodness"] for row in rows) == 1.0
    assert priced["delay_entries"] < mavsync["delay_entries"]
    again = told("replay", "--trace", "feeds", "--rule", "mavsync", *SHORT, cwd=made)
    assert again[0]["found"] == mavsync["found"]


def test_which_feeds_a_table_is_made_of_is_told(made: Path) -> None:
    """Three feeds: one was listed too late, one is silent."""
    (made / "few").mkdir()
    days = [1_310_101_200 + day * int(DAY) for day in range(61)]
    (made / "few" / "entries.csv").write_text("feed_id,timestamp\n" + "".join(f"1,{at}\n3,{at}\n" for at in days))
    late = f"1,5,{days[0]}\n2,5,{days[0]}\n3,5,{days[50]}\n"
    (made / "few" / "feeds.csv").write_text("feed_id,window,listed_from\n" + late)
    shown = afresh("replay", "--trace", "few", "--rule", "fix:interval=1d", "--jobs", "1", cwd=made).stdout
    assert "\n2 of 3 feeds: those that were listed throughout, and are as --where says.\n" in shown
    assert "\n1 of 2 feeds published nothing while the rules were tested: their polls count, and " in shown


def test_a_row_is_named_by_the_rule_that_ran_and_says_where_its_price_was_moved(made: Path) -> None:
    asked = ("replay", "--trace", "feeds", "--rule", "mavsync", *SHORT)
    mavsync, dear, plain = told(
        *asked, "--rule", "priced:price=100000", "--rule", "priced", "--match-polls", "mavsync", cwd=made
    )
    assert (mavsync["rule"], mavsync["steered_to"], mavsync["price_least"]) == ("mavsync", "", None)
    assert dear["spec"] == f"priced:price={dear['params']['price']:g}" != dear["asked"] == "priced:price=100000"
    assert (dear["rule"], dear["steered_to"]) == (f"{dear['spec']} steered", "mavsync")
    assert dear["price_least"] < dear["params"]["price"] < dear["price_most"]
    same = ("spec", "polls", "found", "delay_entries", "price_least", "price_most")
    assert [dear[name] for name in same] == [plain[name] for name in same], "the price that was written is replaced"
    shown = afresh(*asked, "--rule", dear["spec"], "--match-polls", "mavsync", cwd=made).stdout.splitlines()
    assert f"{dear['polls']:,}" in next(line for line in shown if line.startswith(f"{dear['spec']} steered  "))
    [words] = [line for line in shown if line.startswith(f"{dear['spec']} steered, asked for as {dear['spec']}: ")]
    assert f"between {dear['price_least']:.4g} and {dear['price_most']:.4g}" in words
    assert f"--rule {dear['spec']} without --match-polls" in words
    _, kept = told(*asked, "--rule", dear["spec"], cwd=made)
    assert (kept["rule"], kept["steered_to"]) == (dear["spec"], "")


def test_a_generated_history_is_as_long_as_a_replay_wants_it(made: Path) -> None:
    asked = ("replay", "--trace", "feeds", "--rule", "fix:interval=1d", "--jobs", "1")
    [row] = told(*asked, cwd=made)
    assert (row["tested_from"] - row["trained_from"], row["tested_to"] - row["tested_from"]) == (28 * DAY, 56 * DAY)
    last = afresh(*asked, cwd=made).stdout.splitlines()[-1]
    assert last == "learnt from 2011-07-08 to 2011-08-05 (28d), tested from then to 2011-09-30 (56d)."


def test_a_shorter_history_is_divided_and_never_replayed_beyond_its_beginning(made: Path) -> None:
    afresh("generate", "feeds", "--count", "60", "--days", "28", "-o", "month", cwd=made)
    asked = ("replay", "--trace", "month", "--rule", "fix:interval=1d", "--jobs", "1")
    last = afresh(*asked, cwd=made).stdout.splitlines()[-1]
    assert "(9d), tested from then to 2011-08-05 (18d)" in last
    assert last.endswith("the history is complete since 2011-07-08, too short for the usual 28d and 56d.")
    refused = afresh(*asked, "--test", "900d", cwd=made, code=2).stderr
    assert refused.startswith("afresh: --test 900d would take 2009-02-16 to 2011-08-05, but trace month is complete")
    told_why = told("recommend", "--trace", "month", "--jobs", "1", cwd=made)
    assert told_why["tested_to"] - told_why["tested_from"] == 18 * DAY


def test_replay_shows_the_distribution_of_delays(made: Path) -> None:
    asked = ("replay", "--trace", "feeds", "--rule", "mavsync", "--delays", *SHORT)
    heading, line, goodness, *_ = afresh(*asked, cwd=made).stdout.splitlines()
    assert goodness.startswith("goodness: one figure for delay, polls an entry and recall, weighed so that half")
    row = told(*asked, cwd=made)[0]
    assert "feed median  feed 95 %  feed max  entry median  entry 95 %  entry max" in heading
    names = ("median_feeds", "p95_feeds", "max_feeds", "median_entries", "p95_entries", "max_entries")
    assert line.split()[-6:] == [format_duration(row[f"delay_{name}"]) for name in names]


def test_replay_shows_the_delay_by_the_age_of_our_knowledge(made: Path) -> None:
    asked = ("replay", "--trace", "feeds", "--rule", "mavsync", "--by-age", *SHORT)
    heading, line = afresh(*asked, cwd=made).stdout.splitlines()[-2:]
    ages = told(*asked, cwd=made)[0]["ages"]
    assert [age["span"] for age in ages][:3] == ["hour", "day", "week"]
    assert "first day: polls" in heading
    assert line.split()[-len(ages) :] == [format_duration(age["delay_entries"]) for age in ages]


def test_recommend(made: Path) -> None:
    asked = ("--weights", "delay=2,polls=1,entries=0", "--where", "rate_per_day>=0")
    answer = told("recommend", "--trace", "feeds", *asked, *SHORT, cwd=made)
    ranking = answer["ranking"]
    assert answer["recommended"].startswith(ranking[0]["name"])
    assert [row["goodness"] for row in ranking] == sorted((row["goodness"] for row in ranking), reverse=True)
    assert answer["weights"] == {"delay": 2.0, "ape": 1.0, "recall": 1.0}
    assert answer["modes"] == {"feeds": 1.0, "entries": 0.0}
    assert all(row["goodness"] == row["goodness_feeds"] for row in ranking), "only averages over feeds count"
    assert len({row["name"] for row in ranking}) > 20


def test_recommend_weighs_polls_says_why_and_draws(made: Path) -> None:
    asked = ("recommend", "--trace", "feeds", *SHORT, "--weights")
    shown = afresh(*asked, "polls=2", "--picture", "trade.svg", cwd=made).stdout
    picked = shown.rpartition("recommended: ")[2].splitlines()
    assert "weighed so that half the polls make up for 4 times the delay; 100 % is best" in shown
    assert "of the delay of mavsync at" in shown
    assert f'predict.rule = "{picked[0]}"' in picked[-1]
    ranks = [line.split()[0] for line in shown.partition("goodness: ")[0].splitlines()[1:]]
    assert len({spec.partition(":")[0] for spec in ranks}) == len(ranks) >= 10, "of each rule its best"
    assert "mavsync" in ranks
    even = afresh(*asked, "delay=1", cwd=made).stdout
    assert polls_an_entry(shown) < polls_an_entry(even)
    assert f"a  {picked[0]}" in shown, "the picture explains its letters"
    assert (made / "trade.svg").read_text().startswith("<svg")


@pytest.mark.parametrize("weights", ["polls=1", "polls=2"])
def test_recommend_names_what_can_be_set_with_its_own_numbers_and_the_cheapest_of_all_that_are_sooner(
    made: Path, weights: str
) -> None:
    answer = told("recommend", "--trace", "feeds", "--weights", weights, *SHORT, cwd=made)
    pick, *others = answer["ranking"]
    assert answer["recommended"] == pick["spec"] == pick["rule"]
    assert len({row["spec"] for row in (pick, *others)}) == len((pick, *others)), "each was tried once"
    [again] = told("replay", "--trace", "feeds", "--rule", pick["spec"], *SHORT, cwd=made)
    same = ("polls", "found", "missed", "delay_feeds", "delay_entries")
    assert [again[name] for name in same] == [pick[name] for name in same]
    waits = f"An entry waits {format_duration(again['delay_entries'])} on average, for {again['ape_entries']:.1f} polls"
    assert answer["why"][0].startswith(waits)
    sooner = [row for row in others if row["delay_entries"] < pick["delay_entries"]]
    cheapest = min(sooner, key=lambda row: row["ape_entries"])
    assert f"The cheapest with a shorter delay is {cheapest['spec']}: " in "".join(answer["why"])
    assert sum(row["name"] == "priced" for row in (pick, *others)) >= 8, "prices are candidates of their own"


def polls_an_entry(shown: str) -> float:
    """Of the rule that is recommended."""
    return float(shown.rpartition("recommended: ")[2].split(" polls an entry")[0].rpartition(" ")[2])


def test_a_weight_is_what_it_says_and_who_polls_most_is_not_recommended_without_a_word(made: Path) -> None:
    asked = ("recommend", "--trace", "feeds", *SHORT, "--weights")
    glad = afresh(*asked, "delay=2", cwd=made).stdout  # not whoever polls every minute
    assert 0 < polls_an_entry(glad) < 20
    answer = told(*asked, "delay=2,polls=1", cwd=made)
    assert answer["weights"] == {"delay": 2.0, "ape": 1.0, "recall": 1.0}
    even = told(*asked, "delay=2,polls=2", cwd=made)["recommended"]
    assert f"if they counted the same (polls=2), it would be {even}: " in answer["why"][-1]


@pytest.mark.parametrize(
    ("wanted", "shortest", "is_met", "ending"),
    [
        ("1h", "1m", True, "met (up to 10% above counts, as in the daemon)."),
        ("5m", "1h", False, "% above: not met."),
    ],
)
def test_refresh_says_whether_the_delay_that_was_wanted_is_met(
    made: Path, wanted: str, shortest: str, is_met: bool, ending: str
) -> None:
    asked = ("refresh", "--trace", "feeds", "--mean-delay", wanted, "--shortest", shortest, *SHORT)
    [row] = told(*asked, cwd=made)
    assert row["is_met"] is is_met
    line = afresh(*asked, cwd=made).stdout.splitlines()[-2]
    assert line.startswith(f"a mean delay of {wanted} was wanted: {format_duration(row['delay_entries'])}, ")
    assert line.endswith(ending)


def test_trace_describe(made: Path) -> None:
    described = told("trace", "describe", "feeds", cwd=made)
    assert described["feeds"] == 150
    assert sum(described["patterns"].values()) == 150
    assert described["windows"]["p50"] > 0


def test_an_experiment_and_its_report(tmp_path: Path) -> None:
    rows = told("run", "reichert-ttl", "--scale", "0.03", "--jobs", "1", cwd=tmp_path)
    assert [row["ttl"] for row in rows] == ["ignored", "lower bound", "interval"]
    assert rows[2]["published_ape_feeds"] == 119.187
    assert rows[2]["ape_feeds"] > 5 * rows[0]["ape_feeds"]
    shown = afresh("run", "reichert-goodness", "-o", "report", cwd=tmp_path).stdout
    assert "holds           C31" in shown
    written = {path.name for path in (tmp_path / "report").iterdir()}
    assert written == {"results.csv", "report.json", "report.md", "report.html"}
    assert "<h2>Claims</h2>" in (tmp_path / "report" / "report.html").read_text()


def test_an_experiment_on_a_recorded_history(made: Path) -> None:
    rows = told("run", "reichert-patterns", "--trace", "feeds", cwd=made)
    assert sum(row["share"] for row in rows) == pytest.approx(1.0, abs=0.001)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("run", "reichert-comparisn"), ("reichert-comparison",)),
        (("replay", "--trace", "nowhere"), ("nowhere",)),
        (("replay", "--trace", "feeds", "--rule", "mavsyn"), ("mavsync",)),
        (("replay", "--trace", "feeds", "--train", "40000d"), ("--train", "shorten")),
        (("replay", "--trace", "feeds", "--train", "28d", "--test", "60d"), ("complete from 2011-07-08", "shorten")),
        (("recommend", "--trace", "feeds", "--weights", "delay"), ("polls=2",)),
    ],
)
def test_mistakes_are_answered_in_one_line(made: Path, arguments: tuple[str, ...], words: tuple[str, ...]) -> None:
    lines = afresh(*arguments, cwd=made, code=2).stderr.strip().splitlines()
    assert len(lines) == 1, lines
    for word in words:
        assert word in lines[0]
