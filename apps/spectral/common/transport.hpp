// SPDX-License-Identifier: BSD-3-Clause
/// A transpose between the layouts of slabs or pencils in plain MPI, tile by tile: by messages, or
/// by the MPI library's own collectives.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <plait/comm/mpi.hpp>
#include <plait/plait.hpp>

#include "measure/compare/timeline.hpp"
#include "passes.hpp"
#include "pencils.hpp"
#include "slabs.hpp"

namespace spectral {

/// Layouts that a transpose gives.  Of a row: the lines along y, or the field.
enum class transpose : std::uint8_t { to_planes, to_lines };

/// A chunk travels in parts of at most so many elements, less than 64 KiB: what Open MPI sends over
/// TCP without a handshake.  Such parts leave in the order in which they were posted; larger
/// messages share the link, and the first tile arrives with the last one.
inline constexpr index part_elements = 3840;

/// The parts of a chunk, the same on both of its ends.
[[nodiscard]] std::vector<std::span<complex>> parts_of(std::span<complex> chunk);

/// Places of the chunks of a transpose that this rank sends and receives: of a column, in tiles of
/// x, or of a row, in tiles of z.  Peers are places in the column or the row.
class chunk_map {
 public:
  /// Of slabs that all ranks share.
  chunk_map(const slabs& shape, const transpose_buffers& buffers, transpose way);
  /// Of a column.
  chunk_map(const pencils& shape, const transpose_buffers& buffers, transpose way);
  /// Of a row, which slabs do not have.
  chunk_map(const pencils& shape, const row_buffers& buffers, transpose way);

  [[nodiscard]] int ranks() const noexcept { return static_cast<int>(rank_of_.size()); }
  [[nodiscard]] int rank() const noexcept { return rank_; }
  /// Returns a peer's number among all ranks.
  [[nodiscard]] int rank_of(int peer) const { return rank_of_[static_cast<std::size_t>(peer)]; }
  [[nodiscard]] int tiles() const noexcept { return tiles_; }
  [[nodiscard]] std::span<complex> outgoing(int peer, int tile) const {
    return outgoing_[place(peer, tile)];
  }
  [[nodiscard]] std::span<complex> incoming(int peer, int tile) const {
    return incoming_[place(peer, tile)];
  }

 private:
  [[nodiscard]] std::size_t place(int peer, int tile) const noexcept {
    return static_cast<std::size_t>(peer) * static_cast<std::size_t>(tiles_) +
           static_cast<std::size_t>(tile);
  }

  int rank_;
  int tiles_;
  std::vector<int> rank_of_;
  std::vector<std::span<complex>> outgoing_, incoming_;  ///< by peer, then tile
};

/// One transpose at a time: `expect`, then `start` of each tile when its chunks are filled,
/// `wait_received` of a tile before its chunks are read, and `wait_sent`, after which chunks may be
/// filled again.  A rank's own chunk does not travel.
class transport {
 public:
  virtual ~transport() = default;
  virtual void expect() = 0;
  virtual void start(int tile) = 0;
  /// Lets the library progress.
  virtual void test() = 0;
  virtual void wait_received(int tile) = 0;
  virtual void wait_sent() = 0;
  /// Adds the messages of this transport as events, if it knows them.
  virtual void add_messages_to(plait::measure::stopwatch&) {}
};

/// MPI_Isend and MPI_Irecv of each part.  Tags are the tiles.
[[nodiscard]] std::unique_ptr<transport> by_messages(MPI_Comm communicator,
                                                     const chunk_map& chunks);
/// MPI_Ialltoallv.  Errors: usage_error when a chunk is more than an MPI count can say.
[[nodiscard]] std::unique_ptr<transport> by_library(MPI_Comm communicator, const chunk_map& chunks);

/// The whole transpose in one blocking MPI_Alltoallv.
class whole_transpose {
 public:
  whole_transpose(MPI_Comm communicator, const chunk_map& chunks);
  void exchange();

 private:
  MPI_Comm communicator_;
  complex* send_;
  complex* receive_;
  std::vector<int> send_counts_, send_offsets_, receive_counts_, receive_offsets_;
};

/// The communicators of this rank's column and row.  In slabs the column is all ranks, and there is
/// no row.
class grid_communicators {
 public:
  /// Collective.  `all` outlives it.
  grid_communicators(MPI_Comm all, const pencils& shape);
  ~grid_communicators();
  grid_communicators(const grid_communicators&) = delete;
  grid_communicators& operator=(const grid_communicators&) = delete;

  [[nodiscard]] MPI_Comm column() const noexcept { return column_; }
  [[nodiscard]] MPI_Comm row() const noexcept { return row_; }

 private:
  MPI_Comm column_;
  MPI_Comm row_ = MPI_COMM_NULL;
};

/// The whole transposes of a transform in one direction, of the column and, but in slabs, of the
/// row.
class whole_transposes {
 public:
  whole_transposes(const grid_communicators& of, const pencils& shape,
                   const transform_memory& memory, transpose way);
  void exchange_column() { column_.exchange(); }
  /// Nothing in slabs.
  void exchange_row() {
    if (row_) row_->exchange();
  }

 private:
  whole_transpose column_;
  std::optional<whole_transpose> row_;
};

/// All tiles by messages, asleep for `between_looks` whenever there is nothing to do.
void exchange_sparsely(MPI_Comm communicator, const chunk_map& chunks,
                       std::chrono::microseconds between_looks);

}  // namespace spectral
