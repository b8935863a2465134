/* SPDX-License-Identifier: BSD-3-Clause */
/* A rank's block as the variants in C, Fortran and Python get it: arrays, pieces of a sweep,
   messages, and the kernel of C++, which all of them call.  jacobi3d_tasks.py and steps.f90 repeat
   it. */
#ifndef JACOBI3D_LANGUAGES_BLOCK_H
#define JACOBI3D_LANGUAGES_BLOCK_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Cells by their indices in the array, ghosts included, x first; `high` is not among them. */
struct jacobi3d_cells {
  int64_t low[3];
  int64_t high[3];
};

/* A part of a face.  With `count` not 0 it is so many values in a row, from the array's value
 * `first` on: what lies between the cells are ghosts that nobody reads. */
struct jacobi3d_message {
  struct jacobi3d_cells cells;
  int64_t first;
  int64_t count;
  int64_t peer;
};

/* One Jacobi step on nx x ny x nz cells; the pointers are to the first.  Strides in values. */
typedef void jacobi3d_kernel(const double* u, const double* b, double* v, int64_t stride_y,
                             int64_t stride_z, int64_t nx, int64_t ny, int64_t nz,
                             int64_t streamed);

struct jacobi3d_block {
  double* u; /* the lowest ghost */
  double* v;
  double* b;
  int64_t extent[3]; /* with ghosts */
  int64_t stride[3]; /* in values; the first is 1 */
  int64_t streamed;  /* not 0: the kernel writes past the caches */
  jacobi3d_kernel* relax;
  const struct jacobi3d_message* sends; /* in the order in which the peers receive them */
  int64_t send_count;
  const struct jacobi3d_message* receives;
  int64_t receive_count;
  const struct jacobi3d_cells* interior;
  int64_t interior_count;
  const struct jacobi3d_cells* rim;
  int64_t rim_count;
  int64_t workers; /* as plait_options has them */
  int64_t policy;
  int64_t in_flight;
  int64_t recorded; /* not 0: two steps are recorded and replayed */
};

/* The variants: `start` makes a runtime and records two steps, `run` does steps and waits.  They
 * return 0, or have said what is wrong. */
struct plait_runtime;
int jacobi3d_c_start(const struct jacobi3d_block* block, struct plait_runtime** made);
int jacobi3d_c_run(int64_t steps);
int jacobi3d_c_finish(void);
int jacobi3d_fortran_start(const struct jacobi3d_block* block, struct plait_runtime** made);
int jacobi3d_fortran_run(int64_t steps);
int jacobi3d_fortran_finish(void);

/* Calls a function of jacobi3d_tasks.py, which returns numbers; writes up to `count` of them. */
typedef int jacobi3d_python_call(const char* function, int64_t argument, double* results,
                                 int count);

#ifdef __cplusplus
}
#endif

#endif
