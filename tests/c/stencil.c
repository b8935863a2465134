/* SPDX-License-Identifier: BSD-3-Clause */
/* A stencil on a line of cells, in tasks and messages, recorded and not; messages with counts; MPI
   of the program's own in between.  The serial result, to the last bit. */
#include "support.h"

enum { most_ranks = 16, own_cells = 24, steps = 9, cuts = 3 };

struct piece {
  const double* from;
  double* to;
  int first, last;
};

static double relaxed(double left, double middle, double right) {
  return 0.25 * left + 0.5 * middle + 0.25 * right;
}

static int relax(void* argument) {
  const struct piece* p = argument;
  for (int i = p->first; i < p->last; ++i)
    p->to[i] = relaxed(p->from[i - 1], p->from[i], p->from[i + 1]);
  return 0;
}

struct line {
  plait_runtime* rt;
  plait_comm* among;
  int left, right;
};

/* u[0] and u[own_cells + 1] are ghosts. */
static void step(const struct line* s, double* u, double* v) {
  const size_t one = sizeof(double);
  DO(plait_recv(s->rt, "ghost", plait_bytes(&u[0], one), s->left, 0, s->among));
  DO(plait_recv(s->rt, "ghost", plait_bytes(&u[own_cells + 1], one), s->right, 1, s->among));
  DO(plait_send(s->rt, "edge", plait_bytes(&u[1], one), s->left, 1, s->among));
  DO(plait_send(s->rt, "edge", plait_bytes(&u[own_cells], one), s->right, 0, s->among));
  for (int k = 0; k < cuts; ++k) {
    struct piece p = {u, v, 1 + own_cells * k / cuts, 1 + own_cells * (k + 1) / cuts};
    DO(plait_task(s->rt, "relax", relax, p,
                  plait_in(&u[p.first - 1], (size_t)(p.last - p.first + 2) * one),
                  plait_out(&v[p.first], (size_t)(p.last - p.first) * one)));
  }
}

static double at_first(int global) {
  return (double)((global * 37) % 101) / 7;
}

/* The whole line, serially; its ends are zero. */
static void solve(int cells, double* u, int times) {
  double* next = malloc(sizeof(double) * (size_t)cells);
  for (int t = 0; t < times; ++t) {
    for (int i = 0; i < cells; ++i)
      next[i] = relaxed(i > 0 ? u[i - 1] : 0, u[i], i + 1 < cells ? u[i + 1] : 0);
    memcpy(u, next, sizeof(double) * (size_t)cells);
  }
  free(next);
}

static void check(const struct world* w, const double* u, int times) {
  const int cells = own_cells * w->size;
  double* whole = malloc(sizeof(double) * (size_t)cells);
  for (int i = 0; i < cells; ++i) whole[i] = at_first(i);
  solve(cells, whole, times);
  for (int i = 0; i < own_cells; ++i) EQUAL(whole[w->rank * own_cells + i], u[i + 1]);
  free(whole);
}

static void begin(const struct world* w, double* u, double* v) {
  memset(u, 0, sizeof(double) * (own_cells + 2));
  memset(v, 0, sizeof(double) * (own_cells + 2));
  for (int i = 0; i < own_cells; ++i) u[i + 1] = at_first(w->rank * own_cells + i);
}

static void test_lines(const struct world* w, plait_comm* among) {
  double u[own_cells + 2], v[own_cells + 2];
  const struct line line = {w->rt, among, w->rank > 0 ? w->rank - 1 : PLAIT_NOBODY,
                            w->rank + 1 < w->size ? w->rank + 1 : MPI_PROC_NULL};
  begin(w, u, v);
  for (int t = 0; t < steps; ++t) step(&line, t % 2 ? v : u, t % 2 ? u : v);
  DO(plait_wait(w->rt));
  check(w, steps % 2 ? v : u, steps);

  begin(w, u, v);
  plait_graph* sweep = NULL;
  DO(plait_record_begin(w->rt));
  step(&line, u, v);
  REFUSED(PLAIT_ERR_STATE, "plait_record_begin", plait_wait(w->rt));
  step(&line, v, u);
  DO(plait_record_end(w->rt, &sweep));
  DO(plait_replay(w->rt, sweep, steps));
  DO(plait_wait(w->rt));
  check(w, u, 2 * steps);
  DO(plait_replay(w->rt, sweep, 1));
  DO(plait_graph_free(&sweep)); /* waits */
  check(w, u, 2 * steps + 2);

  DO(plait_record_begin(w->rt)); /* dropped: nothing runs */
  step(&line, u, v);
  DO(plait_record_end(w->rt, NULL));
  check(w, u, 2 * steps + 2);
}

