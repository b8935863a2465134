/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks from C: from_c HOW TASKS CHAINS WORKERS.  HOW is `none`, no argument; `bytes`, an argument
 * of 8 bytes; `sections`, the same with three accesses of rows that lie apart. */
#include <mpi.h>
#include <plait/plait.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static plait_runtime* rt;

static void expect(int code) {
  if (code == PLAIT_SUCCESS) return;
  fprintf(stderr, "from_c: %s\n", plait_error_text());
  exit(1);
}

static int nothing(void* argument) {
  (void)argument;
  return 0;
}

enum { width = 10, one_row = width * sizeof(double) };

/* An object of a chain on its cache line; and for `sections` two blocks of 10 rows of 10 numbers,
 * of which those inside are written. */
struct object {
  double value[8];
};
struct blocks {
  double u[width][width];
  double v[width][width];
};
static struct object* objects;
static struct blocks* blocks;

static void submit_none(long i) {
  const plait_access whole = plait_inout(&objects[i], sizeof objects[i]);
  plait_call call = PLAIT_CALL_INIT;
  call.name = "nothing";
  call.run = nothing;
  call.accesses = &whole;
  call.access_count = 1;
  expect(plait_submit(rt, &call));
}

static void submit_bytes(long i) {
  struct object* const x = &objects[i];
  expect(plait_task(rt, "nothing", nothing, x, plait_inout(x, sizeof *x)));
}

static void submit_sections(long i) {
  struct blocks* const c = &blocks[i];
  const size_t inner = (width - 2) * sizeof(double);
  expect(plait_task(rt, "nothing", nothing, c, plait_in(c->u[1], (width - 2) * one_row),
                    plait_in(plait_rows(&c->u[0][1], inner, width, one_row)),
                    plait_out(plait_rows(&c->v[1][1], inner, width - 2, one_row))));
}

static void submit(void (*one)(long), long chains, long count) {
  for (long i = 0; i < count; ++i) one(i % chains);
}

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  const long tasks = atol(argv[2]), chains = atol(argv[3]);
  void (*const one)(long) = strcmp(argv[1], "none") == 0    ? submit_none
                            : strcmp(argv[1], "bytes") == 0 ? submit_bytes
                                                            : submit_sections;
  int provided;
  plait_prepare();
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
  plait_options options = PLAIT_OPTIONS_INIT;
  options.workers = atoi(argv[4]);
  options.in_flight = 4096;
  expect(plait_init(MPI_COMM_WORLD, &options, &rt));
  objects = aligned_alloc(64, (size_t)chains * sizeof *objects);
  blocks = aligned_alloc(64, (size_t)chains * sizeof *blocks);

  submit(one, chains, tasks / 10);
  expect(plait_wait(rt));
  double began = MPI_Wtime();
  submit(one, chains, tasks);
  expect(plait_wait(rt));
  const double seconds = MPI_Wtime() - began;

  const long once = 16 * chains, iterations = (tasks + once - 1) / once;
  plait_graph* graph;
  expect(plait_record_begin(rt));
  submit(one, chains, once);
  expect(plait_record_end(rt, &graph));
  expect(plait_replay(rt, graph, (uint64_t)(1 + iterations / 10)));
  expect(plait_wait(rt));
  began = MPI_Wtime();
  expect(plait_replay(rt, graph, (uint64_t)iterations));
  expect(plait_wait(rt));
  const double replay_seconds = MPI_Wtime() - began;

  printf("{\"ns_per_task\": %.6g, \"ns_per_replayed_task\": %.6g}\n", 1e9 * seconds / (double)tasks,
         1e9 * replay_seconds / (double)(iterations * once));
  expect(plait_graph_free(&graph));
  expect(plait_finalize(&rt));
  MPI_Finalize();
  free(objects);
  free(blocks);
  return 0;
}
