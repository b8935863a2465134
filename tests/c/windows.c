/* SPDX-License-Identifier: BSD-3-Clause */
/* Windows: put, get and signals round a ring; on messages and on MPI's own. */
#include "support.h"

enum { n = 6, rounds = 5 };

struct filling {
  double* x;
  int rank, round;
};
static int fill(void* argument) {
  const struct filling* f = argument;
  for (int i = 0; i < n; ++i) f->x[i] = 1000 * f->rank + 10 * f->round + i;
  return 0;
}

struct checking {
  const double* x;
  int rank, round;
};
static int check(void* argument) {
  const struct checking* c = argument;
  for (int i = 0; i < n; ++i)
    if (c->x[i] != 1000 * c->rank + 10 * c->round + i) return 1 + i;
  return 0;
}

static void test_ring(const struct world* w, plait_window* window, double* inbox) {
  const int right = (w->rank + 1) % w->size, left = (w->rank + w->size - 1) % w->size;
  double x[n];
  const plait_memory box = plait_bytes(inbox, n * sizeof(double));
  for (int k = 0; k < rounds; ++k) {
    if (k > 0) { /* the neighbour has read what the last round put there */
      const plait_memory next = plait_bytes(x, sizeof x);
      DO(plait_await_signal(w->rt, "free", window, right, 1, &next, 1));
    }
    struct filling f = {x, w->rank, k};
    DO(plait_task(w->rt, "fill", fill, f, plait_inout(x, sizeof x)));
    DO(plait_put_signal(w->rt, "edge", plait_bytes(x, sizeof x), window, right, 0, 0,
                        k % 2 ? PLAIT_SOURCE_IS_FREE_EARLY : 0));
    DO(plait_await_signal(w->rt, "edge", window, left, 0, &box, 1));
    struct checking c = {inbox, left, k};
    DO(plait_task(w->rt, "check", check, c, plait_in(box)));
    if (k + 1 < rounds) {
      const plait_access read = plait_inout(box);
      DO(plait_signal(w->rt, "free", window, left, 1, &read, 1));
    }
  }
  DO(plait_wait(w->rt));
}

static void test_get_and_put(const struct world* w, plait_window* window) {
  const int right = (w->rank + 1) % w->size;
  double x[2], y[n];
  size_t bytes = 0;
  DO(plait_window_bytes(window, right, &bytes));
  EQUAL(2 * n * sizeof(double), bytes);
  REFUSED(PLAIT_ERR_USAGE, "rank", plait_window_bytes(window, w->size, &bytes));
  x[0] = w->rank, x[1] = -w->rank;
  /* each rank writes into a place of its own */
  DO(plait_put(w->rt, "pair", plait_bytes(x, sizeof x), window, right, n * sizeof(double), 0));
  DO(plait_wait(w->rt));
  double ready = 0;
  DO(plait_barrier(w->rt, "all have put", plait_bytes(&ready, sizeof ready), NULL));
  DO(plait_wait(w->rt));
  DO(plait_get(w->rt, "pair", window, right, n * sizeof(double), plait_bytes(y, sizeof x)));
  DO(plait_wait(w->rt));
  EQUAL(w->rank, y[0]);
  EQUAL(-w->rank, y[1]);
  REFUSED(
      PLAIT_ERR_USAGE, "pair",
      plait_get(w->rt, "pair", window, right, 2 * n * sizeof(double), plait_bytes(y, sizeof x)));
}

void test_windows(const struct world* w) {
  for (int carrier = PLAIT_ON_MESSAGES; carrier <= PLAIT_ON_RMA; ++carrier) {
    plait_window_options options = PLAIT_WINDOW_OPTIONS_INIT;
    options.carrier = carrier;
    void* found = NULL;
    plait_window *window = NULL, *own = NULL;
    DO(plait_window_allocate(w->rt, 2 * n * sizeof(double), &options, &found, &window));
    for (int i = 0; i < 2 * n; ++i) EQUAL(0, ((double*)found)[i]);
    DO(plait_barrier(w->rt, "all have seen zeros", plait_bytes(found, 1), NULL));
    DO(plait_wait(w->rt));
    test_ring(w, window, found);
    test_get_and_put(w, window);
    double memory[2 * n] = {0};
    DO(plait_window_create(w->rt, memory, sizeof memory, &options, &own));
    test_ring(w, own, memory);
    REFUSED(PLAIT_ERR_STATE, "2 windows are open", plait_finalize(&(plait_runtime*){w->rt}));
    DO(plait_window_free(&own));
    DO(plait_window_free(&window));
  }
}
