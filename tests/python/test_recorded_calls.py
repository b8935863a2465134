# SPDX-License-Identifier: BSD-3-Clause
"""`plait simulate` of what `plait attach --record` has left."""

import json
import pathlib
import re

import pytest

from conftest import one_line, plait
from plait import __version__
from plait.attach.words import parse
from plait.errors import BadInput
from plait.run.attached import application_found
from plait.run.foreign import ForeignRun
from plait.run.recorded_calls import make_ready
from sample import attach_result, simulation_result
from sample_simulation import FAKE_PROGRAM
from sample_trace import ring_trace

WALL_S = 40e-6  # of the ring's ranks


@pytest.fixture
def simulate(tmp_path):
    """Simulates the folder `recording` by a fake program."""
    (tmp_path / "result.json").write_text(json.dumps(simulation_result()))
    (tmp_path / "simulate").write_text(FAKE_PROGRAM)
    (tmp_path / "simulate").chmod(0o755)
    return lambda *words: plait(
        "simulate", tmp_path / "recording", *words, PLAIT_BIN_DIR=str(tmp_path)
    )


def record(tmp_path, name="recording", hosts=("n0", "n0", "n1"), **more):
    """Leaves what three ranks on two nodes recorded."""
    folder = tmp_path / name
    folder.mkdir()
    ring_trace(len(hosts)).write(folder / "trace.json")
    (row, *_) = attach_result()["ranks_detail"]
    detail = [{**row, "rank": rank, "wall_s": WALL_S, "host": host}
              for rank, host in enumerate(hosts)]  # fmt: skip
    of_three = {"ranks": len(hosts), "hosts": sorted(set(hosts)), "wall_s": WALL_S,
                "ranks_detail": detail}  # fmt: skip
    result = {**attach_result(), "switches": ["profile", "trace"], **of_three, **more}
    (folder / "attach.json").write_text(json.dumps(result))
    return folder


def test_the_program_gets_calls_nodes_and_who_looks(tmp_path, simulate):
    folder = record(tmp_path)
    done = simulate("--network", "1gbit", "--json", tmp_path / "kept.json")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("--dialect plait --network 1gbit --policy none --nodes 0,0,1 ")
    assert done.stdout.endswith(f" -- {folder / 'program.goal'}\n")
    rows = json.loads((tmp_path / "kept.json").read_text())["rows"]
    assert {row["recorded_s"] for row in rows} == {WALL_S}
    text = (folder / "program.goal").read_text()
    assert "// until Waitall at step (halo.c:14)\nl5: calc 10000\n" in text
    assert text.count("// until the end\n") == 3


def test_what_a_recording_lacks_is_said(tmp_path, simulate):
    folder = record(tmp_path)
    made = ring_trace()
    made.call(0, "Put", 33, 34)
    made.write(folder / "trace.json")
    done = simulate("--network", "1gbit", "--json", tmp_path / "kept.json")
    said = "operations on windows take no time (Put)"
    assert f"not to be trusted: {said}" in done.stdout
    rows = json.loads((tmp_path / "kept.json").read_text())["rows"]
    assert {(row["trusted"], row["why_not_trusted"]) for row in rows} == {(False, said)}


def test_recordings_of_several_ranks_have_calls(tmp_path, simulate):
    record(tmp_path, hosts=("n0", "n1", "n2"))
    other = record(tmp_path, "other", ("n0", "n1", "n2", "n3"))
    said = simulate(other, "--ranks", "4,8", "--network", "1gbit").stdout
    words = said.split()
    assert said.startswith("--dialect plait --ranks 4,8 --network 1gbit --policy none ")
    assert words[words.index("--ranks-of-a-node") + 1] == "1"
    assert "--nodes" not in words
    files = [str(tmp_path / name / "program.calls.goal") for name in ("recording", "other")]
    assert words[words.index("--") + 1 :] == files
    text = pathlib.Path(files[1]).read_text()
    assert text.count("// collective allreduce 8 bytes, root 0: Allreduce at step") == 4
    assert text.count("// collective bcast") == 4
    # The tag is the program's own, the same on all ranks, and messages have names.
    tags = set(re.findall(r"(?:send|recv) .* tag (\d+)", text))
    assert len(tags) == 1
    assert "// Isend at step (halo.c:12)" in text


