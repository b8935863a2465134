// SPDX-License-Identifier: BSD-3-Clause
// Words in which one text is a kernel of OpenCL C, of CUDA and a function of C++, with the same bits:
// who compiles it forbids contraction (-ffp-contract=off, -fmad=false).  The build puts this in front
// of a kernel's text (cmake/PlaitApplication.cmake).
//
//   KERNEL void add(GLOBAL const double* a, GLOBAL double* b ITEM_OF_KERNEL) { b[ITEM(0)] += a[ITEM(0)]; }
//
// FUNCTION_OF_VALUE, VALUE   begin of a function of one VALUE: double, in C++ vectors too
// ITEM(axis)                 the place of the work item; there may be more than the kernel has work for
//                            in CUDA, so a kernel is told how many
#ifndef PLAIT_KERNEL_WORDS
#define PLAIT_KERNEL_WORDS
#ifdef __OPENCL_VERSION__
#pragma OPENCL FP_CONTRACT OFF
#define KERNEL kernel
#define GLOBAL global
#define FUNCTION_OF_VALUE double
#define VALUE double
#define ITEM_OF_KERNEL
#define ITEM(axis) ((long)get_global_id(axis))
#elif defined(__CUDACC__)
#define KERNEL extern "C" __global__
#define GLOBAL
#define FUNCTION_OF_VALUE static __device__ double
#define VALUE double
#define ITEM_OF_KERNEL
#define ITEM(axis) cuda_item<axis>()
template <int axis>
static __device__ long cuda_item() {
  if (axis == 0) return (long)blockIdx.x * blockDim.x + threadIdx.x;
  if (axis == 1) return (long)blockIdx.y * blockDim.y + threadIdx.y;
  return (long)blockIdx.z * blockDim.z + threadIdx.z;
}
#else
#define KERNEL inline
#define GLOBAL
#define FUNCTION_OF_VALUE \
  template <class Value>  \
  inline Value
#define VALUE Value
#define ITEM_OF_KERNEL , const std::array<std::size_t, 3>& item_of_kernel
#define ITEM(axis) (static_cast<long>(item_of_kernel[axis]))
#endif
#endif
