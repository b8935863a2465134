/* SPDX-License-Identifier: BSD-3-Clause */
/* Arrays of the program's own that are divided among ranks, and moves of their cells: into ghosts,
   or to another division.  Of plait's C interface; plait/plait.h includes this. */
#ifndef PLAIT_C_ARRAYS_H
#define PLAIT_C_ARRAYS_H

#include <plait/plait.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct plait_mover plait_mover;

/* A block of this rank's: a box of the array's cells, and where they lie.  Its ghosts lie around
   them, at the same strides. */
typedef struct plait_array_block {
  int64_t first[PLAIT_AXES];  /* the first own cell: its place in the whole array, from 0 */
  int64_t cells[PLAIT_AXES];  /* own cells */
  int64_t stride[PLAIT_AXES]; /* bytes from a cell to the next along each axis; of any sign */
  void* begin;                /* the first own cell, not a ghost */
} plait_array_block;

/* An array of up to four axes, in any order that is the same on all ranks.  The blocks of all ranks
   together are the array: each cell is in one of them. */
typedef struct plait_array {
  size_t struct_size;
  int axes;
  int block_count; /* of this rank; may be 0 */
  const plait_array_block* blocks;
  size_t element_bytes;
  int64_t cells[PLAIT_AXES];  /* of the whole array */
  int64_t ghosts[PLAIT_AXES]; /* layers of ghosts on either side of each block */
  int periodic[PLAIT_AXES];   /* not 0: behind the last cell comes the first */
} plait_array;
#define PLAIT_ARRAY_INIT                                           \
  {                                                                \
    sizeof(plait_array), 0, 0, 0, 0, {0, 0, 0, 0}, {0, 0, 0, 0}, { \
      0, 0, 0, 0                                                   \
    }                                                              \
  }

/* Returns a block that lies in one piece with its ghosts, which begins at `memory`: the last axis
   is the fastest, as in double u[z][y][x].  `of` has its axes, element_bytes and ghosts. */
static inline plait_array_block plait_array_block_in(const plait_array* of, const void* memory,
                                                     const int64_t* first, const int64_t* cells) {
  plait_array_block b = {{0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}, (void*)(uintptr_t)memory};
  int64_t stride = (int64_t)of->element_bytes, corner = 0;
  for (int k = of->axes < PLAIT_AXES ? of->axes - 1 : PLAIT_AXES - 1; k >= 0; --k) {
    b.first[k] = first[k];
    b.cells[k] = cells[k];
    b.stride[k] = stride;
    corner += of->ghosts[k] * stride;
    stride *= cells[k] + 2 * of->ghosts[k];
  }
  if (memory != NULL) b.begin = (char*)b.begin + corner;
  return b;
}

enum plait_boundary {
  PLAIT_BOUNDARY_KEPT = 0,    /* ghosts behind the end of the array stay as they are */
  PLAIT_BOUNDARY_NEAREST = 1, /* have the value of the nearest cell */
  PLAIT_BOUNDARY_VALUE = 2    /* have one value */
};

typedef struct plait_ghost_options {
  size_t struct_size;
  const char* name;  /* in tasks, messages and traces; null: "ghosts" */
  int corners;       /* not 0: ghosts at edges and corners too, for 9- and 27-point stencils */
  int boundary;      /* enum plait_boundary; without effect along periodic axes */
  const void* value; /* of PLAIT_BOUNDARY_VALUE: an element, which is copied */
  int message_a_box; /* not 0: a message for each box, not one for each rank */
  int reserved;
} plait_ghost_options;
#define PLAIT_GHOST_OPTIONS_INIT \
  { sizeof(plait_ghost_options), 0, 0, 0, 0, 0, 0 }

/* Plans the move that fills the ghosts of all blocks.  All ranks of the runtime call this, and give
   the same but for their own blocks, names and values: a difference, or blocks that do not make up
   the array, is PLAIT_ERR_USAGE on every rank.  Waits as `plait_wait`.  The memory must stay where
   it is until the mover has been freed and what used it has finished.  `options` may be null. */
int plait_ghosts(plait_runtime* rt, const plait_array* of, const plait_ghost_options* options,
                 plait_mover** made);
/* Plans the move that brings every cell to where it is in `to`: another division of as many cells,
   or one block on one rank, whose ghosts stay as they are.  All ranks call this; otherwise as
   `plait_ghosts`.  The two have no memory in common.  A null name is "redistribute". */
int plait_redistribution(plait_runtime* rt, const plait_array* from, const plait_array* to,
                         const char* name, plait_mover** made);
/* Submits the messages and copies of a move, and returns.  They wait for earlier tasks that write
   what they read, and later tasks wait for those alone that bring what they read.  All ranks submit
   their movers in the same order.  In a recording each iteration moves. */
int plait_move(plait_runtime* rt, plait_mover* mover);
/* Gives the handle back and sets the pointer to null.  Moves in flight and recordings go on.
   Before `plait_finalize`, or after. */
int plait_mover_free(plait_mover** one);

#ifdef __cplusplus
}
#endif

#endif