def test_ranks_share_nodes_as_they_were_recorded(tmp_path, simulate):
    record(tmp_path, hosts=("n0", "n0", "n1", "n1"))
    other = record(tmp_path, "other", ("n0",) * 3)
    assert "the same number of ranks on each node" in one_line(simulate(other, "--ranks", "8"))
    assert (
        " --ranks-of-a-node 2 " in simulate(other, "--ranks", "8", "--ranks-of-a-node", "2").stdout
    )


def test_recordings_of_other_machines_are_refused(tmp_path, simulate):
    record(tmp_path, hosts=("n0", "n1"))
    other = record(tmp_path, "other", ("n0", "n1", "n2"), switches=["profile", "trace", "progress"])
    words = (other, "--ranks", "8", "--network", "1gbit")
    said = one_line(simulate(*words))
    assert "recordings differ in policy: none and sleeping; give --policy" in said
    assert simulate(*words, "--policy", "none").returncode == 0


def test_a_recorded_time_stands_beside_the_grid_that_was_recorded(tmp_path, simulate):
    record(tmp_path)
    other = record(tmp_path, "other", ("n0", "n1", "n2", "n3"))
    made = simulation_result()
    made["rows"] = [{**row, "ranks": 4} for row in made["rows"][:2]]
    for row in made["rows"]:
        row.pop("recorded_s")
    made["rows"][0]["recording"] = str(other / "program.calls.goal")  # the other is of 2x2
    (tmp_path / "result.json").write_text(json.dumps(made))
    words = ("--ranks-of-a-node", "1", "--ranks", "4,2x2", "--json", tmp_path / "kept.json")
    done = simulate(other, *words)
    assert done.returncode == 0, done.stderr
    rows = json.loads((tmp_path / "kept.json").read_text())["rows"]
    assert [row.get("recorded_s") for row in rows] == [WALL_S, None]


def test_a_region_has_a_program_and_a_time_of_its_own(tmp_path, simulate):
    folder = record(tmp_path)
    made = ring_trace()
    for rank in range(3):
        for begin in (4, 24):
            made.slice(rank, "regions", "step", "overhead", begin, begin + 8)
    made.write(folder / "trace.json")
    done = simulate("--region", "step:1", "--json", tmp_path / "kept.json")
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith(f" -- {folder / 'region.step%3A1.program.goal'}\n")
    rows = json.loads((tmp_path / "kept.json").read_text())["rows"]
    assert [row["recorded_s"] for row in rows] == [pytest.approx(8e-6)] * len(rows)
    later = (folder / "region.step%3A1.program.goal").read_text()
    assert "Allreduce" in later
    assert "Waitall" not in later
    simulate("--region", "step")
    assert "Irecv" in (folder / "region.step.program.goal").read_text()
    assert "was in 'step' 2 times" in one_line(simulate("--region", "step:2"))
    make_ready(folder, 3)
    assert list(folder.iterdir()) == []


def test_several_recordings_need_ranks(tmp_path, simulate):
    record(tmp_path)
    other = record(tmp_path, "other", ("n0",) * 4)
    assert "several recordings: give --ranks" in one_line(simulate(other))
    goal = tmp_path / "a.goal"
    goal.write_text("num_ranks 1\nrank 0 {\n}\n")
    assert "do not go together" in one_line(simulate(goal, "--ranks", "8"))
    assert "--region: is of recordings of plait attach" in one_line(
        plait("simulate", goal, "--region", "step")
    )


def test_with_progress_a_thread_has_looked(tmp_path, simulate):
    record(tmp_path, switches=["profile", "progress", "trace"])
    assert " --policy sleeping " in simulate().stdout
    assert " --policy dedicated " in simulate("--policy", "dedicated").stdout


