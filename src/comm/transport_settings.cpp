// SPDX-License-Identifier: BSD-3-Clause
#include "comm/transport_settings.hpp"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <system_error>

#include <mpi.h>
#include <sys/uio.h>
#include <unistd.h>

#include "core/environment_variable.hpp"

namespace plait::detail {
namespace {

/// Sets what is unset, and adds it to `set`.
void set_default(const char* name, const char* value, std::string& set) {
  if (std::getenv(name) != nullptr || setenv(name, value, 0) != 0) return;
  if (!set.empty()) set += ' ';
  set += std::string(name) + '=' + value;
}

#if defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION < 5
/// Returns true if the kernel reads the memory of that process for this one: then it finds that
/// there is none at the address asked for.
[[nodiscard]] bool is_read_from(pid_t process) {
  char byte = 0;
  const iovec here{&byte, 1};
  const iovec there{nullptr, 1};
  errno = 0;
  return process_vm_readv(process, &here, 1, &there, 1, 0) == 1 || errno == EFAULT;
}

/// The launcher stands for the other ranks, which are as far from this process.  Under Yama's first
/// scope a process may let others in, and Open MPI's do.
[[nodiscard]] bool reads_memory_of_others() {
  if (!is_read_from(getpid())) return false;
  if (is_read_from(getppid())) return true;
  std::ifstream scope("/proc/sys/kernel/yama/ptrace_scope");
  return scope.get() == '1';
}

/// Its component `rdma` makes windows for ranks that read each other's memory through the kernel,
/// and for network cards that do.  Where there are neither, it makes none, and lets no other
/// component make them.  Its component `ucx` is for network cards too; it hooks into the release of
/// memory, where a thread that ends under ThreadSanitizer crashes.
[[nodiscard]] bool rdma_makes_windows() {
  if (has_rdma_card()) return true;
  const std::string transports = environment_variable("OMPI_MCA_btl");
  const bool by_shared_memory = transports.empty() || transports.front() == '^' ||
                                transports.find("vader") != std::string::npos;
  return by_shared_memory &&
         environment_variable("OMPI_COMM_WORLD_SIZE") ==
             environment_variable("OMPI_COMM_WORLD_LOCAL_SIZE") &&
         environment_variable("OMPI_MCA_btl_vader_single_copy_mechanism") != "none" &&
         reads_memory_of_others();
}
#endif

}  // namespace

bool has_rdma_card() {
  std::error_code none;
  return !std::filesystem::is_empty("/sys/class/infiniband", none) && !none;
}

std::string set_transport_defaults() {
  std::string set;
#if defined(MPICH_NUMVERSION) || defined(MPI_ABI_VERSION)  // which MPICH may stand behind
  for (const char* name : {"UCX_TCP_RX_SEG_SIZE", "UCX_TCP_TX_SEG_SIZE"}) {
    set_default(name, "512k", set);
  }
#endif
#if defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION < 5
  // The kernel would read, for another rank, pages that checked mode has closed to tasks.
  if (environment_variable("PLAIT_CHECKED") == "1") {
    set_default("OMPI_MCA_btl_vader_single_copy_mechanism", "none", set);
  }
  if (!rdma_makes_windows()) set_default("OMPI_MCA_osc", "^rdma,ucx", set);
#endif
  return set;
}

}  // namespace plait::detail
