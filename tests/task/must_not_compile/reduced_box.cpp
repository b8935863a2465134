// SPDX-License-Identifier: BSD-3-Clause
#include <plait/core/strided_bytes.hpp>
#include <plait/task/scheduler.hpp>

struct block {
  using element = double;
  plait::strided_bytes strided_memory() const;
};

void submit(plait::scheduler& s, block part) {
  s.task(
      "commutative", [](block) {}, plait::commutative(part));
#ifndef PLAIT_CONTROL
  s.task(
      "reduce", [](block) {}, plait::reduce(part));
#endif
}
