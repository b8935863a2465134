// SPDX-License-Identifier: BSD-3-Clause
#include "look/short_slices.hpp"

#include <cstdint>

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace plait {
namespace {

/// The kernel's struct sched_attr, which Debian 12's C library does not declare.
struct scheduling_attributes {
  std::uint32_t size = sizeof(scheduling_attributes);
  std::uint32_t policy = SCHED_OTHER;
  std::uint64_t flags = 0;
  std::int32_t nice = 0;
  std::uint32_t priority = 0;
  std::uint64_t runtime = 0;
  std::uint64_t deadline = 0;
  std::uint64_t period = 0;
};

}  // namespace

void ask_for_short_slices() noexcept {
  scheduling_attributes attributes;
  attributes.runtime = 100'000;  // ns
  syscall(SYS_sched_setattr, 0, &attributes, 0);
}

}  // namespace plait
