import os
from pathlib import Path

import pytest

from webgraph_it.files.received import InputError, read_json_object, regular_size, shown


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b'{"nodes": 3, ', "is not JSON: Expecting property name"),
        (b"", "is not JSON: Expecting value"),
        (b"\xff\xfe\xfa", "is not JSON"),
        (b"[1, 2]", "holds list, expected a JSON object"),
        (b"null", "holds NoneType, expected a JSON object"),
        (b'{"a": ' * 100_000, "is nested too deeply"),
        (b"[" * 100_000, "is nested too deeply"),
        (b"{" + b" " * 1000 + b"}", "has 1002 bytes, expected a JSON object of at most 1000"),
    ],
    ids=["cut", "empty", "no text", "list", "null", "nested objects", "nested lists", "large"],
)
def test_anything_but_a_small_object_is_one_sentence(tmp_path: Path, content: bytes, sentence: str) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(content)
    with pytest.raises(InputError, match=sentence) as found:
        read_json_object(path, 1000 if b" " * 1000 in content else 1 << 20)
    assert str(found.value).startswith(str(path))
    assert "\n" not in str(found.value)


def test_pipe_device_and_folder_are_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "device").symlink_to("/dev/zero")
    (tmp_path / "folder").mkdir()
    for name, kind in (("pipe", "a named pipe"), ("device", "a device"), ("folder", "a folder")):
        for read in (read_json_object, regular_size):
            with pytest.raises(InputError, match=f"{name} is {kind}, expected a regular file"):
                read(tmp_path / name)


def test_what_a_link_leads_to_is_not_shown(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("password: hunter2")
    (tmp_path / "link").symlink_to(tmp_path / "secret")
    with pytest.raises(InputError) as found:
        read_json_object(tmp_path / "link")
    assert "hunter2" not in str(found.value)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "None"),
        ("a\nb", r"'a\nb'"),
        ([1] * 9, "a list of 9"),
        ({}, "an object of 0"),
        (10**5000, "a number of more than 30 digits"),
        ("x" * 100, "'" + "x" * 39 + "…"),
    ],
    ids=["none", "line end", "list", "object", "number", "long"],
)
def test_a_found_value_fits_into_a_sentence(value: object, text: str) -> None:
    assert shown(value) == text
