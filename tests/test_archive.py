"""Model files: what is saved is loaded, and nothing else is."""

import io
import json
import struct
import tracemalloc
import warnings
import zipfile
import zlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weft import archive
from weft.archive import load_archive, save_archive
from weft.errors import FormatError

MANIFEST = {"kind": "demo", "tags": ["Ä", "b"], "nested": {"x": [1, 2.5, None, True]}}
ARRAYS = {
    "weights": np.linspace(-1.0, 1.0, 7),
    "table": np.arange(6, dtype=np.int32).reshape(2, 3),
    "flags": np.array([True, False]),
    "empty": np.zeros((0, 4)),
    "scalar": np.array(3.5),
}
SPEC = {"dtype": "<f8", "shape": [3]}
HEAD = {"format": "weft", "version": 1, "kind": "demo"}
OPEN = '{"format": "weft", "version": 1, "kind": "demo", "arrays": {}, "x": '
VECTOR = archive._npy_header("<f8", (3,)) + np.ones(3).tobytes()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.weft"


def write_zip(path, members, compression=zipfile.ZIP_DEFLATED):
    """Write (name, content) pairs as they are, twins included."""
    with warnings.catch_warnings(), zipfile.ZipFile(path, "w", compression) as target:
        warnings.simplefilter("ignore", UserWarning)
        for name, content in members:
            target.writestr(name, content if isinstance(content, bytes) else json.dumps(content))


def forge(path, *, head=HEAD, arrays=None, members=None):
    """Write a file of one array ``w``, with parts replaced."""
    manifest = {**head, "arrays": {"w": SPEC} if arrays is None else arrays}
    write_zip(path, [("manifest.json", manifest), *(members or [("w.npy", VECTOR)])])


def assert_refused(path, match, **options):
    with pytest.raises(FormatError, match=match) as caught:
        load_archive(path, "demo", **options)
    assert caught.value.path == str(path)
    assert ": " in caught.value.message


def assert_same(loaded, manifest=MANIFEST, arrays=ARRAYS):
    assert loaded[0] == manifest
    assert sorted(loaded[1]) == sorted(arrays)
    for name, array in arrays.items():
        assert loaded[1][name].dtype == array.dtype
        assert loaded[1][name].shape == array.shape
        np.testing.assert_array_equal(loaded[1][name], array)


def test_what_is_saved_is_loaded(path):
    save_archive(path, MANIFEST, ARRAYS)
    manifest, arrays = load_archive(path, "demo")
    assert_same((manifest, arrays))
    assert not any(array.flags.writeable for array in arrays.values())
    assert arrays["weights"].flags.aligned


