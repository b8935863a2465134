// SPDX-License-Identifier: BSD-3-Clause
#include <plait/collective/choice.hpp>

namespace plait::collective {

algorithm usual_algorithm(const shape& call, bool commutative) {
  constexpr std::size_t large_bytes = std::size_t{64} * 1024;
  const bool large = call.count * call.element_bytes >= large_bytes;
  switch (call.what) {
    case operation::barrier:
      return algorithm::dissemination;
    case operation::bcast:
      if (large && call.ranks > 2) return algorithm::chain;
      return call.ranks <= 4 ? algorithm::linear : algorithm::binomial;
    case operation::reduce:
      return large ? algorithm::chain : algorithm::binomial;
    case operation::allreduce:
      return large && commutative && call.ranks > 2 ? algorithm::ring
                                                    : algorithm::recursive_doubling;
    case operation::allgather:
      return large ? algorithm::ring : algorithm::bruck;
    case operation::scan:
    case operation::exscan:
      return algorithm::recursive_doubling;
    case operation::reduce_scatter_block:
    case operation::reduce_scatter:
      return algorithm::pairwise;
    default:
      return algorithm::linear;  // slices that do not wait for each other
  }
}

}  // namespace plait::collective
