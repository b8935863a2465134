// SPDX-License-Identifier: BSD-3-Clause
// Preloaded by tests/support/mpirun, so that ranks of MPICH give their core away while they wait:
// MPICH has no option for it that does something.  It stands before the progress function of UCX,
// which MPICH calls in each of its looks.
#include <cstdlib>

#include <dlfcn.h>
#include <sched.h>

namespace {

// Where MPICH has come with a library that the program loaded itself, UCX is not among the
// libraries after this one.
void* of_ucx() {
  const char* const name = "ucp_worker_progress";
  if (void* const next = dlsym(RTLD_NEXT, name)) return next;
  void* const ucx = dlopen("libucp.so.0", RTLD_LAZY | RTLD_NOLOAD);
  if (ucx == nullptr) std::abort();  // without it dlsym would find the function below
  return dlsym(ucx, name);
}

}  // namespace

extern "C" unsigned ucp_worker_progress(void* worker) {
  static const auto progress = reinterpret_cast<unsigned (*)(void*)>(of_ucx());
  const unsigned events = progress(worker);
  if (events == 0) sched_yield();
  return events;
}
