// SPDX-License-Identifier: BSD-3-Clause
/// Which algorithm a collective call takes where the network's parameters are known.
#pragma once

#include <optional>

#include <plait/comm/collective/algorithm.hpp>
#include <plait/comm/collective/shape.hpp>
#include <plait/model/algorithm.hpp>
#include <plait/model/collective.hpp>
#include <plait/model/parameters.hpp>

namespace plait {

/// What the model calls an operation whose ranks all give and get the same number of bytes; nothing
/// for those with blocks of different sizes, and among neighbours.
[[nodiscard]] std::optional<model::operation> modelled(collective::operation what) noexcept;

/// What the model calls an algorithm for the call, if its formula is that of what ranks do in it.
/// (Not so of an allreduce or a barrier by some, and of a scan in fragments.)
[[nodiscard]] std::optional<model::algorithm> modelled(const collective::shape& call,
                                                       collective::algorithm how) noexcept;

/// The call as the model sees it.  Precondition: its operation is modelled.
[[nodiscard]] model::call_shape modelled_shape(const collective::shape& call) noexcept;

/// The algorithm with the least predicted time [docs/model.md] among those that exist for the
/// operation, are modelled, and keep the order of ranks unless `commutative`; of equal ones
/// `collective::usual_algorithm`, else the first.  That one too where the operation is not
/// modelled. The same on every rank, for shapes that agree: it looks at nothing that may differ
/// between ranks. Precondition: `network` is valid.
[[nodiscard]] collective::algorithm cheapest_algorithm(const collective::shape& call,
                                                       bool commutative,
                                                       const model::parameters& network);

}  // namespace plait
