"""A download is continued where it broke, and what is wrong with it is said in a sentence."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from oracles.servers import FileServer, file_server

from treewright.errors import InputError
from treewright.languages.download import ATTEMPTS, Checksums, NoConnection, NotOnServer, download

CONTENT = bytes(range(256)) * 2000  # several blocks


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FileServer]:
    for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with file_server() as running:
        running.files["/a"] = CONTENT
        yield running


def test_a_file_arrives_with_progress(server: FileServer, tmp_path: Path) -> None:
    seen: list[tuple[int, int | None]] = []
    download(f"{server.address}/a", tmp_path / "a", lambda *report: seen.append(report))
    assert (tmp_path / "a").read_bytes() == CONTENT
    assert seen[-1] == (len(CONTENT), len(CONTENT))
    assert len(seen) > 1
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_a_broken_connection_is_continued(server: FileServer, tmp_path: Path) -> None:
    server.breaks = [100_000, 200_000]
    download(f"{server.address}/a", tmp_path / "a", pause=0)
    assert (tmp_path / "a").read_bytes() == CONTENT
    assert [wanted for _, wanted in server.requests] == [None, "bytes=100000-", "bytes=300000-"]


def test_a_part_that_a_killed_process_left_is_continued(server: FileServer, tmp_path: Path) -> None:
    (tmp_path / "a.part").write_bytes(CONTENT[:1234])
    download(f"{server.address}/a", tmp_path / "a")
    assert (tmp_path / "a").read_bytes() == CONTENT
    assert server.requests == [("/a", "bytes=1234-")]


@pytest.mark.parametrize("size", [len(CONTENT), len(CONTENT) + 5])
def test_a_part_with_all_bytes_is_complete_and_a_longer_one_is_replaced(
    server: FileServer, tmp_path: Path, size: int
) -> None:
    (tmp_path / "a.part").write_bytes((CONTENT + b"other")[:size])
    download(f"{server.address}/a", tmp_path / "a", pause=0)
    assert (tmp_path / "a").read_bytes() == CONTENT


def test_a_server_without_ranges_sends_the_whole_file_again(server: FileServer, tmp_path: Path) -> None:
    server.ignores_range = True
    (tmp_path / "a.part").write_bytes(b"something")
    download(f"{server.address}/a", tmp_path / "a")
    assert (tmp_path / "a").read_bytes() == CONTENT


def test_a_connection_that_breaks_each_time_is_an_error_that_keeps_the_part(server: FileServer, tmp_path: Path) -> None:
    server.breaks = [1000] + [0] * ATTEMPTS
    with pytest.raises(NoConnection, match=r"no connection to 127\.0\.0\.1 .* run the command again") as raised:
        download(f"{server.address}/a", tmp_path / "a", pause=0)
    assert "HTTPS_PROXY" in str(raised.value)
    assert (tmp_path / "a.part").stat().st_size == 1000
    download(f"{server.address}/a", tmp_path / "a")
    assert (tmp_path / "a").read_bytes() == CONTENT


def test_an_error_of_the_server_is_tried_again(server: FileServer, tmp_path: Path) -> None:
    server.status = 503
    with pytest.raises(NoConnection, match="503"):
        download(f"{server.address}/a", tmp_path / "a", pause=0)
    assert len(server.requests) == ATTEMPTS


@pytest.mark.parametrize(
    ("status", "kind", "message"),
    [
        (404, NotOnServer, "the server has no such file"),
        (407, InputError, "the proxy asks for a password; set HTTPS_PROXY=http://user:password@host:port"),
        (403, InputError, "the server answered 403, Forbidden"),
    ],
)
def test_a_refusal_is_a_sentence_at_once(
    server: FileServer, tmp_path: Path, status: int, kind: type[InputError], message: str
) -> None:
    server.status = status
    with pytest.raises(kind, match=message):
        download(f"{server.address}/a", tmp_path / "a", pause=0)
    assert len(server.requests) == 1


def test_without_a_server_the_message_names_host_proxy_and_files_on_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_PROXY", "*")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{free.getsockname()[1]}"
    with pytest.raises(NoConnection, match=r"no connection to 127\.0\.0\.1 .*HTTPS_PROXY.*--from FOLDER"):
        download(f"{address}/a", tmp_path / "a", pause=0)


def test_a_proxy_of_the_environment_is_used(
    server: FileServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", server.address)
    monkeypatch.setenv("no_proxy", "")
    server.files["http://treebanks.invalid/a"] = CONTENT
    download("http://treebanks.invalid/a", tmp_path / "a")
    assert (tmp_path / "a").read_bytes() == CONTENT


def test_checksums_are_recorded_first_and_compared_later(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_bytes(b"one")
    assert not Checksums(tmp_path).match(file)
    Checksums(tmp_path).record(file, "http://x/a")
    assert Checksums(tmp_path).match(file)
    digest = "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed"
    assert (tmp_path / "SHA256SUMS").read_text() == f"{digest}  a\n"
    file.write_bytes(b"two")
    assert not Checksums(tmp_path).match(file)
    with pytest.raises(InputError, match=r"^http://x/a: the file is not the one that was downloaded first"):
        Checksums(tmp_path).record(file, "http://x/a")
    assert not file.exists()
