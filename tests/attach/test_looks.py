# SPDX-License-Identifier: BSD-3-Clause
"""What no request stands for, and what other ranks do to a window, goes on while a rank computes."""

import unittest

from attached import LIBRARY, run

# Ways beside a library's own between two ranks of a machine: through sockets, and without any.
_OF_ABI = {"MPIR_CVAR_NOLOCAL": "1", "I_MPI_FABRICS": "ofi"}
TRANSPORTS = {
    "openmpi": ({"OMPI_MCA_btl": "tcp,self"}, {"OMPI_MCA_pml": "cm", "OMPI_MCA_mtl": "ofi"}),
    "mpich": ({"MPIR_CVAR_NOLOCAL": "1", "UCX_TLS": "tcp,self"},
              {"MPIR_CVAR_NOLOCAL": "1", "UCX_TLS": "posix,self"}),
    "abi": ({**_OF_ABI, "FI_PROVIDER": "tcp"}, {**_OF_ABI, "FI_PROVIDER": "shm"}),
}


class Looks(unittest.TestCase):
    def check_seen(self, *words, environment=None):
        done = run("looks", *words, options=["--quiet", "--progress"], more=environment)
        self.assertEqual((done.code, done.output.strip()), (0, "seen"), done.errors)
        self.assertGreater(done.profile["progress"]["looks"], 0)

    def test_a_put_into_the_window_of_a_rank_that_computes(self):
        self.check_seen("put")

    def test_other_transports_with_sockets_and_without(self):
        for transport in TRANSPORTS[LIBRARY]:
            with self.subTest(transport=transport):
                self.check_seen("put", environment=transport)
                self.check_seen("freed_request", environment=transport)

    def test_a_get_by_a_rank_that_computes(self):
        self.check_seen("get")

    def test_a_buffered_send_after_its_call(self):
        self.check_seen("buffered_send")
        self.check_seen("buffered_send", "multiple")

    def test_a_send_whose_request_was_freed(self):
        self.check_seen("freed_request")


if __name__ == "__main__":
    unittest.main()
