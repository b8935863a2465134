// SPDX-License-Identifier: BSD-3-Clause
/// Arrays that other ranks read and write.
#pragma once

#include <cstddef>
#include <string>

#include "python/runtime.hpp"

namespace plait_python {

/// An array of each rank, opened to all; the array is held until `free`.
class window {
 public:
  /// Collective.  `flags`: see `plait_window_options`; 0: as many as plait thinks.
  window(runtime& rt, nb::object array, int flags, bool rma);
  window(const window&) = delete;
  window& operator=(const window&) = delete;

  /// Copies from the target's array, `offset` bytes from its beginning.
  void get(nb::handle to, int target, std::size_t offset, const std::string& name);
  /// Copies to the target's array; `signal`: raises that flag of the target's then.
  void put(nb::handle array, int target, std::size_t offset, nb::handle signal,
           const std::string& name);
  /// Raises a flag when earlier tasks that write these arrays have finished.
  void signal(int target, int flag, nb::handle after, const std::string& name);
  /// Later tasks that touch these arrays wait for the flag.
  void await_signal(int source, int flag, nb::handle covers, const std::string& name);
  /// Waits for all tasks, and for the other ranks.  Collective.
  void free();

 private:
  [[nodiscard]] plait_window* get_window() const;
  runtime& rt_;
  nb::object array_;
  plait_window* window_ = nullptr;
};

}  // namespace plait_python
