// SPDX-License-Identifier: BSD-3-Clause
#include "transport.hpp"

#include <chrono>
#include <climits>
#include <span>
#include <string>
#include <thread>

#include <fmt/format.h>

#include "measure/base/mpi_check.hpp"

namespace spectral {
namespace {

using plait::measure::check_mpi;

int as_count(index elements) {
  if (elements > INT_MAX)
    throw plait::usage_error(fmt::format(
        "{} elements are more than one message can hold; use more ranks or more tiles", elements));
  return static_cast<int>(elements);
}

class messages final : public transport {
 public:
  messages(MPI_Comm communicator, const chunk_map& chunks)
      : communicator_(communicator), chunks_(chunks) {
    received_.resize(static_cast<std::size_t>(chunks_.tiles()));
    sent_.resize(static_cast<std::size_t>(chunks_.tiles()));
  }

  void expect() override {
    for (int tile = 0; tile < chunks_.tiles(); ++tile) {
      tile_requests& of = begun(received_, tile);
      for (int step = 1; step < chunks_.ranks(); ++step) {
        const int peer = (chunks_.rank() + chunks_.ranks() - step) % chunks_.ranks();
        for (const std::span<complex> part : parts_of(chunks_.incoming(peer, tile)))
          check_mpi(MPI_Irecv(part.data(), as_count(std::ssize(part)), MPI_C_DOUBLE_COMPLEX, peer,
                              tile, communicator_, added(of, false, peer, part)),
                    "MPI_Irecv");
      }
    }
  }

  void start(int tile) override {
    tile_requests& of = begun(sent_, tile);
    // The next rank first, so that not all send to the same one.
    for (int step = 1; step < chunks_.ranks(); ++step) {
      const int peer = (chunks_.rank() + step) % chunks_.ranks();
      for (const std::span<complex> part : parts_of(chunks_.outgoing(peer, tile)))
        check_mpi(MPI_Isend(part.data(), as_count(std::ssize(part)), MPI_C_DOUBLE_COMPLEX, peer,
                            tile, communicator_, added(of, true, peer, part)),
                  "MPI_Isend");
    }
  }

  /// Of each direction one tile is asked after; the library lets all of them progress.
  void test() override {
    test_first(received_);
    test_first(sent_);
  }

  void wait_received(int tile) override { wait_all(received_[static_cast<std::size_t>(tile)]); }

  void wait_sent() override {
    for (tile_requests& of : sent_) wait_all(of);
    ++transposes_;
  }

  void add_messages_to(plait::measure::stopwatch& watch) override {
    for (const auto* side : {&received_, &sent_})
      for (std::size_t tile = 0; tile < side->size(); ++tile) {
        std::uint64_t place = transposes_ * part_count;
        for (const note& one : (*side)[tile].notes)
          watch.add_message(fmt::format("tile {} {} {}", tile, one.sent ? "to" : "from",
                                        chunks_.rank_of(one.peer)),
                            {.sent = one.sent,
                             .peer = chunks_.rank_of(one.peer),
                             .tag = static_cast<int>(tile),
                             .place = place++,
                             .size_bytes = one.size_bytes},
                            one.posted, one.completed);
      }
  }

 private:
  struct note {
    bool sent = false;
    int peer = 0;
    std::size_t size_bytes = 0;
    plait::ticks posted = 0;
    plait::ticks completed = 0;
  };
  struct tile_requests {
    std::vector<MPI_Request> requests;
    std::vector<note> notes;
    int pending = 0;
  };
  static constexpr std::uint64_t part_count = std::uint64_t{1} << 32;  // more than a tile has

  static tile_requests& begun(std::vector<tile_requests>& side, int tile) {
    tile_requests& of = side[static_cast<std::size_t>(tile)];
    of.requests.clear();
    of.notes.clear();
    of.pending = 0;
    return of;
  }
  /// The place of another request.
  static MPI_Request* added(tile_requests& of, bool sent, int peer, std::span<const complex> part) {
    of.notes.push_back({sent, peer, part.size_bytes(), plait::now_ticks(), 0});
    ++of.pending;
    return &of.requests.emplace_back(MPI_REQUEST_NULL);
  }
  void note_completed(tile_requests& of, int count) {
    if (count == MPI_UNDEFINED) count = of.pending = 0;
    const plait::ticks now = plait::now_ticks();
    for (int i = 0; i < count; ++i)
      of.notes[static_cast<std::size_t>(completed_[static_cast<std::size_t>(i)])].completed = now;
    of.pending -= count;
  }
  void test_first(std::vector<tile_requests>& side) {
    for (tile_requests& of : side) {
      if (of.pending == 0) continue;
      completed_.resize(of.requests.size());
      int count = 0;
      check_mpi(MPI_Testsome(static_cast<int>(of.requests.size()), of.requests.data(), &count,
                             completed_.data(), MPI_STATUSES_IGNORE),
                "MPI_Testsome");
      note_completed(of, count);
      return;
    }
  }
  void wait_all(tile_requests& of) {
    completed_.resize(of.requests.size());
    while (of.pending > 0) {
      int count = 0;
      check_mpi(MPI_Waitsome(static_cast<int>(of.requests.size()), of.requests.data(), &count,
                             completed_.data(), MPI_STATUSES_IGNORE),
                "MPI_Waitsome");
      note_completed(of, count);
    }
  }

