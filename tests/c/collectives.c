/* SPDX-License-Identifier: BSD-3-Clause */
/* Each collective operation, against a closed form; then in place, among some ranks, by a function
   and by the MPI library. */
#include "support.h"

enum { most_ranks = 16, n = 5, most = most_ranks * n };

/* What rank r gives at place i. */
static int64_t given(int rank, int i) {
  return 1000 * rank + 7 * i + 1;
}
static int64_t sum_to(int ranks, int i) {
  int64_t sum = 0;
  for (int r = 0; r < ranks; ++r) sum += given(r, i);
  return sum;
}
static void give(int rank, int64_t* x, int count) {
  for (int i = 0; i < count; ++i) x[i] = given(rank, i);
}
static plait_memory of(const int64_t* x, int count) {
  return plait_bytes(x, (size_t)count * sizeof *x);
}
#define INTO(x, count) of((x), (count))

static void test_reductions(const struct world* w, const plait_collective* how) {
  int64_t x[n], y[n];
  const plait_operation plus = plait_sum(PLAIT_INT64);
  const int root = w->size - 1;
  give(w->rank, x, n);
  DO(plait_allreduce(w->rt, "all", of(x, n), INTO(y, n), plus, how));
  DO(plait_wait(w->rt));
  for (int i = 0; i < n; ++i) EQUAL(sum_to(w->size, i), y[i]);

  DO(plait_allreduce(w->rt, "in place", PLAIT_IN_PLACE, INTO(x, n), plus, how));
  DO(plait_wait(w->rt));
  for (int i = 0; i < n; ++i) EQUAL(sum_to(w->size, i), x[i]);

  give(w->rank, x, n);
  memset(y, 0, sizeof y);
  DO(plait_reduce(w->rt, "to one", of(x, n), w->rank == root ? INTO(y, n) : PLAIT_NOTHING, plus,
                  root, how));
  DO(plait_wait(w->rt));
  for (int i = 0; i < n; ++i) EQUAL(w->rank == root ? sum_to(w->size, i) : 0, y[i]);

  DO(plait_reduce(w->rt, "largest", w->rank == root ? PLAIT_IN_PLACE : of(x, n),
                  w->rank == root ? INTO(x, n) : PLAIT_NOTHING, plait_max(PLAIT_INT64), root, how));
  DO(plait_wait(w->rt));
  for (int i = 0; i < n; ++i) EQUAL(given(w->rank, i), x[i]);

  DO(plait_scan(w->rt, "prefix", of(x, n), INTO(y, n), plus, how));
  DO(plait_wait(w->rt));
  for (int i = 0; i < n; ++i) EQUAL(sum_to(w->rank + 1, i), y[i]);
  memset(y, 0, sizeof y);
  DO(plait_exscan(w->rt, "exclusive", of(x, n), INTO(y, n), plus, how));
  DO(plait_wait(w->rt));
  for (int i = 0; i < n; ++i) EQUAL(sum_to(w->rank, i), y[i]);

  int64_t all[most];
  give(w->rank, all, n * w->size);
  DO(plait_reduce_scatter_block(w->rt, "parts", of(all, n * w->size), INTO(y, n), plus, how));
  DO(plait_wait(w->rt));
  for (int i = 0; i < n; ++i) EQUAL(sum_to(w->size, w->rank * n + i), y[i]);

  plait_block blocks[most_ranks];
  for (int r = 0; r < w->size; ++r) {
    blocks[r].count = r % 2 ? n : 1;
    blocks[r].displacement = (size_t)(r * n);
  }
  const int own = (int)blocks[w->rank].count;
  DO(plait_reduce_scatter(w->rt, "blocks", of(all, n * w->size), blocks, INTO(y, own), plus, how));
  DO(plait_wait(w->rt));
  for (int i = 0; i < own; ++i) EQUAL(sum_to(w->size, w->rank * n + i), y[i]);
}

