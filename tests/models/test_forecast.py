"""What training will take is told before, and what cannot fit is refused at once."""

from __future__ import annotations

import pytest

from weft import commands
from weft.commands import training
from weft.errors import EvidenceError, LimitError, RoomError
from weft.features.templates import templates
from weft.models import Chain, forecast
from weft.models.forecast import Forecast, forecast_chain, memory_limit
from weft.models.tables import Form, Tables
from weft.recipes import find_recipe
from weft.structures.evidence import Example, example
from weft.train import fit


def many_tags(count: int) -> list[Example]:
    return [example([f"w{tag}", "end"], [f"T{tag}", "E"]) for tag in range(count)]


def test_order_and_tags_decide():
    first, second = (forecast_chain(order, 444, 1000) for order in (1, 2))
    assert second.memory > 5e9 > 1e9 > first.memory
    assert second.seconds > 100 * first.seconds
    assert forecast_chain(2, 444, 1000, every_ngram=True).memory > 2 * second.memory
    assert forecast_chain(1, 100, 2000).seconds == 2 * forecast_chain(1, 100, 1000).seconds


def test_pairs_with_a_weight_count_where_they_are_few():
    dense, sparse, twice = (
        forecast_chain(1, 1000, 50_000, ngrams=ngrams) for ngrams in (None, 20_000, 40_000)
    )
    assert sparse.seconds < dense.seconds / 10
    assert sparse.memory < dense.memory / 4
    assert sparse.seconds < twice.seconds < dense.seconds
    assert forecast_chain(1, 20, 1000, ngrams=200) == forecast_chain(1, 20, 1000)


def test_pairs_are_counted_where_every_token_has_a_tag():
    corpus = many_tags(400)
    plain = Chain().forecast(corpus)
    assert plain == forecast_chain(1, 401, 800, ngrams=801, longest=2)
    for chain in (Chain(ngrams="all"), Chain(pair_templates=templates("bias"))):
        assert chain.forecast(corpus).seconds > 10 * plain.seconds
    partly = [*corpus, example(["x", "y"], ["E", None])]
    assert Chain().forecast(partly).seconds > 10 * plain.seconds


@pytest.mark.parametrize("recipe", ["hmm", "mrf"])
def test_what_cannot_fit_is_refused_at_once(monkeypatch, recipe):
    """Before anything is made that large: 500 tags would take 20 GB."""
    monkeypatch.setattr(forecast, "memory_limit", lambda: 4 * 10**9)
    chosen = find_recipe(recipe)
    spec = type(chosen.model)(order=2, templates=chosen.model.templates, ngrams=chosen.model.ngrams)
    with pytest.raises(LimitError, match=r"order 2 with 501 tags takes about .* GB.* order=1"):
        fit(spec, many_tags(500))


def test_triples_with_a_weight_count_where_they_are_few():
    """Those of 500 tags are; and of pairs of tags, the allowed ones are states."""
    whole, few = (forecast_chain(2, 500, 9_000, ngrams=ngrams) for ngrams in (None, 20_000))
    assert few.memory < whole.memory / 5
    assert few.seconds < whole.seconds / 50
    less = forecast_chain(2, 500, 9_000, ngrams=20_000, allowed=20.0)
    assert less.memory < few.memory / 2
    assert less.seconds < few.seconds / 5
    longer = forecast_chain(2, 500, 9_000, ngrams=20_000, longest=100)
    assert longer.memory > few.memory


def test_allowed_tags_are_what_to_change(monkeypatch):
    """Where states are too many, and not where a table of all triples is."""
    corpus = [*many_tags(500), example(["w"] * 3000, ["E"] * 3000)]
    monkeypatch.setattr(forecast, "memory_limit", lambda: 10**9)
    with pytest.raises(LimitError, match=r"order 2 with 501 tags .*: allowed=dictionary, order=1"):
        fit(Chain(order=2), corpus)
    with pytest.raises(LimitError, match=r": order=1, or fewer tags"):
        fit(Chain(order=2, ngrams="all"), corpus)
    Chain(order=2, allowed="dictionary", allowed_count=1).forecast(corpus).check()


def test_what_fits_is_not_refused(monkeypatch):
    needed = Chain(order=2).forecast(many_tags(8)).memory
    monkeypatch.setattr(forecast, "memory_limit", lambda: needed)
    fit(Chain(order=2), many_tags(8))
    monkeypatch.setattr(forecast, "memory_limit", lambda: needed - 1)
    with pytest.raises(LimitError):
        fit(Chain(order=2), many_tags(8))


def test_an_unknown_limit_refuses_nothing(monkeypatch):
    monkeypatch.setattr(forecast, "memory_limit", lambda: None)
    forecast_chain(2, 8000, 1).check()


def test_the_limit_is_the_smallest_one(monkeypatch, tmp_path):
    before = memory_limit()
    assert before is not None
    (tmp_path / "memory.max").write_text("12345\n")
    monkeypatch.setattr(forecast, "_GROUP", tmp_path / "memory.max")
    assert memory_limit() == 12345
    (tmp_path / "memory.max").write_text("max\n")
    assert memory_limit() == before


def test_tables_of_order_two_say_what_to_change():
    with pytest.raises(EvidenceError, match="at most 256: use order=1, or fewer tags"):
        fit(Tables(Form.HMM, order=2), many_tags(300))


def test_only_long_runs_are_foretold(monkeypatch, tmp_path):
    corpus = tmp_path / "train.tagged"
    corpus.write_text("the/DT dog/NN barks/VBZ\n")
    told: list[Forecast] = []
    options = {"foretold": told.append, "settings": {"iterations": "1"}, "force": True}
    commands.train(tmp_path / "m.weft", [corpus], **options)
    assert not told
    monkeypatch.setattr(training, "_LONG", 0.0)
    commands.train(tmp_path / "m.weft", [corpus], **options)
    assert [each.what for each in told] == ["a chain of order 1 with 3 tags"]
    commands.train(tmp_path / "m.weft", [corpus], recipe="hmm", foretold=told.append, force=True)
    assert len(told) == 1  # labels are counted
    monkeypatch.setattr(training, "_LONG_TAGGING", 0.0)
    commands.train(tmp_path / "m.weft", [corpus], recipe="hmm", foretold=told.append, force=True)
    assert len(told) == 2  # and yet tagging may be long


@pytest.mark.parametrize(
    ("recipe", "settings", "advice"),
    [
        ("crf", {}, ", or --set minimum_count=2"),
        ("crf", {"order": "2"}, ", or --set order=1"),
        ("hmm", {}, ", or a corpus with fewer tags"),
        ("johnson-4", {}, ""),
        ("johnson-4", {"order": "2"}, ", or --set order=1"),
    ],
)
def test_advice_is_what_the_recipe_can_follow(monkeypatch, tmp_path, recipe, settings, advice):
    def exhaust(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr(training, "fit_recipe", exhaust)
    corpus = tmp_path / "train.tagged"
    corpus.write_text("the/DT dog/NN barks/VBZ\n")
    with pytest.raises(RoomError) as error:
        commands.train(tmp_path / "m.weft", [corpus], recipe=recipe, settings=settings)
    assert str(error.value) == f"there is not enough memory; give smaller files{advice}"
