/* SPDX-License-Identifier: BSD-3-Clause */
/* Collective operations of module plait on parts of different sizes, and among neighbours. */
#include <stdlib.h>

#include "descriptors.h"

/* Returns an entry of a vector of integers. */
static int entry(const CFI_cdesc_t* of, size_t at) {
  return *(const int*)((const char*)of->base_addr + (CFI_index_t)at * of->dim[0].sm);
}

/* Counts of elements and where each part begins, as blocks; without `at` one part follows the
 * other. */
static int read_blocks(const CFI_cdesc_t* counts, const CFI_cdesc_t* at, int wanted,
                       const char* name, plait_block** made) {
  if (counts->dim[0].extent != wanted)
    return refuse("it has counts for another number of ranks", name);
  if (at != NULL && at->dim[0].extent != wanted)
    return refuse("it has displacements for another number of ranks", name);
  *made = malloc(sizeof **made * (size_t)(wanted > 0 ? wanted : 1));
  if (*made == NULL) {
    (void)refuse("no memory for its counts", name);
    return PLAIT_ERR_MEMORY;
  }
  size_t next = 0;
  for (int r = 0; r < wanted; ++r) {
    const int count = entry(counts, (size_t)r);
    const int displacement = at != NULL ? entry(at, (size_t)r) : 0;
    if (count < 0 || displacement < 0) return refuse("a count or a displacement is negative", name);
    (*made)[r].count = (size_t)count;
    (*made)[r].displacement = at != NULL ? (size_t)displacement : next;
    next += (size_t)count;
  }
  return PLAIT_SUCCESS;
}

/* Blocks for each rank of the communicator. */
static void read_blocks_of_ranks(plait_runtime* rt, struct collective* c, const CFI_cdesc_t* counts,
                                 const CFI_cdesc_t* at, plait_block** made) {
  int ranks = 0;
  if (c->code == PLAIT_SUCCESS) c->code = plait_comm_size(rt, c->how.among, &ranks);
  if (c->code == PLAIT_SUCCESS) c->code = read_blocks(counts, at, ranks, c->name, made);
}
/* The same on the root; elsewhere none are needed. */
static void read_blocks_of_root(plait_runtime* rt, struct collective* c, int root,
                                const CFI_cdesc_t* counts, const CFI_cdesc_t* at,
                                plait_block** made) {
  int rank = -1;
  if (c->code == PLAIT_SUCCESS) c->code = plait_comm_rank(rt, c->how.among, &rank);
  if (rank == root) read_blocks_of_ranks(rt, c, counts, at, made);
}

void plait_fortran_gatherv(plait_runtime* const* rt, const CFI_cdesc_t* name, const CFI_cdesc_t* x,
                           const CFI_cdesc_t* y, const CFI_cdesc_t* counts, const int* root,
                           const CFI_cdesc_t* at, plait_comm* const* among, int* ierr) {
  struct collective c = begin(name, x, y, among);
  plait_block* blocks = NULL;
  const size_t bytes = (x != NULL ? x : y)->elem_len;
  read_blocks_of_root(*rt, &c, *root, counts, at, &blocks);
  if (c.code == PLAIT_SUCCESS)
    c.code = plait_gatherv(*rt, c.name, c.x, c.y, blocks, bytes, *root, &c.how);
  free(blocks);
  finish(c.code, *rt, ierr);
}

void plait_fortran_scatterv(plait_runtime* const* rt, const CFI_cdesc_t* name, const CFI_cdesc_t* x,
                            const CFI_cdesc_t* y, const CFI_cdesc_t* counts, const int* root,
                            const CFI_cdesc_t* at, plait_comm* const* among, int* ierr) {
  struct collective c = begin(name, x, y, among);
  plait_block* blocks = NULL;
  if (y == NULL) c.y = PLAIT_IN_PLACE;
  read_blocks_of_root(*rt, &c, *root, counts, at, &blocks);
  const size_t bytes = (y != NULL ? y : x)->elem_len;
  if (c.code == PLAIT_SUCCESS)
    c.code = plait_scatterv(*rt, c.name, c.x, blocks, c.y, bytes, *root, &c.how);
  free(blocks);
  finish(c.code, *rt, ierr);
}

void plait_fortran_allgatherv(plait_runtime* const* rt, const CFI_cdesc_t* name,
                              const CFI_cdesc_t* x, const CFI_cdesc_t* y, const CFI_cdesc_t* counts,
                              const CFI_cdesc_t* at, plait_comm* const* among, int* ierr) {
  struct collective c = begin(name, x, y, among);
  plait_block* blocks = NULL;
  read_blocks_of_ranks(*rt, &c, counts, at, &blocks);
  if (c.code == PLAIT_SUCCESS)
    c.code = plait_allgatherv(*rt, c.name, c.x, c.y, blocks, y->elem_len, &c.how);
  free(blocks);
  finish(c.code, *rt, ierr);
}

void plait_fortran_alltoallv(plait_runtime* const* rt, const CFI_cdesc_t* name,
                             const CFI_cdesc_t* x, const CFI_cdesc_t* y, const CFI_cdesc_t* sent,
                             const CFI_cdesc_t* received, const CFI_cdesc_t* sent_at,
                             const CFI_cdesc_t* received_at, plait_comm* const* among, int* ierr) {
  struct collective c = begin(name, x, y, among);
  plait_block *from = NULL, *to = NULL;
  if (x != NULL) read_blocks_of_ranks(*rt, &c, sent, sent_at, &from);
  read_blocks_of_ranks(*rt, &c, received, received_at, &to);
  if (c.code == PLAIT_SUCCESS)
    c.code = plait_alltoallv(*rt, c.name, c.x, from, c.y, to, y->elem_len, &c.how);
  free(from);
  free(to);
  finish(c.code, *rt, ierr);
}

