/* SPDX-License-Identifier: BSD-3-Clause */
/* Gives Fortran the arrays as they lie in memory: rows and planes are padded, which no pointer of
 * `c_f_pointer` can say, and a descriptor can. */
#include <ISO_Fortran_binding.h>
#include <mpi.h>

#include "block.h"

void jacobi3d_fortran_start_steps(const struct jacobi3d_block* block, int comm, CFI_cdesc_t* u,
                                  CFI_cdesc_t* v, CFI_cdesc_t* b, CFI_cdesc_t* values_u,
                                  CFI_cdesc_t* values_v, struct plait_runtime** made);
void jacobi3d_fortran_run_steps(const struct jacobi3d_block* block, int64_t steps, CFI_cdesc_t* u,
                                CFI_cdesc_t* v, CFI_cdesc_t* b, CFI_cdesc_t* values_u,
                                CFI_cdesc_t* values_v);

typedef CFI_CDESC_T(3) grid;
typedef CFI_CDESC_T(1) row;
static struct {
  grid u, v, b;
  row values_u, values_v;
} arrays;
static const struct jacobi3d_block* block;

#define OF(member) ((CFI_cdesc_t*)&arrays.member)

static void describe(CFI_cdesc_t* made, double* array) {
  CFI_index_t extents[3];
  for (int k = 0; k < 3; ++k) extents[k] = block->extent[k];
  CFI_establish(made, array, CFI_attribute_other, CFI_type_double, 0, 3, extents);
  for (int k = 0; k < 3; ++k) made->dim[k].sm = block->stride[k] * (CFI_index_t)sizeof(double);
}

static void describe_row(CFI_cdesc_t* made, double* array) {
  const CFI_index_t values = block->stride[2] * (block->extent[2] - 1) +
                             block->stride[1] * (block->extent[1] - 1) + block->extent[0];
  CFI_establish(made, array, CFI_attribute_other, CFI_type_double, 0, 1, &values);
}

int jacobi3d_fortran_start(const struct jacobi3d_block* of, struct plait_runtime** made) {
  block = of;
  describe(OF(u), of->u);
  describe(OF(v), of->v);
  describe(OF(b), of->b);
  describe_row(OF(values_u), of->u);
  describe_row(OF(values_v), of->v);
  jacobi3d_fortran_start_steps(of, (int)MPI_Comm_c2f(MPI_COMM_WORLD), OF(u), OF(v), OF(b),
                               OF(values_u), OF(values_v), made);
  return 0;
}

int jacobi3d_fortran_run(int64_t steps) {
  jacobi3d_fortran_run_steps(block, steps, OF(u), OF(v), OF(b), OF(values_u), OF(values_v));
  return 0;
}
