// SPDX-License-Identifier: BSD-3-Clause
/// NumPy's files of one array, format versions 1 to 3.  [NEP 1]
#pragma once

#include <string>

#include "common/number_file.hpp"

namespace plait::imaging::detail {

/// Errors: usage_error that names the file.
[[nodiscard]] number_array parse_npy(const std::string& path, const std::string& bytes);

}  // namespace plait::imaging::detail
