/* SPDX-License-Identifier: BSD-3-Clause */
/* The program heat_mpi.c with plait: the rows inside a band are computed while its ghosts are on
   their way, though nothing says so but what each task touches. */
#include <mpi.h>
#include <plait/plait.h>
#include <stdio.h>
#include <stdlib.h>

enum { width = 200, height = 120, steps = 100, rows_of_a_task = 8 };

struct piece { /* a task's argument, which it copies */
  const double* from;
  double* to;
  int first, last;
};

static int relax(void* argument) {
  const struct piece* p = argument;
  for (int y = p->first; y < p->last; ++y)
    for (int x = 1; x < width - 1; ++x) {
      const double* c = &p->from[y * width + x];
      p->to[y * width + x] = 0.25 * (c[-1] + c[1] + c[-width] + c[width]);
    }
  return 0; /* another value fails the task, and the next plait_wait says so */
}

static plait_runtime* rt;

static void expect(int code) {
  if (code != PLAIT_SUCCESS) plait_abort(rt, plait_error_text());
}

static plait_memory rows_of(const double* u, int first, int last) {
  return plait_bytes(&u[first * width], (size_t)(last - first) * width * sizeof *u);
}

static void step(const double* u, double* v, int rows, int up, int down) {
  expect(plait_recv(rt, "ghost", rows_of(u, 0, 1), up, 0, NULL));
  expect(plait_recv(rt, "ghost", rows_of(u, rows + 1, rows + 2), down, 1, NULL));
  expect(plait_send(rt, "edge", rows_of(u, 1, 2), up, 1, NULL));
  expect(plait_send(rt, "edge", rows_of(u, rows, rows + 1), down, 0, NULL));
  for (int y = 1; y <= rows; y += rows_of_a_task) {
    const int end = y + rows_of_a_task <= rows + 1 ? y + rows_of_a_task : rows + 1;
    struct piece p = {u, v, y, end};
    expect(plait_task(rt, "relax", relax, p, plait_in(rows_of(u, y - 1, end + 1)),
                      plait_out(rows_of(v, y, end))));
  }
}

int main(int argc, char** argv) {
  int rank, size, provided;
  plait_prepare();
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  expect(plait_init(MPI_COMM_WORLD, NULL, &rt));
  const int rows = height * (rank + 1) / size - height * rank / size;
  const int up = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  const int down = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
  double* u = calloc((size_t)(rows + 2) * width, sizeof *u); /* rows 0 and rows + 1 are ghosts */
  double* v = calloc((size_t)(rows + 2) * width, sizeof *v);
  for (int x = 0; rank == 0 && x < width; ++x) u[x] = v[x] = 1;

  plait_graph* there_and_back;
  expect(plait_record_begin(rt)); /* kept, not run: two steps */
  step(u, v, rows, up, down);
  step(v, u, rows, up, down);
  expect(plait_record_end(rt, &there_and_back));
  expect(plait_replay(rt, there_and_back, steps / 2));
  expect(plait_graph_free(&there_and_back)); /* waits */

  int64_t mine = 0;
  for (int i = width; i < (rows + 1) * width; ++i) mine += (int64_t)(1e6 * u[i]);
  int64_t all = 0;
  expect(plait_reduce(rt, "heat", plait_bytes(&mine, sizeof mine), plait_bytes(&all, sizeof all),
                      plait_sum(PLAIT_INT64), 0, NULL));
  expect(plait_wait(rt));
  if (rank == 0) printf("heat in the plate: %ld millionths\n", (long)all);
  expect(plait_finalize(&rt));
  free(u);
  free(v);
  MPI_Finalize();
  return 0;
}
