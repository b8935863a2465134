// SPDX-License-Identifier: BSD-3-Clause
#include "equations.hpp"

#include <algorithm>
#include <string>

#include <plait/plait.hpp>

namespace ft_probe {
namespace {

/// N / P.
double rounds(const model_symbols& s) {
  PLAIT_EXPECTS(s.ranks >= 2, std::to_string(s.ranks));
  return s.rows / s.ranks;
}

double initiation_with_gaps_between_rounds_s(const model_symbols& s) {
  return (std::max(s.gap_s, 2 * s.computation_s + s.overhead_s) +
          std::max(s.gap_s, s.computation_s + s.overhead_s) * (s.ranks - 2)) *
         rounds(s);
}

}  // namespace

double initiation_by_computation_s(const model_symbols& s) {
  return ((s.computation_s + s.overhead_s) * (s.ranks - 1) + s.computation_s) * rounds(s);
}

double transfer_s(const model_symbols& s) {
  return complex_bytes * (s.ranks - 1) * s.length * s.gap_per_byte_s * rounds(s);
}

double total_by_computation_s(const model_symbols& s) {
  return initiation_by_computation_s(s);
}

double total_by_communication_s(const model_symbols& s) {
  return s.computation_s + std::max(s.overhead_s, s.gap_s) + transfer_s(s);
}

double initiation_by_communication_s(const model_symbols& s) {
  return (s.computation_s + std::max(s.overhead_s, s.gap_s) * (s.ranks - 2) + s.computation_s) *
         rounds(s);
}

double initiation_s(const model_symbols& s) {
  return ((2 * s.computation_s + s.overhead_s) +
          std::max(s.gap_s, s.computation_s + s.overhead_s) * (s.ranks - 2)) *
         rounds(s);
}

double total_s(const model_symbols& s) {
  return std::max(total_by_computation_s(s), total_by_communication_s(s));
}

double wait_s(const model_symbols& s) {
  return total_s(s) - initiation_s(s);
}

double communication_initiation_s(const model_symbols& s) {
  return initiation_s(s) - s.computation_s * s.rows;
}

prediction predict_overlapped(const model_symbols& s) {
  const double computation_s = s.computation_s * s.rows;
  if (s.ranks < 2) return {computation_s, 0, 0};
  const double initiation_s = initiation_with_gaps_between_rounds_s(s);
  const double total_s = std::max(initiation_s, total_by_communication_s(s));
  return {computation_s, initiation_s - computation_s, total_s - initiation_s};
}

prediction predict_as_printed(const model_symbols& s) {
  return {s.computation_s * s.rows, communication_initiation_s(s), std::max(wait_s(s), 0.0)};
}

prediction predict_exchange(const model_symbols& s) {
  model_symbols messages_alone = s;
  messages_alone.computation_s = 0;
  prediction result = predict_overlapped(messages_alone);
  result.computation_s = s.computation_s * s.rows;
  return result;
}

}  // namespace ft_probe