static void test_parts(const struct world* w, const plait_collective* how) {
  int64_t x[most], y[most], z[most];
  const int all = n * w->size, root = w->size / 2;
  give(w->rank, x, all);
  DO(plait_allgather(w->rt, "all", of(x, n), INTO(y, all), how));
  DO(plait_wait(w->rt));
  for (int i = 0; i < all; ++i) EQUAL(given(i / n, i % n), y[i]);

  memset(y, 0, sizeof y);
  DO(plait_gather(w->rt, "to one", of(x, n), w->rank == root ? INTO(y, all) : PLAIT_NOTHING, root,
                  how));
  DO(plait_wait(w->rt));
  for (int i = 0; i < all; ++i) EQUAL(w->rank == root ? given(i / n, i % n) : 0, y[i]);

  DO(plait_scatter(w->rt, "from one", w->rank == root ? of(x, all) : PLAIT_NOTHING, INTO(y, n),
                   root, how));
  DO(plait_wait(w->rt));
  for (int i = 0; i < n; ++i) EQUAL(given(root, w->rank * n + i), y[i]);
  DO(plait_scatter(w->rt, "from one, in place", w->rank == root ? of(x, all) : PLAIT_NOTHING,
                   w->rank == root ? PLAIT_IN_PLACE : INTO(z, n), root, how));
  DO(plait_wait(w->rt));
  for (int i = 0; i < n; ++i) EQUAL(given(root, w->rank * n + i), w->rank == root ? y[i] : z[i]);

  DO(plait_alltoall(w->rt, "each to each", of(x, all), INTO(y, all), how));
  DO(plait_wait(w->rt));
  for (int i = 0; i < all; ++i) EQUAL(given(i / n, w->rank * n + i % n), y[i]);
  DO(plait_alltoall(w->rt, "in place", PLAIT_IN_PLACE, INTO(x, all), how));
  DO(plait_wait(w->rt));
  for (int i = 0; i < all; ++i) EQUAL(y[i], x[i]);

  if (w->rank == root) give(root, z, n);
  DO(plait_bcast(w->rt, "one's", INTO(z, n), root, how));
  DO(plait_barrier(w->rt, "all", INTO(z, n), how));
  DO(plait_wait(w->rt));
  for (int i = 0; i < n; ++i) EQUAL(given(root, i), z[i]);
}

/* Rank r has r % 3 elements for anyone; blocks lie apart. */
static void test_blocks(const struct world* w, const plait_collective* how) {
  int64_t x[most], y[most];
  plait_block theirs[most_ranks], mine[most_ranks];
  const int all = n * w->size, root = 0, own = w->rank % 3;
  for (int r = 0; r < w->size; ++r) {
    theirs[r].count = (size_t)(r % 3);
    mine[r].count = (size_t)own;
    theirs[r].displacement = mine[r].displacement = (size_t)(r * n);
  }
  give(w->rank, x, all);
  memset(y, 0, sizeof y);
  DO(plait_allgatherv(w->rt, "all", of(x, own), INTO(y, all), theirs, sizeof *x, how));
  DO(plait_wait(w->rt));
  for (int i = 0; i < all; ++i) EQUAL(i % n < i / n % 3 ? given(i / n, i % n) : 0, y[i]);

  memset(y, 0, sizeof y);
  DO(plait_gatherv(w->rt, "to one", of(x, own), w->rank == root ? INTO(y, all) : PLAIT_NOTHING,
                   w->rank == root ? theirs : NULL, sizeof *x, root, how));
  DO(plait_wait(w->rt));
  for (int i = 0; i < all; ++i)
    EQUAL(w->rank == root && i % n < i / n % 3 ? given(i / n, i % n) : 0, y[i]);

  memset(y, 0, sizeof y);
  DO(plait_scatterv(w->rt, "from one", w->rank == root ? of(x, all) : PLAIT_NOTHING,
                    w->rank == root ? theirs : NULL, INTO(y, own), sizeof *x, root, how));
  DO(plait_wait(w->rt));
  for (int i = 0; i < own; ++i) EQUAL(given(root, w->rank * n + i), y[i]);

  memset(y, 0, sizeof y);
  DO(plait_alltoallv(w->rt, "each to each", of(x, all), mine, INTO(y, all), theirs, sizeof *x,
                     how));
  DO(plait_wait(w->rt));
  for (int i = 0; i < all; ++i)
    EQUAL(i % n < i / n % 3 ? given(i / n, w->rank * n + i % n) : 0, y[i]);
}

static void test_neighbours(const struct world* w) {
  int64_t x[2 * n], y[2 * n];
  const int left = w->rank > 0 ? w->rank - 1 : PLAIT_NOBODY;
  const int right = w->rank + 1 < w->size ? w->rank + 1 : MPI_PROC_NULL;
  const int both[2] = {left, right};
  const plait_neighbours around = {both, both, 2, 2};
  give(w->rank, x, 2 * n);
  memset(y, 0, sizeof y);
  DO(plait_neighbour_alltoall(w->rt, "halo", of(x, 2 * n), INTO(y, 2 * n), &around, NULL));
  DO(plait_wait(w->rt));
  for (int i = 0; i < n; ++i) {
    EQUAL(w->rank > 0 ? given(w->rank - 1, n + i) : 0, y[i]);
    EQUAL(w->rank + 1 < w->size ? given(w->rank + 1, i) : 0, y[n + i]);
  }
  memset(y, 0, sizeof y);
  DO(plait_neighbour_allgather(w->rt, "own", of(x, n), INTO(y, 2 * n), &around, NULL));
  DO(plait_wait(w->rt));
  EQUAL(w->rank > 0 ? given(w->rank - 1, 2) : 0, y[2]);
  const plait_block blocks[2] = {{2, 0}, {n, n}}, others[2] = {{n, 0}, {2, n}};
  memset(y, 0, sizeof y);
  DO(plait_neighbour_alltoallv(w->rt, "blocks", of(x, 2 * n), blocks, INTO(y, 2 * n), others,
                               sizeof *x, &around, NULL));
  DO(plait_wait(w->rt));
  for (int i = 0; i < n; ++i) EQUAL(w->rank > 0 ? given(w->rank - 1, n + i) : 0, y[i]);
  for (int i = 0; i < 2; ++i) EQUAL(w->rank + 1 < w->size ? given(w->rank + 1, i) : 0, y[n + i]);
  const plait_block own[2] = {{n, 0}, {n, n}};
  memset(y, 0, sizeof y);
  DO(plait_neighbour_allgatherv(w->rt, "lists", of(x, n), INTO(y, 2 * n), own, sizeof *x, &around,
                                NULL));
  DO(plait_wait(w->rt));
  EQUAL(w->rank + 1 < w->size ? given(w->rank + 1, 3) : 0, y[n + 3]);
}

