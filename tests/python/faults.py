# SPDX-License-Identifier: BSD-3-Clause
"""Random faults at random moments of jobs: every job ends soon, with one line, and leaves nothing.

    faults.py [--faults N] [--seed S] [--limit SECONDS] [--mpi LIBRARY] [--only WORDS] [--verbose]

A fault is a signal to a rank, to mpiexec, to the plait command or to its process group, an output
that nobody reads or that does not fit, a folder without room, or a program that cannot be started.
It hits `plait run`, on this machine or in an emulated cluster, or mpiexec started by hand.  What
differs from what is promised is printed with the number that repeats it; the exit status is then 1.
"""

import argparse
import collections
import contextlib
import dataclasses
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(ROOT / "python"))

from leftovers import orphans, shared_memory, who_is  # noqa: E402
from plait.errors import BadInput  # noqa: E402
from plait.lab.privilege import lab_mode  # noqa: E402
from plait.lab.state import state_folder  # noqa: E402
from plait.launch.scratch import remove_orphans  # noqa: E402

FAKE = HERE / "fake_app.py"
START = str(ROOT / "python" / "plait" / "start.py")
LIBRARIES = ("openmpi", "mpich")
MARK = "PLAIT_FAULT"
ENDING = ("SIGKILL", "SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT")
CRASHES = ("SIGKILL", "SIGTERM", "SIGINT", "SIGHUP", "SIGSEGV", "SIGABRT", "SIGBUS")
PROGRESS = re.compile(r"\d+/\d+ .*\(\d+ s\)$")
MEANWHILE_S = 0.5  # from SIGSTOP to SIGCONT
LATEST_S = 3.0
LONG_S, SHORT_S = 60, 2  # of the job a signal ends, and of one that ends by itself
MPIEXEC = {"openmpi": ["--oversubscribe", "--bind-to", "none"], "mpich": []}


@dataclasses.dataclass(frozen=True)
class Fault:
    """One fault: its kind, its victim, and its time."""

    number: int
    mpi: str
    place: str  # here, lab or mpiexec
    program: str  # fake or jacobi3d
    target: str
    what: str
    delay_s: float

    def describe(self) -> str:
        """One line."""
        return (
            f"{self.number}: {self.program} {self.mpi} {self.place}, {self.target} {self.what}"
            f" after {self.delay_s:.2f} s"
        )

    @property
    def stops(self) -> bool:
        """Returns whether the fault stops the target, which goes on later."""
        return self.what == "SIGSTOP"


def choose(number: int, seed: int, libraries: list[str], has_lab: bool) -> Fault:
    """The fault of that number."""
    chance = random.Random(f"{seed}/{number}")
    mpi = chance.choice(libraries)
    is_built = jacobi3d(mpi).exists()
    places = ["here", "here"] + ["lab", "lab"] * has_lab + ["mpiexec"] * is_built
    place = chance.choice(places)
    # A program without MPI would outlive an mpiexec that was killed.
    program = (
        "jacobi3d" if place == "mpiexec" else chance.choice(["fake", "jacobi3d"][: 1 + is_built])
    )
    targets = ["rank", "rank", "mpiexec"]
    if place != "mpiexec":
        targets += ["command", "command", "group", "output", "disk", "binary"]
    target = chance.choice(targets)
    what = chance.choice(
        {
            "rank": [*CRASHES, "SIGSTOP"],
            "mpiexec": [*ENDING, "SIGSTOP"],
            "command": [*ENDING, "SIGSTOP"],
            "group": ["SIGINT", "SIGHUP", "SIGQUIT", "SIGTERM"],
            "output": ["closed", "unread", "full"],
            "disk": ["result", "report", "temporary"],
            "binary": ["vanishes", "unreadable", "damaged", "missing"],
        }[target]
    )
    return Fault(number, mpi, place, program, target, what, chance.uniform(0, LATEST_S))


def jacobi3d(mpi: str) -> pathlib.Path:
    """The application, where it is built."""
    return ROOT / "build" / f"release-{mpi}" / "apps" / "jacobi3d"


