/* SPDX-License-Identifier: BSD-3-Clause */
/* Waiting that asks now and then, room for one more task, and a thread for the program's own
 * messages. */
#define _POSIX_C_SOURCE 200809L
#include <time.h>

#include "support.h"

static int sleep_and_add(void* argument) {
  const struct timespec pause = {0, 4000000};
  nanosleep(&pause, NULL);
  ++**(int**)argument;
  return 0;
}

static int asked;
static int no_more(void* argument) {
  ++asked;
  EQUAL(7, *(int*)argument);
  return 0;
}
static int go_on(void* argument) {
  (void)argument;
  ++asked;
  return 1;
}

static void test_waiting(const struct world* w) {
  int seven = 7, over = -1, has = -1, steps = 0;
  int* const counted = &steps;
  for (int i = 0; i < 100; ++i)
    DO(plait_task(w->rt, "step", sleep_and_add, counted, plait_inout(&steps, sizeof steps)));
  DO(plait_has_room(w->rt, &has));
  EQUAL(0, has); /* 100 tasks may be in flight, and the only worker is here */
  DO(plait_wait_while(w->rt, no_more, &seven, &over));
  EQUAL(0, over);
  EQUAL(1, asked);
  DO(plait_wait_while(w->rt, go_on, NULL, &over));
  EQUAL(1, over);
  EQUAL(100, steps);
  DO(plait_has_room(w->rt, &has));
  REFUSED(PLAIT_ERR_USAGE, "null pointer", plait_wait_while(w->rt, NULL, NULL, &over));
  REFUSED(PLAIT_ERR_USAGE, "null pointer", plait_has_room(w->rt, NULL));
  REFUSED(PLAIT_ERR_STATE, "no runtime", plait_wait_while(NULL, go_on, NULL, &over));
}

static void test_progress(int rank) {
  enum { words = 1 << 18 };
  double* const sent = malloc(words * sizeof *sent);
  double* const got = malloc(words * sizeof *got);
  plait_progress_options options = PLAIT_PROGRESS_OPTIONS_INIT;
  MPI_Request both[2];
  for (int i = 0; i < words; ++i) sent[i] = rank + i;
  options.interval_s = -1;
  REFUSED(PLAIT_ERR_USAGE, "interval", plait_progress_start(&options));
  options.interval_s = 1e-3;
  options.struct_size = 3;
  REFUSED(PLAIT_ERR_VERSION, "struct_size", plait_progress_start(&options));
  options.struct_size = sizeof options;
  MPI_Irecv(got, words, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, &both[0]);
  MPI_Isend(sent, words, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, &both[1]);
  DO(plait_progress_start(&options));
  DO(plait_progress_start(NULL));
  DO(plait_progress_stop());
  MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
  DO(plait_progress_stop());
  DO(plait_progress_stop()); /* one too many has no effect */
  for (int i = 0; i < words; ++i) EQUAL(1 - rank + i, got[i]);
  free(sent);
  free(got);
}

int main(int argc, char** argv) {
  plait_options options = PLAIT_OPTIONS_INIT;
  options.workers = 1;
  options.in_flight = 100;
  struct world w = support_begin(argc, argv, MPI_THREAD_MULTIPLE, &options);
  test_waiting(&w);
  test_progress(w.rank);
  support_end(&w);
  return 0;
}
