// SPDX-License-Identifier: BSD-3-Clause
/// The ways to send or receive one message beside work that are compared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <plait/plait.hpp>

#include "measure/rows/cut_work.hpp"

namespace plait::network::overlap {

/// Says what rank 0, which is measured, does.  Rank 1 does the opposite, and nothing else.
enum class direction : std::uint8_t { send, receive };

[[nodiscard]] std::string_view to_string(direction which) noexcept;

/// The message of one rank.  Its first bytes count the steps.
class message {
 public:
  message(environment& env, direction which, std::size_t size_bytes);

  [[nodiscard]] bool leaves() const noexcept { return leaves_; }
  [[nodiscard]] int peer() const noexcept { return peer_; }
  [[nodiscard]] std::vector<std::byte>& bytes() noexcept { return bytes_; }
  [[nodiscard]] int size() const noexcept { return static_cast<int>(bytes_.size()); }

  /// Before a step: the sender counts, the receiver forgets.
  void prepare();
  /// After it.  Errors: plait::error unless the receiver has what was sent, in this step.
  void expect_right() const;

 private:
  bool leaves_ = false;
  int peer_ = 0;
  std::uint64_t steps_ = 0;
  std::vector<std::byte> bytes_;
};

/// One way, ready to run.
class way {
 public:
  way() = default;
  virtual ~way() = default;
  way(const way&) = delete;
  way& operator=(const way&) = delete;

  /// Rank 0: posts the message, does the work, waits.
  virtual void beside(measure::cut_work& what) = 0;
  /// Rank 1: sends or receives at once.
  virtual void opposite() = 0;
};

struct named_way {
  std::string name;
  std::string about;                                                 ///< one line: which calls
  std::function<std::unique_ptr<way>(environment&, message&)> make;  ///< collective
};

/// MPI_Isend or MPI_Irecv without and with tests, plait's tasks under each policy of progress.
[[nodiscard]] const std::vector<named_way>& all_ways();
/// Number of ways that are measured when none is asked for, from the first on.
inline constexpr std::size_t ways_by_default = 3;

/// The message by itself, with a sleep of `measure::between_looks` after each look that was too
/// early.
void transfer_sparsely(environment& env, message& data);

}  // namespace plait::network::overlap