  MPI_Comm communicator_;
  chunk_map chunks_;
  std::vector<tile_requests> received_, sent_;  ///< by tile
  std::vector<int> completed_;                  ///< scratch
  std::uint64_t transposes_ = 0;
};

/// Holds what the v-collectives of one tile, or of all, are told.
struct counts_and_offsets {
  std::vector<int> send, send_offset, receive, receive_offset;
};

class collectives final : public transport {
 public:
  collectives(MPI_Comm communicator, const chunk_map& chunks)
      : communicator_(communicator), chunks_(chunks) {
    for (int tile = 0; tile < chunks_.tiles(); ++tile) {
      counts_and_offsets& of = tiles_.emplace_back();
      for (int peer = 0; peer < chunks_.ranks(); ++peer) {
        const std::span<complex> from = chunks_.outgoing(peer, tile);
        const std::span<complex> into = chunks_.incoming(peer, tile);
        const bool travels = peer != chunks_.rank();
        of.send.push_back(travels ? as_count(std::ssize(from)) : 0);
        of.receive.push_back(travels ? as_count(std::ssize(into)) : 0);
        of.send_offset.push_back(as_count(from.data() - chunks_.outgoing(0, 0).data()));
        of.receive_offset.push_back(as_count(into.data() - chunks_.incoming(0, 0).data()));
      }
    }
    requests_.resize(tiles_.size(), MPI_REQUEST_NULL);
  }

  void expect() override {}
  void start(int tile) override {
    counts_and_offsets& of = tiles_[static_cast<std::size_t>(tile)];
    check_mpi(MPI_Ialltoallv(chunks_.outgoing(0, 0).data(), of.send.data(), of.send_offset.data(),
                             MPI_C_DOUBLE_COMPLEX, chunks_.incoming(0, 0).data(), of.receive.data(),
                             of.receive_offset.data(), MPI_C_DOUBLE_COMPLEX, communicator_,
                             &requests_[static_cast<std::size_t>(tile)]),
              "MPI_Ialltoallv");
  }
  void test() override {
    int done = 0;
    check_mpi(MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &done,
                          MPI_STATUSES_IGNORE),
              "MPI_Testall");
  }
  void wait_received(int tile) override {
    check_mpi(MPI_Wait(&requests_[static_cast<std::size_t>(tile)], MPI_STATUS_IGNORE), "MPI_Wait");
  }
  void wait_sent() override {}

 private:
  MPI_Comm communicator_;
  chunk_map chunks_;
  std::vector<counts_and_offsets> tiles_;
  std::vector<MPI_Request> requests_;
};

}  // namespace

chunk_map::chunk_map(const slabs& shape, const transpose_buffers& buffers, transpose way)
    : rank_(shape.rank()), tiles_(shape.tiles()) {
  for (int peer = 0; peer < shape.ranks(); ++peer) {
    rank_of_.push_back(peer);
    for (int tile = 0; tile < tiles_; ++tile) {
      const std::span line_side(buffers.line_side + shape.line_side_offset(peer, tile),
                                static_cast<std::size_t>(shape.line_side_size(peer, tile)));
      const std::span plane_side(buffers.plane_side + shape.plane_side_offset(peer, tile),
                                 static_cast<std::size_t>(shape.plane_side_size(peer, tile)));
      const bool to_planes = way == transpose::to_planes;
      outgoing_.push_back(to_planes ? line_side : plane_side);
      incoming_.push_back(to_planes ? plane_side : line_side);
    }
  }
}

chunk_map::chunk_map(const pencils& shape, const transpose_buffers& buffers, transpose way)
    : chunk_map(shape.column(), buffers, way) {
  for (int& peer : rank_of_) peer = shape.rank_in_column(peer);
}