class Job:
    """One job with a fault, in a folder of its own, which is its temporary folder too."""

    def __init__(self, fault: Fault, folder: pathlib.Path) -> None:
        self.fault = fault
        self.name = f"f{os.getpid() % 10**7}x{fault.number}"
        self.temporary = folder / "tmp"
        self.results = folder / "results"
        self.library = folder / "library"  # of an mpiexec that was started by hand
        for one in (self.temporary, self.results, self.library):
            one.mkdir()
        self.error_file = folder / "errors"
        self.program = self._program(folder)
        self.applications = folder / "applications"  # where it is one of plait's own
        self.applications.mkdir()
        (self.applications / self.program.stem).symlink_to(self.program)
        self.process: subprocess.Popen[bytes] | None = None

    def _program(self, folder: pathlib.Path) -> pathlib.Path:
        original = FAKE if self.fault.program == "fake" else jacobi3d(self.fault.mpi)
        if self.fault.target != "binary":
            return original
        copy = folder / "bin" / original.name
        copy.parent.mkdir()
        for module in (HERE / "launched.py", *HERE.glob("sample*.py")):
            shutil.copy(module, copy.parent)
        shutil.copy(original, copy)
        if self.fault.what == "damaged":
            copy.write_bytes(b"\x7fELF" + bytes(200))
        if self.fault.what == "unreadable":
            copy.chmod(0)
        if self.fault.what == "missing":
            copy.unlink()
        return copy

    def words(self) -> list[str]:
        """The program and its arguments."""
        ends = (
            self.fault.stops or self.fault.target in ("disk", "binary") or self.fault.what == "full"
        )
        if self.fault.program == "fake":
            return ["--sleep", str(SHORT_S if ends else LONG_S)]
        steps = 50 if ends else 1_000_000
        return ["--size", "64x64x64", "--steps", str(steps), "--repeat", "1",
                "--variants", "base,plait"]  # fmt: skip

    def start(self, output: int) -> None:
        """Start it; its output goes to that descriptor."""
        settings = {MARK: self.name, "TMPDIR": str(self.temporary)}
        if self.fault.place == "mpiexec":
            settings |= {
                "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                "OMPI_MCA_orte_tmpdir_base": str(self.library),
                "OMPI_MCA_btl_vader_backing_directory": str(self.library),
                "OMPI_MCA_btl_vader_single_copy_mechanism": "none", "UCX_DEBUG_SIGNO": "0",
            }  # fmt: skip
            more = ["--json", str(self.results / "o.json")]
            command = [f"mpiexec.{self.fault.mpi}", *MPIEXEC[self.fault.mpi], "-n", "3",
                       str(self.program), *self.words(), *more]  # fmt: skip
        else:
            settings["PLAIT_BIN_DIR"] = str(self.applications)
            command = [sys.executable, "-I", "-B", START, "plait", "run", str(self.program),
                       "--mpi", self.fault.mpi, *self.words(), *self._files()]  # fmt: skip
            if self.fault.place == "lab":
                command += ["--lab", f"nodes=2,rate=1gbit,name={self.name}"]
        with open(self.error_file, "wb") as errors:
            self.process = subprocess.Popen(
                command, env={**os.environ, **settings}, stdin=subprocess.DEVNULL, stdout=output,
                stderr=errors, start_new_session=True, close_fds=True,
                preexec_fn=(lambda: os.close(1)) if self._is_closed() else None,
            )  # fmt: skip

    def _is_closed(self) -> bool:
        return (self.fault.target, self.fault.what) == ("output", "closed")

    def _files(self) -> list[str]:
        full = "/dev/full" if self.fault.target == "disk" else None
        result = full if self.fault.what == "result" else self.results / "o.json"
        report = full if self.fault.what == "report" else self.results / "o.html"
        return ["--json", str(result or self.results / "o.json"),
                f"--report={report or self.results / 'o.html'}"]  # fmt: skip

    def least_ranks(self) -> int:
        """How many ranks must be there before something is hit.

        mpiexec of MPICH 4.0 tells its proxies, one a node, when a rank has died or the job is to
        end.  A proxy that has not started its ranks by then starts them nevertheless.
        """
        asked = self.fault.target in ("rank", "mpiexec") and self.fault.mpi == "mpich"
        return 2 if asked and not self.fault.stops else 0

    def errors(self) -> list[str]:
        """Returns the lines that the command wrote to standard error."""
        return self.error_file.read_text(errors="replace").splitlines()

    def family(self) -> dict[int, str]:
        """Its living processes: the command, mpiexec, ranks and others."""
        found = {}
        wanted = f"{MARK}={self.name}".encode()
        for entry in os.scandir("/proc"):
            if not entry.name.isdigit():
                continue
            with contextlib.suppress(OSError):
                words = pathlib.Path(entry.path, "environ").read_bytes().split(b"\0")
                if wanted in words:
                    found[int(entry.name)] = self._role(int(entry.name), words)
        return found

    def _role(self, pid: int, words: list[bytes]) -> str:
        if self.process is not None and pid == self.process.pid:
            return "mpiexec" if self.fault.place == "mpiexec" else "command"
        if any(word.startswith((b"OMPI_COMM_WORLD_RANK=", b"PMI_RANK=")) for word in words):
            return "rank"
        name = pathlib.Path(f"/proc/{pid}/exe").readlink().name
        return "mpiexec" if name in ("orterun", "mpiexec.hydra") else "other"


