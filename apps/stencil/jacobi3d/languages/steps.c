/* SPDX-License-Identifier: BSD-3-Clause */
/* Variant `plait_c`: the tasks and messages of `plait`, submitted from C. */
#include <mpi.h>
#include <plait/plait.h>
#include <stdio.h>

#include "block.h"

static const struct jacobi3d_block* block;
static plait_runtime* rt;
static plait_graph* both_steps;

struct piece { /* a task's argument, which it copies */
  const double* u;
  const double* b;
  double* v;
  int64_t stride_y, stride_z, nx, ny, nz, streamed;
};

static int relax(void* argument) {
  const struct piece* p = argument;
  block->relax(p->u, p->b, p->v, p->stride_y, p->stride_z, p->nx, p->ny, p->nz, p->streamed);
  return 0;
}

static double* at(const double* array, const struct jacobi3d_cells* c) {
  const int64_t* s = block->stride;
  return (double*)array + c->low[0] + c->low[1] * s[1] + c->low[2] * s[2];
}

static plait_memory memory_of(const double* array, const struct jacobi3d_cells* c) {
  const int64_t value = sizeof(double);
  plait_memory m = plait_bytes(at(array, c), (size_t)((c->high[0] - c->low[0]) * value));
  for (int k = 1; k < 3; ++k) {
    m.axes[k - 1].rows = c->high[k] - c->low[k];
    m.axes[k - 1].stride = block->stride[k] * value;
  }
  return m;
}

static plait_memory grown(const double* array, struct jacobi3d_cells c, int axis) {
  --c.low[axis];
  ++c.high[axis];
  return memory_of(array, &c);
}

static int submit_relax(const double* from, double* to, const struct jacobi3d_cells* c,
                        int is_rim) {
  const struct piece p = {at(from, c),
                          at(block->b, c),
                          at(to, c),
                          block->stride[1],
                          block->stride[2],
                          c->high[0] - c->low[0],
                          c->high[1] - c->low[1],
                          c->high[2] - c->low[2],
                          block->streamed};
  const plait_access accesses[] = {plait_in(grown(from, *c, 0)), plait_in(grown(from, *c, 1)),
                                   plait_in(grown(from, *c, 2)), plait_in(memory_of(block->b, c)),
                                   plait_out(memory_of(to, c))};
  plait_call call = PLAIT_CALL_INIT;
  call.name = is_rim ? "rim" : "interior";
  call.run = relax;
  call.argument = &p;
  call.argument_bytes = sizeof p;
  call.accesses = accesses;
  call.access_count = sizeof accesses / sizeof accesses[0];
  call.priority = is_rim ? PLAIT_PRIORITY_HIGH : PLAIT_PRIORITY_NORMAL;
  return plait_submit(rt, &call);
}

static plait_memory part_of(const double* array, const struct jacobi3d_message* m) {
  if (m->count == 0) return memory_of(array, &m->cells);
  return plait_bytes(array + m->first, (size_t)m->count * sizeof(double));
}

static int step(const double* from, double* to) {
  int code = PLAIT_SUCCESS;
  for (int64_t i = 0; code == PLAIT_SUCCESS && i < block->send_count; ++i)
    code = plait_send(rt, "ghosts", part_of(from, &block->sends[i]), (int)block->sends[i].peer, 0,
                      NULL);
  for (int64_t i = 0; code == PLAIT_SUCCESS && i < block->receive_count; ++i)
    code = plait_recv(rt, "ghosts", part_of(from, &block->receives[i]),
                      (int)block->receives[i].peer, 0, NULL);
  for (int64_t i = 0; code == PLAIT_SUCCESS && i < block->interior_count; ++i)
    code = submit_relax(from, to, &block->interior[i], 0);
  for (int64_t i = 0; code == PLAIT_SUCCESS && i < block->rim_count; ++i)
    code = submit_relax(from, to, &block->rim[i], 1);
  return code;
}

static int said(int code) {
  if (code != PLAIT_SUCCESS) fprintf(stderr, "plait_c: %s\n", plait_error_text());
  return code;
}

int jacobi3d_c_start(const struct jacobi3d_block* of, plait_runtime** made) {
  block = of;
  plait_options options = PLAIT_OPTIONS_INIT;
  options.workers = (int)of->workers;
  options.policy = (int)of->policy;
  options.in_flight = (size_t)of->in_flight;
  int code = plait_init(MPI_COMM_WORLD, &options, &rt);
  *made = rt;
  if (code != PLAIT_SUCCESS || !of->recorded) return said(code);
  if ((code = plait_record_begin(rt)) == PLAIT_SUCCESS && /* kept, not run */
      (code = step(of->u, of->v)) == PLAIT_SUCCESS && (code = step(of->v, of->u)) == PLAIT_SUCCESS)
    code = plait_record_end(rt, &both_steps);
  return said(code);
}

int jacobi3d_c_run(int64_t steps) {
  int code = PLAIT_SUCCESS;
  if (both_steps != NULL) code = plait_replay(rt, both_steps, (uint64_t)(steps / 2));
  for (int64_t i = both_steps != NULL ? steps - steps % 2 : 0; code == PLAIT_SUCCESS && i < steps;
       ++i)
    code = i % 2 == 0 ? step(block->u, block->v) : step(block->v, block->u);
  return said(code == PLAIT_SUCCESS ? plait_wait(rt) : code);
}

int jacobi3d_c_finish(void) {
  const int code = both_steps != NULL ? plait_graph_free(&both_steps) : PLAIT_SUCCESS;
  return said(code == PLAIT_SUCCESS ? plait_finalize(&rt) : code);
}
