"""Settings: order of sources, checks, and messages that help."""

from pathlib import Path

import pytest

from afresh.base.errors import ConfigError
from afresh.base.settings import OPTIONS, Settings, load_settings, option_names, parse_override


def test_every_setting_has_its_line_in_the_table_and_no_line_is_left_over() -> None:
    assert set(option_names()) == set(OPTIONS)


def test_later_sources_win_and_are_named(tmp_path: Path) -> None:
    file = tmp_path / "afresh.toml"
    file.write_text('[predict]\nlongest = "2d"\nshortest = 30\n[politeness]\ndelay = "1m"\n')
    loaded = load_settings(
        file=file, environment={"AFRESH_PREDICT_LONGEST": "3d", "HOME": "/x"}, overrides={"politeness.delay": "2m"}
    )
    origins = {item.name: item for item in loaded.origins}
    assert loaded.settings.predict.shortest == 30.0
    assert origins["predict.shortest"].source == str(file)
    assert loaded.settings.predict.longest == 3 * 86_400
    assert origins["predict.longest"].source == "environment AFRESH_PREDICT_LONGEST"
    assert (loaded.settings.politeness.delay, origins["politeness.delay"].source) == (120.0, "command line")
    assert origins["service.port"].source == "default"


def test_secrets_are_hidden() -> None:
    loaded = load_settings(overrides={"service.tokens": "a-very-long-secret-token"})
    shown = {item.name: item.shown for item in loaded.origins}
    assert shown["service.tokens"] == "(hidden)"
    assert loaded.settings.service.tokens == ("a-very-long-secret-token",)


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("politeness.delay", "soon", "an accepted example is 5s"),
        ("politeness.delay", "-5", "an accepted example is 5s"),
        ("politeness.scope", "planet", "must be one of: host, domain, service"),
        ("service.port", "70000", "must be a port number"),
        ("fetch.allow_private", "perhaps", "an accepted example is false"),
        ("predict.bta", "1d", "unknown option predict.bta"),
        ("predict.standard", "2d", "predict.shortest ≤ predict.standard ≤ predict.longest"),
        ("fetch.allowed_networks", "10.0.0.0/99", "not a network"),
        ("hygiene.retry", "8d", "hygiene.retry ≤ hygiene.longest_retry must hold; they are 8d and 7d"),
        ("hygiene.shortest_revisit", "91d", "hygiene.shortest_revisit ≤ hygiene.longest_revisit must hold"),
        ("hygiene.budget", "-1", "must be a number of at least 0; an accepted example is 10000"),
        ("hygiene.budget_per_referral", "inf", "must be a number of at least 0; an accepted example is 1"),
        ("hygiene.failures", "0", "must be greater than 0"),
    ],
)
def test_a_bad_value_names_the_option_and_what_is_accepted(name: str, value: str, expected: str) -> None:
    with pytest.raises(ConfigError, match=expected.replace("(", r"\(")) as caught:
        load_settings(overrides={name: value})
    assert caught.value.option == name


def test_a_missing_or_broken_file_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no such settings file"):
        load_settings(file=tmp_path / "none.toml")
    broken = tmp_path / "broken.toml"
    broken.write_text("[predict\n")
    with pytest.raises(ConfigError, match="cannot read settings file"):
        load_settings(file=broken)
    stray = tmp_path / "stray.toml"
    stray.write_text("delay = 3\n")
    with pytest.raises(ConfigError, match="outside a section"):
        load_settings(file=stray)


@pytest.mark.parametrize("written", [f"10.0.0.0/8{mark}::1/128" for mark in (",", ", ", ";", " ")])
def test_a_list_may_be_written_with_commas(written: str) -> None:
    loaded = load_settings(environment={"AFRESH_FETCH_ALLOWED_NETWORKS": written})
    assert loaded.settings.fetch.allowed_networks == ("10.0.0.0/8", "::1/128")


def test_commas_within_a_value_stay(tmp_path: Path) -> None:
    loaded = load_settings(environment={"AFRESH_POLITENESS_SERVICES": "forum=a.example,b.example"})
    assert loaded.settings.politeness.services == ("forum=a.example,b.example",)


def test_overrides_are_written_name_equals_value() -> None:
    assert parse_override("politeness.delay = 10s") == ("politeness.delay", "10s")
    with pytest.raises(ConfigError, match="--set"):
        parse_override("politeness.delay")


@pytest.mark.parametrize(
    ("name", "value", "word"),
    [
        ("budget.requests_per_hour", 0, "no budget"),
        ("budget.requests_per_hour", -5, "no budget"),
        ("budget.requests_per_hour", "nan", "no budget"),
        ("budget.requests_per_hour", "inf", "no budget"),
        ("budget.requests_per_hour", "1000/h", "accepted example is 1000"),
        ("budget.requests_per_minute", "0", "no budget"),
        ("budget.bytes_per_hour", -1.0, "no budget"),
        ("budget.bytes_per_hour", "5 MB", "accepted example is 100000000"),
        ("budget.mean_delay", 20, "lacks a unit"),
        ("budget.mean_delay", "20", "lacks a unit"),
        ("budget.mean_delay", "0m", "no budget"),
        ("budget.mean_delay", "-20m", "accepted example is 20m"),
        ("budget.mean_delay", "never", "no budget"),
        ("budget.requests", 1000, "unknown option"),
    ],
)
def test_a_budget_that_is_none_is_refused_with_an_example(name: str, value: object, word: str) -> None:
    with pytest.raises(ConfigError, match=word):
        load_settings(overrides={name: value})


def test_a_budget_that_is_one_is_taken() -> None:
    given = {"budget.mean_delay": "20m", "budget.bytes_per_hour": "1e8"}
    budget = load_settings(overrides=given).settings.budget
    assert (budget.mean_delay, budget.bytes_per_hour, budget.hourly) == (1200.0, 1e8, 0.0)


@pytest.mark.parametrize("name", OPTIONS)
def test_the_example_of_every_option_is_taken_from_file_environment_and_command_line(name: str, tmp_path: Path) -> None:
    """The same text, as the reference shows it, means the same wherever it stands."""
    option = OPTIONS[name]
    section, _, key = name.partition(".")
    default = getattr(getattr(Settings(), section), key)
    if not option.example:
        assert default == "", name
        return
    is_text = option.is_duration or isinstance(default, str)
    written = f'"{option.example}"' if is_text else option.example
    file = tmp_path / "afresh.toml"
    file.write_text(f"[{section}]\n{key} = {written}\n", encoding="utf-8")
    variable = f"AFRESH_{name.replace('.', '_').upper()}"
    found = [
        load_settings(file=file),
        load_settings(environment={variable: option.example}),
        load_settings(overrides={name: option.example}),
    ]
    values = [getattr(getattr(one.settings, section), key) for one in found]
    assert values[0] == values[1] == values[2], name
