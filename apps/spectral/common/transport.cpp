// SPDX-License-Identifier: BSD-3-Clause
#include "transport.hpp"

#include <climits>
#include <span>
#include <string>
#include <thread>

#include <fmt/format.h>

#include "measure/mpi_check.hpp"

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
    const slabs& s = chunks_.shape();
    received_.resize(static_cast<std::size_t>(s.tiles()));
    sent_.resize(static_cast<std::size_t>(s.tiles()));
  }

  void expect() override {
    const slabs& s = chunks_.shape();
    for (int tile = 0; tile < s.tiles(); ++tile) {
      tile_requests& of = begun(received_, tile);
      for (int step = 1; step < s.ranks(); ++step) {
        const int peer = (s.rank() + s.ranks() - step) % s.ranks();
        for (const std::span<complex> part : parts_of(chunks_.incoming(peer, tile)))
          check_mpi(MPI_Irecv(part.data(), as_count(std::ssize(part)), MPI_C_DOUBLE_COMPLEX, peer,
                              tile, communicator_, added(of, false, peer, part)),
                    "MPI_Irecv");
      }
    }
  }

  void start(int tile) override {
    const slabs& s = chunks_.shape();
    tile_requests& of = begun(sent_, tile);
    // The next rank first, so that not all send to the same one.
    for (int step = 1; step < s.ranks(); ++step) {
      const int peer = (s.rank() + step) % s.ranks();
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
          watch.add_message(fmt::format("tile {} {} {}", tile, one.sent ? "to" : "from", one.peer),
                            {.sent = one.sent,
                             .peer = one.peer,
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
    const slabs& s = chunks_.shape();
    for (int tile = 0; tile < s.tiles(); ++tile) {
      counts_and_offsets& of = tiles_.emplace_back();
      for (int peer = 0; peer < s.ranks(); ++peer) {
        const std::span<complex> from = chunks_.outgoing(peer, tile);
        const std::span<complex> into = chunks_.incoming(peer, tile);
        const bool travels = peer != s.rank();
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

std::span<complex> chunk_map::chunk(int peer, int tile, bool line_side) const {
  if (line_side)
    return {buffers_.line_side + shape_.line_side_offset(peer, tile),
            static_cast<std::size_t>(shape_.line_side_size(peer, tile))};
  return {buffers_.plane_side + shape_.plane_side_offset(peer, tile),
          static_cast<std::size_t>(shape_.plane_side_size(peer, tile))};
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
  const slabs& s = chunks.shape();
  for (int peer = 0; peer < s.ranks(); ++peer) {
    index sent = 0;
    index received = 0;
    for (int tile = 0; tile < s.tiles(); ++tile) {
      sent += std::ssize(chunks.outgoing(peer, tile));
      received += std::ssize(chunks.incoming(peer, tile));
    }
    const bool travels = peer != s.rank();
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

void exchange_sparsely(MPI_Comm communicator, const chunk_map& chunks,
                       std::chrono::microseconds between_looks) {
  const slabs& s = chunks.shape();
  std::vector<MPI_Request> requests;
  for (int step = 1; step < s.ranks(); ++step) {
    const int from = (s.rank() + s.ranks() - step) % s.ranks();
    const int to = (s.rank() + step) % s.ranks();
    for (int tile = 0; tile < s.tiles(); ++tile) {
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
