"""Files packed and unpacked, standard input and output, and outputs that are complete or not there."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import signal
import stat
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import zstandard
from oracles.processes import run_process, started_process

import treewright as tw
from treewright.corpus import Tree, format_of, open_input, open_output, replacing
from treewright.errors import FormatError, InputError, MissingExtra
from treewright.grammar import TreebankGrammar

CATS = b"1\tCats\tcat\tNOUN\t_\t_\t2\tnsubj\t_\t_\n2\tsleep\tsleep\tVERB\t_\t_\t0\troot\t_\t_\n\n"
MANY = CATS * 3000
PACKERS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".xz": lzma.compress,
    ".bz2": bz2.compress,
    ".zst": zstandard.ZstdCompressor(write_checksum=True).compress,
}


def read_all(path: Path) -> bytes:
    with open_input(path) as file:
        return b"".join(iter(lambda: file.read(1 << 16), b""))


@pytest.mark.parametrize("extension", PACKERS)
def test_packed_files_are_read_and_written(extension: str, tmp_path: Path) -> None:
    path = tmp_path / f"cats.conllu{extension}"
    path.write_bytes(PACKERS[extension](MANY))
    copy = tmp_path / f"copy.conllu{extension}"
    assert tw.write(tw.read(path), copy) == 3000
    assert copy.stat().st_size < len(MANY) / 10
    assert read_all(copy) == MANY
    once = copy.read_bytes()
    tw.write(tw.read(path), copy)
    assert copy.read_bytes() == once  # same input, same output: no date inside
    assert format_of(path) == "conllu"


@pytest.mark.parametrize("extension", PACKERS)
def test_packing_is_known_by_content_not_by_name(extension: str, tmp_path: Path) -> None:
    (tmp_path / "cats.conllu").write_bytes(PACKERS[extension](CATS))
    (tmp_path / f"cats.conllu{extension}").write_bytes(CATS)
    assert [len(sentence) for sentence in tw.read(tmp_path / "cats.conllu")] == [2]
    assert [len(sentence) for sentence in tw.read(tmp_path / f"cats.conllu{extension}")] == [2]


@pytest.mark.parametrize("extension", PACKERS)
def test_packed_parts_in_one_file_are_one_file(extension: str, tmp_path: Path) -> None:
    path = tmp_path / f"cats.conllu{extension}"
    path.write_bytes(PACKERS[extension](CATS) + PACKERS[extension](CATS))
    assert len(list(tw.read(path))) == 2


@pytest.mark.parametrize("extension", PACKERS)
@pytest.mark.parametrize("damage", ["cut", "changed"])
def test_a_damaged_archive_is_named(extension: str, damage: str, tmp_path: Path) -> None:
    content = bytearray(PACKERS[extension](bytes(os.urandom(200_000))))  # does not pack, so damage hits data
    if damage == "cut":
        del content[150_000:]
    else:
        content[100_000:100_100] = bytes(100)
        content[-12:] = bytes(12)
    path = tmp_path / f"bad.conllu{extension}"
    path.write_bytes(content)
    packing = {".gz": "gzip", ".xz": "xz", ".bz2": "bzip2", ".zst": "zstd"}[extension]
    with pytest.raises(
        FormatError, match=rf"bad.conllu{extension}: the {packing} data is damaged or cut short; expected"
    ):
        read_all(path)


def test_zstd_without_its_package_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "cats.conllu.zst"
    path.write_bytes(zstandard.compress(CATS))
    if sys.version_info >= (3, 14):
        pytest.skip("Python has zstd")
    monkeypatch.setitem(sys.modules, "zstandard", None)
    message = r"a .zst file needs the package zstandard: pip install 'treewright\[zstd\]'"
    with pytest.raises(MissingExtra, match=message):
        tw.read(path)
    with pytest.raises(MissingExtra, match=message):
        tw.write([], tmp_path / "out.conllu.zst")
    assert [file.name for file in tmp_path.iterdir()] == ["cats.conllu.zst"]


COPY = "import sys, treewright as tw; print(tw.write(tw.read('-'), '-'), file=sys.stderr)"


@pytest.mark.parametrize("packed", [False, True])
def test_standard_input_and_output(packed: bool) -> None:
    content = gzip.compress(MANY) if packed else MANY
    ended = run_process([sys.executable, "-c", COPY], input=content, capture_output=True, check=True)
    assert (ended.stdout, ended.stderr.strip()) == (MANY, b"3000")


def test_errors_in_standard_input_are_named() -> None:
    ended = run_process([sys.executable, "-c", COPY], input=CATS + b"x\n\n", capture_output=True)
    assert b"<stdin>:4: 1 column in 'x'" in ended.stderr


def test_standard_streams_that_are_not_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(CATS)))
    (sentence,) = tw.read("-")
    written = io.StringIO()
    monkeypatch.setattr(sys, "stdout", written)  # as in a notebook
    tw.write([sentence], "-")
    assert written.getvalue() == CATS.decode()


def test_open_files_stay_open_and_their_format_can_be_asked(tmp_path: Path) -> None:
    (tmp_path / "trees.txt").write_bytes(b"\n( (S (NN dogs)))\n")
    (tmp_path / "plus.txt").write_bytes(b"# global.columns = ID FORM\n1\ta\n\n")
    (tmp_path / "old.conll").write_bytes(CATS)
    assert [format_of(tmp_path / name) for name in ("trees.txt", "plus.txt", "old.conll")] == [
        "brackets",
        "conllup",
        "conllx",
    ]
    with open_input(tmp_path / "old.conll") as file:
        assert format_of(file) == "conllx"
        assert len(list(tw.read(file, "conllu"))) == 1
        assert not file.closed


def test_a_reader_closes_its_file(tmp_path: Path) -> None:
    (tmp_path / "cats.conllu").write_bytes(MANY)
    with tw.read(tmp_path / "cats.conllu") as sentences:
        assert next(sentences).forms == ["Cats", "sleep"]
    with pytest.raises(ValueError, match="closed file"):
        list(sentences)
    next(tw.read(tmp_path / "cats.conllu"))  # forgotten: no warning


def test_an_output_is_complete_or_not_there(tmp_path: Path) -> None:
    path = tmp_path / "out.conllu"
    path.write_bytes(b"before")

    def sentences() -> Iterator[tw.Sentence]:
        yield from tw.read(io.BytesIO(MANY))
        assert path.read_bytes() == b"before"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        tw.write(sentences(), path)
    assert path.read_bytes() == b"before"
    assert list(tmp_path.iterdir()) == [path]
    tw.write(tw.read(io.BytesIO(CATS)), path)
    assert path.read_bytes() == CATS


def test_a_file_can_be_rewritten_while_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "cats.conllu"
    path.write_bytes(MANY)
    tw.write((sentence.with_columns(heads=[0, 0]) for sentence in tw.read(path)), path)
    assert path.read_bytes() == MANY.replace(b"\t2\tnsubj", b"\t0\tnsubj")


LIMITED_WRITER = """
    import resource, sys, treewright as tw
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
    try:
        tw.write((tw.Sentence.from_words([f"{number * 7919 % 104729:x}"]) for number in range(3000)), sys.argv[1])
    except OSError as error:
        print(error.filename)
