/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks that something else finishes: in their function, by a thread, by requests, in a replay. */
#include <pthread.h>

#include "support.h"

static int add_one(void* argument) {
  **(double**)argument += 1;
  return 0;
}

/* A thread of the program's own that finishes what it is given, in its time. */
struct desk {
  pthread_mutex_t lock;
  pthread_cond_t news;
  plait_hold* waiting[64];
  double* to[64];
  int count, is_closed;
  const double* watched; /* whether the desk has had it */
  int had_it;
};
static void hand_in(struct desk* at, plait_hold* until, double* to) {
  pthread_mutex_lock(&at->lock);
  at->waiting[at->count] = until;
  at->to[at->count++] = to;
  pthread_cond_signal(&at->news);
  pthread_mutex_unlock(&at->lock);
}
static void* serve(void* argument) {
  struct desk* const at = argument;
  pthread_mutex_lock(&at->lock);
  while (!at->is_closed || at->count > 0) {
    if (at->count == 0) {
      pthread_cond_wait(&at->news, &at->lock);
      continue;
    }
    plait_hold* until = at->waiting[--at->count];
    double* const to = at->to[at->count];
    if (to == at->watched) at->had_it = 1;
    pthread_mutex_unlock(&at->lock);
    *to *= 2; /* what the task declares is the desk's until the release */
    DO(plait_hold_release(&until));
    EQUAL(1, until == NULL);
    pthread_mutex_lock(&at->lock);
  }
  pthread_mutex_unlock(&at->lock);
  return NULL;
}

struct order {
  struct desk* at;
  double* to;
  int holds;
};
static int doubled_later(void* argument, plait_hold* until) {
  const struct order* o = argument;
  for (int more = 1; more < o->holds; ++more) { /* the desk has one of them, in either order */
    plait_hold* other = NULL;
    if (plait_hold_another(until, &other) != PLAIT_SUCCESS) return 1;
    if (plait_hold_release(&other) != PLAIT_SUCCESS) return 2;
  }
  hand_in(o->at, until, o->to);
  return 0;
}

static int released_at_once(void* argument, plait_hold* until) {
  **(double**)argument += 1;
  return plait_hold_release(&until);
}

static void test_thread(const struct world* w, int is_recorded) {
  struct desk at = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, {0}, {0}, 0, 0, NULL, 0};
  pthread_t thread;
  double x[8], expected[8];
  at.watched = &x[7];
  EQUAL(0, pthread_create(&thread, NULL, serve, &at));
  plait_graph* graph = NULL;
  plait_event* last = NULL;
  if (is_recorded) DO(plait_record_begin(w->rt));
  for (int i = 0; i < 8; ++i) {
    x[i] = expected[i] = i;
    double* to = &x[i];
    struct order o = {&at, to, 1 + i % 3};
    const plait_access access = plait_inout(to, sizeof *to);
    plait_call call = PLAIT_CALL_INIT;
    call.name = "doubled later";
    call.run_held = doubled_later;
    call.argument = &o;
    call.argument_bytes = sizeof o;
    call.accesses = &access;
    call.access_count = 1;
    if (i == 7 && !is_recorded) call.event = &last;
    DO(plait_submit(w->rt, &call));
    DO(plait_task(w->rt, "add", add_one, to, plait_inout(to, sizeof *to)));
    DO(plait_task_held(w->rt, "at once", released_at_once, to, plait_inout(to, sizeof *to)));
  }
  const int times = is_recorded ? 5 : 1;
  if (is_recorded) {
    DO(plait_record_end(w->rt, &graph));
    DO(plait_replay(w->rt, graph, 5));
    DO(plait_graph_free(&graph));
  } else {
    DO(plait_event_wait(last)); /* not before the desk has released */
    pthread_mutex_lock(&at.lock);
    EQUAL(1, at.had_it);
    pthread_mutex_unlock(&at.lock);
    DO(plait_event_free(&last));
  }
  DO(plait_wait(w->rt));
  for (int i = 0; i < 8; ++i) {
    for (int time = 0; time < times; ++time) expected[i] = 2 * expected[i] + 2;
    EQUAL(expected[i], x[i]);
  }
  pthread_mutex_lock(&at.lock);
  at.is_closed = 1;
  pthread_cond_signal(&at.news);
  pthread_mutex_unlock(&at.lock);
  EQUAL(0, pthread_join(thread, NULL));
}

/* A collective operation of the program's own finishes a task. */
struct summing {
  plait_runtime* rt;
  double* x;
  MPI_Comm comm;
  int by_fortran;
};
static int sum_up(void* argument, plait_hold* until) {
  const struct summing* s = argument;
  MPI_Request request;
  if (plait_mpi_begin(s->rt) != PLAIT_SUCCESS) return 1;
  MPI_Iallreduce(MPI_IN_PLACE, s->x, 1, MPI_DOUBLE, MPI_SUM, s->comm, &request);
  if (plait_finish_with(&until, request) != PLAIT_ERR_STATE) return 2; /* MPI is not ours yet */
#if defined(MPI_ABI_VERSION)
  const int handle = MPI_Request_toint(request);
  /* of Intel MPI 2021.18 it is another one: the number's sign is taken for more */
  const int is_right = MPI_Request_fromint(handle) == request;
#else
  const int handle = (int)MPI_Request_c2f(request), is_right = 1;
#endif
  if (plait_mpi_end(s->rt) != PLAIT_SUCCESS) return 3;
  return s->by_fortran && is_right ? plait_finish_with_f(&until, handle)
                                   : plait_finish_with(&until, request);
}

static void test_requests(const struct world* w) {
  MPI_Comm comm;
  DO(plait_mpi_begin(w->rt));
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  DO(plait_mpi_end(w->rt));
  double x = w->rank + 1;
  double* to = &x;
  double expected = (w->size + 1) * w->size / 2.0;
  for (int by_fortran = 0; by_fortran < 2; ++by_fortran) {
    struct summing s = {w->rt, &x, comm, by_fortran};
    DO(plait_task_held(w->rt, "sum", sum_up, s, plait_inout(&x, sizeof x)));
    DO(plait_task(w->rt, "add", add_one, to, plait_inout(&x, sizeof x)));
    DO(plait_wait(w->rt));
    EQUAL(expected + 1, x);
    expected = (expected + 1) * w->size;
  }
  DO(plait_mpi_begin(w->rt));
  MPI_Comm_free(&comm);
  DO(plait_mpi_end(w->rt));
}

static int nothing_to_wait_for(void* argument, plait_hold* until) {
  (void)argument;
  return plait_finish_with(&until, MPI_REQUEST_NULL);
}

void test_holds(const struct world* w) {
  int nothing = 0;
  test_thread(w, 0);
  test_thread(w, 1);
  test_requests(w);
  DO(plait_task_held(w->rt, "no request", nothing_to_wait_for, nothing,
                     plait_inout(&nothing, sizeof nothing)));
  DO(plait_wait(w->rt));
}
