// SPDX-License-Identifier: BSD-3-Clause
#include "slow_worker.hpp"

#include <charconv>

#include <fmt/format.h>

namespace plait::measure {

slow_worker parse_slow_worker(const std::string& option, const std::string& text) {
  slow_worker result;
  const char* const end = text.data() + text.size();
  const auto worker = std::from_chars(text.data(), end, result.worker);
  const bool colon = worker.ec == std::errc{} && worker.ptr != end && *worker.ptr == ':';
  const auto factor = colon ? std::from_chars(worker.ptr + 1, end, result.factor) : worker;
  if (!colon || factor.ec != std::errc{} || factor.ptr != end || result.worker < 0 ||
      !(result.factor >= 1 && result.factor <= 1000))
    throw usage_error(
        fmt::format("{} is '{}'; it must be a worker and a factor from 1 to 1000, such as 1:1.5",
                    option, text));
  return result;
}

}  // namespace plait::measure
