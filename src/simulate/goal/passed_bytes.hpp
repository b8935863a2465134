// SPDX-License-Identifier: BSD-3-Clause
/// Declares how readers of GOAL tell how far they are.
#pragma once

#include <cstddef>
#include <functional>

namespace plait::simulate {

/// Is told where the bytes end that have been read.
using passed_bytes = std::function<void(std::size_t end)>;

}  // namespace plait::simulate
