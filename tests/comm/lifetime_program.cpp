// SPDX-License-Identifier: BSD-3-Clause
// MPI that the program itself initialises, or that has ended:
// lifetime_program single|serialized|ended|twice|handlers|refused|exhausted.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string_view>

#include <mpi.h>
#include <plait/comm/environment.hpp>
#include <plait/core/error.hpp>

namespace {
int communicators_left = -1;  ///< that the library is said to have; -1: as many as it likes
}

extern "C" int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* made) {
  if (communicators_left == 0) return MPI_ERR_INTERN;
  if (communicators_left > 0) --communicators_left;
  return PMPI_Comm_dup(comm, made);
}

namespace {

/// Splits until there is no communicator left.
int exhaust(int argc, char** argv) {
  plait::environment env{argc, argv};
  communicators_left = 5;
  try {
    for (int i = 0; i < 100; ++i) (void)env.world().split("again", 0, 0);
  } catch (const plait::error& e) {
    if (env.rank() == 0) std::puts(e.what());
  }
  communicators_left = -1;
  return 0;
}

void on_mpi_error(MPI_Comm*, int*, ...) {}
[[noreturn]] void on_terminate() {
  std::abort();
}

/// An environment ends, or its constructor throws, and the program's handlers are back.
int give_handlers_back(int argc, char** argv, bool refused) {
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, refused ? MPI_THREAD_SINGLE : MPI_THREAD_SERIALIZED, &provided);
  MPI_Errhandler own = MPI_ERRHANDLER_NULL;
  MPI_Comm_create_errhandler(&on_mpi_error, &own);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, own);
  std::set_terminate(&on_terminate);
  try {
    plait::environment env{argc, argv};
    env.barrier();
  } catch (const plait::error&) {
    if (!refused) throw;
  }
  MPI_Errhandler now = MPI_ERRHANDLER_NULL;
  MPI_Comm_get_errhandler(MPI_COMM_WORLD, &now);
  const bool back = now == own && std::get_terminate() == &on_terminate;
  MPI_Errhandler_free(&now);
  {  // What the program sets meanwhile stays.
    if (!refused) {
      plait::environment env{argc, argv};
      std::set_terminate(nullptr);
      MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    }
  }
  MPI_Comm_get_errhandler(MPI_COMM_WORLD, &now);
  const bool kept =
      refused || (now == MPI_ERRORS_ARE_FATAL && std::get_terminate() != &on_terminate);
  MPI_Errhandler_free(&now);
  MPI_Errhandler_free(&own);
  std::printf("given back: %s, kept: %s\n", back ? "yes" : "no", kept ? "yes" : "no");
  MPI_Finalize();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view way = argc == 2 ? argv[1] : "";
  if (way == "exhausted") return exhaust(argc, argv);
  if (way == "handlers" || way == "refused")
    return give_handlers_back(argc, argv, way == "refused");
  const bool by_the_program = way != "twice";
  int provided = MPI_THREAD_SINGLE;
  if (way == "single") MPI_Init(&argc, &argv);
  if (way == "ended" || way == "serialized")
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
  if (way == "ended") MPI_Finalize();
  if (way == "twice") plait::environment{argc, argv};
  {
    plait::environment env{argc, argv};
    env.barrier();
  }
  int ended = 0;
  MPI_Finalized(&ended);
  if (ended != 0) return 1;  // not the environment's to end
  std::puts("taken over");
  if (by_the_program) MPI_Finalize();
}
