// SPDX-License-Identifier: BSD-3-Clause
// What random tasks make of what they access: when they run one after the other, and as tasks.
#include <chrono>
#include <stdexcept>
#include <utility>

#include "planned_task.hpp"
#include "support/late_threads.hpp"

namespace plait::test::mix {
namespace {

void burn(int microseconds) {
  if (microseconds == 0) return;
  const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(microseconds);
  while (std::chrono::steady_clock::now() < end) {
  }
}

/// Mixes all that the task reads, in order, into all it writes; `first` is where its first access
/// lies, if it was passed.
void mix_accesses(const planned_task& task, const rank_memory& memory,
                  std::optional<strided_bytes> first) {
  std::uint64_t h = task.salt;
  const auto take = [&h](std::uint64_t value) {
    h = (h ^ value) * 0x100000001B3U;
    h = (h << 23U) | (h >> 41U);
  };
  const auto place = [&](std::size_t i) {
    return i == 0 && first.has_value() ? *first : address(memory, task.accesses[i].where);
  };
  burn(task.spin_us);
  for (std::size_t i = 0; i < task.accesses.size(); ++i) {
    const access_mode mode = task.accesses[i].mode;
    if (mode != access_mode::in && mode != access_mode::inout) continue;
    for_each_byte(place(i), [&take](byte b) { take(b); });
  }
  for (std::size_t i = 0; i < task.accesses.size(); ++i) {
    const access_mode mode = task.accesses[i].mode;
    if (mode == access_mode::in) continue;
    if (mode == access_mode::commutative) {
      // What is added does not depend on what is there.  Read and written apart, so that two at
      // once would lose something.
      for_each_byte(place(i), [&](volatile byte& b) {
        take(1);
        const byte before = b;
        b = static_cast<byte>(before + static_cast<byte>(h >> 32U));
      });
      continue;
    }
    const bool overwrites = mode == access_mode::out;
    if (overwrites) for_each_byte(place(i), [](byte& b) { b = 0; });
    for_each_byte(place(i), [&](byte& b) {
      take(b);
      b = static_cast<byte>(b ^ (h >> 32U));
    });
  }
}

template <class Operation, class T>
void combine(std::span<T> into, std::uint64_t salt) {
  for (std::size_t i = 0; i < into.size(); ++i) {
    into[i] = Operation{}(into[i], static_cast<T>(scrambled(salt, i)));
  }
}

/// Calls `use(operation, elements)`.
template <class Use>
auto with_reduction(rank_memory& memory, const planned_reduction& r, Use use) {
  const auto with_elements = [&](auto elements) {
    switch (r.by) {
      case planned_reduction::operation::sum:
        return use(sum{}, elements);
      case planned_reduction::operation::minimum:
        return use(minimum{}, elements);
      case planned_reduction::operation::maximum:
        return use(maximum{}, elements);
      case planned_reduction::operation::product:
        break;
    }
    return use(product{}, elements);
  };
  if (!r.of_words) return with_elements(memory.regions[arena_region].subspan(r.begin, r.count));
  return with_elements(words_of(memory, r.begin / sizeof(word), r.count));
}

/// Calls `use` with the access word of `a`, applied to what it names.
template <class Use>
auto with_access(rank_memory& memory, const planned_access& a, Use use) {
  const auto apply = [&](auto view) {
    if (a.mode == access_mode::in) return use(in(view));
    if (a.mode == access_mode::out) return use(out(view));
    if (a.mode == access_mode::commutative) return use(commutative(view));
    return use(inout(view));
  };
  if (a.as_box) return apply(bytes_of_box<byte>{address(memory, a.where)});
  return apply(bytes_of(memory, a.where));
}

template <class T>
[[nodiscard]] strided_bytes place_of_argument(std::span<T> x) {
  const auto begin = reinterpret_cast<std::uintptr_t>(x.data());
  return strided_bytes::of({begin, begin + x.size_bytes()});
}
template <class T>
[[nodiscard]] strided_bytes place_of_argument(const bytes_of_box<T>& x) {
  return x.at;
}

/// A thread of a resource runs the tasks of that resource only, and a worker none of them.
void expect_thread_of(std::size_t target) {
  if (target == target_anyone) return;
  static thread_local std::size_t runs = target;
  if (runs != target) throw std::logic_error("a thread ran a task that is not for it");
}

int run_as_task(const planned_task* task, rank_memory* memory, runtime* rt,
                std::optional<strided_bytes> first) {
  expect_thread_of(task->target);
  mix_accesses(*task, *memory, first);
  for (const planned_task& child : task->children) submit(*rt, *memory, child);
  return task->returns;
}

[[nodiscard]] late_threads& others() {
  static late_threads threads;
  return threads;
}

[[nodiscard]] std::chrono::microseconds delay_of(const planned_task& task) {
  return std::chrono::microseconds(task.salt % 4 == 0 ? 0 : task.salt % 97);
}

/// Another thread does the work if there are no children, for whose accesses it would be too late.
void run_as_held_task(const planned_task* task, rank_memory* memory, runtime* rt,
                      std::optional<strided_bytes> first, hold until) {
  expect_thread_of(task->target);
  const auto delay = delay_of(*task);
  if (task->children.empty()) {
    others().call_in(delay, [=, kept = std::move(until)]() mutable {
      mix_accesses(*task, *memory, first);
      kept.release();
    });
    return;
  }
  if (task->salt % 2 == 0) {  // one of two holds, released before the children are submitted
    others().call_in(delay, [kept = until.another()]() mutable { kept.release(); });
  }
  mix_accesses(*task, *memory, first);
  for (const planned_task& child : task->children) submit(*rt, *memory, child);
  others().call_in(delay, [kept = std::move(until)]() mutable { kept.release(); });
}

/// Declares the accesses from `first` on.  What the task returned, if that is `wanted`.
template <class Submission>
int finish(Submission& made, rank_memory& memory, const planned_task& task, std::size_t first,
           bool wanted) {
  for (std::size_t i = first; i < task.accesses.size(); ++i) {
    with_access(memory, task.accesses[i], [&made](const auto& a) { made.also(a); });
  }
  made.priority(task.urgency);
  if (task.target < no_target) made.target(memory.targets[task.target]);
  if (task.target == target_anyone) made.target(anyone);
  return wanted ? made.result().get() : 0;
}

int submit_task(runtime& rt, rank_memory& memory, const planned_task& task, bool wanted) {
  if (task.reduces.has_value()) {
    return with_reduction(memory, *task.reduces, [&]<class Operation>(Operation, auto elements) {
      const auto run = [](auto own, const planned_task* plan, rank_memory* data, runtime* with) {
        combine<Operation>(own, plan->salt);
        return run_as_task(plan, data, with, std::nullopt);
      };
      auto made = rt.task("reduce", run, reduce<Operation>(elements), &task, &memory, &rt);
      return finish(made, memory, task, 0, wanted);
    });
  }
  if (task.passes_first && !task.accesses.empty()) {
    return with_access(memory, task.accesses[0], [&](const auto& first) {
      const auto run = [](auto view, const planned_task* plan, rank_memory* data, runtime* with) {
        return run_as_task(plan, data, with, place_of_argument(view));
      };
      const auto begin = [](auto view, const planned_task* plan, rank_memory* data, runtime* with,
                            hold until) {
        run_as_held_task(plan, data, with, place_of_argument(view), std::move(until));
        return plan->returns;
      };
      if (task.is_held) {
        auto made = rt.task("mix", begin, first, &task, &memory, &rt, plait::held);
        return finish(made, memory, task, 1, wanted);
      }
      auto made = rt.task("mix", run, first, &task, &memory, &rt);
      return finish(made, memory, task, 1, wanted);
    });
  }
  const auto run = [](const planned_task* plan, rank_memory* data, runtime* with) {
    return run_as_task(plan, data, with, std::nullopt);
  };
  const auto begin = [](const planned_task* plan, rank_memory* data, runtime* with, hold until) {
    run_as_held_task(plan, data, with, std::nullopt, std::move(until));
    return plan->returns;
  };
  if (task.is_held) {
    auto made = rt.task("mix", begin, &task, &memory, &rt, plait::held);
    return finish(made, memory, task, 0, wanted);
  }
  auto made = rt.task("mix", run, &task, &memory, &rt);
  return finish(made, memory, task, 0, wanted);
}

}  // namespace

void run_serially(rank_memory& memory, const planned_task& task) {
  mix_accesses(task, memory, std::nullopt);
  if (task.reduces.has_value()) {
    with_reduction(memory, *task.reduces, [&]<class Operation>(Operation, auto elements) {
      std::vector<typename decltype(elements)::value_type> own(
          elements.size(), Operation::template identity<typename decltype(elements)::value_type>());
      combine<Operation>(std::span(own), task.salt);
      for (std::size_t i = 0; i < own.size(); ++i) elements[i] = Operation{}(elements[i], own[i]);
    });
  }
  for (const planned_task& child : task.children) run_serially(memory, child);
}

void release_late(hold until, const planned_task& task) {
  others().call_in(delay_of(task), [kept = std::move(until)]() mutable { kept.release(); });
}

void submit(runtime& rt, rank_memory& memory, const planned_task& task) {
  submit_task(rt, memory, task, false);
}

int submit_and_get(runtime& rt, rank_memory& memory, const planned_task& task) {
  return submit_task(rt, memory, task, true);
}

}  // namespace plait::test::mix
