// SPDX-License-Identifier: BSD-3-Clause
/// Says what carries out operations on a window.
#pragma once

#include <plait/core/cxx20.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace plait {

/// Carriers of operations on a window.
enum class windows_on : std::uint8_t {
  automatic,  ///< `rma` where a put ends while its target computes, as measured; else `messages`
  messages,   ///< two-sided messages, which the target's engine answers
  rma,        ///< the MPI library's own windows
};

[[nodiscard]] std::string_view to_string(windows_on what) noexcept;
/// Returns the one of that name ("auto" for `automatic`), if there is one.
[[nodiscard]] std::optional<windows_on> windows_on_from(std::string_view name) noexcept;
/// Returns "auto, messages or rma".
[[nodiscard]] std::string windows_on_names();

/// The carrier of a window, never `automatic`, and the reason.
struct window_choice {
  windows_on what = windows_on::messages;
  std::string reason = {};
};

}  // namespace plait
