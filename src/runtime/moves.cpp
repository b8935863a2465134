// SPDX-License-Identifier: BSD-3-Clause
// A move becomes tasks: a message for each of its messages, a compute task for what one block has
// in one of them or in copies within the rank.  Sends go first, so that none can wait for a receive
// of its own move even where an access is wider than the cells.
#include <cstddef>
#include <cstdint>
#include <memory>

#include <plait/core/strided_bytes.hpp>
#include <plait/mover/box_copy.hpp>
#include <plait/mover/move_plan.hpp>
#include <plait/runtime/submitter.hpp>

#include "runtime/runtime_state.hpp"
#include "runtime/submitted_operation.hpp"

namespace plait {
namespace {

using parts_ptr = std::shared_ptr<const detail::move_parts>;

/// Returns the bytes of a patch.  Boxes of one array are told by their strides, so loops that could
/// be joined are not.
[[nodiscard]] strided_bytes memory_of(const patch& cells) noexcept {
  strided_bytes box{.begin = reinterpret_cast<std::uintptr_t>(cells.first),
                    .row_bytes = cells.run_bytes};
  for (std::size_t k = 0; k < static_cast<std::size_t>(cells.loops); ++k) {
    box.axes[k] = {.rows = cells.count[k], .stride = cells.step[k]};
  }
  return box;
}

template <class Call>
void declare(submission<Call>& task, const patch& where, access_mode mode) {
  const patch joined = where.joined();
  task.also({memory_of(joined.loops == 0 ? joined : where), mode});
}

void submit_groups(scheduler& tasks, task_name name, priority urgency, const parts_ptr& parts,
                   std::uint32_t first, std::uint32_t last) {
  for (std::uint32_t g = first; g < last; ++g) {
    auto copying = tasks.task(
        name, [](const parts_ptr& all, std::uint32_t group) { all->run(group); }, parts, g);
    copying.priority(urgency);
    for (const box_copy& copy : parts->copies_of(g)) {
      declare(copying, copy.read(), access_mode::in);
      declare(copying, copy.written(), access_mode::out);
    }
    if (const detail::element_list* const list = parts->list_of(g)) {
      for (const patch& cells : list->read) declare(copying, cells, access_mode::in);
      for (const patch& cells : list->written) declare(copying, cells, access_mode::out);
      for (const patch& cells : list->updated) declare(copying, cells, access_mode::inout);
    }
  }
}

void submit_touches(scheduler& tasks, const parts_ptr& parts) {
  for (const detail::finishing_touch& touch : parts->touches) {
    auto finishing = tasks.task(
        parts->finishing,
        [](const parts_ptr&, const detail::finishing_touch* what) { what->apply(); }, parts,
        &touch);
    for (const patch& cells : touch.read) declare(finishing, cells, access_mode::in);
    for (const patch& cells : touch.written) declare(finishing, cells, access_mode::out);
  }
}

}  // namespace

void submitter::move(const move_plan& plan) {
  const parts_ptr& parts = plan.parts();
  PLAIT_EXPECTS(!parts->in_a_mover.load(), "a mover with this plan is under way");
  const auto submit = [&](const detail::moved_message& m, operation::kind what) {
    begun_message message(state_, m.name,
                          {.what = what, .of = operation::origin::move, .peer = m.peer}, parts);
    submit_message(message, detail::bytes_of(m.bytes.data(), m.bytes.size()), {});
  };
  for (const detail::moved_message& m : parts->sends) {
    submit_groups(state_.tasks, parts->packing, high, parts, m.first_group, m.last_group);
    submit(m, operation::kind::send);
  }
  for (const detail::moved_message& m : parts->receives) {
    submit(m, operation::kind::receive);
  }
  submit_groups(state_.tasks, parts->copying, normal, parts, parts->first_local, parts->last_local);
  for (const detail::moved_message& m : parts->receives) {
    submit_groups(state_.tasks, parts->unpacking, high, parts, m.first_group, m.last_group);
  }
  submit_touches(state_.tasks, parts);
}

}  // namespace plait
