# SPDX-License-Identifier: BSD-3-Clause
"""Runs compress on some ranks: stock decoders read what comes out, and nothing else is left."""

import argparse
import contextlib
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "support"))
from app_runs import check, check_ledger, launch, main, read_result

PIECES = {"bzip2": 100_000, "zstd": 2 << 20}  # at level 1
SUFFIX = {"bzip2": ".bz2", "zstd": ".zst"}


def inputs(piece: int) -> dict[str, bytes]:
    """Contents with a corner each."""
    numbers = random.Random(1)
    words = [b"plait", b"strand", b"braid", b"task", b"\n", b" "]
    text = b"".join(numbers.choices(words, k=piece // 2))
    return {
        "empty": b"",
        "one byte": b"x",
        "a piece less one": text[: piece - 1],
        "a piece": text[:piece],
        "a piece and one": text[: piece + 1],
        "zeros": bytes(3 * piece),
        "random": numbers.randbytes(2 * piece + 7),
        "text": text,
    }


def run(options: argparse.Namespace, ranks: int, words: list[str]) -> None:
    done = launch(argparse.Namespace(**{**vars(options), "ranks": ranks}), words)
    check(done.returncode == 0, f"exit code {done.returncode}\n{done.stdout}{done.stderr}")


def names_in(folder: str) -> list[str]:
    return sorted(path.name for path in Path(folder).iterdir())


def stock(codec: str, *words: str | Path) -> bytes:
    return subprocess.run([codec, "-c", *words], check=True, capture_output=True).stdout


def check_contents(options: argparse.Namespace, codec: str) -> None:
    """The stock decoder gives the input back, and one rank the same bytes."""
    with tempfile.TemporaryDirectory() as name:
        folder, out = Path(name) / "in", Path(name) / "out"
        folder.mkdir()
        out.mkdir()
        files = inputs(PIECES[codec])
        for file, content in files.items():
            (folder / file).write_bytes(content)
        words = ["--codec", codec, "--level", "1", *(str(folder / file) for file in files)]
        words += ["--out", str(out)]
        run(options, options.ranks, words)
        expected = sorted(f + SUFFIX[codec] for f in files)
        check(sorted(p.name for p in out.iterdir()) == expected, f"{list(out.iterdir())}")
        first = {file: (out / (file + SUFFIX[codec])).read_bytes() for file in files}
        for file, content in files.items():
            got = stock(codec, "-d", out / (file + SUFFIX[codec]))
            check(got == content, f"{file} differs")
        # MPICH's ranks spin: two of them.
        for ranks in (1,) if options.mpi == "mpich" else (1, 2, 4, 5, 6, 7, 8):
            run(options, ranks, [*words, "--force"])
            for file, content in first.items():
                again = (out / (file + SUFFIX[codec])).read_bytes()
                check(again == content, f"{file}: other bytes on {ranks} ranks")


def check_size(options: argparse.Namespace, codec: str) -> None:
    """Within 1 % of the stock tool."""
    with tempfile.TemporaryDirectory() as name:
        file = Path(name) / "headers"
        headers = sorted(Path("/usr/include/c++").rglob("*"))
        file.write_bytes(b"".join(p.read_bytes() for p in headers if p.is_file())[: 12 << 20])
        run(options, options.ranks, ["--codec", codec, str(file)])
        ours = Path(f"{file}{SUFFIX[codec]}").stat().st_size
        theirs = len(stock(codec, file))
        check(ours <= 1.01 * theirs, f"{ours} bytes, {codec} makes {theirs}")


def check_variants(options: argparse.Namespace, codec: str) -> None:
    with tempfile.TemporaryDirectory() as name:
        file, result_file = Path(name) / "text", Path(name) / "result.json"
        file.write_bytes(inputs(PIECES[codec])["text"] * 3)
        words = ["--codec", codec, "--level", "1", "--variants", "base,olap,plait,ideal"]
        words += ["--repeat", "1", "--json", str(result_file), str(file)]
        run(options, options.ranks, words)
        result = read_result(result_file)
        left = names_in(name)
        check(left == ["result.json", "text"], f"left behind: {left}")
        check(list(result["variants"]) == ["base", "olap", "plait", "ideal"], "variants")
        for variant, found in result["variants"].items():
            check(found["verified"] is True, f"{variant} is not verified")
            check_ledger(variant, found, range(options.ranks))


def check_sparse(options: argparse.Namespace, codec: str) -> None:
    """More than 4 GiB."""
    size = (4 << 30) + 12345
    with tempfile.TemporaryDirectory() as name:
        file = Path(name) / "sparse"
        with file.open("wb") as of:
            of.truncate(size)
            of.seek(size - 5)
            of.write(b"plait")
        run(options, options.ranks, ["--codec", codec, "--level", "-7", str(file)])
        seen, tail = 0, b""
        with subprocess.Popen([codec, "-d", "-c", f"{file}.zst"], stdout=subprocess.PIPE) as tool:
            while block := tool.stdout.read(1 << 22):
                seen += len(block)
                tail = (tail + block)[-5:]
        check((seen, tail) == (size, b"plait"), f"{seen} bytes that end in {tail}")


def check_full_disk(options: argparse.Namespace, codec: str) -> None:
    """A limit on a file's size fails a write as a full disk does.

    It is far above what MPI libraries write themselves.
    """
    with tempfile.TemporaryDirectory() as name:
        file = Path(name) / "random"
        content = random.Random(2).randbytes(80 << 20)
        file.write_bytes(content)
        limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (64 << 20, limits[1]))
        try:
            done = launch(options, ["--codec", codec, "--level", "1", str(file)])
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        check(done.returncode not in (0, 2), f"exit code {done.returncode}")
        check("cannot write" in done.stderr, f"it says: {done.stderr}")
        check(names_in(name) == ["random"], f"left behind: {names_in(name)}")
        check(file.read_bytes() == content, "the input has changed")


def processes_with(word: str) -> list[int]:
    """Ranks that have a word among their arguments."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if Path(os.fsdecode(words[0])).name == "compress" and word.encode() in words:
            found.append(int(folder.name))
    return found


def has_files_without_names(folder: str) -> bool:
    try:
        os.close(os.open(folder, os.O_TMPFILE | os.O_RDWR))
    except OSError:
        return False
    return True


def check_killed(options: argparse.Namespace, codec: str) -> None:
    """Half-way: when it has said how far it is, with minutes to go."""
    with tempfile.TemporaryDirectory() as name:
        file = Path(name) / "zeros"
        with file.open("wb") as of:
            of.truncate(64 << 30)
        mpirun = Path(__file__).parents[2] / "support" / "mpirun"
        command = [mpirun, options.mpi, options.mpiexec, options.ranks, options.program]
        command = [*map(str, command), "--codec", codec, "--progress", str(file)]
        kind = signal.SIGKILL if has_files_without_names(name) else signal.SIGTERM
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as job:
            first = next((line for line in job.stderr if line.startswith("@progress")), "")
            ranks = processes_with(str(file))
            for rank in ranks:
                with contextlib.suppress(ProcessLookupError):  # the launcher was faster
                    os.kill(rank, kind)
            job.stderr.read()
            code = job.wait()
        check(first != "", "it ended before it was killed")
        check(len(ranks) == options.ranks, f"ranks are {ranks}")
        check(code != 0, "exit code 0")
        while processes_with(str(file)):
            time.sleep(0.1)
        check(names_in(name) == ["zeros"], f"left behind: {names_in(name)}")


def check_unreadable(options: argparse.Namespace, codec: str) -> None:
    """A file that nobody may read; root may, unless it gives the right up."""
    with tempfile.TemporaryDirectory() as name:
        file = Path(name) / "secret"
        file.write_bytes(b"plait")
        file.chmod(0)
        words = ["--codec", codec, str(file)]
        if os.geteuid() == 0:
            words = ["--bounding-set=-dac_override,-dac_read_search", options.program, *words]
            options.program = "setpriv"
        done = launch(options, words)
        check(done.returncode == 2, f"exit code {done.returncode}")
        said = [line for line in done.stderr.splitlines() if line.startswith("compress: ")]
        check(said == [f"compress: {file}: Permission denied"], f"it says: {done.stderr}")
        check(names_in(name) == ["secret"], f"left behind: {names_in(name)}")


def check_names(options: argparse.Namespace, codec: str) -> None:
    """One result for several files; two that become one are refused, and so is what is there."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = [folder / "a", folder / "with space", folder / "sub" / "a"]
        files[2].parent.mkdir()
        for number, file in enumerate(files):
            file.write_bytes(bytes([number]) * 1000)
        words = ["--codec", codec, "--json", str(folder / "result.json")]
        run(options, options.ranks, [*words, *map(str, files)])
        result = read_result(folder / "result.json")
        rows = {row["file"]: row["output_bytes"] for row in result["files"]}
        expected = {str(file): Path(f"{file}{SUFFIX[codec]}").stat().st_size for file in files}
        check(rows == expected, f"rows {rows}")
        check(result["compression"]["input_bytes"] == 3000, f"{result['compression']}")
        check(result["compression"]["output_bytes"] == sum(rows.values()), "the sum of bytes")
        before = Path(f"{files[0]}{SUFFIX[codec]}").read_bytes()
        refused = launch(options, ["--codec", codec, str(files[0])])
        check(refused.returncode == 2 and "--force" in refused.stderr, "replaced without --force")
        check(Path(f"{files[0]}{SUFFIX[codec]}").read_bytes() == before, "it has changed")
        out = ["--out", str(folder), "--force", str(files[0]), str(files[2])]
        refused = launch(options, ["--codec", codec, *out])
        check(refused.returncode == 2 and "two files" in refused.stderr, "two became one")


CHECKS = {
    "contents": check_contents,
    "size": check_size,
    "variants": check_variants,
    "sparse": check_sparse,
    "full_disk": check_full_disk,
    "killed": check_killed,
    "unreadable": check_unreadable,
    "names": check_names,
}


def check_result(options: argparse.Namespace, arguments: list[str]) -> None:
    what, codec = arguments
    CHECKS[what](options, codec)


if __name__ == "__main__":
    main(check_result)
