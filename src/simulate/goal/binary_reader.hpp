// SPDX-License-Identifier: BSD-3-Clause
/// GOAL's binary form, byte by byte.  All numbers are little-endian; places count from byte 8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <plait/simulate/goal.hpp>

#include "passed_bytes.hpp"

namespace plait::simulate::binary_form {

inline constexpr std::uint64_t magic = 4223;
inline constexpr std::size_t magic_bytes = 8;
inline constexpr std::size_t head_bytes = 6;   ///< ranks, last cpu, last nic
inline constexpr std::size_t rank_bytes = 16;  ///< begin and end of a rank's part
inline constexpr std::size_t operation_bytes = 39;
inline constexpr std::size_t kind_offset = 4;  ///< within an operation
inline constexpr std::size_t peer_offset = 5;

[[nodiscard]] bool is_binary(std::string_view data);

/// Reads it, and tells after each rank how far it is.  Errors: `usage_error`, one line.
[[nodiscard]] program read(std::string_view data, const std::string& name,
                           const passed_bytes& passed);

}  // namespace plait::simulate::binary_form
