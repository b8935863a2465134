// SPDX-License-Identifier: BSD-3-Clause
/// Sends the same messages again and again in plain MPI, in the phases that hand-written variants
/// arrange in their own ways.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <vector>

#include <plait/comm/mpi.hpp>
#include <plait/plait.hpp>

#include "measure/compare/comparison.hpp"
#include "measure/compare/timeline.hpp"

namespace plait::measure {

/// An exchange in plain MPI on the account of a variant, whatever calls it is made of.
class watched_exchange {
 public:
  virtual ~watched_exchange() = default;
  watched_exchange(const watched_exchange&) = delete;
  watched_exchange& operator=(const watched_exchange&) = delete;

  /// Packs and starts what is sent and received.
  virtual void start(stopwatch& watch) = 0;
  /// Lets the library progress; true when nothing is under way any more.
  [[nodiscard]] virtual bool look(stopwatch& watch) = 0;
  /// Waits and unpacks.  Adds the messages as events where the step is recorded.
  virtual void finish(stopwatch& watch) = 0;
  /// Does all of it, blocking.
  virtual void run(stopwatch& watch) {
    start(watch);
    finish(watch);
  }

 protected:
  watched_exchange() = default;
};

/// One exchange at a time, on persistent requests: post_receives, pack, post_sends, then test or
/// wait until done, then unpack.  Between posting and the end the buffers belong to MPI.  A rank
/// may send to itself.  Who derives from it adds the messages, and says what is packed.
class plain_exchange : public watched_exchange {
 public:
  ~plain_exchange() override;

  void post_receives();
  virtual void pack() {}
  void post_sends();
  /// Lets the library progress; true when all messages are complete.
  [[nodiscard]] bool test();
  /// Blocks until all messages are complete.
  void wait();
  virtual void unpack() {}

  /// Does all of it, waiting.
  void exchange();
  /// Does all of it, asleep for `between_looks` whenever there is nothing to do.
  void exchange_sparsely(std::chrono::microseconds between_looks);

  void start(stopwatch& watch) final;
  [[nodiscard]] bool look(stopwatch& watch) final;
  void finish(stopwatch& watch) final;

  /// Returns what an exchange sends to whom.
  [[nodiscard]] std::vector<sent_bytes> sent() const;

 protected:
  explicit plain_exchange(MPI_Comm communicator) : communicator_(communicator) {}

  /// Receives before sends.  Buffers stay where they are.
  void add_receive(std::span<double> into, int peer, int tag);
  void add_send(std::span<const double> from, int peer, int tag);
  bool packs_ = false;    ///< whether `pack` does something
  bool unpacks_ = false;  ///< whether `unpack` does

 private:
  struct message {
    int peer = 0;
    int tag = 0;
    std::size_t size_bytes = 0;
    ticks posted = 0;
    ticks completed = 0;
  };
  [[nodiscard]] MPI_Request* add(std::size_t size_bytes, int peer, int tag);
  void post(std::size_t first, std::size_t count);
  void note_completed(int count);
  void wait_noting();
  void add_messages_to(stopwatch& watch) const;

  MPI_Comm communicator_;
  std::size_t receives_ = 0;
  // Receives first, then sends.
  std::vector<MPI_Request> requests_;
  std::vector<message> messages_;
  std::vector<int> completed_;  ///< scratch of Testsome and Waitsome
  int pending_ = 0;
  std::uint64_t exchanges_ = 0;  ///< begun, the same on all ranks
};

}  // namespace plait::measure
