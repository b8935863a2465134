# SPDX-License-Identifier: BSD-3-Clause
"""Command lines for both MPI libraries, and what is read from their banners."""

import shlex

import pytest

from plait.errors import BadInput
from plait.lab.spec import LabSpec
from plait.lab.state import Lab
from plait.launch import mpi
from plait.launch.noise import StreamFilter, find_death


@pytest.fixture
def lab():
    spec = LabSpec(nodes=2)
    return Lab("lab7", spec, "root", "10.87.7.0/24", [[0], [1]], None, [1, 1], ready=True)


@pytest.fixture(autouse=True)
def _mpiexec_is_there(monkeypatch):
    monkeypatch.delenv("PLAIT_MPIEXEC", raising=False)
    monkeypatch.delenv("PLAIT_LAUNCHER", raising=False)
    monkeypatch.setattr(mpi.shutil, "which", lambda name: f"/usr/bin/{name}")


def pairs(argv):
    return list(zip(argv, argv[1:]))


def test_open_mpi_on_shared_memory_may_oversubscribe():
    job = mpi.launch("openmpi", 3, ["prog", "--x"])
    assert job.argv[-2:] == ["prog", "--x"]
    assert "--oversubscribe" in job.argv
    assert ("-n", "3") in pairs(job.argv)
    assert ("--bind-to", "none") in pairs(job.argv)
    assert job.environment["OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"] == "1"


def test_a_folder_that_leads_to_usr_bin_is_usr_bin(monkeypatch, tmp_path):
    (tmp_path / "bin").symlink_to("/usr/bin")
    monkeypatch.setattr(mpi.shutil, "which", lambda name: f"{tmp_path}/bin/{name}")
    assert mpi.find_mpiexec("openmpi") == "/usr/bin/mpiexec.openmpi"


def test_the_mpiexec_of_the_standard_abi_is_that_of_the_library_named_or_in_path(monkeypatch):
    monkeypatch.delenv("PLAIT_MPI_ABI_ROOT", raising=False)
    assert mpi.launch("abi", 2, ["prog"]).argv[3:] == ["/usr/bin/mpiexec", "-n", "2", "prog"]
    monkeypatch.setenv("PLAIT_MPI_ABI_ROOT", "/opt/mpich")
    monkeypatch.setattr(mpi.shutil, "which", lambda name: name)
    assert mpi.find_mpiexec("abi") == "/opt/mpich/bin/mpiexec"
    monkeypatch.setattr(mpi.shutil, "which", lambda name: None)
    with pytest.raises(BadInput, match="PLAIT_MPIEXEC names that of an MPI library with"):
        mpi.find_mpiexec("abi")


def test_open_mpi_in_a_lab_goes_over_tcp_with_two_links(lab):
    job = mpi.launch("openmpi", 2, ["prog"], lab)
    assert job.argv[:4] == ["ip", "netns", "exec", "plait-lab7-head"]
    assert ("--host", "10.87.7.1:1,10.87.7.2:1") in pairs(job.argv)
    assert ("btl_tcp_links", "2") in pairs(job.argv)
    assert ("btl_tcp_flags", "1") in pairs(job.argv)
    assert ("btl", "tcp,self") in pairs(job.argv)
    assert ("btl_tcp_if_include", "10.87.7.0/24") in pairs(job.argv)


def test_a_foreign_program_gets_one_link_since_its_first_messages_may_cross(lab):
    job = mpi.launch("openmpi", 2, ["prog"], lab, is_foreign=True)
    assert ("btl_tcp_links", "1") in pairs(job.argv)


def test_a_rank_of_a_cluster_starts_a_job_of_its_own_in_the_cluster(lab):
    words = shlex.split(mpi.line_of_rank("openmpi", 2, ["prog"], lab))
    enter = words.index("netns")
    assert words[enter - 1 : enter + 3] == ["ip", "netns", "exec", "plait-lab7-head"]
    assert ("--host", "10.87.7.1:1,10.87.7.2:1") in pairs(words)
    assert ("btl_tcp_links", "1") in pairs(words)
    assert words[-1] == "prog"


def test_ranks_of_one_node_share_memory(lab):
    job = mpi.launch("openmpi", 5, ["prog"], lab)
    assert ("--host", "10.87.7.1:3,10.87.7.2:2") in pairs(job.argv)
    assert ("btl", "tcp,vader,self") in pairs(job.argv)


def test_mpich_in_a_lab_uses_the_agent_as_ssh(lab):
    job = mpi.launch("mpich", 2, ["prog"], lab)
    assert ("-launcher-exec", str(lab.agent)) in pairs(job.argv)
    assert ("-localhost", "10.87.7.254") in pairs(job.argv)
    assert ("-hosts", "10.87.7.1:1,10.87.7.2:1") in pairs(job.argv)
    assert job.environment["UCX_TLS"] == "tcp,self"
    assert job.environment["MPIR_CVAR_NOLOCAL"] == "1"


def test_nodes_without_ranks_are_left_out(lab):
    assert mpi.host_slots(lab, 1) == [("10.87.7.1", 1)]


OPENMPI_KILLED = """--------------------------------------------------------------------------
mpiexec noticed that process rank 1 with PID 4711 on node 10.87.7.2
exited on signal 9 (Killed).
--------------------------------------------------------------------------"""
OPENMPI_ABORT = """--------------------------------------------------------------------------
MPI_ABORT was invoked on rank 2 in communicator MPI_COMM_WORLD
with errorcode 13.

NOTE: invoking MPI_ABORT causes Open MPI to kill all MPI processes.
--------------------------------------------------------------------------"""
HYDRA_KILLED = """
===================================================================================
=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES
=   PID 4711 RUNNING AT 10.87.7.2
=   EXIT CODE: 9
=   CLEANING UP REMAINING PROCESSES
=   YOU CAN IGNORE THE BELOW CLEANUP MESSAGES
===================================================================================
YOUR APPLICATION TERMINATED WITH THE EXIT STRING: Killed (signal 9)
This typically refers to a problem with your application.
Please see the FAQ page for debugging suggestions"""


@pytest.mark.parametrize(
    ("banner", "sentence"),
    [
        (OPENMPI_KILLED, "rank 1 on node n1 was killed by signal 9 (SIGKILL)"),
        (OPENMPI_ABORT, "rank 2 ended with exit code 13"),
        (HYDRA_KILLED, "a rank on node n1 was killed by signal 9 (SIGKILL)"),
    ],
)
def test_a_banner_comes_down_to_one_sentence(banner, sentence):
    keeper = StreamFilter()
    for line in ["fake: own words", *banner.splitlines()]:
        keeper.take(line)
    assert keeper.program_lines == ["fake: own words"]
    death = find_death(keeper.launcher_text, {"10.87.7.2": "n1"})
    assert death is not None
    assert death.sentence() == sentence


def test_what_libevent_says_in_the_launcher_is_not_the_programs():
    keeper = StreamFilter()
    keeper.take("[warn] Epoll MOD(1) on fd 23 failed. Old events were 6; read change was 0 (none)")
    assert keeper.program_lines == []


def test_progress_lines_are_taken_out():
    keeper = StreamFilter()
    assert keeper.take('@progress {"done":3,"total":20,"label":"base 1/5"}\n') == {
        "done": 3, "total": 20, "label": "base 1/5",
    }  # fmt: skip
    assert keeper.take("@progress nonsense") is None
    assert keeper.program_lines == []