def hit(job: Job, limit_s: float) -> bool:
    """Send the signal; whether it found its target."""
    fault = job.fault
    number = signal.Signals[fault.what]
    if fault.target == "group":
        with contextlib.suppress(ProcessLookupError):
            os.killpg(job.process.pid, number)
            return True
        return False
    deadline = time.monotonic() + 30
    while job.process.poll() is None and time.monotonic() < deadline:
        family = job.family()
        targets = [pid for pid, role in family.items() if role == fault.target]
        ranks = [pid for pid, role in family.items() if role == "rank"]
        if targets and len(ranks) >= job.least_ranks():
            one = random.Random(fault.delay_s).choice(sorted(targets))
            with contextlib.suppress(ProcessLookupError):
                os.kill(one, number)
                if fault.stops:
                    time.sleep(MEANWHILE_S)
                    os.kill(one, signal.SIGCONT)
                return True
        time.sleep(0.02)
    return False


def run(fault: Fault, limit_s: float) -> tuple[list[str], float]:
    """Runs a job with the fault.  Returns the flaws of its end, and the seconds until it ended."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="plait-fault-"))
    memory_before, begin = shared_memory(), time.time()
    job = Job(fault, folder)
    no_room = contextlib.nullcontext()
    if (fault.target, fault.what) == ("disk", "temporary"):
        no_room = without_room(job.temporary)
    try:
        with no_room:
            took_s = run_to_end(job, limit_s)
            problems = what_is_wrong(job, took_s, limit_s, memory_before)
            if problems:
                problems += [f"exit code {job.process.returncode}; it said:", *job.errors()]
            return problems, took_s
    finally:
        for pid in job.family():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        if fault.place == "mpiexec":
            remove_orphans(begin)
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def without_room(folder: pathlib.Path):
    """The folder with a few hundred kilobytes of room, where this user may mount."""
    options = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(folder)]
    mounted = subprocess.run(options, capture_output=True, check=False).returncode == 0
    try:
        yield
    finally:
        if mounted:
            subprocess.run(["umount", "-l", str(folder)], check=False)


def run_to_end(job: Job, limit_s: float) -> float:
    """Start it, let the fault happen, wait; seconds from the fault to its last process's end."""
    fault = job.fault
    reading, writing = os.pipe()
    full = os.open("/dev/full", os.O_WRONLY)
    job.start(full if (fault.target, fault.what) == ("output", "full") else writing)
    os.close(writing)
    os.close(full)
    time.sleep(fault.delay_s)
    by_itself = fault.stops or fault.what == "full" or fault.target in ("disk", "binary")
    if fault.what in signal.Signals.__members__:
        hit(job, limit_s)
    elif fault.what == "unread":
        os.close(reading)
        reading = None
        job.process.send_signal(signal.SIGTERM)  # a job that says nothing cannot notice
    elif fault.what == "closed":
        job.process.send_signal(signal.SIGINT)
    elif fault.what == "vanishes":
        job.program.unlink(missing_ok=True)
    begin = time.monotonic()
    patience_s = limit_s + (120 if by_itself else 0)
    if reading is not None:
        os.set_blocking(reading, False)
    while time.monotonic() < begin + patience_s:
        if reading is not None:
            with contextlib.suppress(BlockingIOError):
                os.read(reading, 1 << 16)
        if job.process.poll() is not None and not job.family():
            break
        time.sleep(0.05)
    took_s = time.monotonic() - begin
    if reading is not None:
        os.close(reading)
    return 0.0 if by_itself and took_s < patience_s else took_s


