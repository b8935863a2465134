// SPDX-License-Identifier: BSD-3-Clause
#include "python/movers.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace plait_python {

array_block::array_block(nb::object array, const numbers& first, const numbers& cells,
                         const numbers& ghosts, const numbers& periodic, bool writes)
    : array_(std::move(array)) {
  const array_view view(array_, writes);
  (void)view.memory(true);  // refuses elements that are there twice
  const std::size_t axes = view.shape().size();
  if (axes < 1 || axes > PLAIT_AXES)
    throw nb::value_error(
        ("the array has " + std::to_string(axes) + " axes; 1 to 4 are possible").c_str());
  for (const numbers* one : {&first, &cells, &ghosts, &periodic}) {
    if (one->size() != axes)
      throw nb::value_error(
          ("one number for each of " + std::to_string(axes) + " axes is needed").c_str());
  }
  auto* begin = static_cast<std::byte*>(view.begin());
  bool is_empty = false;
  for (std::size_t k = 0; k < axes; ++k) {
    whole_.cells[k] = cells[k];
    whole_.ghosts[k] = ghosts[k];
    whole_.periodic[k] = periodic[k] != 0 ? 1 : 0;
    block_.first[k] = first[k];
    block_.cells[k] = view.shape()[k] - 2 * ghosts[k];
    block_.stride[k] = view.strides()[k];
    begin += ghosts[k] * view.strides()[k];
    is_empty = is_empty || view.shape()[k] == 0;
  }
  block_.begin = begin;
  whole_.axes = static_cast<int>(axes);
  whole_.element_bytes = view.item_bytes();
  whole_.block_count = is_empty ? 0 : 1;
}

plait_array array_block::described() const noexcept {
  plait_array whole = whole_;
  whole.blocks = &block_;
  return whole;
}

std::shared_ptr<moving> plan_ghosts(runtime& rt, const array_block& of, bool corners, int boundary,
                                    const nb::bytes& value, const std::string& name) {
  const plait_array whole = of.described();
  plait_ghost_options options = PLAIT_GHOST_OPTIONS_INIT;
  options.name = name.c_str();
  options.corners = corners ? 1 : 0;
  options.boundary = boundary;
  options.value = value.data();
  return rt.plan({of.array()}, [&](plait_runtime* open, plait_mover** made) {
    return plait_ghosts(open, &whole, &options, made);
  });
}

std::shared_ptr<moving> plan_redistribution(runtime& rt, const array_block& from,
                                            const array_block& to, const std::string& name) {
  const plait_array source = from.described();
  const plait_array target = to.described();
  return rt.plan({from.array(), to.array()}, [&](plait_runtime* open, plait_mover** made) {
    return plait_redistribution(open, &source, &target, name.c_str(), made);
  });
}

void refuse_plan(runtime& rt) {
  plait_runtime* const open = rt.get();
  plait_mover* none = nullptr;
  const without_lock away;
  (void)plait_ghosts(open, nullptr, nullptr, &none);
}

}  // namespace plait_python
