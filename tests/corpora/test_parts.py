from __future__ import annotations

from pathlib import Path

import pytest

from weft.corpora import DIVIDED, PARTS, part_files, read_part
from weft.errors import FormatError, OptionError, WeftError

# Counted by others: see weft.corpora.catalogue. The larger ones are given in thousands.
SENTENCES = {
    "wsj-sample": [3_396, 273, 245],
    "wsj-tenths": [3_131, 391, 392],
    "craft": [18_951, 2_780, 9_099],
    "ewt": [12_544, 2_001, 2_077],
    "sequoia": [2_231, 412, 456],
}
TOKENS = {
    "wsj-sample": (94_084, 0),
    "wsj-tenths": (94_084, 0),
    "craft": (794_000, -3),
    "ewt": (255_000, -3),
    "sequoia": (70_000, -4),
}


@pytest.mark.slow
@pytest.mark.parametrize("corpus", SENTENCES)
def test_sizes(corpus: str, data_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not (data_folder / corpus.replace("tenths", "sample")).is_dir():
        pytest.skip(f"{corpus} is not in the folder of corpora")
    monkeypatch.setenv("WEFT_DATA", str(data_folder))
    parts = [read_part(corpus, part) for part in PARTS]
    assert [len(examples) for examples in parts] == SENTENCES[corpus]
    everything = [example for examples in parts for example in examples]
    tokens, digits = TOKENS[corpus]
    assert round(sum(len(example.tokens) for example in everything), digits) == tokens
    assert all(isinstance(tag, str) for e in everything for tag in e.analysis or (None,))


def test_sizes_of_the_bundled_corpus() -> None:
    parts = [read_part("english", part) for part in PARTS]
    assert [len(examples) for examples in parts] == [559, 78, 139]
    assert [sum(len(e.tokens) for e in examples) for examples in parts] == [8_192, 1_096, 1_934]


def test_every_corpus_is_tested() -> None:
    assert sorted(DIVIDED) == sorted([*SENTENCES, "english"])


@pytest.fixture
def corpora(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of corpora, each of a few words."""
    monkeypatch.setenv("WEFT_DATA", str(tmp_path))
    for folder in ("wsj-sample/combined", "craft/ids", "craft/penn", "ewt"):
        (tmp_path / folder).mkdir(parents=True)
    for number in range(1, 200):
        path = tmp_path / "wsj-sample" / "combined" / f"wsj_{number:04}.mrg"
        path.write_text(f"( (X (CD {number}) (-NONE- *)) )\n( (X (NN again)) )\n")
    for number in (7, 30, 4):
        (tmp_path / "craft" / "penn" / f"{number}.tree").write_text(f"( (X (CD {number})) )\n")
    (tmp_path / "craft" / "ids" / "craft-ids-dev.txt").write_text("30 \r\n\n4\n7")
    (tmp_path / "ewt" / "en_ewt-ud-dev.conllu").write_text("1\tAye\t_\tINTJ\tUH" + "\t_" * 5)
    return tmp_path


def numbers(corpus: str, part: str) -> list[str]:
    examples = read_part(corpus, part)
    return [e.tokens.words[0] for e in examples if e.analysis == ("CD",)]


def test_files_of_the_wsj_sample_in_their_order(corpora: Path) -> None:
    assert [int(each) for part in PARTS for each in numbers("wsj-sample", part)] == [*range(1, 200)]
    assert [len(read_part("wsj-sample", part)) for part in PARTS] == [318, 40, 40]
    first = part_files("wsj-sample", "test")[0]
    assert first == corpora / "wsj-sample" / "combined" / "wsj_0180.mrg"
    assert read_part("wsj-sample", "test")[1].tokens.source == f"{first}:2"


@pytest.mark.usefixtures("corpora")
def test_articles_in_the_order_of_the_list() -> None:
    assert numbers("craft", "dev") == ["30", "4", "7"]


@pytest.mark.usefixtures("corpora")
def test_penn_tags_of_ewt() -> None:
    assert [e.analysis for e in read_part("ewt", "dev")] == [("UH",)]


def test_what_is_missing_is_named(corpora: Path) -> None:
    (corpora / "wsj-sample" / "combined" / "wsj_0163.mrg").unlink()
    with pytest.raises(FormatError, match=r"wsj_0163\.mrg: cannot be read: no such file"):
        read_part("wsj-sample", "dev")
    with pytest.raises(FormatError, match=r"craft-ids-test\.txt: cannot be read: no such file"):
        read_part("craft", "test")
    (corpora / "ewt").rename(corpora / "other")
    with pytest.raises(WeftError, match=r"there is no folder '.*ewt'; `weft data list` says"):
        read_part("ewt", "dev")


@pytest.mark.parametrize("name", ["../../secret", "٣", "12.tree", "1 2"])
def test_articles_are_numbers(corpora: Path, name: str) -> None:
    path = corpora / "craft" / "ids" / "craft-ids-dev.txt"
    path.write_text(f"30\n{name}\n", encoding="utf-8")
    with pytest.raises(FormatError, match="expected the number of an article") as caught:
        part_files("craft", "dev")
    assert (caught.value.path, caught.value.line) == (str(path), 2)


def test_unknown_names() -> None:
    with pytest.raises(
        OptionError, match="'atis'; there are those of english, wsj-sample, wsj-tenths"
    ):
        read_part("atis", "train")
    with pytest.raises(OptionError, match="no part 'heldout'; there are train, dev, test"):
        read_part("english", "heldout")


def test_no_folder_of_corpora(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WEFT_DATA", raising=False)
    with pytest.raises(WeftError, match="set the environment variable WEFT_DATA"):
        read_part("craft", "train")
    assert len(read_part("english", "dev")) == 78
