/* SPDX-License-Identifier: BSD-3-Clause */
/* The program heat.c on a grid of blocks, with ghosts on all four sides.  plait_ghosts plans the
   messages once.  The columns that are sent lie in the array with gaps, and no line packs them. */
#include <mpi.h>
#include <plait/plait.h>
#include <stdio.h>
#include <stdlib.h>

enum { width = 200, height = 120, steps = 100, tile_rows = 24, tile_columns = 40 };

struct tile { /* cells of a block, counted from its first ghost */
  const double* from;
  double* to;
  int row; /* cells of a row in memory */
  int y1, y2, x1, x2;
};

static int relax(void* argument) {
  const struct tile* t = argument;
  for (int y = t->y1; y < t->y2; ++y)
    for (int x = t->x1; x < t->x2; ++x) {
      const double* c = &t->from[y * t->row + x];
      t->to[y * t->row + x] = 0.25 * (c[-1] + c[1] + c[-t->row] + c[t->row]);
    }
  return 0;
}

static plait_runtime* rt;

static void expect(int code) {
  if (code != PLAIT_SUCCESS) plait_abort(rt, plait_error_text());
}

/* The cells of a tile, and `around` more on each side. */
static plait_memory cells_of(const double* u, const struct tile* t, int around) {
  return plait_rows(&u[(t->y1 - around) * t->row + t->x1 - around],
                    (size_t)(t->x2 - t->x1 + 2 * around) * sizeof *u, t->y2 - t->y1 + 2 * around,
                    (int64_t)sizeof *u * t->row);
}

static int smaller(int a, int b) {
  return a < b ? a : b;
}

static void step(plait_mover* ghosts, struct tile block) {
  expect(plait_move(rt, ghosts)); /* returns at once */
  for (int y = block.y1; y < block.y2; y += tile_rows)
    for (int x = block.x1; x < block.x2; x += tile_columns) {
      struct tile t = block;
      t.y1 = y, t.y2 = smaller(y + tile_rows, block.y2);
      t.x1 = x, t.x2 = smaller(x + tile_columns, block.x2);
      expect(plait_task(rt, "relax", relax, t, plait_in(cells_of(t.from, &t, 1)),
                        plait_out(cells_of(t.to, &t, 0))));
    }
}

int main(int argc, char** argv) {
  int rank, size, provided, grid[2] = {0, 0};
  plait_prepare();
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Dims_create(size, 2, grid);
  expect(plait_init(MPI_COMM_WORLD, NULL, &rt));

  plait_array plate = PLAIT_ARRAY_INIT;
  plate.axes = 2;
  plate.element_bytes = sizeof(double);
  plate.cells[0] = height, plate.cells[1] = width;
  plate.ghosts[0] = plate.ghosts[1] = 1;
  const int place[2] = {rank / grid[1], rank % grid[1]};
  int64_t first[2], cells[2]; /* this rank's block */
  for (int k = 0; k < 2; ++k) {
    first[k] = plate.cells[k] * place[k] / grid[k];
    cells[k] = plate.cells[k] * (place[k] + 1) / grid[k] - first[k];
  }

  double* at[2]; /* u and v */
  plait_mover* ghosts[2];
  const int row = (int)cells[1] + 2;
  for (int i = 0; i < 2; ++i) {
    at[i] = calloc((size_t)((cells[0] + 2) * row), sizeof(double));
    for (int x = 0; first[0] == 0 && x < row; ++x) at[i][x] = 1; /* the wall */
    const plait_array_block block = plait_array_block_in(&plate, at[i], first, cells);
    plate.blocks = &block;
    plate.block_count = 1;
    expect(plait_ghosts(rt, &plate, NULL, &ghosts[i]));
  }

  /* The first and the last column of the plate stay cold. */
  const int x1 = first[1] == 0 ? 2 : 1, x2 = row - (first[1] + cells[1] == width ? 2 : 1);
  const struct tile there = {at[0], at[1], row, 1, (int)cells[0] + 1, x1, x2};
  const struct tile back = {at[1], at[0], row, 1, (int)cells[0] + 1, x1, x2};
  plait_graph* there_and_back;
  expect(plait_record_begin(rt));
  step(ghosts[0], there);
  step(ghosts[1], back);
  expect(plait_record_end(rt, &there_and_back));
  expect(plait_replay(rt, there_and_back, steps / 2));
  expect(plait_graph_free(&there_and_back)); /* waits */

  int64_t mine = 0, all = 0;
  for (int y = 1; y <= cells[0]; ++y)
    for (int x = 1; x <= cells[1]; ++x) mine += (int64_t)(1e6 * at[0][y * row + x]);
  expect(plait_reduce(rt, "heat", plait_bytes(&mine, sizeof mine), plait_bytes(&all, sizeof all),
                      plait_sum(PLAIT_INT64), 0, NULL));
  expect(plait_wait(rt));
  if (rank == 0) printf("heat in the plate: %ld millionths\n", (long)all);
  for (int i = 0; i < 2; ++i) {
    expect(plait_mover_free(&ghosts[i]));
    free(at[i]);
  }
  expect(plait_finalize(&rt));
  MPI_Finalize();
  return 0;
}
