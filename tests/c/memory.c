/* SPDX-License-Identifier: BSD-3-Clause */
/* Boxes: rows, axes, and the types of MPI's that are boxes, against MPI_Pack. */
#include "support.h"

enum { nx = 5, ny = 6, nz = 7 };

static void fill(int* cells, int count, int first) {
  for (int i = 0; i < count; ++i) cells[i] = first + i;
}

/* Sends one box to the right and receives one from the left, of types that have as many cells. */
static void exchange(const struct world* w, plait_memory from, plait_memory to) {
  DO(plait_send(w->rt, "box", from, (w->rank + 1) % w->size, 1, NULL));
  DO(plait_recv(w->rt, "box", to, (w->rank + w->size - 1) % w->size, 1, NULL));
  DO(plait_wait(w->rt));
}

/* What a type takes out of the left rank's cells is what arrives, in the order of MPI_Pack. */
static void test_type(const struct world* w, int count, MPI_Datatype type) {
  int cells[nx * ny * nz], packed[nx * ny * nz], got[nx * ny * nz];
  const int left = (w->rank + w->size - 1) % w->size;
  int bytes = 0, position = 0;
  plait_memory memory;
  MPI_Type_commit(&type);
  MPI_Pack_size(count, type, MPI_COMM_WORLD, &bytes);
  fill(cells, nx * ny * nz, 1000 * left);
  MPI_Pack(cells, count, type, packed, sizeof packed, &position, MPI_COMM_WORLD);
  fill(cells, nx * ny * nz, 1000 * w->rank);
  memset(got, 0, sizeof got);
  DO(plait_memory_of(cells, count, type, &memory));
  exchange(w, memory, plait_bytes(got, (size_t)position));
  for (int i = 0; i < position / (int)sizeof(int); ++i) EQUAL(packed[i], got[i]);
  MPI_Type_free(&type);
}

static void test_boxes_of_mpi(const struct world* w) {
  const int sizes[3] = {nz, ny, nx}, part[3] = {3, 4, 2}, at[3] = {1, 2, 3};
  const int backwards[3] = {nx, ny, nz}, its_part[3] = {2, 4, 3}, its_at[3] = {3, 2, 1};
  MPI_Datatype type, inner;
  MPI_Type_contiguous(7, MPI_INT, &type);
  test_type(w, 2, type);
  MPI_Type_vector(4, 2, nx, MPI_INT, &type);
  test_type(w, 1, type);
  MPI_Type_create_subarray(3, sizes, part, at, MPI_ORDER_C, MPI_INT, &type);
  test_type(w, 1, type);
  MPI_Type_create_subarray(3, backwards, its_part, its_at, MPI_ORDER_FORTRAN, MPI_INT, &type);
  test_type(w, 1, type);
  MPI_Type_vector(3, 1, 2, MPI_INT, &inner);
  MPI_Type_create_hvector(2, 1, (MPI_Aint)sizeof(int) * nx * ny, inner, &type);
  MPI_Type_free(&inner);
  test_type(w, 1, type);
  MPI_Type_vector(ny, 1, nx, MPI_INT, &inner); /* a column; the next one lies beside it */
  MPI_Type_create_resized(inner, 0, sizeof(int), &type);
  MPI_Type_free(&inner);
  test_type(w, 2, type);
  MPI_Type_dup(MPI_DOUBLE, &type);
  test_type(w, 3, type);
}

static void test_refusals(void) {
  int numbers[16] = {0};
  const int lengths[2] = {1, 2}, at[2] = {0, 4};
  plait_memory memory;
  MPI_Datatype type;
  MPI_Type_indexed(2, lengths, at, MPI_INT, &type);
  MPI_Type_set_name(type, "scattered");
  REFUSED(PLAIT_ERR_USAGE, "'scattered'", plait_memory_of(numbers, 1, type, &memory));
  REFUSED(PLAIT_ERR_USAGE, "MPI_Type_indexed", plait_memory_of(numbers, 1, type, &memory));
  MPI_Type_free(&type);
  REFUSED(PLAIT_ERR_USAGE, "holes", plait_memory_of(numbers, 1, MPI_DOUBLE_INT, &memory));
  REFUSED(PLAIT_ERR_USAGE, "count", plait_memory_of(numbers, -1, MPI_INT, &memory));
}

/* Columns that a task changes while others are sent: bytes that do not overlap do not wait. */
static int negate_column(void* argument) {
  int* const* column = argument;
  for (int y = 0; y < ny; ++y) (*column)[y * nx] = -(*column)[y * nx];
  return 0;
}

static void test_rows(const struct world* w) {
  int cells[nx * ny], got[nx * ny];
  fill(cells, nx * ny, 1000 * w->rank);
  fill(got, nx * ny, -1);
  const int left = (w->rank + w->size - 1) % w->size;
  const int64_t stride = (int64_t)sizeof(int) * nx;
  for (int x = 0; x < nx; ++x) {
    const plait_memory from = plait_rows(&cells[x], sizeof(int), ny, stride);
    int* column = &cells[x];
    DO(plait_task(w->rt, "negate", negate_column, column, plait_inout(from)));
    /* to the mirrored column, the last cell first */
    const plait_memory to = plait_rows(&got[(ny - 1) * nx + nx - 1 - x], sizeof(int), ny, -stride);
    DO(plait_send(w->rt, "column", from, (w->rank + 1) % w->size, 1, NULL));
    DO(plait_recv(w->rt, "column", to, left, 1, NULL));
  }
  DO(plait_wait(w->rt));
  for (int y = 0; y < ny; ++y)
    for (int x = 0; x < nx; ++x)
      EQUAL(-(1000 * left + y * nx + x), got[(ny - 1 - y) * nx + nx - 1 - x]);
}

void test_memory(const struct world* w) {
  test_rows(w);
  test_boxes_of_mpi(w);
  test_refusals();
}
