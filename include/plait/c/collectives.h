/* SPDX-License-Identifier: BSD-3-Clause */
/* Collective operations of plait's C interface; plait/plait.h includes this.

   All ranks (of the communicator) submit the same operations in the same order, with sizes that fit
   as MPI wants them.  No call waits.  Each buffer is memory whose size says how much there is: a
   range, or a box, which counts row by row, the first axis fastest.  PLAIT_IN_PLACE as input: the
   result replaces what is in the output, as with MPI_IN_PLACE.  PLAIT_NOTHING for what only the
   root has. */
#ifndef PLAIT_C_COLLECTIVES_H
#define PLAIT_C_COLLECTIVES_H

#include <plait/plait.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PLAIT_IN_PLACE plait_bytes((const void*)(uintptr_t)-1, 0)
#define PLAIT_NOTHING plait_bytes((const void*)0, 0)

enum plait_type {
  PLAIT_INT8 = 1,
  PLAIT_UINT8 = 2,
  PLAIT_INT16 = 3,
  PLAIT_UINT16 = 4,
  PLAIT_INT32 = 5,
  PLAIT_UINT32 = 6,
  PLAIT_INT64 = 7,
  PLAIT_UINT64 = 8,
  PLAIT_FLOAT = 9,
  PLAIT_DOUBLE = 10,
  PLAIT_FLOAT_COMPLEX = 11, /* sum and product only */
  PLAIT_DOUBLE_COMPLEX = 12
};
enum plait_combination {
  PLAIT_FUNCTION = 0,
  PLAIT_SUM = 1,
  PLAIT_PRODUCT = 2,
  PLAIT_MIN = 3,
  PLAIT_MAX = 4
};

/* Combines `count` elements: result[i] = left[i] op right[i].  `result` is `left` or `right`.
   Associative.  Called by any thread. */
typedef void (*plait_combine)(const void* left, const void* right, void* result, size_t count,
                              void* argument);

typedef struct plait_operation {
  int combination; /* enum plait_combination */
  int type;        /* enum plait_type; of a function nothing */
  plait_combine function;
  size_t element_bytes; /* of a function */
  void* argument;       /* of a function */
} plait_operation;

/* plait_sum(PLAIT_DOUBLE) and others. */
static inline plait_operation plait_combined(int combination, int type) {
  plait_operation op = {combination, type, (plait_combine)0, 0, (void*)0};
  return op;
}
#define plait_sum(type) plait_combined(PLAIT_SUM, (type))
#define plait_product(type) plait_combined(PLAIT_PRODUCT, (type))
#define plait_min(type) plait_combined(PLAIT_MIN, (type))
#define plait_max(type) plait_combined(PLAIT_MAX, (type))
/* A function of the program's own on elements of so many bytes. */
static inline plait_operation plait_combined_by(plait_combine function, size_t element_bytes,
                                                void* argument) {
  plait_operation op = {PLAIT_FUNCTION, 0, function, element_bytes, argument};
  return op;
}

enum plait_back_end { PLAIT_BY_SCHEDULES = 0, PLAIT_BY_LIBRARY = 1 };

/* What is 0 is chosen by plait.  Where a call takes a pointer to these, null means
 * PLAIT_COLLECTIVE_INIT. */
typedef struct plait_collective {
  size_t struct_size;
  plait_comm* among;     /* null: all ranks */
  const char* algorithm; /* such as "ring"; null: chosen */
  size_t fragment_bytes;
  int keeps_order; /* not 0: a op b is not b op a */
  int back_end;    /* enum plait_back_end */
} plait_collective;
#define PLAIT_COLLECTIVE_INIT \
  { sizeof(plait_collective), 0, 0, 0, 0, 0 }

/* A block of a buffer, in elements. */
typedef struct plait_block {
  size_t count;
  size_t displacement;
} plait_block;

/* Whom a rank exchanges with, as MPI_Dist_graph_create_adjacent takes them; PLAIT_NOBODY is a
 * missing one. */
typedef struct plait_neighbours {
  const int* sources;
  const int* destinations;
  int source_count;
  int destination_count;
} plait_neighbours;