void plait_fortran_reduce_scatter(plait_runtime* const* rt, const CFI_cdesc_t* name,
                                  const CFI_cdesc_t* x, const CFI_cdesc_t* y,
                                  const CFI_cdesc_t* counts, const int* operation,
                                  plait_comm* const* among, int* ierr) {
  struct collective c = begin(name, x, y, among);
  plait_block* blocks = NULL;
  const plait_operation op = combine(x, y, operation, &c);
  read_blocks_of_ranks(*rt, &c, counts, NULL, &blocks);
  if (c.code == PLAIT_SUCCESS)
    c.code = plait_reduce_scatter(*rt, c.name, c.x, blocks, c.y, op, &c.how);
  free(blocks);
  finish(c.code, *rt, ierr);
}

/* --- among neighbours ---------------------------------------------------------------------------
 */

/* Ranks side by side in memory; null where there is not enough memory. */
static int* read_ranks(const CFI_cdesc_t* given, int* count) {
  *count = (int)(given->dim[0].extent > 0 ? given->dim[0].extent : 0);
  int* const ranks = malloc(sizeof *ranks * (size_t)(*count > 0 ? *count : 1));
  for (int i = 0; ranks != NULL && i < *count; ++i) ranks[i] = entry(given, (size_t)i);
  return ranks;
}

/* An operation among neighbours, of equal parts or, with `received`, of blocks. */
static int submit_around(plait_runtime* rt, struct collective* c, int is_all_to_all,
                         const CFI_cdesc_t* sources, const CFI_cdesc_t* destinations,
                         const CFI_cdesc_t* sent, const CFI_cdesc_t* received, size_t bytes) {
  if (c->code != PLAIT_SUCCESS) return c->code;
  plait_neighbours around = {NULL, NULL, 0, 0};
  plait_block *from = NULL, *to = NULL;
  int* const in = read_ranks(sources, &around.source_count);
  int* const out = read_ranks(destinations, &around.destination_count);
  around.sources = in;
  around.destinations = out;
  int code = PLAIT_SUCCESS;
  if (in == NULL || out == NULL) {
    (void)refuse("no memory for its neighbours", c->name);
    code = PLAIT_ERR_MEMORY;
  }
  if (code == PLAIT_SUCCESS && sent != NULL)
    code = read_blocks(sent, NULL, around.destination_count, c->name, &from);
  if (code == PLAIT_SUCCESS && received != NULL)
    code = read_blocks(received, NULL, around.source_count, c->name, &to);
  if (code == PLAIT_SUCCESS) {
    if (is_all_to_all) {
      code = received == NULL ? plait_neighbour_alltoall(rt, c->name, c->x, c->y, &around, &c->how)
                              : plait_neighbour_alltoallv(rt, c->name, c->x, from, c->y, to, bytes,
                                                          &around, &c->how);
    } else {
      code = received == NULL
                 ? plait_neighbour_allgather(rt, c->name, c->x, c->y, &around, &c->how)
                 : plait_neighbour_allgatherv(rt, c->name, c->x, c->y, to, bytes, &around, &c->how);
    }
  }
  free(in);
  free(out);
  free(from);
  free(to);
  return code;
}

void plait_fortran_neighbour_allgather(plait_runtime* const* rt, const CFI_cdesc_t* name,
                                       const CFI_cdesc_t* x, const CFI_cdesc_t* y,
                                       const CFI_cdesc_t* sources, const CFI_cdesc_t* destinations,
                                       plait_comm* const* among, int* ierr) {
  struct collective c = begin(name, x, y, among);
  finish(submit_around(*rt, &c, 0, sources, destinations, NULL, NULL, y->elem_len), *rt, ierr);
}
void plait_fortran_neighbour_allgatherv(plait_runtime* const* rt, const CFI_cdesc_t* name,
                                        const CFI_cdesc_t* x, const CFI_cdesc_t* y,
                                        const CFI_cdesc_t* received, const CFI_cdesc_t* sources,
                                        const CFI_cdesc_t* destinations, plait_comm* const* among,
                                        int* ierr) {
  struct collective c = begin(name, x, y, among);
  finish(submit_around(*rt, &c, 0, sources, destinations, NULL, received, y->elem_len), *rt, ierr);
}
void plait_fortran_neighbour_alltoall(plait_runtime* const* rt, const CFI_cdesc_t* name,
                                      const CFI_cdesc_t* x, const CFI_cdesc_t* y,
                                      const CFI_cdesc_t* sources, const CFI_cdesc_t* destinations,
                                      plait_comm* const* among, int* ierr) {
  struct collective c = begin(name, x, y, among);
  finish(submit_around(*rt, &c, 1, sources, destinations, NULL, NULL, y->elem_len), *rt, ierr);
}
void plait_fortran_neighbour_alltoallv(plait_runtime* const* rt, const CFI_cdesc_t* name,
                                       const CFI_cdesc_t* x, const CFI_cdesc_t* y,
                                       const CFI_cdesc_t* sent, const CFI_cdesc_t* received,
                                       const CFI_cdesc_t* sources, const CFI_cdesc_t* destinations,
                                       plait_comm* const* among, int* ierr) {
  struct collective c = begin(name, x, y, among);
  finish(submit_around(*rt, &c, 1, sources, destinations, sent, received, y->elem_len), *rt, ierr);
}
