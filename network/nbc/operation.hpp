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

/// Place of an element: on which of how many ranks, at which index of a buffer, of operations whose
/// calls name `count` elements.  In a buffer with parts: in which rank's part, and how far behind
/// its first element.
struct place {
  int rank = 0;
  int ranks = 1;
  std::size_t count = 0;
  std::size_t index = 0;
  std::size_t part = 0;
  std::size_t offset = 0;
};

/// Parts of a buffer: one piece, one for each rank, or one for each neighbour.
enum class parts { one, each, neighbours };

/// One operation on doubles, root 0, sums.  `size` of a case is what OSU's benchmarks mean by it:
/// bytes for one rank in operations with a part for each (all-to-all: of the message to one rank),
/// of the whole vector in the others.  Where parts differ in size, it is about their mean.
struct operation {
  std::string_view name;
  std::string_view calls;  ///< "MPI_Alltoall"
  parts sends = parts::one;
  parts receives = parts::one;
  bool uneven = false;                              ///< parts differ in size
  bool in_place = false;                            ///< one buffer: the root's is sent
  double (*sent)(const place&);                     ///< of the send buffer
  std::optional<double> (*expected)(const place&);  ///< nothing: not touched
  int (*blocking)(buffers&);                        ///< returns MPI's error code
  int (*start)(buffers&, MPI_Request&);             ///< returns MPI's error code
  void (*submit)(runtime&, buffers&, const collective_options&);
};

/// The parts of a buffer, in MPI's words and in plait's.
struct layout {
  std::vector<std::size_t> ranks;  ///< whose part it is; empty where there is one piece
  std::vector<block> blocks;
  std::vector<int> counts;
  std::vector<int> displacements;
  std::size_t elements = 0;
};

/// One rank's data of an operation.
struct buffers {
  /// Collective on `communicator`.
  buffers(const operation& what, std::size_t size_bytes, MPI_Comm communicator);
  ~buffers();
  buffers(const buffers&) = delete;
  buffers& operator=(const buffers&) = delete;

  const operation& what;
  MPI_Comm communicator;  ///< of neighbours: one that knows them
  int rank = 0;
  int ranks = 1;
  std::size_t count = 0;    ///< elements that MPI's calls name
  std::vector<int> around;  ///< the ranks before and after this one, in a ring
  layout sent;
  layout received;
  std::vector<double> send;
  std::vector<double> receive;

  [[nodiscard]] int mpi_count() const noexcept { return static_cast<int>(count); }
  /// Elements that this rank sends in one piece.
  [[nodiscard]] int mpi_send_count() const noexcept { return static_cast<int>(send.size()); }
  [[nodiscard]] int mpi_receive_count() const noexcept { return static_cast<int>(receive.size()); }
  /// Writes all of it, as a program does before a call: what is sent, and into the receive buffer
  /// what no operation brings.
  void renew();
  /// Errors: plait::error naming operation, rank, index, expected and found value.
  void expect_right() const;

  [[nodiscard]] place place_of(const layout& where, std::size_t part, std::size_t offset) const;
};

/// Returns true if the operation is among neighbours, which plait leaves to no library.
[[nodiscard]] bool has_neighbours(const operation& what);

/// By name, in alphabetical order.
[[nodiscard]] const std::vector<operation>& all_operations();
[[nodiscard]] std::vector<std::string_view> operation_names();
/// Errors: `name` must be one of them.
[[nodiscard]] const operation& operation_named(std::string_view name);

/// Bytes that `buffers` takes on the rank that needs most.
[[nodiscard]] std::size_t memory_bytes(const operation& what, std::size_t size_bytes, int ranks);

}  // namespace plait::network::nbc
