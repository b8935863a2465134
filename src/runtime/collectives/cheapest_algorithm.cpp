// SPDX-License-Identifier: BSD-3-Clause
#include <limits>

#include <plait/collective/choice.hpp>
#include <plait/runtime/cheapest_algorithm.hpp>

namespace plait {

std::optional<model::operation> modelled(collective::operation what) noexcept {
  using from = collective::operation;
  if (what == from::reduce_scatter) return std::nullopt;  // of blocks of different sizes
  if (what == from::reduce_scatter_block) return model::operation::reduce_scatter;
  return model::operation_from(to_string(what));
}

std::optional<model::algorithm> modelled(const collective::shape& call,
                                         collective::algorithm how) noexcept {
  const auto what = modelled(call.what);
  if (!what) return std::nullopt;
  std::optional<model::algorithm> named = model::algorithm_from(to_string(how));
  const bool is_scan =
      call.what == collective::operation::scan || call.what == collective::operation::exscan;
  if (is_scan && how == collective::algorithm::chain) {
    // The model's goes from rank to rank in one piece.
    if (call.count * call.element_bytes > call.fragment_bytes) return std::nullopt;
    named = model::algorithm::linear;
  }
  for (const model::algorithm known : model::algorithms_of(*what)) {
    if (named == known) return known;
  }
  return std::nullopt;
}

model::call_shape modelled_shape(const collective::shape& call) noexcept {
  return {.ranks = call.ranks,
          .size_bytes = static_cast<double>(call.count * call.element_bytes),
          .fragment_bytes = static_cast<double>(call.fragment_bytes > 0 ? call.fragment_bytes : 1)};
}

collective::algorithm cheapest_algorithm(const collective::shape& call, bool commutative,
                                         const model::parameters& network) {
  const collective::algorithm usual = collective::usual_algorithm(call, commutative);
  const auto what = modelled(call.what);
  if (!what) return usual;
  collective::algorithm best = usual;
  double least_s = std::numeric_limits<double>::infinity();
  for (const collective::algorithm how : collective::algorithms_of(call.what)) {
    if (!commutative && !keeps_order(call.what, how)) continue;
    const auto formula = modelled(call, how);
    if (!formula) continue;
    const double total_s = model::cost(*what, *formula, network, modelled_shape(call)).total_s;
    if (total_s > least_s || (total_s == least_s && how != usual)) continue;
    best = how;
    least_s = total_s;
  }
  return best;
}

}  // namespace plait
