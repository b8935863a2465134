// SPDX-License-Identifier: BSD-3-Clause
/// The name of a task, for traces, the ledger and error messages.  Not an identity: names repeat.
#pragma once

#include <plait/core/cxx20.hpp>

#include <string>
#include <string_view>
#include <type_traits>

namespace plait {

/// A name that lives as long as the program.  A string literal converts for nothing; any other
/// string goes through `intern`.
class task_name {
 public:
  template <std::size_t N>
  consteval task_name(const char (&literal)[N]) : text_(literal) {}  // NOLINT: implicit on purpose

  /// Refuses a text that would not live long enough, with a clear error message.
  template <class Text>
  requires(std::is_convertible_v<const Text&, std::string_view>)
      task_name(Text&& /*text*/) {  // NOLINT: implicit on purpose
    static_assert(std::is_void_v<Text>,
                  "a task's name is a string literal; for a text made at run time write "
                  "plait::task_name::intern(text)");
  }

  [[nodiscard]] const char* c_str() const noexcept { return text_; }

  /// Keeps a copy of `text` for the rest of the program; equal strings share one.  Thread-safe.
  [[nodiscard]] static task_name intern(const std::string& text);
  /// Names a task by a text that lives as long as the program, such as a literal of another
  /// language.  Precondition: `text` is not null.
  [[nodiscard]] static task_name of(const char* text) noexcept {
    task_name result;
    result.text_ = text;
    return result;
  }

 private:
  task_name() = default;
  const char* text_ = nullptr;
};

}  // namespace plait
