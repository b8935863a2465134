// SPDX-License-Identifier: BSD-3-Clause
/// Chooses the algorithm of a collective call where the network's parameters are known.
#pragma once

#include <optional>

#include <plait/collective/algorithm.hpp>
#include <plait/collective/shape.hpp>
#include <plait/model/algorithm.hpp>
#include <plait/model/collective.hpp>
#include <plait/model/parameters.hpp>

namespace plait {

/// Returns the model's name of an operation whose ranks all give and get one number of bytes.
/// Nothing for operations with blocks of different sizes, and among neighbours.
[[nodiscard]] std::optional<model::operation> modelled(collective::operation what) noexcept;

/// Returns the model's name of an algorithm for the call, if the model's formula is that of the
/// ranks' actions. (Nothing for an allreduce or a barrier by some algorithms, and for a scan in
/// fragments.)
[[nodiscard]] std::optional<model::algorithm> modelled(const collective::shape& call,
                                                       collective::algorithm how) noexcept;

/// Returns the call as the model sees it.  Precondition: its operation is modelled.
[[nodiscard]] model::call_shape modelled_shape(const collective::shape& call) noexcept;

/// Returns the algorithm with the least predicted time [docs/internals/model.md] among those that
/// exist for the operation, are modelled, and keep the order of ranks unless `commutative`; of
/// equal ones `collective::usual_algorithm`, else the first.  That one too where the operation is
/// not modelled.  The same on every rank, for shapes that agree: it looks at nothing that may
/// differ between ranks.  Precondition: `network` is valid.
[[nodiscard]] collective::algorithm cheapest_algorithm(const collective::shape& call,
                                                       bool commutative,
                                                       const model::parameters& network);

}  // namespace plait
