# SPDX-License-Identifier: BSD-3-Clause
"""Emulated clusters: up, down, jobs in them, and what is left after a kill."""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import pytest

from conftest import FAKE, ROOT, command, environment, one_line, plait
from plait.lab import state
from plait.lab.agent import agent_script
from plait.lab.spec import LabSpec
from plait.lab.state import Lab
from test_run import living, wait_until

BOTH = pytest.mark.parametrize("mpi", ["openmpi", "mpich"])
NAME = f"t{os.getpid()}"


def namespaces(name=NAME):
    if os.geteuid() != 0:
        return []
    listed = subprocess.run(["ip", "netns", "list"], capture_output=True, text=True, check=True)
    return [line for line in listed.stdout.splitlines() if line.startswith(f"plait-{name}-")]


@pytest.fixture
def kept_lab():
    done = plait("lab", "up", "--name", NAME, "--nodes", "2", "--rate", "200mbit")
    assert done.returncode == 0, done.stderr
    yield NAME
    plait("lab", "down", NAME)
    assert namespaces() == []


def test_the_agent_knows_addresses_names_and_cores():
    lab = Lab("x", LabSpec(nodes=2), "root", "10.87.7.0/24", [[0], []], None, [1, 1])
    script = agent_script(lab)
    assert "10.87.7.1) space=plait-x-n0 name=n0 start='taskset -c 0 sh' ;;" in script
    assert "10.87.7.2) space=plait-x-n1 name=n1 start='sh' ;;" in script
    assert subprocess.run(["sh", "-n"], input=script, text=True, check=False).returncode == 0


@pytest.mark.lab
def test_a_lab_is_named_either_way_by_every_command():
    for index, up in enumerate(([NAME], ["--name", NAME])):
        assert plait("lab", "up", *up).returncode == 0
        for status in ([NAME], ["--name", NAME]):
            assert plait("lab", "status", *status).stdout.startswith(f"{NAME}: ")
        down = ["--name", NAME] if index == 0 else [NAME]
        assert plait("lab", "down", *down).stdout == f"{NAME} is down\n"
    for word in ("up", "down", "status"):
        assert "two names, 'a' and --name b" in one_line(plait("lab", word, "a", "--name", "b"))
    assert "--all and 'a'" in one_line(plait("lab", "down", "--all", "a"))


@pytest.mark.lab
def test_nodes_have_names_addresses_and_limited_links(kept_lab):
    def inside(node, *words):
        return plait("lab", "exec", "--name", kept_lab, node, "--", *words).stdout

    assert inside("n1", "hostname").strip() == "n1"
    assert re.search(r"inet 10\.87\.\d+\.2/24", inside("1", "ip", "addr", "show", "eth0"))
    assert "rate 200Mbit" in inside("n0", "tc", "qdisc", "show", "dev", "eth0")
    setting = "/proc/sys/net/ipv4/tcp_autocorking"
    ends_go = f"test ! -w {setting} && echo 0 || cat {setting}"
    assert inside("n0", "sh", "-c", ends_go).strip() == "0"
    assert "quickack 1" in inside("n0", "ip", "route", "show", "dev", "eth0")
    status = plait("lab", "status", kept_lab).stdout
    assert "200mbit" in status
    assert max(map(len, status.splitlines())) <= 80
    assert (
        plait("lab", "exec", "--name", kept_lab, "n0", "--", "sh", "-c", "exit 7").returncode == 7
    )
    assert "no node 'n9'" in one_line(plait("lab", "exec", "--name", kept_lab, "n9", "--", "true"))


@pytest.mark.lab
def test_names_and_subnets_in_use_are_refused_and_free_ones_chosen(kept_lab):
    assert kept_lab in one_line(plait("lab", "up", "--name", kept_lab))
    subnet = next(lab.subnet for lab in state.load_all() if lab.name == kept_lab)
    assert "in use" in one_line(plait("lab", "up", "--subnet", subnet))
    second = plait("lab", "up")
    name = second.stdout.split()[0]
    assert second.returncode == 0
    assert subnet not in second.stdout
    assert plait("lab", "down", name).returncode == 0


@pytest.mark.lab
def test_a_lab_that_is_not_up_is_one_line():
    assert "no lab named 'zz'" in one_line(plait("lab", "down", "zz"))
    assert "lab name '..'" in one_line(plait("lab", "down", ".."))


