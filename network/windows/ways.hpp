// SPDX-License-Identifier: BSD-3-Clause
/// The compared rows: operations on which windows run, with gets and puts of rank 0 on the memory
/// of rank 1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <plait/plait.hpp>

namespace plait::network::windows {

/// One kind of window.
struct way {
  std::string name;
  std::string about;  ///< one line
  windows_on on = windows_on::messages;
  bool finds_memory = false;  ///< `allocate_window`
};

[[nodiscard]] const std::vector<way>& all_ways();

/// A window of one kind, ready to be measured.  Two ranks.  Every member but `chosen` is
/// collective. Times are those of rank 0; on rank 1 they mean nothing.
class trial {
 public:
  trial(environment& env, const way& how, std::size_t size_bytes, int burst, progress policy);

  [[nodiscard]] const window_choice& chosen() const noexcept { return window_.chosen(); }

  /// Seconds of one operation, the mean over `times`, one after the other.  A put ends when its
  /// data is there.
  [[nodiscard]] double get_s(int times);
  [[nodiscard]] double put_s(int times);
  /// Seconds of one of `burst` puts that are submitted at once.
  [[nodiscard]] double stream_s();
  /// Seconds of one operation while rank 1 runs a task of `computes_s` that calls nothing, the mean
  /// over those that begin meanwhile, one at least.
  [[nodiscard]] double get_beside_s(double computes_s);
  [[nodiscard]] double put_beside_s(double computes_s);

  /// Errors: `error` unless the last get and put brought what they should have.
  void expect_right();

 private:
  template <class Operate>
  [[nodiscard]] double mean_s(int times, Operate operate);
  template <class Operate>
  [[nodiscard]] double mean_beside_s(double computes_s, Operate operate);
  void get();
  void put();

  environment& env_;
  runtime rt_;
  const std::size_t size_;
  const int burst_;
  std::vector<std::uint8_t> exposed_;  ///< where the window does not find memory
  window<std::uint8_t> window_;        ///< what is got, behind it a burst of what is put
  std::vector<std::uint8_t> got_;
  std::vector<std::uint8_t> source_;
};

}  // namespace plait::network::windows
