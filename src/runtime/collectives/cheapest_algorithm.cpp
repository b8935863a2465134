// SPDX-License-Identifier: BSD-3-Clause
#include <plait/collective/choice.hpp>
#include <plait/runtime/cheapest_algorithm.hpp>

namespace plait {

std::optional<model::operation> modelled(collective::operation what) noexcept {
  using from = collective::operation;
  using to = model::operation;
  switch (what) {
    case from::barrier:
      return to::barrier;
    case from::bcast:
      return to::bcast;
    case from::reduce:
      return to::reduce;
    case from::allreduce:
      return to::allreduce;
    case from::gather:
      return to::gather;
    case from::scatter:
      return to::scatter;
    case from::allgather:
      return to::allgather;
    case from::alltoall:
      return to::alltoall;
    case from::reduce_scatter_block:
      return to::reduce_scatter;
    case from::scan:
      return to::scan;
    case from::exscan:
      return to::exscan;
    default:
      return std::nullopt;  // each rank knows its own sizes only
  }
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
  struct candidate {
    collective::algorithm how;
    double total_s;
  };
  std::optional<candidate> best;
  for (const collective::algorithm how : collective::algorithms_of(call.what)) {
    if (!commutative && !keeps_order(call.what, how)) continue;
    const auto formula = modelled(call, how);
    if (!formula) continue;
    const double total_s = model::cost(*what, *formula, network, modelled_shape(call)).total_s;
    const bool better =
        !best || total_s < best->total_s || (total_s == best->total_s && how == usual);
    if (better) best = candidate{how, total_s};
  }
  return best ? best->how : usual;
}

}  // namespace plait
