# SPDX-License-Identifier: BSD-3-Clause
"""What no request stands for, and what other ranks do to a window, goes on while a rank computes."""

import unittest

from attached import run

SOCKETS = {"OMPI_MCA_btl": "tcp,self", "UCX_TLS": "tcp,self"}


class Looks(unittest.TestCase):
    def check_seen(self, *words, environment=None):
        done = run("looks", *words, options=["--quiet", "--progress"], more=environment)
        self.assertEqual((done.code, done.output.strip()), (0, "seen"), done.errors)
        self.assertGreater(done.profile["progress"]["looks"], 0)

    def test_a_put_into_the_window_of_a_rank_that_computes(self):
        self.check_seen("put")
        self.check_seen("put", environment=SOCKETS)

    def test_a_get_by_a_rank_that_computes(self):
        self.check_seen("get")

    def test_a_buffered_send_after_its_call(self):
        self.check_seen("buffered_send")
        self.check_seen("buffered_send", "multiple")

    def test_a_send_whose_request_was_freed(self):
        self.check_seen("freed_request")


if __name__ == "__main__":
    unittest.main()
