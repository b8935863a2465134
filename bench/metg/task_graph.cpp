// SPDX-License-Identifier: BSD-3-Clause
#include "task_graph.hpp"

#include <algorithm>
#include <string>

#include <plait/plait.hpp>

#include "kernel.hpp"

namespace plait::bench::metg {
namespace {

constexpr long least_fields = 16;

long rounded_up(long value, long multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

// Inputs of value 0 change nothing, so a step that reads cells nobody has written is a first step.
std::uint64_t value_of(long point, std::uint64_t sum_of_inputs) {
  std::uint64_t x = static_cast<std::uint64_t>(point) + 1 + sum_of_inputs;
  x = (x ^ (x >> 31U)) * 0x9E3779B97F4A7C15U;
  return x ^ (x >> 29U);
}

}  // namespace

void run_point(const point_task& task, long iterations) {
  std::uint64_t sum = 0;
  for (const cell* input : task.inputs) sum += input->value;
  task.output->computed = kernel(iterations, static_cast<double>(sum % 2));
  task.output->value = value_of(task.point, sum);
}

task_graph::task_graph(const pattern& shape, long steps, int rank, int ranks)
    : shape_(shape),
      rank_(rank),
      ranks_(ranks),
      fields_(rounded_up(std::max(least_fields, shape.ramp()), shape.period())),
      steps_(rounded_up(steps, fields_)),
      cells_(static_cast<std::size_t>(fields_ * shape.width())) {
  for (long step = 0; step < std::max(steps_, 2 * fields_); ++step) all_.push_back(spelt_out(step));
  for (long step = 0; step < steps_; ++step) tasks_ += shape_.width_at(step);
  expected_ = expected();
}

int task_graph::owner(long point) const noexcept {
  return static_cast<int>(point * ranks_ / shape_.width());
}

cell* task_graph::at(long step, long point) {
  return &cells_[static_cast<std::size_t>(step % fields_ * shape_.width() + point)];
}

graph_step task_graph::spelt_out(long step) {
  graph_step result;
  for (long point = 0; point < shape_.width_at(step); ++point) {
    if (owner(point) != rank_) continue;
    point_task& task = result.tasks.emplace_back(point_task{point, at(step, point), {}});
    for (const long input : shape_.inputs(step, point)) task.inputs.push_back(at(step - 1, input));
  }
  // The cells that each rank needs next: each cell once for each rank that needs it.
  std::vector<std::vector<bool>> needed(
      static_cast<std::size_t>(ranks_),
      std::vector<bool>(static_cast<std::size_t>(shape_.width_at(step))));
  for (long point = 0; point < shape_.width_at(step + 1); ++point) {
    for (const long input : shape_.inputs(step + 1, point))
      needed[static_cast<std::size_t>(owner(point))][static_cast<std::size_t>(input)] = true;
  }
  for (long point = 0; point < shape_.width_at(step); ++point) {
    const int from = owner(point);
    for (int to = 0; to < ranks_; ++to) {
      if (from == to || !needed[static_cast<std::size_t>(to)][static_cast<std::size_t>(point)])
        continue;
      if (from == rank_) result.sends.push_back({point, at(step, point), to});
      if (to == rank_) result.receives.push_back({point, at(step, point), from});
    }
  }
  return result;
}

std::vector<std::uint64_t> task_graph::expected() const {
  std::vector<std::uint64_t> before, now;
  for (long step = 0; step < steps_; ++step) {
    now.assign(static_cast<std::size_t>(shape_.width_at(step)), 0);
    for (long point = 0; point < shape_.width_at(step); ++point) {
      std::uint64_t sum = 0;
      for (const long input : shape_.inputs(step, point))
        sum += before[static_cast<std::size_t>(input)];
      now[static_cast<std::size_t>(point)] = value_of(point, sum);
    }
    std::swap(before, now);
  }
  return before;
}

void task_graph::reset() {
  std::ranges::fill(cells_, cell{});
}

void task_graph::verify() const {
  const graph_step& last = all_[static_cast<std::size_t>(steps_ - 1)];
  for (const point_task& task : last.tasks) {
    const std::uint64_t wanted = expected_[static_cast<std::size_t>(task.point)];
    if (task.output->value != wanted)
      throw error("a task graph ran wrong: point " + std::to_string(task.point) + " holds " +
                  std::to_string(task.output->value) + ", not " + std::to_string(wanted));
  }
}

}  // namespace plait::bench::metg
