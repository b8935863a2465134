// SPDX-License-Identifier: BSD-3-Clause
/// The exchange of one colour's ghosts in plain MPI, on persistent requests.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <plait/comm/mpi.hpp>

#include "problem.hpp"

namespace redblack3d {

/// One side of a block that has a neighbour, which may be the rank itself.
struct face {
  plait::axis along = plait::axis::x;
  plait::side where = plait::side::low;
  int peer = 0;
  box edge;   ///< own cells the peer needs
  box ghost;  ///< where the peer's cells go

  /// A z face lies in memory as one piece, with the padding between its rows, and needs no packing.
  [[nodiscard]] bool contiguous() const noexcept { return along == plait::axis::z; }
  /// A message leaves with the tag of its sender's face, and arrives at the opposite face.
  [[nodiscard]] int send_tag(colour c) const noexcept { return tag(where, c); }
  [[nodiscard]] int receive_tag(colour c) const noexcept { return tag(plait::opposite(where), c); }
  [[nodiscard]] std::string peer_name() const { return std::to_string(peer); }

 private:
  [[nodiscard]] int tag(plait::side s, colour c) const noexcept {
    return 6 * static_cast<int>(c) + 2 * plait::index_of(along) + static_cast<int>(s);
  }
};

/// The faces of a rank's block; z first, since those are ready to be sent as they are.
[[nodiscard]] std::vector<face> faces_of(const domain& whole, int rank);

/// What lies from the first to the last cell of a plane or of a part of it.
[[nodiscard]] std::span<double> cells_in_memory(const plait::view<double, 3>& u, const box& plane);
/// Doubles of the message that a face sends.
[[nodiscard]] std::int64_t message_size(const plait::view<double, 3>& u, const face& f);

/// Copies the cells of a box to or from a dense buffer.
void pack(const plait::view<double, 3>& source, const box& from, std::span<double> buffer);
void unpack(const plait::view<double, 3>& target, const box& to, std::span<const double> buffer);

/// One exchange at a time: pack, start, then test or wait until done, then unpack.  z faces are
/// sent from and received into the array; x and y faces are packed.  Between start and the end the
/// edges and ghosts of the array belong to MPI.  A rank that is its own neighbour sends to itself.
class halo_mpi {
 public:
  halo_mpi(MPI_Comm communicator, problem& p, colour ghosts);
  ~halo_mpi();
  halo_mpi(const halo_mpi&) = delete;
  halo_mpi& operator=(const halo_mpi&) = delete;

  void pack();
  void start();
  /// Lets the library progress; true when all messages are complete.
  [[nodiscard]] bool test();
  /// Blocks until all messages are complete.
  void wait();
  void unpack();

  [[nodiscard]] const std::vector<face>& faces() const noexcept { return faces_; }
  [[nodiscard]] bool packs() const noexcept { return packs_; }

 private:
  std::vector<face> faces_;
  plait::view<double, 3> cells_;
  bool packs_ = false;
  std::vector<std::vector<double>> outgoing_;  ///< by face; empty where no packing is needed
  std::vector<std::vector<double>> incoming_;
  std::vector<MPI_Request> requests_;  ///< receives first, then sends, in the order of faces_
};

}  // namespace redblack3d
