// SPDX-License-Identifier: BSD-3-Clause
#include <string>
#include <utility>

#include <plait/core/error.hpp>
#include <plait/device/commands.hpp>

#include "device/device_state.hpp"

namespace plait::by_hand {

queue queue_of(const device& where, device_queue which, const char* name) {
  PLAIT_EXPECTS(where.name().starts_with("emulated "), where.name());
  return {*where.state(), which, name};
}

void copy_bytes(queue in, void* to, const void* from, std::size_t size_bytes) {
  in.device().commands().copy(in, to, from, size_bytes);
}

mark record(queue in) {
  return {in.which(), in.device().mark(in.which())};
}

void wait(queue in, const mark& until) {
  if (until.number == 0 || until.of == in.which()) return;
  in.device().commands().wait(in.which(), until.of, until.number);
}

bool has_passed(const device& where, const mark& until) {
  where.state()->expect_no_failure();
  return where.state()->commands().passed(until.of) >= until.number;
}

void await(const device& where, const mark& until) {
  where.state()->commands().await(until.of, until.number);
  where.state()->expect_no_failure();
}

device_ledger ledger(const device& where) {
  return where.state()->times().ledger();
}

void reset_ledger(const device& where) {
  where.state()->times().reset();
}

void observe(const device& where,
             std::function<void(device_queue, const char*, ticks, ticks)> told) {
  where.state()->observe(std::move(told));
}

}  // namespace plait::by_hand
