// SPDX-License-Identifier: BSD-3-Clause
#include <atomic>

#include <mpi.h>
#include <plait/comm/exposed_memory.hpp>
#include <plait/core/error.hpp>

#include "comm/mpi_call.hpp"
#include "comm/native.hpp"

namespace plait {

struct arrival::implementation {
  MPI_Request request = MPI_REQUEST_NULL;
  bool failed = false;
  std::atomic<bool> over{false};
};

arrival::arrival(environment& env, engine& messages) : self_(std::make_unique<implementation>()) {
  {
    mpi_token_guard guard(env.token());
    mpi_call(MPI_Ibarrier(native_access::windows_of(messages), &self_->request), "MPI_Ibarrier");
  }
  finished = [](awaited& all) {
    implementation& s = *static_cast<arrival&>(all).self_;
    int flag = 0;
    s.failed = MPI_Test(&s.request, &flag, MPI_STATUS_IGNORE) != MPI_SUCCESS;
    return flag != 0 || s.failed;
  };
  completed = [](awaited& all) noexcept {
    auto& self = static_cast<arrival&>(all);
    self.given_up = self.given_up || self.self_->failed;
    self.self_->over.store(true, std::memory_order_seq_cst);
  };
  messages.watch(*this);
}

arrival::~arrival() {
  PLAIT_EXPECTS(is_over(), "MPI looks after the request");
}

bool arrival::is_over() const noexcept {
  return self_->over.load(std::memory_order_seq_cst);
}

}  // namespace plait
