// SPDX-License-Identifier: BSD-3-Clause
/// Settings of the transport under MPI that programs should not have to know.
#pragma once

#include <string>

namespace plait::detail {

/// Sets what is unset in this process's environment variables, and returns what it has set, as
/// `NAME=value` words; empty where nothing was to be set.  Before MPI starts; no other thread may
/// read environment variables meanwhile.
///
/// MPICH over UCX's TCP: segments of 512 KiB (`UCX_TCP_RX_SEG_SIZE`, `UCX_TCP_TX_SEG_SIZE`).  With
/// its 8 KiB a message in parts is slower than a blocking one: each part's handshake waits behind
/// the other direction's data.  Jacobi3D, 512x512x80, 1 Gbit/s, over the overlap written by hand:
/// 1.51 and 1.67 without, 0.93 and 0.94 with them.
///
/// Open MPI 4 where neither a network card nor the kernel copies from process to process: windows
/// of MPI's own without the component that lives on it (`OMPI_MCA_osc`).  With it MPI_Win_create
/// fails there, with ranks on several hosts too.
[[nodiscard]] std::string set_transport_defaults();

/// Returns whether this machine has a network card that reads and writes the memory of other hosts.
[[nodiscard]] bool has_rdma_card();

}  // namespace plait::detail
