// SPDX-License-Identifier: BSD-3-Clause
/// The collective operations that are measured: data, MPI's blocking and non-blocking call, and
/// plait's, each checked against what must come out.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include <plait/comm/mpi.hpp>
#include <plait/plait.hpp>

namespace plait::network::nbc {

struct buffers;

/// Where an element is: on which of how many ranks, at which index of a buffer, of operations with
/// `count` elements.
struct place {
  int rank = 0;
  int ranks = 1;
  std::size_t count = 0;
  std::size_t index = 0;
};

/// One operation on doubles, root 0, sums.  `size` of a case is what OSU's benchmarks mean by it:
/// bytes for one rank in operations with a part for each (all-to-all: of the message to one rank),
/// of the whole vector in the others.
struct operation {
  std::string_view name;
  std::string_view calls;      ///< "MPI_Alltoall"
  bool sends_to_each = false;  ///< the send buffer has `count` elements for each rank
  bool receives_from_each = false;
  bool in_place = false;                            ///< one buffer: the root's is sent
  double (*sent)(const place&);                     ///< of the send buffer
  std::optional<double> (*expected)(const place&);  ///< nothing: not touched
  int (*blocking)(buffers&);                        ///< returns MPI's error code
  int (*start)(buffers&, MPI_Request&);             ///< the same
  void (*submit)(runtime&, buffers&, const collective_options&);
};

/// One rank's data of an operation.
struct buffers {
  /// Collective on `communicator` only in that all its ranks make the same.
  buffers(const operation& what, std::size_t size_bytes, MPI_Comm communicator);

  const operation& what;
  MPI_Comm communicator;
  int rank = 0;
  int ranks = 1;
  std::size_t count = 0;  ///< elements that MPI's calls name
  std::vector<double> send;
  std::vector<double> receive;

  [[nodiscard]] int mpi_count() const noexcept { return static_cast<int>(count); }
  /// Writes all of it, as a program does before a call: what is sent, and into the receive buffer
  /// what no operation brings.
  void renew();
  /// Errors: plait::error naming operation, rank, index, expected and found value.
  void expect_right() const;
};

/// In alphabetical order.
[[nodiscard]] const std::vector<operation>& all_operations();
[[nodiscard]] std::vector<std::string_view> operation_names();
/// Errors: `name` must be one of them.
[[nodiscard]] const operation& operation_named(std::string_view name);

/// Bytes that `buffers` takes on one rank.
[[nodiscard]] std::size_t memory_bytes(const operation& what, std::size_t size_bytes, int ranks);

}  // namespace plait::network::nbc
