// SPDX-License-Identifier: BSD-3-Clause
// An iteration of conjugate gradients: for the host, OpenCL and CUDA (common/kernel_words.cl).  Arrays
// point at the first of nx x ny x nz cells.  `row` and `plane`: elements from a cell to the next one in
// y and in z.

// One order of additions for every cell: neither vectors, nor the place of a box, nor the device change
// a bit.
FUNCTION_OF_VALUE multiplied(VALUE own, VALUE left, VALUE right, VALUE front, VALUE back, VALUE below,
                             VALUE above) {
  return 6.0 * own - (left + right + front + back + below + above);
}

// x += alpha p, p = r + beta p.
KERNEL void turn_cells(GLOBAL const double* r, GLOBAL double* x, GLOBAL double* p, double alpha,
                       double beta, long row, long plane, long nx, long ny, long nz ITEM_OF_KERNEL) {
  if (ITEM(0) >= nx || ITEM(1) >= ny || ITEM(2) >= nz) return;
  const long i = ITEM(0) + row * ITEM(1) + plane * ITEM(2);
  x[i] += alpha * p[i];
  p[i] = r[i] + beta * p[i];
}

// w = A p.
KERNEL void multiply_cells(GLOBAL const double* p, GLOBAL double* w, long row, long plane, long nx,
                           long ny, long nz ITEM_OF_KERNEL) {
  if (ITEM(0) >= nx || ITEM(1) >= ny || ITEM(2) >= nz) return;
  const long i = ITEM(0) + row * ITEM(1) + plane * ITEM(2);
  w[i] = multiplied(p[i], p[i - 1], p[i + 1], p[i - row], p[i + row], p[i - plane], p[i + plane]);
}

// r -= alpha w.
KERNEL void shorten_cells(GLOBAL const double* w, GLOBAL double* r, double alpha, long row, long plane,
                          long nx, long ny, long nz ITEM_OF_KERNEL) {
  if (ITEM(0) >= nx || ITEM(1) >= ny || ITEM(2) >= nz) return;
  const long i = ITEM(0) + row * ITEM(1) + plane * ITEM(2);
  r[i] -= alpha * w[i];
}

// The eight sums of a b that make a.b: element i of each row goes to lane i mod 8.  A work item a lane.
KERNEL void sum_lanes(GLOBAL const double* a, GLOBAL const double* b, GLOBAL double* sums, long row,
                      long plane, long nx, long ny, long nz ITEM_OF_KERNEL) {
  const long lane = ITEM(0);
  if (lane >= 8 || ITEM(1) > 0 || ITEM(2) > 0) return;
  double sum = 0;
  for (long z = 0; z < nz; ++z)
    for (long y = 0; y < ny; ++y)
      for (long x = lane; x < nx; x += 8) {
        const long i = x + row * y + plane * z;
        sum += a[i] * b[i];
      }
  sums[lane] = sum;
}
