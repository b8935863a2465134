// SPDX-License-Identifier: BSD-3-Clause
/// Equations 1 to 9 of "Architectural Probes for Measuring Communication Overlap Potential",
/// section 7: initiation, transfer, total and wait of Pencils.  Arithmetic only.
#pragma once

namespace ft_probe {

/// The symbols of section 7.2.  L is 0 there.  Where X messages of several rows take the place of
/// N rows, `rows` is X, `length` the elements of a message and `computation_s` the time before one.
struct model_symbols {
  double ranks = 2;           ///< P
  double rows = 0;            ///< N
  double length = 0;          ///< R, in complex numbers
  double computation_s = 0;   ///< T, of one row
  double overhead_s = 0;      ///< o
  double gap_s = 0;           ///< g
  double gap_per_byte_s = 0;  ///< G
};

/// γ: bytes of a complex number of double precision.
inline constexpr double complex_bytes = 16;

// The equations as they are printed.  Precondition of all: ranks >= 2.

/// (1)  M_init^comp = [(T + o) (P - 1) + T] N / P
[[nodiscard]] double initiation_by_computation_s(const model_symbols& s);
/// (2)  M_transfer = [γ (P - 1) R G] N / P
[[nodiscard]] double transfer_s(const model_symbols& s);
/// (3)  M_total^comp = M_init^comp
[[nodiscard]] double total_by_computation_s(const model_symbols& s);
/// (4)  M_total^comm = T + max(o, g) + M_transfer
[[nodiscard]] double total_by_communication_s(const model_symbols& s);
/// (5)  M_init^comm = [T + max(o, g) (P - 2) + T] N / P
[[nodiscard]] double initiation_by_communication_s(const model_symbols& s);
/// (6)  M_init = [(2 T + o) + max(g, T + o) (P - 2)] N / P.  The text calls (6) the combination of
/// (1) and (5).  (6) equals (1) where T + o > g, and exceeds (5) by o N / P elsewhere.
[[nodiscard]] double initiation_s(const model_symbols& s);
/// (7)  M_total = max(M_total^comp, M_total^comm)
[[nodiscard]] double total_s(const model_symbols& s);
/// (8)  M_wait = M_total - M_init.  Negative where M_init exceeds M_total: (3) leaves out the gaps
/// that (6) has.
[[nodiscard]] double wait_s(const model_symbols& s);
/// (9)  M_comm_init = M_init - T N
[[nodiscard]] double communication_initiation_s(const model_symbols& s);

/// Heights of the columns marked "M", in seconds.
struct prediction {
  double computation_s = 0;
  double initiation_s = 0;
  double wait_s = 0;
  [[nodiscard]] double total_s() const noexcept { return computation_s + initiation_s + wait_s; }
};

/// Returns the pieces of Pencils' time, by the equations with two errors of print mended.
///
/// - The gap also separates the last put of a round from the first put of the next round, with two
///   rows' computation in between: [max(g, 2 T + o) + max(g, T + o) (P - 2)] N / P in place of (6).
///   With P = 2, (6) has no gap at all.  Where g <= T + o this is (6).
/// - (7) takes M_init, not (1), for M_total^comp: (8) is then never negative.
///
/// One rank has computation only.
[[nodiscard]] prediction predict_overlapped(const model_symbols& s);

/// Returns the pieces of Pencils' time by (6) to (9) as they are printed, but that a wait is not
/// negative: the pieces add up to the larger of (6) and (7).  Precondition: ranks >= 2.
[[nodiscard]] prediction predict_as_printed(const model_symbols& s);

/// Returns the pieces of Exchange's time: all computation, then the messages as
/// `predict_overlapped` has them without computation.  Section 7 models Pencils only.
[[nodiscard]] prediction predict_exchange(const model_symbols& s);

}  // namespace ft_probe