/* As many numbers as the rank says, round the ring. */
struct filling {
  int* numbers;
  size_t* count;
  int rank;
};
static int fill(void* argument) {
  const struct filling* f = argument;
  *f->count = (size_t)f->rank + 1;
  for (size_t i = 0; i < *f->count; ++i) f->numbers[i] = 100 * f->rank + (int)i;
  return 0;
}

static void test_counted(const struct world* w) {
  int sent[most_ranks], got[most_ranks];
  size_t sent_count = 0, got_count = 0;
  const int right = (w->rank + 1) % w->size, left = (w->rank + w->size - 1) % w->size;
  struct filling f = {sent, &sent_count, w->rank};
  DO(plait_task(w->rt, "fill", fill, f, plait_out(sent, sizeof sent),
                plait_out(&sent_count, sizeof sent_count)));
  DO(plait_send_counted(w->rt, "some", plait_bytes(sent, sizeof sent), &sent_count, sizeof(int),
                        right, 5, NULL));
  DO(plait_recv_counted(w->rt, "some", plait_bytes(got, sizeof got), &got_count, sizeof(int), left,
                        5, NULL));
  DO(plait_wait(w->rt));
  EQUAL(left + 1, got_count);
  for (size_t i = 0; i < got_count; ++i) EQUAL(100 * left + (int)i, got[i]);
}

/* The program's own MPI while tasks are in flight. */
static void test_own_mpi(const struct world* w) {
  double u[own_cells + 2], v[own_cells + 2];
  const struct line line = {w->rt, NULL, w->rank > 0 ? w->rank - 1 : PLAIT_NOBODY,
                            w->rank + 1 < w->size ? w->rank + 1 : PLAIT_NOBODY};
  begin(w, u, v);
  for (int t = 0; t < steps; ++t) {
    step(&line, t % 2 ? v : u, t % 2 ? u : v);
    int mine = w->rank + t, largest = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    int done = 0;
    DO(plait_mpi_begin(w->rt));
    REFUSED(PLAIT_ERR_STATE, "plait_mpi_begin", plait_wait(w->rt));
    MPI_Iallreduce(&mine, &largest, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD, &request);
    DO(plait_mpi_end(w->rt));
    while (!done) {
      DO(plait_mpi_begin(w->rt));
      MPI_Test(&request, &done, MPI_STATUS_IGNORE);
      DO(plait_mpi_end(w->rt));
    }
    EQUAL(w->size - 1 + t, largest);
  }
  REFUSED(PLAIT_ERR_STATE, "plait_mpi_end", plait_mpi_end(w->rt));
  DO(plait_wait(w->rt));
  check(w, steps % 2 ? v : u, steps);
}

static void test_communicators(const struct world* w) {
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  plait_comm *adopted = NULL, *half = NULL;
  DO(plait_adopt(w->rt, copy, "a copy", &adopted));
  MPI_Comm_free(&copy);
  test_lines(w, adopted);
  const int colour = w->rank % 2 == 0 ? 0 : PLAIT_NO_COLOUR;
  DO(plait_split(w->rt, NULL, "even ranks", colour, w->rank, &half));
  EQUAL(w->rank % 2 == 0, half != NULL);
  if (half == NULL) return;
  int rank = -1, size = -1;
  DO(plait_comm_rank(w->rt, half, &rank));
  DO(plait_comm_size(w->rt, half, &size));
  EQUAL(w->rank / 2, rank);
  EQUAL((w->size + 1) / 2, size);
}

void test_stencil(const struct world* w) {
  DO(plait_trace_start(w->rt));
  test_lines(w, NULL);
  char file[64];
  snprintf(file, sizeof file, "plait-c-trace-%d.json", w->size);
  DO(plait_trace_stop(w->rt, file));
  if (w->rank == 0) EQUAL(0, remove(file));
  test_counted(w);
  test_own_mpi(w);
  test_communicators(w);
}
