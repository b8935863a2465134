// SPDX-License-Identifier: BSD-3-Clause
// A step of Jacobi's method: for the host, OpenCL and CUDA (common/kernel_words.cl).

// One order of additions for every way to compute a cell.  So neither vectors, nor the place of a box,
// nor the device change a bit.
FUNCTION_OF_VALUE relaxed(VALUE left, VALUE right, VALUE front, VALUE back, VALUE below, VALUE above,
                          VALUE b, VALUE sixth) {
  return (left + right + front + back + below + above + b) * sixth;
}

// v = (the sum of u's six neighbours + b) / 6 on nx x ny x nz cells, of which the three point at the
// first.  `row` and `plane`: elements from a cell to the next one in y and in z.
KERNEL void relax_cells(GLOBAL const double* u, GLOBAL const double* b, GLOBAL double* v, long row,
                        long plane, long nx, long ny, long nz ITEM_OF_KERNEL) {
  if (ITEM(0) >= nx || ITEM(1) >= ny || ITEM(2) >= nz) return;
  const long i = ITEM(0) + row * ITEM(1) + plane * ITEM(2);
  v[i] = relaxed(u[i - 1], u[i + 1], u[i - row], u[i + row], u[i - plane], u[i + plane], b[i],
                 1.0 / 6.0);
}
