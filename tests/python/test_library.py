# SPDX-License-Identifier: BSD-3-Clause
"""An MPI library given by the folder of its installation."""

import pytest

from plait.errors import BadInput
from plait.lab.spec import LabSpec
from plait.lab.state import Lab
from plait.launch import library, mpi


@pytest.fixture
def installation(tmp_path, monkeypatch):
    monkeypatch.delenv("PLAIT_MPIEXEC", raising=False)

    def make(*programs):
        (tmp_path / "bin").mkdir()
        for name in programs:
            file = tmp_path / "bin" / name
            file.write_text("#!/bin/sh\n")
            file.chmod(0o755)
        return str(tmp_path)

    return make


def pairs(argv):
    return list(zip(argv, argv[1:]))


def test_open_mpi_5_is_told_by_its_launcher(installation):
    folder = installation("mpicxx", "mpiexec", "ompi_info", "prterun")
    job = mpi.launch(folder, 3, ["prog"])
    assert f"{folder}/bin/mpiexec" in job.argv
    assert ("--map-by", ":OVERSUBSCRIBE") in pairs(job.argv)
    assert "--oversubscribe" not in job.argv
    lab = Lab(
        "lab7", LabSpec(nodes=2), "root", "10.87.7.0/24", [[0], [1]], None, [1, 1], ready=True
    )
    job = mpi.launch(folder, 5, ["prog"], lab)
    assert ("plm_ssh_agent", str(lab.agent)) in pairs(job.argv)
    assert ("btl", "tcp,sm,self") in pairs(job.argv)


def test_mpich_is_told_by_its_programs(installation):
    folder = installation("mpicxx", "mpiexec", "mpichversion")
    assert library.kind_of(folder) == "mpich"
    assert mpi.launch(folder, 2, ["prog"]).argv[-4:] == [f"{folder}/bin/mpiexec", "-n", "2", "prog"]
    assert library.build_folder(folder) == "release" + folder.replace("/", "-")


@pytest.mark.parametrize(
    ("programs", "said"),
    [
        (("mpicxx", "ompi_info"), "no program bin/mpiexec"),
        (("mpicxx", "mpiexec"), "neither Open MPI"),
    ],
)
def test_what_is_no_installation_is_refused(installation, programs, said):
    with pytest.raises(BadInput, match=said):
        library.check(installation(*programs))


def test_a_word_is_no_folder():
    with pytest.raises(BadInput, match="openmpi, mpich or the folder"):
        library.check("lam")
