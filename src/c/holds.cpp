// SPDX-License-Identifier: BSD-3-Clause
// Tasks that something else finishes.
#include <atomic>
#include <exception>
#include <memory>
#include <string>
#include <utility>

#include <plait/comm/mpi.hpp>
#include <plait/comm/token.hpp>
#include <plait/core/error.hpp>
#include <plait/task/hold.hpp>

#include "c/calls.hpp"

namespace plait::c {
namespace {

/// Runs `body` with the hold behind the pointer, which is the callee's from then on.  Of two
/// threads that share the pointer one gets the hold, and the other is refused.
template <class Body>
[[nodiscard]] int taken(plait_hold** one, const char* function, const Body& body) noexcept {
  std::unique_ptr<plait_hold> own;
  try {
    expect_given(one, function, "place of the hold");
    own.reset(std::atomic_ref(*one).exchange(nullptr));
    expect_given(own.get(), function, "hold");
  } catch (...) {
    return failed(false);
  }
  try {
    body(std::move(own->until));
    return PLAIT_SUCCESS;
  } catch (...) {
    return failed(false);
  }
}

[[nodiscard]] int finish(plait_hold** until, const char* function, MPI_Request request) noexcept {
  if (mpi_token::any_held_here()) {
    return fail(PLAIT_ERR_STATE,
                "plait_finish_with between plait_mpi_begin and plait_mpi_end: after the latter");
  }
  return taken(until, function, [request](hold own) { finish_with(std::move(own), request); });
}

[[nodiscard]] MPI_Request request_from_fortran(int handle) noexcept {
#if defined(MPI_ABI_VERSION)
  return MPI_Request_fromint(handle);
#else
  return MPI_Request_f2c(static_cast<MPI_Fint>(handle));
#endif
}

}  // namespace
}  // namespace plait::c

using namespace plait::c;
using plait::hold;

int plait_hold_release(plait_hold** one) {
  return taken(one, "plait_hold_release", [](hold own) { own.release(); });
}

int plait_hold_fail(plait_hold** one, const char* why) {
  return taken(one, "plait_hold_fail", [why](hold own) {
    std::exception_ptr failure;
    try {
      failure = std::make_exception_ptr(task_failure(why != nullptr ? why : "it was failed"));
    } catch (...) {
      failure = std::current_exception();
    }
    own.fail(std::move(failure));
  });
}

int plait_hold_another(const plait_hold* one, plait_hold** made) {
  try {
    expect_given(one, "plait_hold_another", "hold");
    expect_given(made, "plait_hold_another", "place for the hold");
    *made = nullptr;
    auto handle = std::make_unique<plait_hold>();
    handle->until = one->until.another();
    *made = handle.release();
    return PLAIT_SUCCESS;
  } catch (...) {
    return failed(false);
  }
}

int plait_finish_with(plait_hold** until, MPI_Request request) {
  return finish(until, "plait_finish_with", request);
}

int plait_finish_with_f(plait_hold** until, int request) {
  return finish(until, "plait_finish_with_f", request_from_fortran(request));
}
