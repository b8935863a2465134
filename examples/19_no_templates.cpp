// SPDX-License-Identifier: BSD-3-Clause
// Functions, addresses and sizes, as a binding for C or Fortran has them: no template is called.
// Each rank sums a part of 1 + 2 + ... + 1000, and the parts travel once around the ring.
#include <cstdio>
#include <cstdlib>
#include <span>

#include <plait/plait.hpp>

using plait::access_mode, plait::data_access, plait::operation;

/// The argument of a C function: what it works on.
struct addition {
  const double* from;
  double* to;
};

void add(void* argument) {
  const addition* const what = static_cast<const addition*>(argument);
  *what->to += *what->from;
}

struct part {
  int rank;
  int ranks;
  double* sum;
};

void sum_part(void* argument) {
  const part* const mine = static_cast<const part*>(argument);
  for (int i = mine->rank + 1; i <= 1000; i += mine->ranks) *mine->sum += i;
}

void release(void* argument) {
  std::free(argument);  // after the last run
}

/// Copies an argument to memory that the task owns.
template <class Argument>
void* keep(const Argument& argument) {
  void* const kept = std::malloc(sizeof argument);
  return kept != nullptr ? new (kept) Argument(argument) : throw std::bad_alloc();
}

plait::strided_bytes bytes_of(const double& x) {
  const auto begin = reinterpret_cast<std::uintptr_t>(&x);
  return plait::strided_bytes::of({begin, begin + sizeof x});
}

int main(int argc, char** argv) {
  plait::environment env{argc, argv};
  plait::runtime rt{env};
  plait::submitter& submit = rt.submitter();
  const int right = (env.rank() + 1) % env.size();
  const int left = (env.rank() + env.size() - 1) % env.size();
  double total = 0, passed_on = 0, arrived = 0;

  const data_access own[] = {{bytes_of(total), access_mode::inout}};
  submit.task({.name = plait::task_name::intern("sum part"),
               .run = sum_part,
               .argument = keep(part{env.rank(), env.size(), &total}),
               .release = release,
               .accesses = own});
  const data_access copied[] = {{bytes_of(total), access_mode::in},
                                {bytes_of(passed_on), access_mode::inout}};
  submit.task({.name = "copy",
               .run = add,
               .argument = keep(addition{&total, &passed_on}),
               .release = release,
               .accesses = copied});
  for (int step = 1; step < env.size(); ++step) {
    submit.message({.name = "pass on", .memory = bytes_of(passed_on), .peer = right});
    submit.message({.name = "arrive",
                    .what = operation::kind::receive,
                    .memory = bytes_of(arrived),
                    .peer = left});
    const data_access added[] = {{bytes_of(arrived), access_mode::in},
                                 {bytes_of(total), access_mode::inout}};
    submit.task({.name = "add",
                 .run = add,
                 .argument = keep(addition{&arrived, &total}),
                 .release = release,
                 .accesses = added});
    const data_access moved_on[] = {{bytes_of(arrived), access_mode::in},
                                    {bytes_of(passed_on), access_mode::out}};
    submit.task({.name = "move on",
                 .run =
                     [](void* what) {
                       const addition* const one = static_cast<const addition*>(what);
                       *one->to = *one->from;
                     },
                 .argument = keep(addition{&arrived, &passed_on}),
                 .release = release,
                 .accesses = moved_on});
  }
  rt.wait();
  if (env.rank() == 0) std::printf("1 + 2 + ... + 1000 = %.0f\n", total);
}
