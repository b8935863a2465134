// SPDX-License-Identifier: BSD-3-Clause
#include <plait/core/version.hpp>
#include <plait/detail/version.h>

namespace plait {

std::string_view version() noexcept {
  return PLAIT_VERSION;
}

}  // namespace plait
