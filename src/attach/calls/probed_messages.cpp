// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <vector>

#include "attach/calls/hooks_message.hpp"

namespace plait::attach::hooks {
namespace {

std::vector<probed_message>& list() {
  static auto& all = *new std::vector<probed_message>;
  return all;
}

}  // namespace

void add_probed(const probed_message& one) {
  list().push_back(one);
}

probed_message take_probed(MPI_Message handle) noexcept {
  const auto found = std::ranges::find(list(), handle, &probed_message::handle);
  if (found == list().end()) return {};
  const probed_message one = *found;
  list().erase(found);
  return one;
}

}  // namespace plait::attach::hooks
