// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/packed_call.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include <plait/task/scheduler.hpp>

#include "runtime/scratch.hpp"

namespace plait {
namespace {

[[nodiscard]] bool has(const std::vector<collective::slice>& slices, collective::buffer which) {
  return std::ranges::any_of(slices, [&](const auto& one) { return one.where == which; });
}

[[nodiscard]] bool lies_apart(const std::optional<strided_bytes>& box) noexcept {
  return box.has_value() && !in_one_piece(*box).has_value();
}

void keep_until_unused(scheduler& tasks, task_name name, const packed_box& box) {
  tasks.task(
      name, [](std::span<std::byte>, const std::shared_ptr<std::byte>&) {},
      inout(writable(box.bytes())), box.memory());
}

}  // namespace

packed_call::packed_call(const collective_call& call, const collective::shape& shape)
    : given_(call) {
  if (!lies_apart(call.send_box) && !lies_apart(call.receive_box)) return;
  packed_ = call;
  const collective::footprint touched = collective::footprint_of(shape);
  const bool reads = has(touched.read, collective::buffer::receive);
  unpacks_receive_ = has(touched.written, collective::buffer::receive);
  // In place a part of the buffer may stay as it is.
  packs_receive_ = reads || (shape.in_place && unpacks_receive_);
  if (lies_apart(call.send_box) && has(touched.read, collective::buffer::send)) {
    send_.emplace(*call.send_box);
    packed_->send = send_->bytes();
  }
  if (lies_apart(call.receive_box) && (reads || unpacks_receive_)) {
    receive_.emplace(*call.receive_box);
    packed_->receive = receive_->bytes();
  }
}

void packed_call::submit_packing(scheduler& tasks) const {
  if (send_.has_value()) send_->submit_packing(tasks, given_.name);
  if (receive_.has_value() && packs_receive_) receive_->submit_packing(tasks, given_.name);
}

void packed_call::submit_unpacking(scheduler& tasks) const {
  if (receive_.has_value() && unpacks_receive_) receive_->submit_unpacking(tasks, given_.name);
  for (const auto* box : {&send_, &receive_}) {
    if (box->has_value()) keep_until_unused(tasks, given_.name, **box);
  }
}

}  // namespace plait
