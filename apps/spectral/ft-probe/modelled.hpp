// SPDX-License-Identifier: BSD-3-Clause
/// The model beside each measurement, with parameters that the same session measured.
#pragma once

#include "common/row_blocks.hpp"
#include "equations.hpp"
#include "points.hpp"

namespace ft_probe {

/// Times from which section 7.5 takes the parameters, of one way and point, in seconds.
struct calibration {
  double idle_initiation_s = 0;  ///< Comm Init without computation
  double busy_initiation_s = 0;  ///< Comm Init with all computation
  double gap_per_byte_s = 0;     ///< of a flood
  double total_s = 0;            ///< without computation
};

/// o, g and G; G also as section 8.2 finds it for SpMV, from the pattern without computation.
struct loggp {
  double overhead_s = 0;
  double gap_s = 0;
  double gap_per_byte_s = 0;
  double gap_per_byte_of_pattern_s = 0;
};

/// Returns o and g as section 7.5 finds them, but divides by the N (P - 1) / P messages that leave,
/// not by N: equations 1 to 9 charge o and g to those only.  With 32 ranks this is 3 % more, with 2
/// it is twice.
[[nodiscard]] loggp loggp_of(const calibration& measured, const point& which,
                             const row_blocks& shape);

/// Returns the symbols of the equations for a run whose local computation takes `computation_s`.
/// Precondition: more than one rank.
[[nodiscard]] model_symbols symbols_of(const loggp& network, const point& which,
                                       const row_blocks& shape, double computation_s);

/// Returns the pieces of such a run, on any number of ranks.
[[nodiscard]] prediction modelled(const loggp& network, const point& which, const row_blocks& shape,
                                  double computation_s);

}  // namespace ft_probe
