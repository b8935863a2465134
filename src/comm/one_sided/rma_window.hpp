// SPDX-License-Identifier: BSD-3-Clause
/// A window of the MPI library's own, and what this library's windows can do.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <mpi.h>

namespace plait {

/// Memory that a rank exposes: the caller's memory, or as much that MPI finds.
struct rma_memory {
  void* begin = nullptr;  ///< the caller's
  std::size_t size_bytes = 0;
  bool is_mpis = false;
};

/// Memory of each rank that all may access, in one passive epoch from beginning to end.  Holder of
/// the token only; what is collective blocks, so all ranks should be known to be about to call it.
class rma_window {
 public:
  /// Makes a window; returns null where none can be had, with the reason, on all ranks alike.
  /// Collective.
  [[nodiscard]] static std::unique_ptr<rma_window> make(MPI_Comm comm, const rma_memory& memory,
                                                        std::string& why);
  /// Local.  A window that was not freed lives until `free_what_is_left`.
  ~rma_window();
  rma_window(const rma_window&) = delete;
  rma_window& operator=(const rma_window&) = delete;

  [[nodiscard]] MPI_Win get() const noexcept { return win_; }
  [[nodiscard]] std::byte* begin() const noexcept { return begin_; }
  /// Returns the place of byte `offset_bytes` of a rank's memory, as MPI's calls take it.
  [[nodiscard]] MPI_Aint place(int rank, std::size_t offset_bytes) const noexcept {
    return static_cast<MPI_Aint>(offset_bytes) + all_before_[static_cast<std::size_t>(rank)];
  }
  /// Collective.
  void free();
  /// Frees the windows that were left after a failure, without which a library may not end.
  /// Collective, over all ranks.
  static void free_what_is_left() noexcept;

 private:
  rma_window(MPI_Comm comm, const rma_memory& memory);
  void expose(MPI_Comm comm, std::size_t size_bytes);
  void allocate(MPI_Comm comm, std::size_t size_bytes);
  [[nodiscard]] MPI_Aint bytes_before() const;

  MPI_Win win_ = MPI_WIN_NULL;
  std::byte* begin_ = nullptr;
  MPI_Aint before_ = 0;               ///< bytes of MPI's window before the memory
  std::vector<MPI_Aint> all_before_;  ///< of each rank
  int number_ = 0;                    ///< the same on all ranks
};

/// Returns true if gets and puts end, and `MPI_Win_flush` returns, while their target calls nothing
/// of MPI's.  Measured between neighbours in the order of ranks, some 50 ms where it is not so.
/// `mpi_memory`: of windows over memory that MPI finds.  Collective, also in whether it was called
/// before: then it is known.  Returns false, with the reason, where no window can be had.
[[nodiscard]] bool ends_without_target(MPI_Comm comm, bool mpi_memory, std::string& why);

}  // namespace plait
