// SPDX-License-Identifier: BSD-3-Clause
/// A transpose between the layouts of slabs in plain MPI, tile by tile: by messages, or by the MPI
/// library's own collectives.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <plait/comm/mpi.hpp>
#include <plait/plait.hpp>

#include "measure/timeline.hpp"
#include "passes.hpp"
#include "slabs.hpp"

namespace spectral {

/// Layouts that a transpose gives.
enum class transpose : std::uint8_t { to_planes, to_lines };

/// A chunk travels in parts of at most so many elements, less than 64 KiB: what Open MPI sends over
/// TCP without a handshake.  Such parts leave in the order in which they were posted; larger
/// messages share the link, and the first tile arrives with the last one.
inline constexpr index part_elements = 3840;

/// The parts of a chunk, the same on both of its ends.
[[nodiscard]] std::vector<std::span<complex>> parts_of(std::span<complex> chunk);

/// Places of the chunks of a transpose that this rank sends and receives.
class chunk_map {
 public:
  chunk_map(const slabs& shape, const transpose_buffers& buffers, transpose way)
      : shape_(shape), buffers_(buffers), way_(way) {}

  [[nodiscard]] std::span<complex> outgoing(int peer, int tile) const {
    return chunk(peer, tile, way_ == transpose::to_planes);
  }
  [[nodiscard]] std::span<complex> incoming(int peer, int tile) const {
    return chunk(peer, tile, way_ == transpose::to_lines);
  }
  [[nodiscard]] const slabs& shape() const noexcept { return shape_; }

 private:
  [[nodiscard]] std::span<complex> chunk(int peer, int tile, bool line_side) const;

  const slabs& shape_;
  transpose_buffers buffers_;
  transpose way_;
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

/// All tiles by messages, asleep for `between_looks` whenever there is nothing to do.
void exchange_sparsely(MPI_Comm communicator, const chunk_map& chunks,
                       std::chrono::microseconds between_looks);

}  // namespace spectral