"""


@pytest.mark.skipif(os.name == "nt", reason="no limits there")
@pytest.mark.parametrize("name", ["out.conllu", "out.conllu.gz", "out.conllu.xz", "out.conllu.zst"])
def test_a_full_disk_leaves_nothing_behind(name: str, tmp_path: Path) -> None:
    command = [sys.executable, "-c", textwrap.dedent(LIMITED_WRITER), str(tmp_path / name)]
    ended = run_process(command, capture_output=True, text=True, check=True)
    assert ended.stdout == f"{tmp_path / name}\n"  # the error says which file it was
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_device_is_written_to_not_replaced() -> None:
    with pytest.raises(OSError, match="No space left"):
        tw.write(tw.read(io.BytesIO(CATS)), "/dev/full")
    assert stat.S_ISCHR(os.stat("/dev/full").st_mode)


def test_links_and_permissions_stay(tmp_path: Path) -> None:
    real, link = tmp_path / "real.conllu", tmp_path / "link.conllu"
    real.write_bytes(b"before")
    real.chmod(0o640)
    link.symlink_to(real)
    tw.write(tw.read(io.BytesIO(CATS)), link)
    assert link.is_symlink()
    assert real.read_bytes() == CATS
    assert stat.S_IMODE(real.stat().st_mode) == 0o640


def test_places_that_cannot_be_written_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(IsADirectoryError) as raised:
        tw.write([], tmp_path)
    assert raised.value.filename == str(tmp_path)
    with pytest.raises(FileNotFoundError) as missing:
        tw.write([], tmp_path / "none" / "out.conllu")
    assert missing.value.filename == str(tmp_path / "none" / "out.conllu")
    assert missing.value.strerror == "there is no folder none; make it first"
    (tmp_path / "fixed.conllu").write_bytes(CATS)
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(PermissionError) as refused:
        tw.write([], tmp_path / "fixed.conllu")
    assert refused.value.filename == str(tmp_path / "fixed.conllu")


def test_replacing_gives_a_path(tmp_path: Path) -> None:
    with replacing(tmp_path / "model.tw") as beside:
        beside.write_bytes(b"weights")
        assert not (tmp_path / "model.tw").exists()
    assert (tmp_path / "model.tw").read_bytes() == b"weights"

    def fail_half_way() -> None:
        with replacing(tmp_path / "model.tw") as beside:
            beside.write_bytes(b"half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail_half_way()
    assert [path.name for path in tmp_path.iterdir()] == ["model.tw"]


@pytest.mark.skipif(sys.platform == "win32", reason="devices and named pipes are those of POSIX")
def test_devices_and_pipes_are_written_to_and_never_replaced(tmp_path: Path) -> None:
    model, full, pipe = TreebankGrammar.train([Tree.parse("(S (NN rain))")]), tmp_path / "full", tmp_path / "pipe"
    model.save(tmp_path / "model.tw")
    try:
        os.mknod(full, stat.S_IFCHR | 0o666, os.makedev(1, 7))  # as /dev/full: every write fails
        full.open("wb").close()
    except OSError:
        full = Path("/dev/full")
    before = full.stat()
    link = tmp_path / "link"
    link.symlink_to(full)
    for path in (full, link):
        with pytest.raises(OSError, match="No space left") as error:
            model.save(path)
        assert error.value.filename == str(path)
    assert link.is_symlink()
    assert (full.stat().st_mode, full.stat().st_rdev) == (before.st_mode, before.st_rdev)
    os.mkfifo(pipe)
    with started_process([sys.executable, "-c", f"print(len(open({str(pipe)!r}, 'rb').read()))"], stdout=-1) as reader:
        model.save(pipe)
        assert int(reader.communicate()[0]) == (tmp_path / "model.tw").stat().st_size
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    with pytest.raises(IsADirectoryError):
        model.save(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir() if path.name != "full") == ["link", "model.tw", "pipe"]


SLOW_WRITER = """
    import itertools, signal, sys, time, treewright as tw
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell ignores it for what runs in the background
    def sentences():
        for number in itertools.count():
            if number == 2000:
                print("writing", flush=True)
            if number > 2000:
                time.sleep(0.01)
            yield tw.Sentence.from_words(["word"] * 30)
    tw.write(sentences(), sys.argv[1])