@pytest.mark.lab
def test_a_delay_is_that_of_every_message():
    done = plait("lab", "up", "--name", NAME, "--delay", "3ms")
    if done.returncode:
        assert "no delay of links here" in one_line(done)  # neither netem nor /dev/net/tun
        return
    try:
        address = next(lab.address(1) for lab in state.load_all() if lab.name == NAME)
        words = ("ping", "-c", "5", "-i", "0.2", "-q", address)
        said = plait("lab", "exec", "--name", NAME, "n0", "--", *words).stdout
    finally:
        plait("lab", "down", NAME)
    least_ms = float(re.search(r"= ([\d.]+)/", said).group(1))
    assert least_ms >= 2 * 3, said  # a request and its answer
    assert ", 0% packet loss" in said
    assert namespaces() == []


@pytest.mark.lab
@BOTH
@pytest.mark.parametrize(("ranks", "nodes"), [(2, 2), (3, 2)])
def test_a_job_runs_on_the_nodes_and_the_lab_is_gone(mpi, ranks, nodes, tmp_path):
    answer, pids = tmp_path / "o.json", tmp_path / "pids"
    pids.mkdir()
    lab = f"nodes={nodes},rate=1gbit,name={NAME}"
    files = ("--json", answer, "--pid-folder", pids)
    done = plait("run", FAKE, "--mpi", mpi, "--ranks", ranks, "--lab", lab, *files)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    environment = json.loads(answer.read_text())["environment"]
    assert environment["hosts"] == ["n0"]
    assert environment["cores"] == environment["lab"]["cores"][0]
    assert environment["link_rate_Bps"] == pytest.approx(119.55e6, rel=1e-3)
    assert len(list(pids.iterdir())) == ranks
    assert namespaces() == []


@pytest.mark.for_all
@pytest.mark.lab
@BOTH
@pytest.mark.parametrize(("nodes", "size"), [(2, "512x512x8"), (4, "256x256x16")])
def test_nodes_in_a_row_exchange_large_messages(mpi, nodes, size, tmp_path):
    if not (ROOT / "build" / f"release-{mpi}" / "apps" / "jacobi3d").exists():
        pytest.skip(f"jacobi3d is not built with {mpi}")
    done = plait("run", "jacobi3d", "--mpi", mpi, "--ranks", nodes, "--grid", f"1x1x{nodes}",
                 "--size", size, "--steps", 4, "--repeat", 1, "--variants", "base,plait",
                 "--lab", f"nodes={nodes},rate=1gbit,name={NAME}",
                 "--json", tmp_path / "o.json")  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert namespaces() == []


@pytest.mark.for_all
@pytest.mark.lab
@BOTH
def test_communicators_of_several_nodes_use_tcp(mpi):
    program = ROOT / "build" / f"release-{mpi}" / "tests" / "runtime" / "runtime_rank_tests"
    if not program.exists():
        pytest.skip(f"the tests are not built with {mpi}")
    done = plait("run", program, "--mpi", mpi, "--ranks", 3, "--lab", f"nodes=2,name={NAME}", "--",
                 "--of=test_communicators", "--gtest_filter=*tcp*", "--gtest_color=no")  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "[  PASSED  ] 1 test" in done.stdout
    assert namespaces() == []


@pytest.mark.lab
@BOTH
def test_a_dead_rank_ends_a_job_in_a_lab(mpi):
    started = time.monotonic()
    done = plait("run", FAKE, "--mpi", mpi, "--lab", f"nodes=2,name={NAME}", "--die", "1",
                 "--sleep", "50")  # fmt: skip
    assert "SIGKILL" in one_line(done, 128 + signal.SIGKILL)
    assert time.monotonic() - started < 20
    assert namespaces() == []