/* Waits for all ranks, as a task that reads and writes `orders`. */
int plait_barrier(plait_runtime* rt, const char* name, plait_memory orders,
                  const plait_collective* how);
int plait_bcast(plait_runtime* rt, const char* name, plait_memory data, int root,
                const plait_collective* how);

int plait_reduce(plait_runtime* rt, const char* name, plait_memory from, plait_memory to,
                 plait_operation op, int root, const plait_collective* how);
int plait_allreduce(plait_runtime* rt, const char* name, plait_memory from, plait_memory to,
                    plait_operation op, const plait_collective* how);
/* Prefixes; of exscan without the rank's own, and rank 0's result is not touched. */
int plait_scan(plait_runtime* rt, const char* name, plait_memory from, plait_memory to,
               plait_operation op, const plait_collective* how);
int plait_exscan(plait_runtime* rt, const char* name, plait_memory from, plait_memory to,
                 plait_operation op, const plait_collective* how);
/* Block r of the combined `from` goes to rank r; all ranks name the same sizes. */
int plait_reduce_scatter(plait_runtime* rt, const char* name, plait_memory from,
                         const plait_block* blocks, plait_memory to, plait_operation op,
                         const plait_collective* how);
int plait_reduce_scatter_block(plait_runtime* rt, const char* name, plait_memory from,
                               plait_memory to, plait_operation op, const plait_collective* how);

/* Parts of one size.  In place: `from` is PLAIT_IN_PLACE where the rank's own part is in its place
   in `to`; of scatter, `to` is PLAIT_IN_PLACE on the root, whose part stays where it is. */
int plait_gather(plait_runtime* rt, const char* name, plait_memory from, plait_memory to, int root,
                 const plait_collective* how);
int plait_scatter(plait_runtime* rt, const char* name, plait_memory from, plait_memory to, int root,
                  const plait_collective* how);
int plait_allgather(plait_runtime* rt, const char* name, plait_memory from, plait_memory to,
                    const plait_collective* how);
int plait_alltoall(plait_runtime* rt, const char* name, plait_memory from, plait_memory to,
                   const plait_collective* how);

/* Parts of different sizes: a block for each rank of the communicator, in elements of
   `element_bytes`.  Of gatherv and scatterv null elsewhere than on the root.  Of alltoallv in place
   `sent` is not read. */
int plait_gatherv(plait_runtime* rt, const char* name, plait_memory from, plait_memory to,
                  const plait_block* blocks, size_t element_bytes, int root,
                  const plait_collective* how);
int plait_scatterv(plait_runtime* rt, const char* name, plait_memory from,
                   const plait_block* blocks, plait_memory to, size_t element_bytes, int root,
                   const plait_collective* how);
int plait_allgatherv(plait_runtime* rt, const char* name, plait_memory from, plait_memory to,
                     const plait_block* blocks, size_t element_bytes, const plait_collective* how);
int plait_alltoallv(plait_runtime* rt, const char* name, plait_memory from, const plait_block* sent,
                    plait_memory to, const plait_block* received, size_t element_bytes,
                    const plait_collective* how);

/* Among neighbours: a part, or a block, for each destination and of each source. */
int plait_neighbour_allgather(plait_runtime* rt, const char* name, plait_memory from,
                              plait_memory to, const plait_neighbours* around,
                              const plait_collective* how);
int plait_neighbour_allgatherv(plait_runtime* rt, const char* name, plait_memory from,
                               plait_memory to, const plait_block* received, size_t element_bytes,
                               const plait_neighbours* around, const plait_collective* how);
int plait_neighbour_alltoall(plait_runtime* rt, const char* name, plait_memory from,
                             plait_memory to, const plait_neighbours* around,
                             const plait_collective* how);
int plait_neighbour_alltoallv(plait_runtime* rt, const char* name, plait_memory from,
                              const plait_block* sent, plait_memory to, const plait_block* received,
                              size_t element_bytes, const plait_neighbours* around,
                              const plait_collective* how);

#ifdef __cplusplus
}
#endif

#endif