def left_behind(job: Job, memory_before: set[str]) -> list[str]:
    """Files, folders and namespaces of the job that are still there."""
    fault = job.fault
    left = [str(path) for path in job.temporary.iterdir() if path.name != f"plait-{os.geteuid()}"]
    left += [str(path) for path in job.results.iterdir() if path.name not in ("o.json", "o.html")]
    left += [str(path) for path in pathlib.Path("/run/netns").glob(f"plait-{job.name}-*")]
    left += [str(path) for path in state_folder().glob(f"{job.name}.*")]
    if fault.place != "mpiexec":
        left += [f"/dev/shm/{name}" for name in orphans(memory_before, job.process.pid)]
    return left


def what_is_wrong(job: Job, took_s: float, limit_s: float, memory_before: set[str]) -> list[str]:
    """Each promise that was broken."""
    fault, process = job.fault, job.process
    problems = []
    family = job.family()
    if process.poll() is None or family:
        problems.append(f"after {took_s:.1f} s there still are")
        problems += sorted(f"  {role} {who_is(pid)}" for pid, role in family.items())
    elif took_s > limit_s:
        problems.append(f"it took {took_s:.1f} s")
    deadline = time.monotonic() + limit_s
    while (left := left_behind(job, memory_before)) and time.monotonic() < deadline:
        time.sleep(0.1)
    problems += [f"left behind: {one}" for one in left]
    result = job.results / "o.json"
    if result.exists():
        try:
            json.loads(result.read_text())
        except ValueError:
            problems.append(f"half a result: {result.stat().st_size} bytes")
    if fault.place != "mpiexec":
        problems += what_it_said_wrong(job)
    return problems


def what_it_said_wrong(job: Job) -> list[str]:
    """One line where the job did not succeed, none where it did or could not speak."""
    fault, code, lines = job.fault, job.process.returncode, job.errors()
    said = [line for line in lines if not PROGRESS.match(line)]
    if code is None:
        return []
    if code in (0, 1) and fault.target not in ("disk", "output"):
        return [] if not said else [f"it ended with {code} and complained"]
    if code < 0:  # killed, perhaps before it could handle a signal
        wanted = fault.target in ("command", "group", "output")
        return [] if wanted and not said else [f"killed by {-code}"]
    if code == 0 and (fault.what == "full" or fault.target == "disk"):
        return ["it could not write, and ended with 0"] if said or fault.what != "temporary" else []
    if len(said) != 1 or not said[0].startswith("plait: "):
        return ["not one line"]
    return []


def main() -> None:
    """Run the faults."""
    parser = argparse.ArgumentParser(
        prog="./plait faults", description=__doc__.partition("\n\n")[0]
    )
    parser.add_argument("--faults", type=int, default=200, metavar="N", help="how many")
    parser.add_argument(
        "--seed", type=int, default=None, metavar="S", help="from the clock without"
    )
    parser.add_argument("--first", type=int, default=0, metavar="K", help="number of the first one")
    parser.add_argument("--limit", type=float, default=5.0, help="seconds a job may take to end")
    parser.add_argument("--mpi", choices=LIBRARIES, help="that library alone")
    parser.add_argument("--only", default="", metavar="WORDS", help="those described by WORDS")
    parser.add_argument("--verbose", action="store_true", help="name each fault")
    given = parser.parse_args()
    # A shell starts what it leaves in the background with these ignored; jobs would inherit that.
    for ignored in (signal.SIGINT, signal.SIGQUIT):
        signal.signal(ignored, signal.SIG_DFL)
    seed = int(time.time()) if given.seed is None else given.seed
    libraries = [given.mpi] if given.mpi else [m for m in LIBRARIES if shutil.which(f"mpiexec.{m}")]
    try:
        has_lab = bool(lab_mode())
    except BadInput:
        has_lab = False
    counted: collections.Counter[str] = collections.Counter()
    longest_s, wrong = 0.0, 0
    for number in range(given.first, given.first + given.faults):
        fault = choose(number, seed, libraries, has_lab)
        if given.only not in fault.describe():
            continue
        problems, took_s = run(fault, given.limit)
        counted[f"{fault.target} {fault.what}"] += 1
        longest_s = max(longest_s, took_s)
        if problems:
            wrong += 1
            print(f"seed {seed}, fault {fault.describe()}", *problems, sep="\n  ", flush=True)
        elif given.verbose:
            print(f"{fault.describe()}: {took_s:.1f} s", flush=True)
    done = sum(counted.values())
    print(f"{done} faults of seed {seed}: {wrong} wrong, the longest end took {longest_s:.1f} s")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