@pytest.mark.lab
@BOTH
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_killed_run_leaves_nothing_or_what_the_next_one_removes(mpi, number, tmp_path):
    arguments = ("run", FAKE, "--mpi", mpi, "--sleep", "50", "--pid-folder", tmp_path,
                 "--lab", f"nodes=2,name={NAME}")  # fmt: skip
    process = subprocess.Popen(
        command(*arguments), env=environment(), stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    wait_until(lambda: len(list(tmp_path.iterdir())) == 2)
    process.send_signal(number)
    process.wait(timeout=20)
    if number == signal.SIGKILL:
        done = plait("lab", "up", "--name", NAME)  # the same name: the stale one is in the way
        assert done.returncode == 0, done.stderr
        plait("lab", "down", NAME)
    wait_until(lambda: living(tmp_path) == [])
    assert namespaces() == []
    assert NAME not in [lab.name for lab in state.load_all()]


@pytest.mark.lab
def test_a_half_built_lab_is_removed_by_the_next_up():
    code = (
        "import os\nfrom plait.lab import network, cluster\nfrom plait.lab.spec import LabSpec\n"
        "network._limit = lambda *a, **k: os.kill(os.getpid(), 9)\n"
        f"cluster.bring_up(LabSpec(name='{NAME}'))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], env=environment(), check=False)
    assert done.returncode == -signal.SIGKILL
    assert NAME in [lab.name for lab in state.load_all()]
    assert plait("lab", "up", "--name", NAME).returncode == 0
    assert plait("lab", "down", NAME).returncode == 0
    assert namespaces() == []


@pytest.mark.lab
@pytest.mark.skipif(os.geteuid() != 0, reason="namespaces of a user namespace end with it")
def test_an_interrupt_while_ip_makes_a_namespace_leaves_nothing(tmp_path):
    ip = shutil.which("ip", path="/usr/sbin:/sbin:/usr/bin:/bin")
    slow = tmp_path / "ip"  # it interrupts the command, and makes what was asked for all the same
    slow.write_text(
        f'#!/bin/sh\ncase "$*" in *"netns add"*) ;; *) exec {ip} "$@";; esac\n'
        f'(sleep 0.3; {ip} "$@") & kill -INT $PPID\nwait $!\n'
    )
    slow.chmod(0o700)
    with_slow = {**environment(), "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    done = subprocess.run(
        command("lab", "up", "--name", NAME), env=with_slow, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 128 + signal.SIGINT
    time.sleep(0.5)
    assert namespaces() == []
    assert NAME not in [lab.name for lab in state.load_all()]


@pytest.fixture
def unprivileged():
    """Prefix of a command that runs as nobody, where this user may do that."""
    if os.geteuid() != 0:
        pytest.skip("these tests run unprivileged as they are")
    home = pathlib.Path(tempfile.mkdtemp(prefix="plait-nobody-"))
    home.chmod(0o777)
    shutil.copytree(ROOT / "python" / "plait", home / "plait")
    shutil.copytree(FAKE.parent, home / "fake", ignore=shutil.ignore_patterns("__pycache__"))
    (home / "apps").mkdir()
    (home / "apps" / "fake").symlink_to(home / "fake" / FAKE.name)
    site = pathlib.Path(pytest.__file__).parents[1]
    prefix = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "env", "-i",
              "PATH=/usr/bin:/bin", f"HOME={home}", f"PYTHONPATH={home}:{site}", f"TMPDIR={home}",
              "PYTHONDONTWRITEBYTECODE=1", f"PLAIT_BIN_DIR={home / 'apps'}"]  # fmt: skip
    yield prefix, home
    shutil.rmtree(home, ignore_errors=True)


@pytest.mark.lab
@BOTH
def test_an_ordinary_user_has_a_lab_in_a_user_namespace(mpi, unprivileged):
    prefix, home = unprivileged
    try_it = [*prefix, "unshare", "-Urnm", "true"]
    if subprocess.run(try_it, capture_output=True, check=False).returncode:
        pytest.skip("this kernel gives ordinary users no user namespaces")
    words = ["/usr/bin/python3", "-m", "plait", "run", str(home / "fake" / "fake_app.py"),
             "--mpi", mpi, "--lab", "nodes=2", "--json", str(home / "o.json")]  # fmt: skip
    done = subprocess.run(
        [*prefix, *words], capture_output=True, text=True, check=False, cwd="/", timeout=60
    )
    assert done.returncode == 0, done.stderr
    environment = json.loads((home / "o.json").read_text())["environment"]
    assert environment["lab"]["mode"] == "user"
    assert environment["hosts"] == ["n0"]


def test_without_namespaces_it_says_what_is_missing(unprivileged):
    prefix, home = unprivileged
    forbid = ["unshare", "-Um", "--map-root-user", "sh", "-c",
              "echo 0 > /proc/sys/user/max_net_namespaces && exec \"$@\"", "sh"]  # fmt: skip
    words = ["/usr/bin/python3", "-m", "plait", "run", str(home / "fake" / "fake_app.py"),
             "--lab", "nodes=2"]  # fmt: skip
    done = subprocess.run(
        [*prefix, *forbid, *words], capture_output=True, text=True, check=False, cwd="/"
    )
    if "Permission denied" in done.stderr or "unshare" in done.stderr:
        pytest.skip("this kernel does not let an ordinary user set its own limits")
    assert "no privilege for network namespaces" in one_line(done)
