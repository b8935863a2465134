// SPDX-License-Identifier: BSD-3-Clause
// A program that is not position-independent (Debian's python3 is one) and takes the addresses of
// functions of the C library: entries of its own linkage table are then these addresses.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "checked.hpp"

namespace {

using namespace plait;
using namespace plait::test;

// Set by code, whose addresses are fixed when the program is linked: data would be relocated.
void (*volatile free_by_address)(void*) = nullptr;
const void* (*volatile search_by_address)(const void*, int) = nullptr;

/// Memory that a task still names is freed; the program itself goes on to free what it likes.
std::string freed_too_early() {
  std::vector<double> x(1000);
  return found([&](scheduler& s) {
    s.task("late", set_to_one, inout(std::span(x)));
    std::vector<double>().swap(x);
    free_by_address(std::malloc(100));
    s.wait();
  });
}

/// rawmemchr reads whole vectors, and so what lies beside the bytes that it is given.
std::string search() {
  const pages memory(1);
  const auto text = memory.as<char>(64, 21);
  std::memset(text.data(), 'x', 20);
  const auto before = memory.as<double>(0, 8);
  const auto behind = memory.as<double>(88, 8);
  return found([&](scheduler& s) {
    s.task("set", set_to_one, inout(before));
    s.task("set", set_to_one, inout(behind));
    s.task(
        "search",
        [](std::span<const char> in) {
          if (search_by_address(in.data(), '\0') != in.data() + 20) std::abort();
        },
        in(text));
    s.wait();
  });
}

}  // namespace

int main() {
  free_by_address = &std::free;
  search_by_address = &rawmemchr;
  std::printf("freed too early: %s\n", freed_too_early().c_str());
  std::printf("search: %s\n", search().c_str());
}
