// SPDX-License-Identifier: BSD-3-Clause
#include "transport.hpp"

#include <chrono>

#include "measure/transport_cost.hpp"
#include "work.hpp"

namespace plait::bench {

bool transport_is_measurable(double operation_s) noexcept {
  return operation_s >= std::chrono::duration<double>(measure::between_looks).count();
}

double transport_s(environment& env, const std::function<void()>& operation, double operation_s) {
  constexpr long units_of_a_count = 3000;  // some 100 µs
  values counted = initial_values();
  return measure::transport_cpu_s(env, {.work = [&] { work(counted, units_of_a_count); },
                                        .exchange = [&](std::chrono::microseconds) { operation(); },
                                        .exchange_s = operation_s,
                                        .window_s = 0.06,
                                        .rounds = 1})
      .front();
}

}  // namespace plait::bench
