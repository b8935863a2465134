# SPDX-License-Identifier: BSD-3-Clause
"""`--topology` of the program behind `plait simulate`: links that SimGrid simulates.

test_topology.py PROGRAM
"""

import json
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

PROGRAM = sys.argv.pop(1)
EXAMPLE = pathlib.Path(__file__).parents[2] / "examples/simulate/fat_tree.xml"
PAYLOAD = 1448 / 1514
GBIT = 1e9 * PAYLOAD / 8  # bytes a second
MB = 1_000_000
# Two hosts on each of two switches, with one link between a switch and the one above.
TREE = "fat_tree:2;2,2;1,1;1,1"

HEAD = """<?xml version="1.0"?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
"""


def run(*arguments):
    return subprocess.run(
        [PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=60
    )


def goal(ranks):
    """The text of a program: of each rank its statements."""
    lines = [f"num_ranks {len(ranks)}"]
    for rank, statements in enumerate(ranks):
        lines += [f"rank {rank} {{", *statements, "}"]
    return "\n".join(lines) + "\n"


def pairs(*those, size=MB, ranks=4):
    """Each pair's first rank sends to its second."""
    all_ranks = [[] for _ in range(ranks)]
    for tag, (sender, receiver) in enumerate(those):
        sends, receives = all_ranks[sender], all_ranks[receiver]
        sends.append(f"l{len(sends)}: send {size}b to {receiver} tag {tag}")
        receives.append(f"l{len(receives)}: recv {size}b from {sender} tag {tag}")
    return goal(all_ranks)


def steps(ranks, size, count, work):
    """Steps on a ring: to both neighbours, from both, then a calculation."""
    texts = []
    for rank in range(ranks):
        lines, order, label, last = [], [], 0, None
        for step in range(count):
            messages = []
            for peer, tag in (((rank + 1) % ranks, 0), ((rank - 1) % ranks, 1)):
                back = 1 - tag
                for statement in (f"send {size}b to {peer} tag {2 * step + tag}",
                                  f"recv {size}b from {peer} tag {2 * step + back}"):
                    label += 1
                    lines.append(f"l{label}: {statement}")
                    messages.append(label)
                    order += [f"l{label} requires l{last}"] if last else []
            label += 1
            lines.append(f"l{label}: calc {work}")
            order += [f"l{label} requires l{one}" for one in messages]
            last = label
        texts.append(lines + order)
    return goal(texts)


def at_random(seed, ranks, count):
    """Long messages between any ranks, and calculations beside them and behind them."""
    drawn = random.Random(seed)
    texts = [[] for _ in range(ranks)]
    order = [[] for _ in range(ranks)]
    for message in range(count):
        sender, receiver = drawn.sample(range(ranks), 2)
        size = drawn.randrange(100_000, 3_000_000)
        for rank, statement in ((sender, f"send {size}b to {receiver} tag {message}"),
                                (receiver, f"recv {size}b from {sender} tag {message}"),
                                (sender, f"calc {drawn.randrange(10_000_000)}")):  # fmt: skip
            label = len(texts[rank])
            texts[rank].append(f"l{label}: {statement}")
            if label and drawn.random() < 0.5:
                order[rank].append(f"l{label} requires l{drawn.randrange(label)}")
    return goal([one + after for one, after in zip(texts, order)])


class Topology(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path

    def rows(self, program, *words):
        done = run(self.write("program.goal", program), "--dialect", "plait", *words, "--json", "-")
        self.assertEqual((done.returncode, done.stderr), (0, ""), done)
        return json.loads(done.stdout)["rows"]

    def time(self, program, *words):
        return self.rows(program, *words)[0]["predicted_s"]

    def refusal(self, *words, program=None):
        path = self.write("program.goal", program or pairs((0, 1)))
        done = run(path, *words)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertTrue(done.stderr.startswith("simulate: "), done.stderr)
        return done.stderr

    def parameters(self, latency_s, per_byte_s, overhead_s=0.0, eager_limit=None):
        of = {"latency_s": latency_s, "send_overhead_s": overhead_s,
              "receive_overhead_s": overhead_s, "gap_s": 0.0, "gap_per_byte_s": per_byte_s}
        if eager_limit is not None:
            of["eager_limit_bytes"] = eager_limit
        return self.write("network.json", json.dumps(of))

    def test_one_message_takes_its_links_latencies_and_its_bytes(self):
        words = ("--topology", f"{TREE},rate=1gbit,latency=3us")
        alone = (MB - 1) / GBIT
        self.assertAlmostEqual(self.time(pairs((0, 1)), *words), alone + 2 * 3e-6, delta=2e-9)
        self.assertAlmostEqual(self.time(pairs((0, 2)), *words), alone + 4 * 3e-6, delta=2e-9)

    def test_two_messages_that_share_an_inner_link_take_twice_as_long(self):
        words = ("--topology", f"{TREE},rate=1gbit,latency=3us")
        across = self.time(pairs((0, 2), (1, 3)), *words)
        self.assertAlmostEqual(across, 2 * (MB - 1) / GBIT + 4 * 3e-6, delta=3e-9)
        # Both ways, or with two links above each switch, nothing is shared.
        both_ways = self.time(pairs((0, 2), (3, 1)), *words)
        self.assertAlmostEqual(both_ways, (MB - 1) / GBIT + 4 * 3e-6, delta=3e-9)
        wide = ("--topology", "fat_tree:2;2,2;1,2;1,1,rate=1gbit,latency=3us")
        self.assertAlmostEqual(self.time(pairs((0, 2), (1, 3)), *wide), both_ways, delta=3e-9)

    def test_a_short_message_leaves_its_share_when_it_has_ended(self):
        program = goal([["l1: send 3000001b to 2"], ["l1: send 1000001b to 3"],
                        ["l1: recv 3000001b from 0"], ["l1: recv 1000001b from 1"]])  # fmt: skip
        time = self.time(program, "--topology", f"{TREE},rate=1gbit")
        self.assertAlmostEqual(time, 4 * MB / GBIT, delta=3e-9)

    def test_messages_of_a_stream_follow_each_other_without_pause(self):
        program = pairs(*[(0, 1)] * 10, size=10_001, ranks=2)
        time = self.time(program, "--topology", "star:2,rate=1gbit,latency=1ms")
        self.assertAlmostEqual(time, 10 * 10_000 / GBIT + 2e-3, delta=2e-8)

    def beside_ports(self, ranks, program):
        """The answers on a star, as parts of those of ports with its rate and latency."""
        ratios = []
        for eager_limit, policy in ((None, "dedicated"), (65536, "none"), (65536, "sleeping")):
            network = self.parameters(20e-6, 1 / GBIT, 2e-6, eager_limit)
            words = ("--network", network, "--policy", policy, "--workers", "1", "--cores", "2")
            star = self.time(program, *words, "--topology", f"star:{ranks},rate=1gbit,latency=10us")
            ratios.append(star / self.time(program, *words))
        return ratios

    def test_on_a_star_the_answer_is_that_of_ports(self):
        for ranks, size, work in ((8, MB, MB), (5, 300_000, 20 * MB), (16, 4 * MB, 0)):
            for ratio in self.beside_ports(ranks, steps(ranks, size, 4, work)):
                self.assertAlmostEqual(ratio, 1, delta=1e-6)

    def test_on_a_star_what_one_message_cannot_use_goes_to_others(self):
        # A port gives all messages the same share, whether the other port lets them use it or not.
        ratios = sorted(ratio for seed in range(8) for ratio in self.beside_ports(8, at_random(seed, 8, 60)))
        self.assertGreater(ratios[0], 0.91)
        self.assertLess(ratios[-1], 1.02)
        self.assertAlmostEqual(ratios[len(ratios) // 2], 0.975, delta=0.02)

    def test_a_switch_that_all_share_is_slower_than_ports(self):
        program = steps(8, MB, 3, 0)
        star = self.time(program, "--topology", "star:8,rate=1gbit")
        tree = self.time(program, "--topology", "fat_tree:2;4,2;1,1;1,1,rate=1gbit", "--nodes", "0,4,1,5,2,6,3,7")
        self.assertGreater(tree, 3 * star)

    def test_nodes_are_hosts_by_their_numbers(self):
        words = ("--topology", f"{TREE},rate=1gbit,latency=3us", "--nodes")
        alone = (MB - 1) / GBIT
        two = pairs((0, 1), ranks=2)
        self.assertAlmostEqual(self.time(two, *words, "0,1"), alone + 2 * 3e-6, delta=2e-9)
        self.assertAlmostEqual(self.time(two, *words, "0,3"), alone + 4 * 3e-6, delta=2e-9)
        self.assertEqual(self.time(two, *words, "2,2"), 0)
        # By letters node-10 would be the third of twelve hosts, and near the first.
        far = ("--topology", "fat_tree:2;3,4;1,1;1,1,rate=1gbit,latency=3us", "--nodes")
        self.assertAlmostEqual(self.time(two, *far, "0,2"), alone + 2 * 3e-6, delta=2e-9)
        self.assertAlmostEqual(self.time(two, *far, "0,10"), alone + 4 * 3e-6, delta=2e-9)

    def test_a_row_says_who_has_carried_the_bytes(self):
        words = ("--topology", EXAMPLE, "--policy", "dedicated,none,dedicated")
        rows = self.rows(pairs((0, 5), (1, 6), ranks=8), *words)
        self.assertEqual({row["topology"] for row in rows}, {"SimGrid 3.32, fat tree of 16 hosts"})
        self.assertEqual(rows[0]["network"], str(EXAMPLE))
        # A run begins where the one before has ended.
        self.assertAlmostEqual(rows[0]["predicted_s"], rows[2]["predicted_s"], delta=2e-9)
        self.assertEqual(rows[0]["limiter"], "bytes")
        self.assertAlmostEqual(sum(rows[0]["parts"].values()), rows[0]["predicted_s"], delta=1e-11)
        self.assertNotIn("sensitivities", rows[0])
        done = run(self.folder / "program.goal", *words)
        self.assertEqual(done.stdout.splitlines()[-1], "bytes on links by SimGrid 3.32, fat tree of 16 hosts")
        for short, kind in (("torus:2,2,2", "torus of 8 hosts"), ("star:2", "star of 2 hosts"),
                            ("dragonfly:2,1;2,1;2,1;1", "dragonfly of 8 hosts")):
            row = self.rows(pairs((0, 1), ranks=2), "--topology", f"{short},rate=1gbit")[0]
            self.assertEqual(row["topology"], f"SimGrid 3.32, {kind}")

    def test_a_platform_has_its_own_figures(self):
        platform = HEAD + """<zone id="all" routing="Full">
<host id="b" speed="1Gf"/><host id="a" speed="1Gf"/>
<link id="slow" bandwidth="1MBps" latency="5ms"/><link id="fast" bandwidth="1GBps" latency="1ms"/>
<route src="a" dst="b"><link_ctn id="slow"/><link_ctn id="fast"/></route>
</zone></platform>
"""
        path = self.write("platform.xml", platform)
        row = self.rows(pairs((0, 1), size=MB + 1, ranks=2), "--topology", path)[0]
        self.assertAlmostEqual(row["predicted_s"], 1.006, delta=2e-9)
        self.assertEqual(row["topology"], "SimGrid 3.32, platform of 2 hosts")

    def test_wrong_words_are_refused(self):
        for words, why in (
            (("none.xml",), "'none.xml' is no platform file"),
            (("fat_tree:2;2,2;1,1,rate=1gbit",), "give fat_tree:LEVELS"),
            (("fat_tree:2;2,0;1,1;1,1,rate=1gbit",), "give fat_tree:LEVELS"),
            (("fat_tree:2;2,2;2,1;1,1,rate=1gbit",), "give fat_tree:LEVELS"),
            (("dragonfly:2,1;2,1;2,1,rate=1gbit",), "give dragonfly:GROUPS"),
            (("torus:2,x,rate=1gbit",), "give torus:X"),
            (("star:4",), "give ,rate=10gbit"),
            (("star:4,rate=fast",), "give ,rate=10gbit"),
            (("star:4,rate=1gbit,latency=1",), "give ,rate=10gbit"),
            (("star:4,rate=1gbit,hops=2",), "there is no 'hops=2'"),
            (("star:1,rate=1gbit",), "1 hosts; give 2 to 4096"),
            (("torus:100,100,100,rate=1gbit",), "hosts; give 2 to 4096"),
            (("star:2,rate=1gbit",), "2 hosts are too few for node 3"),
            (("star:4,rate=1gbit", "--nodes", "0,1,2,4"), "numbers below 4"),
            (("star:4,rate=1gbit", "--bucket", "9"), "--bucket: not beside --topology"),
            (("star:4,rate=1gbit", "--network", "1gbit"), "give one file of parameters"),
            (("star:4,rate=1gbit", "--network", "a,b"), "'a' is no file of parameters"),
            (("star:4,rate=1gbit", "--finish"), "--finish: not in the dialect plait"),
            (("star:4,rate=1gbit", "--dialect", "loggops"), "--topology: not in the dialect loggops"),
        ):  # fmt: skip
            with self.subTest(words=words):
                self.assertIn(why, self.refusal("--topology", *words))
        many = pairs((0, 1), ranks=201)
        self.assertIn("201 nodes; more than 200", self.refusal("--topology", "star:201,rate=1gbit", program=many))

    def test_wrong_platform_files_are_refused_in_a_line(self):
        zone = HEAD + '<zone id="z" routing="Full"><host id="a" speed="1Gf"/><host id="b" speed="1Gf"/>'
        for text in (
            "", "no XML", HEAD, "\0\1\2", zone,
            HEAD.replace("4.1", "9.9") + "</platform>",
            HEAD + "<planet/></platform>",
            HEAD + "</platform>",
            HEAD + '<zone id="z" routing="Full"></zone></platform>',
            HEAD + '<zone id="z" routing="Full"><host id="a" speed="fast"/></zone></platform>',
            HEAD + '<zone id="z" routing="Full"><storage id="a" typeId="b" attach="c"/></zone></platform>',
            HEAD + '<cluster id="c" prefix="n" suffix="" radical="0-3" speed="1Gf" bw="1" lat="0" '
            'topology="FAT_TREE" topo_parameters="3;1"/></platform>',
            HEAD + '<cluster id="c" prefix="n" suffix="" radical="0-1" speed="1Gf" bw="1GBps" lat="0s" '
            'topology="DRAGONFLY" topo_parameters="2,1;2,1"/></platform>',
            zone + "</zone></platform>",  # without a route
            zone + '<link id="l" bandwidth="-1Bps" latency="0s"/><route src="a" dst="b"><link_ctn id="l"/></route>'
            "</zone></platform>",
        ):  # fmt: skip
            with self.subTest(text=text[len(HEAD) :] or text):
                path = self.write("wrong.xml", text)
                said = self.refusal("--topology", path, program=pairs((0, 1), ranks=2))
                self.assertIn("--topology", said)
                self.assertLess(len(said), 400)
        self.assertIn("is no platform file", self.refusal("--topology", self.write("a.so", "x")))
        self.assertIn("is no platform file", self.refusal("--topology", self.folder))


if __name__ == "__main__":
    unittest.main()