chunk_map::chunk_map(const pencils& shape, const row_buffers& buffers, transpose way)
    : rank_(shape.p()), tiles_(shape.row_tiles()) {
  for (int peer = 0; peer < shape.grid().p; ++peer) {
    rank_of_.push_back(shape.rank_in_row(peer));
    for (int tile = 0; tile < tiles_; ++tile) {
      const range z = shape.z_of(tile);
      const std::span x_side(buffers.x_side + shape.x_side_offset(peer, z.low),
                             static_cast<std::size_t>(z.size() * shape.x_side_plane(peer)));
      const std::span y_side(buffers.y_side + shape.y_side_offset(peer, z.low),
                             static_cast<std::size_t>(z.size() * shape.y_side_plane(peer)));
      const bool to_planes = way == transpose::to_planes;
      outgoing_.push_back(to_planes ? y_side : x_side);
      incoming_.push_back(to_planes ? x_side : y_side);
    }
  }
}

std::vector<std::span<complex>> parts_of(std::span<complex> chunk) {
  std::vector<std::span<complex>> result;
  const index parts = (std::ssize(chunk) + part_elements - 1) / part_elements;
  for (const range& one : cut({0, std::ssize(chunk)}, parts))
    result.push_back(
        chunk.subspan(static_cast<std::size_t>(one.low), static_cast<std::size_t>(one.size())));
  return result;
}

std::unique_ptr<transport> by_messages(MPI_Comm communicator, const chunk_map& chunks) {
  return std::make_unique<messages>(communicator, chunks);
}

std::unique_ptr<transport> by_library(MPI_Comm communicator, const chunk_map& chunks) {
  return std::make_unique<collectives>(communicator, chunks);
}

whole_transpose::whole_transpose(MPI_Comm communicator, const chunk_map& chunks)
    : communicator_(communicator),
      send_(chunks.outgoing(0, 0).data()),
      receive_(chunks.incoming(0, 0).data()) {
  for (int peer = 0; peer < chunks.ranks(); ++peer) {
    index sent = 0;
    index received = 0;
    for (int tile = 0; tile < chunks.tiles(); ++tile) {
      sent += std::ssize(chunks.outgoing(peer, tile));
      received += std::ssize(chunks.incoming(peer, tile));
    }
    const bool travels = peer != chunks.rank();
    send_counts_.push_back(travels ? as_count(sent) : 0);
    receive_counts_.push_back(travels ? as_count(received) : 0);
    send_offsets_.push_back(as_count(chunks.outgoing(peer, 0).data() - send_));
    receive_offsets_.push_back(as_count(chunks.incoming(peer, 0).data() - receive_));
  }
}

void whole_transpose::exchange() {
  check_mpi(MPI_Alltoallv(send_, send_counts_.data(), send_offsets_.data(), MPI_C_DOUBLE_COMPLEX,
                          receive_, receive_counts_.data(), receive_offsets_.data(),
                          MPI_C_DOUBLE_COMPLEX, communicator_),
            "MPI_Alltoallv");
}

grid_communicators::grid_communicators(MPI_Comm all, const pencils& shape) : column_(all) {
  if (shape.are_slabs()) return;
  check_mpi(MPI_Comm_split(all, shape.p(), shape.q(), &column_), "MPI_Comm_split");
  check_mpi(MPI_Comm_split(all, shape.q(), shape.p(), &row_), "MPI_Comm_split");
}

grid_communicators::~grid_communicators() {
  if (row_ == MPI_COMM_NULL) return;
  MPI_Comm_free(&column_);
  MPI_Comm_free(&row_);
}

whole_transposes::whole_transposes(const grid_communicators& of, const pencils& shape,
                                   const transform_memory& memory, transpose way)
    : column_(of.column(), chunk_map(shape, memory.column, way)) {
  if (!shape.are_slabs()) row_.emplace(of.row(), chunk_map(shape, memory.row, way));
}

void exchange_sparsely(MPI_Comm communicator, const chunk_map& chunks,
                       std::chrono::microseconds between_looks) {
  std::vector<MPI_Request> requests;
  for (int step = 1; step < chunks.ranks(); ++step) {
    const int from = (chunks.rank() + chunks.ranks() - step) % chunks.ranks();
    const int to = (chunks.rank() + step) % chunks.ranks();
    for (int tile = 0; tile < chunks.tiles(); ++tile) {
      for (const std::span<complex> part : parts_of(chunks.incoming(from, tile)))
        check_mpi(MPI_Irecv(part.data(), as_count(std::ssize(part)), MPI_C_DOUBLE_COMPLEX, from,
                            tile, communicator, &requests.emplace_back()),
                  "MPI_Irecv");
      for (const std::span<complex> part : parts_of(chunks.outgoing(to, tile)))
        check_mpi(MPI_Isend(part.data(), as_count(std::ssize(part)), MPI_C_DOUBLE_COMPLEX, to, tile,
                            communicator, &requests.emplace_back()),
                  "MPI_Isend");
    }
  }
  int done = 0;
  while (true) {
    check_mpi(
        MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE),
        "MPI_Testall");
    if (done != 0) return;
    std::this_thread::sleep_for(between_looks);
  }
}

}  // namespace spectral
