// SPDX-License-Identifier: BSD-3-Clause
#include <plait/core/strided_bytes.hpp>
#include <plait/task/scheduler.hpp>

struct block {
  using element = const double;
  plait::strided_bytes strided_memory() const;
};

void submit(plait::scheduler& s, block part) {
  s.task(
      "read", [](block) {}, plait::in(part));
#ifndef PLAIT_CONTROL
  s.task(
      "write", [](block) {}, plait::out(part));
#endif
}
