// SPDX-License-Identifier: BSD-3-Clause
#include "comm/one_sided/make_service.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <string>
#include <utility>

#include <plait/core/error.hpp>

#include "comm/mpi_call.hpp"
#include "comm/one_sided/by_messages.hpp"
#include "comm/one_sided/by_rma.hpp"

namespace plait {
namespace {

[[nodiscard]] made_service on_messages(MPI_Comm comm, const rma_memory& memory, int flags,
                                       std::string reason) {
  made_service made;
  made.choice = {windows_on::messages, std::move(reason)};
  made.begin = static_cast<std::byte*>(memory.begin);
  if (memory.is_mpis) {
    const std::size_t some = std::max<std::size_t>(memory.size_bytes, 1);
    constexpr std::align_val_t alignment{4096};
    made.memory = {static_cast<std::byte*>(::operator new(some, alignment)),
                   [](std::byte* all) { ::operator delete(all, alignment); }};
    made.begin = made.memory.get();
    std::memset(made.begin, 0, some);
  }
  made.service =
      std::make_unique<by_messages>(comm, std::span(made.begin, memory.size_bytes), flags);
  return made;
}

/// Nobody puts into memory before it is zero.
[[nodiscard]] made_service on_rma(MPI_Comm comm, std::unique_ptr<rma_window> window,
                                  const rma_memory& memory, int flags, bool alone) {
  made_service made;
  made.choice = {windows_on::rma, alone ? "a put ends while its target computes"
                                        : "as asked; a put ends when its target's engine looks"};
  made.begin = window->begin();
  if (memory.is_mpis && memory.size_bytes > 0) {
    std::memset(made.begin, 0, memory.size_bytes);
    mpi_call(MPI_Win_sync(window->get()), "MPI_Win_sync");
  }
  mpi_call(MPI_Barrier(comm), "MPI_Barrier");
  made.service = std::make_unique<by_rma>(comm, std::move(window),
                                          std::span(made.begin, memory.size_bytes), flags, !alone);
  return made;
}

}  // namespace

made_service make_service(MPI_Comm comm, const rma_memory& memory, int flags, windows_on wanted) {
  int ranks = 1;
  mpi_call(MPI_Comm_size(comm, &ranks), "MPI_Comm_size");
  const auto messages = [&](std::string reason) {
    return on_messages(comm, memory, flags, std::move(reason));
  };
  if (wanted == windows_on::messages) return messages("as asked");
  if (wanted == windows_on::automatic && ranks == 1) return messages("there is one rank");
  std::string why;
  const bool alone = ends_without_target(comm, memory.is_mpis, why);
  if (why.empty() && wanted == windows_on::automatic && !alone) {
    return messages("with MPI's own windows a put ends only when its target calls MPI");
  }
  std::unique_ptr<rma_window> window;
  if (why.empty()) window = rma_window::make(comm, memory, why);
  if (window != nullptr) return on_rma(comm, std::move(window), memory, flags, alone);
  if (wanted == windows_on::automatic) return messages("MPI makes no window of its own: " + why);
  throw error("window: MPI makes none of its own, which 'rma' asks for: " + why);
}

}  // namespace plait