def test_the_other_dialect_knows_neither_nodes_nor_looks(tmp_path, simulate):
    record(tmp_path)
    for words in (["--dialect", "loggops"], ["--loggops", "L=1"], ["--finish"]):
        said = simulate(*words).stdout
        assert said.startswith("--")
        assert not {"--nodes", "--policy"} & set(said.split())


def test_a_newer_trace_gives_a_new_program(tmp_path, simulate):
    folder = record(tmp_path)
    simulate()
    mine = f"// plait {__version__}: mine"
    (folder / "program.goal").write_text(mine)
    simulate()
    assert (folder / "program.goal").read_text() == mine
    (folder / "trace.json").touch()
    simulate()
    assert "num_ranks 3" in (folder / "program.goal").read_text()


def test_the_program_of_another_version_is_written_anew(tmp_path, simulate):
    folder = record(tmp_path)
    simulate()
    (folder / "program.goal").write_text("// plait 0.0.1: mine")
    simulate()
    assert "num_ranks 3" in (folder / "program.goal").read_text()


def test_a_recording_that_was_cut_is_refused(tmp_path, simulate):
    folder = record(tmp_path, wall_s=1.0)
    result = json.loads((folder / "attach.json").read_text())
    result["ranks_detail"][1]["wall_s"] = 1.0
    (folder / "attach.json").write_text(json.dumps(result))
    said = one_line(simulate())
    assert "of rank 1 the first 4e-05 s of 1 s are there; record fewer steps" in said
    (folder / "trace.json").unlink()
    assert "trace.json is missing; was the run killed?" in one_line(simulate())


def test_a_job_of_many_ranks_is_refused(tmp_path, simulate):
    record(tmp_path, ranks=1000)
    assert "a job of 1000 ranks; record one of 64 at most" in one_line(simulate())


def test_runtimes_are_of_other_recordings(tmp_path, simulate):
    record(tmp_path)
    assert "has no runtimes" in one_line(simulate("--runtime", "0"))


def test_cores_are_those_of_the_emulated_cluster(tmp_path, simulate):
    record(tmp_path, environment={"lab": {"cores": [[0, 1], [2, 3]]}})
    assert " --cores 1 " in simulate().stdout
    assert " --cores 3 " in simulate("--cores", "3").stdout


def test_a_folder_is_made_ready_before_the_run(tmp_path):
    folder = record(tmp_path)
    make_ready(folder, 3)
    assert list(folder.iterdir()) == []
    with pytest.raises(BadInput, match="a recording has 64 ranks at most, not 65"):
        make_ready(tmp_path / "new", 65)
    (tmp_path / "file").touch()
    with pytest.raises(BadInput, match="is a file; name a folder"):
        make_ready(tmp_path / "file", 1)


def test_a_recording_has_result_and_trace_in_its_folder():
    asked = parse(["--record", "kept", "./a", "word"])
    assert (asked.json, asked.trace) == ("kept/attach.json", "kept/trace.json")
    assert asked.switches == ("profile", "trace")
    with pytest.raises(BadInput, match="name a folder"):
        parse(["--record=", "./a"])
    for other in ("--json", "--trace"):
        with pytest.raises(BadInput, match=f"leave {other} out"):
            parse(["--record", "kept", f"{other}=x", "./a"])


def test_an_application_is_attached_to_by_its_name(tmp_path, monkeypatch):
    (tmp_path / "jacobi3d").write_text("")
    (tmp_path / "jacobi3d").chmod(0o755)
    monkeypatch.setenv("PLAIT_BIN_DIR", str(tmp_path))
    found = application_found(ForeignRun(["jacobi3d", "--steps", "4"], "openmpi", 2, None))
    assert found.words == [str((tmp_path / "jacobi3d").resolve()), "--steps", "4"]
    assert found.is_own  # its ranks connect as they do without attach
    other = ForeignRun(["./their_program"], "openmpi", 2, None)
    assert application_found(other) is other
