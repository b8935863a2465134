// SPDX-License-Identifier: BSD-3-Clause
// An operation on a window becomes one task.  Its accesses are its local data and, so that this
// rank's operations on the same bytes of another rank keep their order, the addresses that stand in
// for them.  A put whose source is free early is two tasks: the first ends when the data has left,
// the second, which alone later operations on those bytes wait for, when it is there.
#include <memory>
#include <vector>

#include <plait/comm/exposed_memory.hpp>
#include <plait/core/error.hpp>
#include <plait/runtime/submitter.hpp>

#include "runtime/runtime_state.hpp"
#include "runtime/submitted_operation.hpp"

namespace plait {
namespace {

/// Errors: usage_error and `error`, which name the operation.
void expect_in_range(const one_sided_call& call, const operation& op) {
  try {
    call.memory->expect_in_range(op);
  } catch (const usage_error& wrong) {
    throw usage_error(label_of(call.name, op) + ": " + wrong.what());
  } catch (const error& ended) {
    throw error(label_of(call.name, op) + ": " + ended.what());
  }
}

/// Bytes of the target, where this process imagines them.
[[nodiscard]] data_access there(const one_sided_call& call) {
  const std::uintptr_t begin = call.memory->stand_in(call.peer) + call.offset_bytes;
  const bool get = call.what == operation::kind::get;
  return {strided_bytes::of({begin, begin + (call.data.end - call.data.begin)}),
          get ? access_mode::in : access_mode::out};
}

[[nodiscard]] std::unique_ptr<operation_belongings> belongings(const one_sided_call& call,
                                                               const remote_part& part) {
  auto owned = std::make_unique<operation_belongings>();
  owned->remote = part;
  owned->window = call.memory;
  return owned;
}

/// The task that ends when the data of a put is there.
void submit_landing(runtime_state& s, const one_sided_call& put, remote_part part) {
  part.signals = false;
  operation op;
  op.what = operation::kind::landing;
  op.peer = put.peer;
  const data_access bytes = there(put);
  submit_operation(s, put.name, op, {&bytes, 1}, {}, belongings(put, part));
}

}  // namespace

void submitter::one_sided(const one_sided_call& call) {
  PLAIT_EXPECTS(call.memory != nullptr, "a window that was moved from");
  remote_part part{&call.memory->served(), call.offset_bytes, call.signals};
  operation op;
  op.what = call.what;
  op.peer = call.peer;
  op.tag = call.flag;
  op.buffer = reinterpret_cast<void*>(call.data.begin);
  op.size_bytes = call.data.end - call.data.begin;
  op.remote = &part;
  if (is_no_rank(call.peer)) return expect_may_communicate(state_, call.name, op);
  expect_in_range(call, op);
  std::vector<data_access> accesses(call.accesses.begin(), call.accesses.end());
  if (op.size_bytes > 0) {
    const bool get = call.what == operation::kind::get;
    accesses.push_back({strided_bytes::of(call.data), get ? access_mode::out : access_mode::in});
    accesses.push_back(there(call));
    if (call.source == completion::local) part.landing = std::make_shared<put_landing>();
  }
  // Beyond here it may be another task's error that comes up, which has its own name.
  submit_operation(state_, call.name, op, accesses, {}, belongings(call, part));
  if (part.landing != nullptr) submit_landing(state_, call, part);
  const auto named_by = [&] { return label_of(call.name, op); };
  state_.tasks.expect_in_place(named_by, call.data_elements_of);
  for (const detail::container& one : call.accesses_elements_of)
    state_.tasks.expect_in_place(named_by, one);
}

}  // namespace plait
