/* SPDX-License-Identifier: BSD-3-Clause */
/* Everything that plait.h can do, done right: on any number of ranks, against closed forms. */
#include "support.h"

int main(int argc, char** argv) {
  plait_options options = PLAIT_OPTIONS_INIT;
  options.workers = 2;
  struct world w = support_begin(argc, argv, MPI_THREAD_SERIALIZED, &options);
  int workers = 0;
  DO(plait_workers(w.rt, &workers));
  EQUAL(2, workers);
  test_tasks(&w);
  test_stencil(&w);
  test_memory(&w);
  test_collectives(&w);
  test_windows(&w);
  test_random(&w);
  test_arrays(&w);
  test_holds(&w);
  support_end(&w);
  return 0;
}