@pytest.mark.parametrize("dtype", ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4"])
def test_dtypes(path, dtype):
    array = np.arange(5).astype(dtype)
    save_archive(path, {"kind": "demo"}, {"x": array})
    assert_same(load_archive(path, "demo"), {"kind": "demo"}, {"x": array})


def test_other_layouts_are_saved_in_ours(path):
    table = np.arange(12.0).reshape(3, 4)
    arrays = {"fortran": np.asfortranarray(table), "big": table.astype(">f8"), "cut": table[:, ::2]}
    save_archive(path, {"kind": "demo"}, arrays)
    loaded = load_archive(path, "demo")[1]
    for name, array in arrays.items():
        np.testing.assert_array_equal(loaded[name], array)
        assert loaded[name].dtype.str == "<f8"
        assert loaded[name].flags.c_contiguous


def test_members_are_ordinary_npy_and_json(path):
    save_archive(path, MANIFEST, ARRAYS)
    with zipfile.ZipFile(path) as source:
        assert source.testzip() is None
        assert json.loads(source.read("manifest.json"))["format"] == "weft"
        for name, array in ARRAYS.items():
            content = io.BytesIO(source.read(f"{name}.npy"))
            np.testing.assert_array_equal(np.load(content, allow_pickle=False), array)


def test_the_same_content_gives_the_same_bytes(tmp_path):
    one, two = tmp_path / "one", tmp_path / "two"
    save_archive(one, MANIFEST, ARRAYS)
    save_archive(two, dict(reversed(MANIFEST.items())), dict(reversed(ARRAYS.items())))
    assert one.read_bytes() == two.read_bytes()


def test_a_large_array_is_read_in_pieces(path):
    array = np.random.default_rng(0).integers(0, 5, 3 * (1 << 18) + 17)
    save_archive(path, {"kind": "demo"}, {"x": array})
    assert_same(load_archive(path, "demo"), {"kind": "demo"}, {"x": array})


@pytest.mark.parametrize("key", ["format", "version", "arrays"])
def test_reserved_keys_are_refused(path, key):
    with pytest.raises(ValueError, match="none of format, version, arrays"):
        save_archive(path, {"kind": "demo", key: 1}, {})


@pytest.mark.parametrize(
    ("manifest", "arrays", "match"),
    [
        ({}, {}, "kind"),
        ({"kind": "demo", "x": float("nan")}, {}, "JSON compliant"),
        ({"kind": "demo", "x": "\ud800"}, {}, "surrogates"),
        ({"kind": "demo"}, {"x": np.array([None])}, "object"),
        ({"kind": "demo"}, {"x": np.array(["a"])}, "<U1"),
        ({"kind": "demo"}, {"x": np.array([1j])}, "complex128"),
        ({"kind": "demo"}, {"x": np.zeros(1, "f8,i4")}, "is of"),
        ({"kind": "demo"}, {"../x": np.zeros(1)}, "name"),
        ({"kind": "demo"}, {"a/b": np.zeros(1)}, "name"),
        ({"kind": "demo"}, {"": np.zeros(1)}, "name"),
    ],
)
def test_what_cannot_be_read_back_is_not_saved(path, manifest, arrays, match):
    with pytest.raises(ValueError, match=match):
        save_archive(path, manifest, arrays)
    assert not path.exists()


def test_a_manifest_is_saved_only_if_it_can_be_loaded(path, monkeypatch):
    deep = []
    for _ in range(archive.MAX_DEPTH):
        deep = [deep]
    with pytest.raises(ValueError, match="nested"):
        save_archive(path, {"kind": "demo", "x": deep}, {})
    save_archive(path, {"kind": "demo", "x": deep[0][0]}, {})
    assert load_archive(path, "demo")[0]["x"] == deep[0][0]
    monkeypatch.setattr(archive, "MAX_MANIFEST_BYTES", 1000)
    with pytest.raises(ValueError, match="over 1000"):
        save_archive(path, {"kind": "demo", "x": "a" * 1000}, {})


def test_a_failed_save_leaves_the_old_file(path, monkeypatch):
    save_archive(path, MANIFEST, ARRAYS)
    before = path.read_bytes()
    write = archive._write_member

    def failing(target, name, content):
        if name == "table.npy":
            raise OSError(28, "No space left on device")
        write(target, name, content)

    monkeypatch.setattr(archive, "_write_member", failing)
    with pytest.raises(OSError, match="No space"):
        save_archive(path, {"kind": "other"}, ARRAYS)
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


def test_a_missing_file_is_not_a_format_error(path):
    with pytest.raises(FileNotFoundError):
        load_archive(path, "demo")


@pytest.mark.parametrize("content", [b"", b"PK", b"hello, world\n" * 50, b"\x80\x04pickle"])
def test_other_files_are_refused(path, content):
    path.write_bytes(content)
    assert_refused(path, "not a file that Weft saved: give the path")


def test_other_archives_are_refused(path):
    write_zip(path, [("w.npy", VECTOR)])
    assert_refused(path, "not a file that Weft saved")
    write_zip(path, [("manifest.json", {"name": "a web page"})])
    assert_refused(path, "not a file that Weft saved")
    write_zip(path, [("manifest.json", [1, 2])])
    assert_refused(path, "not a file that Weft saved")


def test_another_kind_is_refused(path):
    save_archive(path, {"kind": "grammar"}, {})
    assert_refused(path, "holds a 'grammar', not a 'demo'")


def test_newer_versions_are_refused(path):
    # A newer format may differ in everything but this.
    write_zip(path, [("manifest.json", {"format": "weft", "version": 2}), ("new.npy", b"?")])
    assert_refused(path, "newer Weft .*upgrade")


@pytest.mark.parametrize("version", [0, -1, "1", None, True, 1.5])
def test_impossible_versions_are_refused(path, version):
    forge(path, head={**HEAD, "version": version})
    assert_refused(path, "version")


def test_the_forger_can_also_write_a_good_file(path):
    forge(path)
    assert load_archive(path, "demo")[1]["w"].tolist() == [1.0, 1.0, 1.0]


@pytest.mark.parametrize(
    "name",
    ["a/w.npy", "../w.npy", "/w.npy", "C:\\w.npy", "..", "w.npy/", "a b.npy", "é.npy", "-.npy"],
)
def test_odd_names_are_refused(path, name):
    forge(path, members=[("w.npy", VECTOR), (name, VECTOR)])
    assert_refused(path, "a member is called")


def test_a_name_with_a_nul_is_refused(path):
    forge(path, members=[("w.npy_", VECTOR)])
    path.write_bytes(path.read_bytes().replace(b"w.npy_", b"w.npy\0"))
    assert_refused(path, "a member is called")


def test_twins_are_refused(path):
    forge(path, members=[("w.npy", VECTOR), ("w.npy", VECTOR)])
    assert_refused(path, "two members are called 'w.npy'")
    write_zip(path, [("manifest.json", HEAD), ("manifest.json", HEAD)])
    assert_refused(path, "two members are called 'manifest.json'")


def test_unlisted_and_missing_members_are_refused(path):
    forge(path, members=[("w.npy", VECTOR), ("v.npy", VECTOR)])
    assert_refused(path, r"'v\.npy' is not in manifest\.json")
    forge(path, members=[("w.npy", VECTOR), ("code.py", b"pass")])
    assert_refused(path, r"'code\.py' is not in manifest\.json")
    forge(path, arrays={"w": SPEC, "v": SPEC})
    assert_refused(path, r"'v\.npy' is missing")
    forge(path, arrays=[])
    assert_refused(path, "lists no arrays")


def patch(path, signature, position, value):
    """Overwrite bytes of the last header with this signature."""
    raw = bytearray(path.read_bytes())
    start = raw.rfind(signature) + position
    raw[start : start + len(value)] = value
    path.write_bytes(raw)


def test_encrypted_members_are_refused(path):
    forge(path)
    patch(path, b"PK\x03\x04", 6, b"\x01\x00")
    patch(path, b"PK\x01\x02", 8, b"\x01\x00")
    assert_refused(path, r"'w\.npy' is encrypted;")


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_other_compressions_are_refused(path, method):
    write_zip(path, [("manifest.json", {**HEAD, "arrays": {}})], method)
    assert_refused(path, "compressed in an unknown way")


@pytest.mark.parametrize(
    "spec",
    [
        None,
        {"dtype": "<f8"},
        {"dtype": "<f8", "shape": [3], "more": 1},
        {"dtype": "|O", "shape": [3]},
        {"dtype": ">f8", "shape": [3]},
        {"dtype": "<U8", "shape": [3]},
        {"dtype": "<f16", "shape": [3]},
        {"dtype": ["<f8"], "shape": [3]},
        {"dtype": {"x": 1}, "shape": [3]},
        {"dtype": "<f8", "shape": 3},
        {"dtype": "<f8", "shape": [-3]},
        {"dtype": "<f8", "shape": [True]},
        {"dtype": "<f8", "shape": [3.0]},
        {"dtype": "<f8", "shape": [4]},
        {"dtype": "<f4", "shape": [3]},
        {"dtype": "<i8", "shape": [3]},
        {"dtype": "<f8", "shape": [3, 1]},
        {"dtype": "<f8", "shape": [10**30]},
        {"dtype": "<f8", "shape": [1] * 30_000},
    ],
)
def test_declarations_that_do_not_fit_are_refused(path, spec):
    forge(path, arrays={"w": spec})
    assert_refused(path, "w|damaged")


def test_impossible_shapes_of_fitting_size_are_refused(path):
    for shape in ((0, 10**30), (0,) * 100, (False,), (-1, 0)):
        header = archive._npy_header("<f8", shape)
        forge(path, arrays={"w": {"dtype": "<f8", "shape": shape}}, members=[("w.npy", header)])
        assert_refused(path, "damaged|has the shape")


def npy(array, **options):
    stream = io.BytesIO()
    np.lib.format.write_array(stream, array, **options)
    return stream.getvalue()


def other_header(text):
    """A vector behind a header of the right length with another text."""
    header = archive._npy_header("<f8", (3,))
    body = text.encode().ljust(len(header) - 11) + b"\n"
    return header[:10] + body + np.ones(3).tobytes()


@pytest.mark.parametrize(
    "content",
    [
        npy(np.ones(3), version=(2, 0)),
        npy(np.array([1, None, 2]), allow_pickle=True),
        other_header("{'descr': '<f8', 'fortran_order': True, 'shape': (3,), }"),
        other_header("{'descr': '>f8', 'fortran_order': False, 'shape': (3,), }"),
        other_header("{'descr': '|O', 'fortran_order': False, 'shape': (3,), }"),
        other_header("{'descr': '<f8', 'fortran_order': False, 'shape': (9,), }"),
        other_header("(" * 100),
        other_header("__import__('os').abort()"),
        b"",
        VECTOR[:-1],
        VECTOR + b"\0",
        b"\0" * len(VECTOR),
    ],
)
def test_members_that_are_not_the_declared_array_are_refused(path, content):
    forge(path, members=[("w.npy", content)])
    assert_refused(path, r"w\.npy")


def test_booleans_are_zero_or_one(path):
    content = archive._npy_header("|b1", (2,)) + b"\x01\x02"
    forge(path, arrays={"w": {"dtype": "|b1", "shape": [2]}}, members=[("w.npy", content)])
    assert_refused(path, "neither true nor false")


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_infinite_numbers_are_refused(path, number):
    write_zip(path, [("manifest.json", f"{OPEN}{number}}}".encode())])
    assert_refused(path, "contains the number")


@pytest.mark.parametrize("depth", [archive.MAX_DEPTH + 1, 900, 100_000])
def test_deep_json_is_refused(path, depth):
    inner = "[" * depth + "]" * depth
    write_zip(path, [("manifest.json", f"{OPEN}{inner}}}".encode())])
    assert_refused(path, "nested|recursion")


@pytest.mark.parametrize("text", [b"", b"{", b"\xff\xfe", b'{"x": "\xed\xa0\x80"}', b"{} {}"])
def test_broken_json_is_refused(path, text):
    write_zip(path, [("manifest.json", text)])
    assert_refused(path, "damaged")


def test_a_large_manifest_is_refused_unread(path):
    write_zip(path, [("manifest.json", b" " * (65 << 20))])
    assert peak_of(lambda: assert_refused(path, "over 67108864")) < 4 << 20


def test_files_over_the_limit_are_refused(path):
    save_archive(path, {"kind": "demo"}, {"x": np.zeros(1 << 20)})
    assert path.stat().st_size < 1 << 20
    refused = peak_of(lambda: assert_refused(path, "made to fill the memory", max_bytes=1 << 22))
    assert refused < 1 << 20
    load_archive(path, "demo", max_bytes=1 << 24)


def test_a_small_file_may_not_ask_for_much_memory(path):
    """Half a gigabyte of zeros in a file of a few megabytes."""
    save_archive(path, {"kind": "demo"}, {"x": np.zeros(1 << 26)})
    assert path.stat().st_size < 1 << 22
    assert peak_of(lambda: assert_refused(path, "made to fill the memory")) < 1 << 20


def peak_of(action):
    tracemalloc.start()
    try:
        action()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_no_more_is_inflated_than_declared(path):
    # A member of 64 MB that says it has as many bytes as the array needs.
    forge(path, members=[("w.npy", VECTOR + b"\0" * (64 << 20))])
    size = struct.pack("<I", len(VECTOR))
    patch(path, b"PK\x01\x02", 24, size)
    assert peak_of(lambda: assert_refused(path, "CRC")) < 4 << 20
    patch(path, b"PK\x01\x02", 16, struct.pack("<I", zlib.crc32(VECTOR)))
    assert peak_of(lambda: load_archive(path, "demo")) < 4 << 20


def test_declared_sizes_that_exceed_the_array_are_refused(path):
    forge(path)
    patch(path, b"PK\x01\x02", 24, struct.pack("<I", 1 << 27))
    assert_refused(path, "declares 134217728 bytes, not <f8")


def test_members_that_end_early_are_refused(path):
    header = archive._npy_header("<f8", (300,))
    arrays = {"w": {"dtype": "<f8", "shape": [300]}}
    forge(path, arrays=arrays, members=[("w.npy", header + bytes(80))])
    patch(path, b"PK\x01\x02", 24, struct.pack("<I", len(header) + 2400))
    assert_refused(path, "a member ends early")


def test_offsets_beyond_any_file_are_refused(path):
    member = zipfile.ZipInfo("w.npy")
    member.extra = struct.pack("<HHQ", 1, 8, 2**64 - 1)
    forge(path, members=[(member, VECTOR)])
    patch(path, b"PK\x01\x02", 42, b"\xff\xff\xff\xff")
    assert_refused(path, "damaged")


def test_checksums_are_checked(path):
    forge(path)
    patch(path, b"PK\x01\x02", 16, b"\0\0\0\0")
    assert_refused(path, "CRC")


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    path = tmp_path_factory.mktemp("fuzz") / "model.weft"
    save_archive(path, MANIFEST, ARRAYS)
    return path, path.read_bytes()


def load_or_refuse(path, content):
    path.write_bytes(content)
    try:
        loaded = load_archive(path, "demo", max_bytes=1 << 24)
    except FormatError:
        return False
    assert_same(loaded)
    return True


def test_cut_anywhere_it_is_refused(saved):
    path, content = saved
    for length in range(len(content)):
        assert not load_or_refuse(path, content[:length]), length
    assert load_or_refuse(path, content)


@pytest.mark.parametrize("mask", [0x01, 0x80, 0xFF])
def test_flipped_anywhere_it_is_refused_or_the_same(saved, mask):
    path, content = saved
    changed = bytearray(content)
    for position in range(len(content)):
        changed[position] ^= mask
        load_or_refuse(path, changed)
        changed[position] ^= mask


@given(st.data())
@settings(max_examples=300, deadline=None)
def test_mangled_it_is_refused_or_the_same(saved, data):
    path, content = saved
    places = st.integers(0, len(content))
    start, end = sorted((data.draw(places), data.draw(places)))
    load_or_refuse(path, content[:start] + data.draw(st.binary(max_size=40)) + content[end:])
