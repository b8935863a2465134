// SPDX-License-Identifier: BSD-3-Clause
/// The MPI library as one process sees it: initialisation, ranks, nodes, the end of the job.
/// Not here: messages (engine.hpp).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <plait/comm/communicator.hpp>
#include <plait/comm/token.hpp>

namespace plait {

class engine;
struct guest_of;

/// The one owner of MPI_Init and MPI_Finalize.  Make one, first thing in `main`; it must outlive
/// every other object of plait that communicates.  Asks for MPI_THREAD_SERIALIZED and needs no
/// more.
///
/// While it lives, an exception that leaves `main` and a broken precondition end the whole job with
/// one message, and MPI errors on its communicators are reported as exceptions.  When it ends, the
/// program's own `std::terminate_handler` and error handler of MPI_COMM_WORLD are back.
class environment {
 public:
  /// Collective.  Takes MPI's own arguments out of the command line.  Where the program has
  /// initialised MPI with MPI_THREAD_SERIALIZED or more, that is taken over, and MPI_Finalize stays
  /// the program's.  Errors: `error` when MPI offers less than MPI_THREAD_SERIALIZED, or has ended.
  environment(int& argc, char**& argv);
  /// Joins a program that owns MPI, on the ranks of a communicator of its own (mpi.hpp).  Changes
  /// nothing that belongs to the program: `std::terminate_handler` and error handlers stay as they
  /// are, and MPI_Finalize stays the program's.  Collective over the communicator.  Errors: `error`
  /// where MPI is not initialised with MPI_THREAD_SERIALIZED or more, or has ended, and while
  /// another environment lives; usage_error for MPI_COMM_NULL and for an intercommunicator.
  explicit environment(const guest_of& program);
  /// Collective, except after an uncaught exception, when it ends the job.
  ~environment();
  environment(const environment&) = delete;
  environment& operator=(const environment&) = delete;

  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] int size() const noexcept { return size_; }
  [[nodiscard]] const std::string& host() const noexcept { return host_; }
  /// Returns the host of every rank.
  [[nodiscard]] const std::vector<std::string>& hosts() const noexcept { return hosts_; }

  /// Ranks that share this rank's memory and work (`set_working`): how many, and this one's place
  /// among them.  For shares of the cores; of memory, those that do not work keep theirs.
  [[nodiscard]] int node_size() const noexcept { return static_cast<int>(node_units_.size()); }
  [[nodiscard]] int node_rank() const noexcept { return node_rank_; }
  /// Returns, for each rank of `node_size`, the processing units that the rank may run on,
  /// ascending.
  [[nodiscard]] const std::vector<std::vector<int>>& node_units() const noexcept {
    return node_units_;
  }

  /// Says which ranks work from now on; at first all.  The others are taken to sleep: cores are
  /// shared, and who drives messages is chosen, as if they were not there, for what is made from
  /// now on.  A rank that does not work counts itself nevertheless.  Local; the same for all ranks
  /// of a node.  Main thread.
  ///
  ///     env.set_working([](int rank) { return rank % processes_per_node == 0; });
  void set_working(const std::function<bool(int rank)>& works);

  /// Returns name and version of the MPI library, in one line.
  [[nodiscard]] std::string mpi_version() const;

  /// Returns the settings of the transport under MPI that this environment made before MPI started,
  /// as `NAME=value` words.  A user's environment variable overrules them.  Empty where there was
  /// nothing to set, or the program had started MPI.
  [[nodiscard]] const std::string& transport_settings() const noexcept {
    return transport_settings_;
  }
  /// Makes these settings for a program that starts MPI itself, and returns them.  Before MPI_Init;
  /// no other thread may read environment variables meanwhile.
  static std::string prepare_transport();

  /// Returns the communicator of all ranks (of a guest: of all of its own), on which messages and
  /// collectives match where no communicator is named.  Its parts: `communicator::split`.
  [[nodiscard]] communicator world();

  /// Waits for all ranks.  Collective.  Blocks; communication in flight progresses meanwhile, but
  /// tasks do not run on this thread: `wait()` for them first.  Main thread.
  void barrier();

  /// Returns every rank's bytes on rank 0, by rank; empty elsewhere.  Collective.  Blocks.  Main
  /// thread; no task may be in flight.
  [[nodiscard]] std::vector<std::string> gather(const std::string& bytes);

  /// Returns rank 0's bytes on every rank.  Collective.  Blocks.  Main thread; no task may be in
  /// flight.
  [[nodiscard]] std::string broadcast(const std::string& bytes);

  /// Collective.  `sent[r]` goes to rank r; returns what every rank has sent to this one, by rank.
  /// Blocks; communication in flight progresses meanwhile, but tasks do not run on this thread:
  /// `wait()` for them first.  Main thread.  Precondition: sent.size() == size().  Errors: `error`
  /// where one rank sends or gets 2^31 numbers or more.
  [[nodiscard]] std::vector<std::vector<std::int64_t>> exchange(
      const std::vector<std::vector<std::int64_t>>& sent);

  /// Collective.  The clock of rank 0 minus this rank's clock (`now_ticks` in seconds), from the
  /// fastest of some round trips [Cristian 1989]; `uncertainty_s` is half of that round trip.
  /// Blocks.  Main thread.
  struct clock_offset {
    double offset_s = 0;
    double uncertainty_s = 0;
  };
  [[nodiscard]] clock_offset measure_clock_offset();

  /// Prints the message with this rank's name and ends all ranks.  Thread-safe.
  [[noreturn]] void abort(const std::string& message, int exit_code = 1) const noexcept;

  /// Has `what` called when this ends, on the main thread, before MPI ends: collective, if every
  /// rank asks for it.  In the order of asking.  Not after an uncaught exception.
  void at_end(std::function<void()> what) { at_end_.push_back(std::move(what)); }

  /// Returns the token.  Its holder may call MPI.
  [[nodiscard]] mpi_token& token() noexcept { return token_; }

 private:
  friend class engine;
  void begin();
  void open();
  void meet_the_others();

  struct native_handles;
  friend struct native_access;
  std::unique_ptr<native_handles> native_;
  mpi_token token_;
  int rank_ = 0;
  int size_ = 1;
  int node_rank_ = 0;
  std::string host_;
  std::string transport_settings_;
  std::vector<std::string> hosts_;
  std::vector<std::vector<int>> node_units_;  ///< of those that work
  struct neighbour {
    int rank;
    std::vector<int> units;
  };
  std::vector<neighbour> neighbours_;  ///< all ranks of the node, in their order, this one too
  std::vector<engine*> engines_;       ///< driven while this class blocks
  std::vector<std::function<void()>> at_end_;
  bool finalize_ = false;
  bool gave_up_ = false;  ///< an engine did, after a failure
  int exceptions_at_start_ = 0;
};

}  // namespace plait
