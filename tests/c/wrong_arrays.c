/* SPDX-License-Identifier: BSD-3-Clause */
/* Arrays described wrong, once in each way: a code, a text, and the job lives. */
#include "support.h"

/* Arrays.  What one rank says wrong is refused on all ranks, and the text says which rank that was.
 */
void test_wrong_arrays(const struct world* w) {
  enum { width = 4 };
  double u[3][width + 2] = {{0}}, v[3][width + 2] = {{0}};
  plait_mover* mover = NULL;
  plait_array good = PLAIT_ARRAY_INIT;
  good.axes = 2;
  good.element_bytes = sizeof(double);
  good.cells[0] = w->size;
  good.cells[1] = width;
  good.ghosts[0] = good.ghosts[1] = 1;
  const int64_t first[2] = {w->rank, 0}, cells[2] = {1, width};
  const plait_array_block mine = plait_array_block_in(&good, u, first, cells);
  const plait_array_block other = plait_array_block_in(&good, v, first, cells);
  plait_array_block twice[2];
  twice[0] = mine, twice[1] = other;
  good.blocks = &mine;
  good.block_count = 1;
  plait_array bad = good;
  plait_array_block block = mine;
  plait_ghost_options options = PLAIT_GHOST_OPTIONS_INIT;
#define WRONG(words, call) REFUSED(PLAIT_ERR_USAGE, words, call)
#define NO_GHOSTS(words)                                       \
  do {                                                         \
    WRONG(words, plait_ghosts(w->rt, &bad, &options, &mover)); \
    bad = good;                                                \
  } while (0)
  WRONG("null", plait_ghosts(w->rt, NULL, NULL, &mover));
  WRONG("null", plait_ghosts(w->rt, &good, NULL, NULL));
  bad.axes = 5;
  NO_GHOSTS("5 axes");
  bad.element_bytes = 0;
  NO_GHOSTS("0 bytes");
  bad.cells[1] = 0;
  NO_GHOSTS("0 cells along axis 1");
  bad.cells[0] = bad.cells[1] = (int64_t)1 << 40;
  NO_GHOSTS("counted");
  bad.ghosts[0] = -1;
  NO_GHOSTS("-1 layers of ghosts along axis 0");
  bad.block_count = -1;
  NO_GHOSTS("-1 blocks");
  bad.blocks = NULL;
  NO_GHOSTS("list of blocks");
  bad.block_count = 0;
  NO_GHOSTS("no rank has a block");
  bad.block_count = 2;
  bad.blocks = twice;
  NO_GHOSTS("share cell");
  if (w->rank == 0) bad.block_count = 0;
  NO_GHOSTS("cells; they must have all");
  bad.blocks = &block;
  block.begin = NULL;
  NO_GHOSTS("block 0: its memory begins at a null pointer");
  bad.blocks = &block;
  block = mine;
  block.first[1] = 1;
  NO_GHOSTS("4 cells from 1 along axis 1 leave the array's 4");
  bad.blocks = &block;
  block = mine;
  block.cells[1] = 0;
  NO_GHOSTS("0 cells along axis 1");
  bad.blocks = &block;
  block = mine;
  block.stride[0] = 16;
  NO_GHOSTS("a stride of 16 bytes along axis 0");
  options.boundary = 3;
  NO_GHOSTS("boundary 3");
  options.boundary = PLAIT_BOUNDARY_VALUE;
  NO_GHOSTS("value");
  options.boundary = PLAIT_BOUNDARY_KEPT;

  /* on one rank alone */
  if (w->rank == 1) bad.element_bytes = 4;
  NO_GHOSTS("ranks 0 and 1 differ: the size of an element is 8 and 4");
  if (w->rank == 1) bad.periodic[1] = 1;
  NO_GHOSTS("being periodic along axis 1 is 0 and 1");
  if (w->rank == 1) options.corners = 1;
  NO_GHOSTS("corners is 0 and 1");
  options.corners = 0;
  if (w->rank == 1) bad.axes = -3;
  NO_GHOSTS(w->rank == 1 ? "plait_ghosts: -3 axes" : "plait_ghosts: rank 1: plait_ghosts: -3 axes");
  if (w->rank == 1) bad.struct_size = 0;
  REFUSED(w->rank == 1 ? PLAIT_ERR_VERSION : PLAIT_ERR_USAGE, "struct_size",
          plait_ghosts(w->rt, &bad, NULL, &mover));
  bad = good;
  options.struct_size = 1;
  REFUSED(PLAIT_ERR_VERSION, "plait_ghost_options", plait_ghosts(w->rt, &good, &options, &mover));

  /* the elements of four axes have no room for a gap */
  bad = good;
  bad.axes = 4;
  bad.cells[2] = bad.cells[3] = 2;
  block = mine;
  block.cells[2] = block.cells[3] = 2;
  block.stride[0] = 1024, block.stride[1] = 128, block.stride[2] = 64, block.stride[3] = 16;
  bad.blocks = &block;
  WRONG("four axes", plait_ghosts(w->rt, &bad, NULL, &mover));

  bad = good;
  bad.blocks = &other;
  bad.cells[1] = width + 1;
  WRONG("plait_redistribution: the number of cells along axis 1 is 4 in the source and 5",
        plait_redistribution(w->rt, &good, &bad, NULL, &mover));
  bad.cells[1] = width;
  bad.element_bytes = 4;
  WRONG("the size of an element", plait_redistribution(w->rt, &good, &bad, NULL, &mover));
  WRONG("null", plait_redistribution(w->rt, &good, NULL, NULL, &mover));
  bad.element_bytes = 8;
  bad.block_count = 0;
  WRONG("the blocks have 0 of the domain's",
        plait_redistribution(w->rt, &good, &bad, NULL, &mover));
  bad.axes = 0;
  WRONG("target: 0 axes", plait_redistribution(w->rt, &good, &bad, NULL, &mover));
  if (w->rank == 0)
    WRONG("differ: the kind of move is 1 and 2", plait_ghosts(w->rt, &good, NULL, &mover));
  else
    WRONG("differ: the kind of move is 1 and 2",
          plait_redistribution(w->rt, &good, &good, NULL, &mover));

  EQUAL(1, mover == NULL);
  WRONG("mover", plait_move(w->rt, NULL));
  WRONG("null", plait_mover_free(NULL));
  DO(plait_mover_free(&mover));
}

/* A mover that outlives its runtime. */
plait_mover* left_mover(const struct world* w) {
  static double x[4];
  plait_mover* mover = NULL;
  plait_array all = PLAIT_ARRAY_INIT;
  plait_array_block block = {{0}, {4}, {sizeof x[0]}, x};
  all.axes = 1;
  all.cells[0] = 4;
  all.element_bytes = sizeof x[0];
  all.blocks = &block;
  all.block_count = w->rank == 0;
  DO(plait_ghosts(w->rt, &all, NULL, &mover));
  DO(plait_move(w->rt, mover));
  return mover;
}