/* 2x2 matrices, whose product depends on the order. */
static void multiply(const void* left, const void* right, void* result, size_t count,
                     void* argument) {
  for (size_t k = 0; k < count; ++k) {
    const int64_t *a = (const int64_t*)left + 4 * k, *b = (const int64_t*)right + 4 * k;
    const int64_t c[4] = {a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3],
                          a[2] * b[0] + a[3] * b[2], a[2] * b[1] + a[3] * b[3]};
    memcpy((int64_t*)result + 4 * k, c, sizeof c);
  }
  __atomic_fetch_add((int*)argument, 1, __ATOMIC_RELAXED);
}

static void test_functions_and_types(const struct world* w) {
  int calls = 0;
  int64_t own[8], got[8], expected[8] = {1, 0, 0, 1, 1, 0, 0, 1};
  plait_collective ordered = PLAIT_COLLECTIVE_INIT;
  ordered.keeps_order = 1;
  for (int r = 0; r < w->size; ++r) {
    const int64_t one[8] = {1, r + 1, 0, 1, 2, 1, r % 2, 1};
    if (r == w->rank) memcpy(own, one, sizeof own);
    multiply(expected, one, expected, 2, &calls);
  }
  DO(plait_allreduce(w->rt, "product of matrices", plait_bytes(own, sizeof own),
                     plait_bytes(got, sizeof got),
                     plait_combined_by(multiply, 4 * sizeof(int64_t), &calls), &ordered));
  DO(plait_wait(w->rt));
  for (int i = 0; i < 8; ++i) EQUAL(expected[i], got[i]);

  float f = (float)(w->rank + 1), least = 0;
  double z[2] = {0, 1}, power[2]; /* i to the number of ranks */
  uint8_t b = (uint8_t)w->rank, largest = 255;
  DO(plait_allreduce(w->rt, "least", plait_bytes(&f, sizeof f), plait_bytes(&least, sizeof least),
                     plait_min(PLAIT_FLOAT), NULL));
  DO(plait_allreduce(w->rt, "power", plait_bytes(z, sizeof z), plait_bytes(power, sizeof power),
                     plait_product(PLAIT_DOUBLE_COMPLEX), NULL));
  DO(plait_allreduce(w->rt, "largest", plait_bytes(&b, 1), plait_bytes(&largest, 1),
                     plait_max(PLAIT_UINT8), NULL));
  DO(plait_wait(w->rt));
  EQUAL(1, least);
  EQUAL(w->size - 1, largest);
  const double real[4] = {1, 0, -1, 0}, imaginary[4] = {0, 1, 0, -1};
  EQUAL(real[w->size % 4], power[0]);
  EQUAL(imaginary[w->size % 4], power[1]);

  /* a column of a matrix */
  double matrix[4][3], summed[4] = {0, 0, 0, 0};
  for (int i = 0; i < 4; ++i) matrix[i][1] = w->rank + i;
  DO(plait_allreduce(w->rt, "column",
                     plait_rows(&matrix[0][1], sizeof(double), 4, sizeof matrix[0]),
                     plait_bytes(summed, sizeof summed), plait_sum(PLAIT_DOUBLE), NULL));
  DO(plait_wait(w->rt));
  for (int i = 0; i < 4; ++i) EQUAL(w->size * (w->size - 1) / 2 + i * w->size, summed[i]);
}

void test_collectives(const struct world* w) {
  plait_collective by_library = PLAIT_COLLECTIVE_INIT, among = PLAIT_COLLECTIVE_INIT;
  by_library.back_end = PLAIT_BY_LIBRARY;
  test_reductions(w, NULL);
  test_parts(w, NULL);
  test_blocks(w, NULL);
  test_reductions(w, &by_library);
  test_parts(w, &by_library);
  test_neighbours(w);
  test_functions_and_types(w);

  DO(plait_split(w->rt, NULL, "parity", w->rank % 2, w->rank, &among.among));
  struct world part = *w;
  DO(plait_comm_rank(w->rt, among.among, &part.rank));
  DO(plait_comm_size(w->rt, among.among, &part.size));
  test_reductions(&part, &among);
  test_parts(&part, &among);
  test_blocks(&part, &among);
}
