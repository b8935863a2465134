// SPDX-License-Identifier: BSD-3-Clause
/// Windows on two-sided messages, which every MPI library progresses alike.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include <mpi.h>
#include <plait/comm/served_window.hpp>

#include "comm/one_sided/raised_signals.hpp"

namespace plait {

/// Who wants something sends a *letter*: some words, and the data of a small put behind them.
///
///     put, small: letter with the data ->               <- letter: done
///     put, large: letter, message with the data ->      <- letter: done
///     get:        letter ->                             <- message with the data
///
/// Letters have one tag and are read in the order in which they were sent, the data of large puts
/// another and that of gets a third; for each of the two, sender and receiver post their messages
/// in the order of the letters.  So MPI's order keeps all of them apart, with one tag each.  Large
/// data and that of gets goes straight to its place, without a copy.
///
/// A put with a landing completes when its data has left: with its letter (small), or with the send
/// of the data (large).  The answer then completes its landing.
///
/// Why a signal cannot come before its data: it is part of the put's letter, and raised by the
/// target itself when it has copied the data (small) or its receive of the data has completed.
///
/// Memory: no more than `most_open` puts and gets from one rank to another are with MPI at once;
/// others wait here for one of them to be answered.  Answers need nothing of the target's program,
/// so nothing gets stuck.
///
/// Its functions do what those of `served_window` of the same names promise.
class by_messages {
 public:
  using finished_list = served_window::finished_list;

  /// `comm` is this window's own.
  by_messages(MPI_Comm comm, std::span<std::byte> own, int flags);
  ~by_messages();
  by_messages(const by_messages&) = delete;
  by_messages& operator=(const by_messages&) = delete;

  void start(operation& op, finished_list& done);
  bool look(finished_list& done);
  void close() { closed_ = true; }
  void give_up(finished_list& done);
  void abandon(finished_list& done);
  void for_each(const std::function<void(const operation&)>& visit) const;
  [[nodiscard]] bool is_quiet() const noexcept { return requests_.empty(); }

 private:
  enum class word : std::uint32_t { put, large_put, get, done };
  struct letter {
    word what = word::put;
    std::int32_t flag = no_flag;
    std::uint64_t number = 0;  ///< of the put that it is, or answers, on the rank that puts
    std::uint64_t offset_bytes = 0;
    std::uint64_t size_bytes = 0;
    std::uint64_t place = 0;  ///< of the signal
  };
  static constexpr std::int32_t no_flag = -1;

  /// What a request of MPI's is for.
  struct purpose {
    enum class kind : std::uint8_t { letter, answer, put_out, put_in, get_in };
    kind what = kind::letter;
    int peer = 0;
    std::unique_ptr<std::byte[]> keep = nullptr;  ///< what MPI sends from, if nobody else keeps it
    operation* op = nullptr;                      ///< get_in
    letter about = {};                            ///< put_in, put_out
  };
  struct open_put {
    operation* op = nullptr;  ///< null when it has completed early
    int peer = 0;
    int missing = 0;                                 ///< the answer, and that large data has left
    std::shared_ptr<put_landing> landing = nullptr;  ///< null: `op` completes last
  };

  void begin(operation& op, finished_list& done);
  void begin_put(operation& op, finished_list& done);
  void begin_get(operation& op);
  void at_home(operation& op, finished_list& done);
  void closed_one(int peer, finished_list& done);
  void await_landing(operation& op, finished_list& done);
  void data_has_left(open_put& put, finished_list& done);
  void part_of_put_over(std::uint64_t number, finished_list& done);

  void send_letter(int peer, const letter& words, std::span<const std::byte> data = {});
  void follow(MPI_Request request, purpose why);
  bool read_letters(finished_list& done);
  void read(int from, const letter& words, std::span<const std::byte> data, finished_list& done);
  void put_is_here(int from, const letter& words, finished_list& done);
  bool test_requests(finished_list& done);
  void request_over(purpose& why, finished_list& done);
  [[nodiscard]] std::byte* place_of(const letter& words) const;

  static constexpr int most_open = 128;
  static constexpr std::size_t largest_in_letter = 2048;

  MPI_Comm comm_;
  const std::span<std::byte> own_;
  int rank_ = 0;
  bool closed_ = false;
  raised_signals signals_;
  std::uint64_t next_number_ = 0;
  std::unordered_map<std::uint64_t, open_put> open_puts_;
  std::vector<int> open_;                        ///< puts and gets, by target
  std::vector<std::deque<operation*>> waiting_;  ///< by target

  std::vector<MPI_Request> requests_;
  std::vector<purpose> purposes_;  ///< of each request
  std::vector<int> indices_;
  std::vector<std::byte> incoming_;
};

}  // namespace plait
