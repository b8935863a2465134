# SPDX-License-Identifier: BSD-3-Clause
"""The program behind `plait simulate`.

test_simulate.py PROGRAM
"""

import json
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

PROGRAM = sys.argv.pop(1)
GOLDEN = pathlib.Path(__file__).parent.parent / "simulate/golden"
STEPS = pathlib.Path(__file__).parents[2] / "examples/simulate/steps.py"
NAMES = ("L", "o", "g", "G", "O", "S")


def run(*arguments):
    return subprocess.run(
        [PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=60
    )


def times_of(text):
    """The times of 3*1,5 are 1, 1, 1, 5."""
    times = []
    for part in text.split(","):
        count, _, time = part.rpartition("*")
        times += [time] * int(count or 1)
    return times


def recording_of(rank, ranks, workers=1, cores=2, policy="sleeping"):
    """The file of a rank that runs one task (docs/internals/recording.md)."""
    def text(words):
        return struct.pack("<I", len(words)) + words.encode()

    file = b"PLAITREC" + struct.pack("<IIIIIBQ", 2, rank, ranks, workers, cores, 1, 5000)
    file += text("one task") + text(policy) + text(f"node{rank}")
    file += struct.pack("<Q", 2) + text("") + text("work")
    file += struct.pack("<QQI", 0, 1, 0)  # no collectives, a part of the first runtime
    file += struct.pack("<QQQQIBI", 1, 1, 0, 0, 1, 0, 0) + bytes(4 * 8 + 2 * 8)
    file += struct.pack("<QQQQII", 1, 1, 0, 4000 // ranks, 0, 0) + bytes(8)
    total = 0xCBF29CE484222325 ^ len(file)
    for at in range(0, len(file), 8):
        word = int.from_bytes(file[at : at + 8], "little")
        total = (total ^ word) * 0x100000001B3 % 2**64
        total ^= total >> 29
    return file + struct.pack("<Q", total)


class Simulate(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def goal(self, text):
        path = pathlib.Path(self.folder.name) / "program.goal"
        path.write_text(text)
        return path

    def refusal_of(self, *arguments, lines=1):
        done = run(*arguments)
        self.assertEqual(done.returncode, 2, done)
        self.assertEqual(done.stdout, "")
        said = done.stderr.splitlines()
        self.assertEqual(len(said), lines, done.stderr)
        for line in said:
            self.assertTrue(line.startswith("simulate: "), line)
        return done.stderr

    def test_eight_times_the_ranks_of_a_solver_add_three_rounds_of_its_allreduce(self):
        latency, overhead, per_byte = 2500, 1500, 6
        network = f"L={latency},o={overhead},g=1000,G={per_byte},O=0,S=65535"
        finish = []
        for n in (2, 4, 8):
            made = subprocess.run([STEPS, str(n), "--steps", "2"], capture_output=True, text=True, check=True)
            done = run(self.goal(made.stdout), "--dialect", "loggops", "--loggops", network, "--finish")
            times = [int(time) for time in done.stdout.split()]
            self.assertEqual(len(times), n**3, done)
            finish.append(max(times))
        rounds = 2 * 3 * (latency + 2 * overhead + 7 * per_byte)
        self.assertEqual([b - a for a, b in zip(finish, finish[1:])], [rounds, rounds])

    def recorded(self, ranks, steps=3, work=8_000_000, name="work"):
        """Writes a line of ranks that send to their neighbours, work, and sum."""
        lines = [f"num_ranks {ranks}"]
        for rank in range(ranks):
            lines.append(f"rank {rank} {{")
            label, after, order = 0, 0, []
            for _ in range(steps):
                messages = []
                for peer, up in ((rank - 1, 0), (rank + 1, 1)):
                    if not 0 <= peer < ranks:
                        continue
                    for kind, way, tag in (("send", "to", up), ("recv", "from", 1 - up)):
                        label += 1
                        messages.append(label)
                        lines += ["// halo", f"l{label}: {kind} 4096b {way} {peer} tag {tag}"]
                        order += [f"l{label} requires l{after}"] if after else []
                label += 1
                lines += [f"// {name}", f"l{label}: calc {work // ranks}"]
                order += [f"l{label} requires l{one}" for one in messages]
                label += 1
                lines += ["// collective allreduce 8 bytes, root 0: sum", f"l{label}: calc 0"]
                order.append(f"l{label} requires l{label - 1}")
                after = label
            lines += [*order, "}"]
        path = pathlib.Path(self.folder.name) / f"{ranks}_{steps}.goal"
        path.write_text("\n".join(lines) + "\n")
        return path

    def test_two_recordings_predict_a_row_for_each_number_of_ranks(self):
        files = [self.recorded(2), self.recorded(4)]
        json_file = pathlib.Path(self.folder.name) / "rows.json"
        goal = pathlib.Path(self.folder.name) / "eight.goal"
        done = run(*files, "--ranks", "2,4,8,32", "--network", "1gbit", "--json", json_file)
        self.assertEqual(done.returncode, 0, done.stderr)
        result = json.loads(json_file.read_text())
        rows = result["rows"]
        self.assertEqual([row["ranks"] for row in rows], [2, 4, 8, 32])
        self.assertEqual([row["trusted"] for row in rows], [True, True, True, False])
        of = [row.get("recording") for row in rows]
        self.assertEqual(of, [str(files[0]), str(files[1]), None, None])
        self.assertIn("more than 2 times as many ranks as the 4", rows[3]["why_not_trusted"])
        work = [row["computation_by_name_s"]["work"] for row in rows]
        self.assertEqual([round(work[0] / one, 6) for one in work], [1, 2, 4, 16])
        laws = {(law["of"], law["quantity"]): law["exponent"] for law in result["laws"]}
        self.assertEqual(laws[("work", "duration")], -1)
        self.assertEqual(laws[("halo", "bytes")], 0)
        self.assertIn("32 ranks: not to be trusted", done.stdout)
        # The program of 8 ranks is the one that is read and run, and both dialects take it.
        done = run(*files, "--ranks", "8", "--network", "1gbit", "--write-goal", goal)
        alone = run(goal, "--network", "1gbit", "--policy", "dedicated", "--json", json_file)
        self.assertEqual((done.returncode, alone.returncode), (0, 0), done.stderr + alone.stderr)
        row = json.loads(json_file.read_text())["rows"][0]
        self.assertAlmostEqual(row["predicted_s"], rows[2]["predicted_s"], places=9)
        done = run(*files, "--ranks", "8", "--loggops", "L=2500", "--json", json_file)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(json_file.read_text())["rows"][0]["dialect"], "loggops")

    def test_what_recordings_do_not_tell_is_refused_with_a_line(self):
        two, four = self.recorded(2), self.recorded(4)
        said = self.refusal_of(two, four)
        self.assertIn("several recordings: give --ranks", said)
        for wrong in ("many", "8x", "0", "2000000", "8,8", "2x4,2x4"):
            self.assertIn("--ranks", self.refusal_of(two, four, "--ranks", wrong))
        self.assertIn("recordings have 1 axes", self.refusal_of(two, four, "--ranks", "4x4"))
        longer = self.recorded(4, steps=5)
        self.assertIn("have 12 and 20 operations", self.refusal_of(two, longer, "--ranks", "8"))
        self.assertIn("two different numbers", self.refusal_of(longer, four, "--ranks", "8"))
        for option in ("--finish", "--write-lp=x"):
            self.assertIn("not with several", self.refusal_of(two, four, "--ranks", "8", option))
        self.assertIn("give one number", self.refusal_of(two, four, "--ranks", "8,16", "--write-goal", "x"))

    def recordings(self, **of_the_second):
        folders = []
        for ranks, more in ((2, {}), (4, of_the_second)):
            folder = pathlib.Path(self.folder.name) / str(ranks)
            folder.mkdir(exist_ok=True)
            for rank in range(ranks):
                (folder / f"rank{rank}.plaitrec").write_bytes(recording_of(rank, ranks, **more))
            folders.append(folder)
        return folders

    def test_recordings_of_other_machines_are_refused(self):
        self.assertEqual(run(*self.recordings(), "--ranks", "8").returncode, 0)
        for option, value in (("policy", "workers"), ("workers", 2), ("cores", 1)):
            folders = self.recordings(**{option: value})
            said = self.refusal_of(*folders, "--ranks", "8")
            self.assertIn(f"{folders[1]}: recorded with {option} {value}, others with ", said)
            self.assertIn(f"give --{option}", said)
            done = run(*folders, "--ranks", "8", f"--{option}", str(value))
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_rank_alone_says_nothing_of_those_with_neighbours(self):
        said = self.refusal_of(self.recorded(1), self.recorded(2), "--ranks", "8")
        self.assertIn("rank 0 of 1 and rank 0 of 2 have 6 and 12 operations", said)

    def test_steps_of_no_cube_are_refused(self):
        for wrong in ("3", "0", "many"):
            done = subprocess.run([STEPS, wrong], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(f"N is {wrong}; it can be 2, 4, 8", done.stderr)

    def test_finish_prints_a_line_a_rank_and_nothing_else(self):
        tried = 0
        for line in (GOLDEN / "cases.tsv").read_text().splitlines()[1::7]:
            name, network, times, never_ran = line.split("\t")
            words = ",".join(f"{n}={v}" for n, v in zip(NAMES, network.split()))
            done = run(GOLDEN / name, "--dialect", "loggops", "--loggops", words, "--finish")
            if times == "-":
                self.assertEqual((done.returncode, done.stdout), (2, ""), name)
            else:
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(done.stdout.splitlines(), times_of(times), name)
                self.assertEqual(bool(int(never_ran) > 0), bool(done.stderr), name)
            tried += 1
        self.assertGreater(tried, 30)

    def test_the_result_has_parts_that_add_up(self):
        file = GOLDEN / "random_plain_0.goal"
        done = run(file, "--loggops", "L=7000,o=900,g=2500,G=3,O=1,S=32768", "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        result = json.loads(done.stdout)
        self.assertEqual((result["schema"], result["kind"]), ("plait-result/1", "simulation"))
        (row,) = result["rows"]
        self.assertAlmostEqual(sum(row["parts"].values()), row["predicted_s"], delta=1e-15)
        parameters = result["parameters"]
        for name in "LogGO":
            self.assertAlmostEqual(
                row["sensitivities"][name]["lambda"] * parameters[f"{name}_ns"] * 1e-9,
                row["parts"][f"{name}_s"],
            )
        self.assertIn(row["limiter"], ("computation", "latency", "bytes", "overhead", "gap"))
        self.assertIn("tolerated_L_ns", row)
        self.assertIsInstance(row["trusted"], bool)

    def test_what_is_written_is_read_again(self):
        file = GOLDEN / "random_parts_4.goal"
        out = pathlib.Path(self.folder.name)
        done = run(file, "--finish", "--write-goal", out / "t", "--write-binary", out / "b")
        self.assertEqual(done.returncode, 0, done.stderr)
        for again in ("t", "b"):
            self.assertEqual(run(out / again, "--finish").stdout, done.stdout)

    def test_a_ring_is_put_on_another_grid(self):
        ring = "num_ranks 5\n" + "".join(
            f"rank {r} {{\na: send 8b to {(r + 1) % 5}\nb: recv 8b from {(r + 4) % 5}\n"
            "c: calc 1000\nc requires b\n}\n"
            for r in range(5)
        )
        path = self.goal(ring)
        few = run(path, "--finish")
        self.assertEqual(few.returncode, 0, few.stderr)
        (time,) = set(few.stdout.split())
        binary = pathlib.Path(self.folder.name) / "ring.bin"
        self.assertEqual(run(path, "--write-binary", binary).returncode, 0)
        for form in (path, binary):
            many = run(form, "--ranks", "30", "--finish")
            self.assertEqual(many.stdout.split(), [time] * 30, many.stderr)
        done = run(path, "--ranks", "10000000", "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        (row,) = json.loads(done.stdout)["rows"]
        self.assertEqual((row["ranks"], row["ranks_run"]), (10_000_000, 1))
        self.assertAlmostEqual(row["predicted_s"], int(time) * 1e-9)
        self.assertIn("is no grid", self.refusal_of(path, "--ranks", "2"))
        self.assertIn("1 axes", self.refusal_of(path, "--ranks", "8x8"))
        file = GOLDEN / "random_plain_1.goal"
        self.assertIn("another order than rank 0", self.refusal_of(file, "--ranks", "8"))

    def test_every_bad_line_is_named(self):
        path = self.goal("num_ranks 1\nrank 0 {\ncalc x\nsend 8b to 3\n}\n")
        said = self.refusal_of(path, "--finish", lines=2)
        self.assertIn(f"{path}:3: calc needs a duration, not 'x'", said)
        self.assertIn(f"{path}:4: there is no rank 3", said)

    def test_what_never_runs_is_named(self):
        path = self.goal(
            "num_ranks 1\nrank 0 {\na: calc 1\nb: calc 2\na requires b\nb requires a\n}\n"
        )
        said = self.refusal_of(path, lines=2)
        self.assertIn("calc 1 (line 3) never starts", said)
        done = run(path, "--finish")
        self.assertEqual((done.returncode, done.stdout), (0, "0\n"), "as LogGOPSim")
        self.assertIn("calc 2 (line 4) never starts", done.stderr)

    def test_wrong_words_are_refused(self):
        path = self.goal("num_ranks 1\nrank 0 {\n}\n")
        self.assertIn("no 'logp'", self.refusal_of(path, "--dialect", "logp"))
        self.assertIn("'L=x' is no parameter", self.refusal_of(path, "--loggops", "L=x"))
        self.assertIn("/nowhere/f", self.refusal_of(path, "--json", "/nowhere/f"))
        self.assertIn("name a file", self.refusal_of(path, "--json", "-", "--finish"))
        self.assertIn("/nowhere", self.refusal_of("/nowhere"))

    def test_a_file_that_is_too_long_is_refused_before_it_is_read(self):
        path = pathlib.Path(self.folder.name) / "long"
        with path.open("wb") as file:
            file.truncate(100 << 30)  # which takes no room
        self.assertIn("the most that is read", self.refusal_of(path))

    PAIR = """num_ranks 2
rank 0 {
c1: calc 1000000
s1: send 125001b to 1
s1 requires c1
}
rank 1 {
r1: recv 125001b from 0
c1: calc 5000000
c2: calc 2000000
c2 requires r1
c2 requires c1
}
"""

    def test_the_dialect_plait_has_a_row_for_each_network_and_policy(self):
        words = ("--network", "1gbit,100mbit", "--policy", "dedicated,none")
        done = run(self.goal(self.PAIR), *words, "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = json.loads(done.stdout)["rows"]
        named = [(row["network"], row["policy"]) for row in rows]
        self.assertEqual(named, [(n, p) for n in ("1gbit", "100mbit") for p in ("dedicated", "none")])
        for row in rows:
            self.assertAlmostEqual(sum(row["parts"].values()), row["predicted_s"], delta=1e-12)
        # 1 ms of the wire fits beside the computation of 5 ms; 10 ms do not.
        wire = 8e-9 * 125000 * 1514 / 1448
        self.assertAlmostEqual(rows[0]["predicted_s"], 0.007, delta=1e-12)
        self.assertEqual(rows[0]["limiter"], "computation")
        self.assertAlmostEqual(rows[2]["predicted_s"], 0.003 + 10 * wire, delta=1e-9)
        self.assertEqual(rows[2]["limiter"], "bytes")
        self.assertAlmostEqual(rows[2]["sensitivities"]["G"]["lambda"], 125000, delta=1e-3)
        self.assertEqual(rows[2]["sensitivities"]["L"], {"lambda": 1, "one_more_ns": 1.0})
        self.assertAlmostEqual(rows[2]["tolerated_L_ns"]["5 %"], 0.05e9 * rows[2]["predicted_s"], delta=700)
        # Where the message takes 4 ms, 1 ms before it and 2 ms behind it take as long as 5 and 2 ms.
        (change,) = (one for one in rows[2]["takes_over"] if one["limiter"] == "computation")
        self.assertEqual(change["parameter"], "G")
        self.assertAlmostEqual(change["value"], 4e6 / 125000, delta=0.4)

    def test_the_dialect_plait_is_a_table(self):
        done = run(self.goal(self.PAIR), "--network", "100mbit")
        self.assertEqual(done.returncode, 0, done.stderr)
        head, row = done.stdout.splitlines()
        self.assertEqual(head.split()[:2], ["network", "policy"])
        self.assertEqual(row.split()[:4], ["100mbit", "dedicated", "13.456", "bytes"])

    def test_a_network_without_s_is_told_of_where_messages_are_long(self):
        file = pathlib.Path(self.folder.name) / "measured.json"
        network = dict.fromkeys(
            ("latency_s", "send_overhead_s", "receive_overhead_s", "gap_s"), 1e-6
        ) | {"gap_per_byte_s": 8e-9}
        said = "the network's file has no S: long messages leave"

        def output_of(text, words="", **more):
            file.write_text(json.dumps({"network": network | more}))
            return run(self.goal(text), "--network", f"{file}{words}").stdout

        self.assertIn(said, output_of(self.PAIR))
        self.assertIn(said, output_of(self.PAIR, ",100mbit", eager_limit_bytes=None))
        self.assertNotIn(said, output_of(self.PAIR, eager_limit_bytes=65536))
        self.assertNotIn(said, output_of(self.PAIR.replace("125001", "1000")))

    def test_the_dialect_plait_refuses_wrong_words(self):
        file = self.goal(self.PAIR)
        for words, said in (
            (("--network", "fast"), "'fast' is no file of parameters and no rate"),
            (("--policy", "often"), "policy 'often': it can be none, workers"),
            (("--policy", "none", "--finish"), "--finish: not in the dialect plait"),
            (("--dialect", "loggops", "--cores", "2"), "--cores: not in the dialect loggops"),
            (("--look", "-1"), "--look: give 0 to 1000000"),
        ):
            self.assertIn(said, self.refusal_of(file, *words))
        self.assertIn("no recording", self.refusal_of(self.folder.name))
        alone = pathlib.Path(self.folder.name) / "simulate"
        shutil.copy(PROGRAM, alone)
        done = subprocess.run([alone, file, "--topology", "star:2,rate=1gbit"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2, done)
        self.assertIn("built without SimGrid; install libsimgrid-dev", done.stderr)
        file.write_text(self.PAIR.replace("recv 125001b", "recv 5b"))
        self.assertIn("the sizes differ", self.refusal_of(file, "--dialect", "plait"))


if __name__ == "__main__":
    unittest.main()
