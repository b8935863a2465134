// SPDX-License-Identifier: BSD-3-Clause
/// Windows on two-sided messages, which every MPI library progresses alike.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <unordered_map>

#include <mpi.h>
#include <plait/comm/served_window.hpp>
#include <plait/core/window_letter.hpp>

#include "comm/followed_requests.hpp"
#include "comm/one_sided/raised_signals.hpp"

namespace plait {

/// Operations on a window by messages.  A rank that wants something of another sends a *letter*:
/// some words, and the data of a small put behind them.
///
///     put, small: letter with the data ->               <- letter: done
///     put, large: letter, message with the data ->      <- letter: done
///     get:        letter ->                             <- message with the data
///
/// Letters have one tag and are taken in the order in which they were sent, the data of large puts
/// another and that of gets a third; for each of the two, sender and receiver post their messages
/// in the order of the letters.  So MPI's order keeps all of them apart, with one tag each.  Large
/// data and that of gets goes straight to its place, without a copy.  A letter with data may still
/// be on its way when it is taken.  Others are read meanwhile: it is a put, and orders nothing.
///
/// A put with a landing completes when its data has left: with its letter (small), or with the send
/// of the data (large).  The answer then completes its landing.
///
/// Why a signal cannot come before its data: it is part of the put's letter, and raised by the
/// target itself when it has copied the data (small) or its receive of the data has completed.
///
/// Memory: `most_open` puts and gets of one rank on another are with MPI at once, and letters of
/// theirs with `most_in_letters` bytes of data; others wait here for one of them to be answered.
/// Answers need nothing of the target's program, so nothing gets stuck.
class by_messages final : public one_sided_service {
 public:
  /// `comm` is this window's own.
  by_messages(MPI_Comm comm, std::span<std::byte> own, int flags);

  void start(operation& op, finished_list& done) override;
  bool look(finished_list& done) override;
  void close() override { closed_ = true; }
  void give_up(finished_list& done) override;
  void abandon(finished_list& done) override;
  void for_each(const std::function<void(const operation&)>& visit) const override;
  [[nodiscard]] bool is_quiet() const override { return requests_.empty(); }
  [[nodiscard]] double patience_s() const noexcept override { return 1; }
  void end() override {}

  // --- For data that travels otherwise (by_rma) -------------------------------------------------
  static constexpr std::int32_t no_flag = window_letter::no_flag;
  /// Says that this rank's memory is about to go.
  static constexpr std::int32_t leaving_flag = -2;

  /// The content of a letter without data: the flag it raises, and its place; `no_flag` says
  /// nothing but that the answer is wanted.
  struct notice {
    std::int32_t flag = no_flag;
    std::uint64_t place = 0;
  };
  /// Tells `peer`, whatever else is under way to it.  When it has answered, `landing` is there (if
  /// not null), or `op` has completed (if not null).
  void tell(int peer, notice what, operation* op, std::shared_ptr<put_landing> landing);
  /// Has `leaves(rank)` called when that rank says so, before it is answered.
  void when_one_leaves(std::function<void(int rank)> leaves) { leaves_ = std::move(leaves); }

 private:
  using letter = window_letter;
  using word = letter::word;

  /// Purpose of a request of MPI's.
  struct purpose {
    enum class kind : std::uint8_t { letter, letter_in, answer, put_out, put_in, get_in };
    kind what = kind::letter;
    int peer = 0;
    std::unique_ptr<std::byte[]> keep = nullptr;  ///< what MPI uses, if nobody else keeps it
    operation* op = nullptr;                      ///< get_in
    letter about = {};                            ///< put_in, put_out
  };

  struct open_put {
    operation* op = nullptr;  ///< null when it has completed early
    int peer = 0;
    std::size_t in_letter_bytes = 0;
    int missing = 0;                                 ///< the answer, and that large data has left
    std::shared_ptr<put_landing> landing = nullptr;  ///< null: `op` completes last
  };

  /// This rank's puts to one target, and gets from it.
  struct way_out {
    int open = 0;
    std::size_t in_letters_bytes = 0;  ///< of those that are open
    std::deque<operation*> waiting = {};
  };

  void begin(operation& op, finished_list& done);
  void begin_put(operation& op, finished_list& done);
  void begin_get(operation& op);
  void at_home(operation& op, finished_list& done);
  [[nodiscard]] static std::size_t bytes_in_letter(const operation& op) noexcept;
  [[nodiscard]] static bool has_room(const way_out& way, const operation& op) noexcept;
  void closed_one(int peer, std::size_t in_letter_bytes, finished_list& done);
  void await_landing(operation& op, finished_list& done);
  void data_has_left(open_put& put, finished_list& done);
  void part_of_put_over(std::uint64_t number, finished_list& done);

  void send_letter(int peer, const letter& words, std::span<const std::byte> data = {});
  bool read_letters(finished_list& done);
  void take_letter(int from, int size_bytes, MPI_Message& message, finished_list& done);
  void read_with_data(int from, std::unique_ptr<std::byte[]> all, finished_list& done);
  void read(int from, const letter& words, std::span<const std::byte> data, finished_list& done);
  void put_is_here(int from, const letter& words, finished_list& done);
  void request_over(purpose& why, finished_list& done);
  [[nodiscard]] std::byte* place_of(const letter& words) const;

  static constexpr int most_open = 4096;  // as many tasks as a runtime has in flight by itself
  static constexpr std::size_t largest_in_letter = letter::largest_in_letter;
  static constexpr std::size_t most_in_letters = 256 * largest_in_letter;

  MPI_Comm comm_;
  const std::span<std::byte> own_;
  int rank_ = 0;
  bool closed_ = false;
  raised_signals signals_;
  std::uint64_t next_number_ = 0;
  std::unordered_map<std::uint64_t, open_put> open_puts_;
  std::unordered_map<int, way_out> ways_;  ///< by target, of those that there are

  followed_requests<purpose> requests_;
  std::unique_ptr<std::byte[]> spare_;  ///< for a letter with data, or null
  std::function<void(int rank)> leaves_;
};

}  // namespace plait
