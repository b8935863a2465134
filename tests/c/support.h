/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks for tests in C: each says place, rank and what was expected, and the job ends. */
#ifndef PLAIT_TESTS_C_SUPPORT_H
#define PLAIT_TESTS_C_SUPPORT_H

#include <mpi.h>
#include <plait/plait.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline int support_world_rank(void) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

static inline void support_fail(const char* file, int line, const char* what, double expected,
                                double got) {
  fprintf(stderr, "%s:%d: rank %d: %s: expected %.17g, got %.17g; last text: '%s'\n", file, line,
          support_world_rank(), what, expected, got, plait_error_text());
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/* A call that has to succeed. */
#define DO(call)                                                                   \
  do {                                                                             \
    const int code_ = (call);                                                      \
    if (code_ != PLAIT_SUCCESS) support_fail(__FILE__, __LINE__, #call, 0, code_); \
  } while (0)
/* A call that has to be refused with this code, and a text that contains these words. */
#define REFUSED(code, words, call)                                               \
  do {                                                                           \
    const int code_ = (call);                                                    \
    if (code_ != (code)) support_fail(__FILE__, __LINE__, #call, (code), code_); \
    if (strstr(plait_error_text(), (words)) == NULL)                             \
      support_fail(__FILE__, __LINE__, #call ", in its text", 1, 0);             \
  } while (0)
#define EQUAL(expected, got)                                                           \
  do {                                                                                 \
    const double expected_ = (double)(expected), got_ = (double)(got);                 \
    if (!(expected_ == got_)) support_fail(__FILE__, __LINE__, #got, expected_, got_); \
  } while (0)

struct world {
  plait_runtime* rt;
  int rank, size;
};

/* Starts MPI, and plait on all ranks; the number of ranks is the one that the test was given. */
static inline struct world support_begin(int argc, char** argv, int level,
                                         const plait_options* options) {
  struct world w = {NULL, 0, 0};
  int provided = 0;
  DO(plait_prepare());
  MPI_Init_thread(&argc, &argv, level, &provided);
  if (provided < level) support_fail(__FILE__, __LINE__, "the level of threads", level, provided);
  DO(plait_init(MPI_COMM_WORLD, options, &w.rt));
  DO(plait_rank(w.rt, &w.rank));
  DO(plait_size(w.rt, &w.size));
  EQUAL(support_world_rank(), w.rank);
  const char* const wanted = getenv("PLAIT_TEST_RANKS");
  if (wanted != NULL) EQUAL(atoi(wanted), w.size);
  return w;
}

static inline void support_end(struct world* w) {
  DO(plait_finalize(&w->rt));
  if (w->rt != NULL) support_fail(__FILE__, __LINE__, "the runtime is gone", 0, 1);
  MPI_Finalize();
}

/* The parts of the program `work`. */
void test_tasks(const struct world* w);
void test_stencil(const struct world* w);
void test_memory(const struct world* w);
void test_collectives(const struct world* w);
void test_windows(const struct world* w);
void test_random(const struct world* w);
void test_arrays(const struct world* w);
void test_holds(const struct world* w);

/* The parts of the program `wrong`. */
void test_wrong_arrays(const struct world* w);
plait_mover* left_mover(const struct world* w);

#endif
