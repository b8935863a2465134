// SPDX-License-Identifier: BSD-3-Clause
/// OpenCL by hand, as an expert writes it: kernels without arguments to set, in one queue in order,
/// with no events and one wait at the end.  Nothing of plait.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "processor_time.hpp"

struct _cl_command_queue;
struct _cl_context;
struct _cl_event;

namespace plait::bench::device {

/// The kernels of all rows, in OpenCL C.  `spin` keeps a device busy for a number of rounds.
inline constexpr const char* kernel_source =
    "kernel void nothing(global uint* x) {}\n"
    "kernel void spin(global uint* x, ulong rounds) {\n"
    "  uint s = 2463534242u;\n"
    "  for (ulong i = 0; i < rounds; ++i) {\n"
    "    s ^= s << 13;\n"
    "    s ^= s >> 17;\n"
    "    s ^= s << 5;\n"
    "  }\n"
    "  *x = s;\n"
    "}\n";

/// OpenCL's functions that are used here; each is null until the library has been found.
struct opencl_calls;

/// One thread.
class raw_opencl {
 public:
  /// Returns null where OpenCL has no device with shared virtual memory, of which it takes the
  /// first, as plait does.  Errors: `error` where the device refuses something.
  [[nodiscard]] static std::unique_ptr<raw_opencl> find();
  ~raw_opencl();
  raw_opencl(const raw_opencl&) = delete;
  raw_opencl& operator=(const raw_opencl&) = delete;

  /// Enqueues so many empty kernels, of so many chains in turns, and returns what is spent until
  /// all have run.  Precondition: 1 <= chains <= 64.
  [[nodiscard]] spent run(long kernels, int chains);
  /// Returns the seconds of one kernel `spin`.
  [[nodiscard]] double seconds_of_spin(std::uint64_t rounds);

  /// Has everything behind this in a queue wait until the event that this returns is set by `open`,
  /// which releases it.
  [[nodiscard]] _cl_event* close(_cl_context* of, _cl_command_queue* queue) const;
  void open(_cl_event* gate) const;

 private:
  explicit raw_opencl(std::unique_ptr<opencl_calls> calls);
  struct handles;

  std::unique_ptr<opencl_calls> cl_;
  std::unique_ptr<handles> own_;
};

}  // namespace plait::bench::device
