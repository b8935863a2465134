// SPDX-License-Identifier: BSD-3-Clause
/// The name of a task, for traces, the ledger and error messages.  Not an identity: names repeat.
#pragma once

#include <string>

namespace plait {

/// A name that lives as long as the program.  A string literal converts for nothing; any other
/// string goes through `intern`.
class task_name {
 public:
  template <std::size_t N>
  consteval task_name(const char (&literal)[N]) : text_(literal) {}  // NOLINT: implicit on purpose

  [[nodiscard]] const char* c_str() const noexcept { return text_; }

  /// Keeps a copy of `text` for the rest of the program; equal strings share one.  Thread-safe.
  [[nodiscard]] static task_name intern(const std::string& text);

 private:
  task_name() = default;
  const char* text_ = nullptr;
};

}  // namespace plait
