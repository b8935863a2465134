// SPDX-License-Identifier: BSD-3-Clause
#include <string>

#include <plait/core/point.hpp>

namespace plait::detail {

std::string joined(const std::int64_t* numbers, int count, const char* between) {
  std::string result;
  for (int i = 0; i < count; ++i) {
    if (i > 0) result += between;
    result += std::to_string(numbers[i]);
  }
  return result;
}

}  // namespace plait::detail