"""


@pytest.mark.skipif(os.name == "nt", reason="signals are different there")
@pytest.mark.parametrize("kill", [signal.SIGINT, signal.SIGKILL])
def test_a_stopped_process_leaves_the_old_file(kill: signal.Signals, tmp_path: Path) -> None:
    path = tmp_path / "out.conllu"
    path.write_bytes(b"before")
    command = [sys.executable, "-c", textwrap.dedent(SLOW_WRITER), str(path)]
    with started_process(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"writing\n"
        process.send_signal(kill)
        assert process.wait() != 0
    assert path.read_bytes() == b"before"
    if kill == signal.SIGINT:
        assert list(tmp_path.iterdir()) == [path]


def test_the_partial_file_has_one_name_and_a_stale_one_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "out.conllu.partial").write_bytes(b"left by a process that was killed" * 100)
    with open_output(tmp_path / "out.conllu") as file:
        file.write(b"new")
        assert [path.name for path in tmp_path.iterdir()] == ["out.conllu.partial"]
    assert [path.name for path in tmp_path.iterdir()] == ["out.conllu"]
    assert (tmp_path / "out.conllu").read_bytes() == b"new"


@pytest.mark.skipif(sys.platform == "win32", reason="files are locked on POSIX")
def test_a_file_that_another_writer_has_open_is_refused_and_stays_whole(tmp_path: Path) -> None:
    with open_output(tmp_path / "a.txt") as first:
        first.write(b"first")
        with pytest.raises(InputError, match=r"a\.txt: another process is writing it; wait for it, or end it"):  # noqa: SIM117
            with open_output(tmp_path / "a.txt") as second:
                second.write(b"second")
    assert (tmp_path / "a.txt").read_bytes() == b"first"
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]
