// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include <plait/task/detail/container_places.hpp>

namespace plait::detail {

/// Returns true if every task that may move the elements has finished.
bool container_places::place::is_settled() const {
  const auto in_flight = [](const node_ref& one) { return one.unfinished() != nullptr; };
  return std::none_of(writers.rbegin(), writers.rend(), in_flight);  // the newest finish last
}

bool container_places::is_settled(const container& c) const {
  const auto known = places_.find(c.object);
  return known == places_.end() || known->second.is_settled();
}

byte_range container_places::elements_of(const container& c) {
  const auto known = places_.find(c.object);
  if (known == places_.end()) return c.elements();
  if (!known->second.is_settled()) return known->second.elements;
  places_.erase(known);
  return c.elements();
}

void container_places::may_change(const container& c, task_node& task, access_mode mode) {
  if (places_.size() >= sweep_at_) {
    std::erase_if(places_, [](const auto& one) { return one.second.is_settled(); });
    sweep_at_ = std::max<std::size_t>(64, 2 * places_.size());
  }
  place& it = places_[c.object];
  const bool settled = it.is_settled();
  if (settled) it.elements = c.elements();
  if (settled || mode != access_mode::commutative) it.writers.clear();  // `task` follows them
  it.writers.emplace_back(task);
}

}  // namespace plait::detail
