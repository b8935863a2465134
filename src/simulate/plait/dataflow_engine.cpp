// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/plait/dataflow_engine.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>
#include <plait/core/error.hpp>
#include <plait/simulate/flow_network.hpp>
#include <plait/simulate/goal.hpp>

namespace plait::simulate {
namespace {

constexpr ticks second_ps = 1'000'000'000'000;

}  // namespace

dataflow_engine::dataflow_engine(const program& of, const machine& on,
                                 std::vector<simulated_pairs> pairs)
    : program_(of), on_(on), wires_(on, of.ranks(), steps_, events_) {
  for (const rank_template& one : of.templates) unrolled_.push_back(unrolled(one, of.iterations));
  std::map<number, number> on_node;
  for (const number node : on.node_of) ++on_node[node];
  for (number r = 0; r < of.ranks(); ++r) {
    simulated_rank& made = ranks_.emplace_back();
    made.program = &unrolled_[of.template_of[r]];
    made.unmet = made.program->unmet(false);
    std::size_t workers = on.workers;
    if (workers == 0) {
      workers = 1;
      for (const operation& one : made.program->operations)
        workers = std::max(workers, std::size_t{one.cpu} + 1);
    }
    made.workers.resize(workers);
    made.ready.resize(on.workers == 0 ? workers : 1);
    const bool alone = r >= on.node_of.size() || on_node[on.node_of[r]] == 1;
    made.looks = std::make_unique<rank_looks>(on, alone);
    if (on.pairs_long_messages)
      made.pairs.emplace(pairs.empty() ? simulated_pairs(true, second_ps) : pairs[r]);
  }
  const std::size_t workers = on.workers == 0 ? ranks_.front().workers.size() : on.workers;
  if (on.policy == look_policy::dedicated && on.cores != 0 && on.cores <= workers)
    stretch_ = static_cast<double>(workers + 1) / static_cast<double>(on.cores);
}

prediction dataflow_engine::run() {
  if (on_.links != nullptr) on_.links->restart();
  start();
  for (event next; has_next(next);) handle(next);
  report_stuck();
  prediction found;
  number last = 0;
  for (const simulated_rank& rank : ranks_) {
    found.finish_ps.push_back(steps_.at(rank.last));
    last = steps_.later(last, rank.last);
  }
  found.time_ps = steps_.at(last);
  steps_.add_up(last, program_.names.size(), on_.byte_ps, found);
  return found;
}

void dataflow_engine::start() {
  for (number r = 0; r < ranks_.size(); ++r) {
    const std::vector<number> unmet = ranks_[r].unmet;
    for (number op = 0; op < unmet.size(); ++op) {
      if (unmet[op] == 0) make_ready(r, op, 0, 0);
    }
    assign(r, 0);
  }
}

/// Takes the first event, or the end of a flow on the machine's links, if that comes first.
bool dataflow_engine::has_next(event& next) {
  if (events_.moves_elsewhere()) {
    if (const auto flow = on_.links->first_end(events_.first_ps())) {
      events_.ended_elsewhere();
      next = {.at_ps = flow->at_ps, .a = flow->flow, .what = event::kind::flow_ended};
      return true;
    }
  }
  if (events_.empty()) return false;
  next = events_.take();
  return true;
}

void dataflow_engine::handle(const event& one) {
  wires::departure left;
  switch (one.what) {
    case event::kind::task_ended:
      end_task(one);
      break;
    case event::kind::posted:
      posted(one);
      break;
    case event::kind::completed:
      finish(one.a, one.b, one.step, one.by);
      assign(one.a, one.at_ps);
      break;
    case event::kind::stream_free:
      wires_.go_on(one.a, one.at_ps);
      break;
    case event::kind::flow_starts:
      wires_.start_flow(one.a, one.at_ps);
      break;
    case event::kind::flow_ended:
      if (wires_.end_flow(one, left)) depart(left);
      break;
    case event::kind::arrived:
      arrive(one.a, one.step);
      break;
    case event::kind::receive_due:
      start_due(one);
      break;
    case event::kind::proxy_decides:
      if (one.version == ranks_[one.a].proxy_version) ask_proxy(one.a, one.at_ps);
      break;
  }
  for (const wires::departure& passed : wires_.take_left()) depart(passed);
}

// --- operations ----------------------------------------------------------------------------------

void dataflow_engine::release(number rank, const edge_list& edges, number of, number step,
                              std::int32_t by) {
  for (const dependent& edge : edges.of(of)) {
    if (--ranks_[rank].unmet[edge.operation()] == 0) make_ready(rank, edge.operation(), step, by);
  }
}

void dataflow_engine::make_ready(number rank, number operation, number step, std::int32_t by) {
  const simulate::operation& one = ranks_[rank].program->operations[operation];
  if (one.kind == operation_kind::send) return post_send(rank, operation, step, by);
  if (one.kind == operation_kind::receive) return post_receive(rank, operation, step, by);
  if (one.is_mark) return finish(rank, operation, step, by);
  simulated_rank& of = ranks_[rank];
  if (on_.workers == 0) {  // a processor takes what came first
    of.ready[of.ready.size() == 1 ? 0 : one.cpu].push({of.made_ready++, operation, step});
  } else {  // as the scheduler: by priority, then in the order of submission
    of.ready.front().push({std::uint64_t{one.priority} << 32 | operation, operation, step});
  }
}

void dataflow_engine::finish(number rank, number operation, number step, std::int32_t by) {
  simulated_rank& of = ranks_[rank];
  ++of.finished;
  if (!of.under_way.empty() && of.program->operations[operation].kind == operation_kind::receive)
    std::erase_if(of.under_way,
                  [operation](const long_receive* one) { return one->operation == operation; });
  of.last = steps_.later(of.last, step);
  release(rank, of.program->after_end, operation, step, by);
}

// --- workers -------------------------------------------------------------------------------------

simulated_thread& dataflow_engine::thread(number rank, std::int32_t which) {
  simulated_rank& of = ranks_[rank];
  return which == proxy ? of.proxy : of.workers[static_cast<std::size_t>(which)];
}

/// Gives idle workers what is ready; the ones that have been idle for longest first.
void dataflow_engine::assign(number rank, std::int64_t now_ps) {
  simulated_rank& of = ranks_[rank];
  if (stretch_ > 1) share_core(rank, now_ps);
  for (bool gave = true; gave;) {
    gave = false;
    for (std::size_t q = 0; q < of.ready.size(); ++q) {
      if (of.ready[q].empty()) continue;
      simulated_thread* best = nullptr;
      for (std::size_t w = 0; w < of.workers.size(); ++w) {
        simulated_thread& one = of.workers[w];
        if (one.runs || (of.ready.size() > 1 && w != q)) continue;
        if (best == nullptr || one.free_at_ps < best->free_at_ps) best = &one;
      }
      if (best == nullptr) continue;
      const simulated_rank::ready_task next = of.ready[q].top();
      of.ready[q].pop();
      const bool by_core = best->free_at_ps > steps_.at(next.step);
      const std::int64_t begin = std::max({now_ps, best->free_at_ps, steps_.at(next.step)});
      const number from = by_core ? best->last : next.step;
      // Where neither ended just now, the worker could not come earlier.
      best->began = steps_.add(begin, from, path_part::overhead, 0, by_core);
      const std::uint64_t duration =
          duration_of(program_, of.program->operations[next.operation],
                      next.operation % std::max(1U, program_.of_rank(rank).size()), rank,
                      next.operation / std::max(1U, program_.of_rank(rank).size()));
      const double ps =
          static_cast<double>(duration) * program_.unit_ps * (of.shares_core ? stretch_ : 1);
      best->runs = true;
      best->operation = next.operation;
      best->ends_ps = begin + std::llround(ps);
      events_.add({.at_ps = best->ends_ps,
                   .a = rank,
                   .b = static_cast<number>(best - of.workers.data()),
                   .version = ++best->version,
                   .what = event::kind::task_ended});
      const auto worker = static_cast<std::int32_t>(best - of.workers.data());
      release(rank, of.program->after_start, next.operation, best->began, worker);
      gave = true;
    }
  }
  if (stretch_ > 1) share_core(rank, now_ps);
  if (of.kept > 0) note_rest(rank, now_ps);
}

/// The proxy begins to spin with the first message in flight, and rests after the last.
void dataflow_engine::share_core(number rank, std::int64_t now_ps) {
  simulated_rank& of = ranks_[rank];
  if (of.shares_core != of.looks->is_idle()) return;
  of.shares_core = !of.shares_core;
  const double longer = of.shares_core ? stretch_ : 1 / stretch_;
  for (std::size_t w = 0; w < of.workers.size(); ++w) {
    simulated_thread& one = of.workers[w];
    const std::int64_t since = std::max(now_ps, steps_.at(one.began));
    if (!one.runs || one.ends_ps <= since) continue;
    one.ends_ps = since + std::llround(static_cast<double>(one.ends_ps - since) * longer);
    events_.add({.at_ps = one.ends_ps,
                 .a = rank,
                 .b = static_cast<number>(w),
                 .version = ++one.version,
                 .what = event::kind::task_ended});
  }
}

void dataflow_engine::end_task(const event& one) {
  simulated_rank& of = ranks_[one.a];
  simulated_thread& worker = of.workers[one.b];
  if (!worker.runs || worker.version != one.version) return;
  const std::uint32_t name = of.program->operations[worker.operation].name;
  const number end = steps_.add(one.at_ps, worker.began, path_part::computation, name);
  worker.runs = false;
  worker.free_at_ps = one.at_ps;
  worker.last = end;
  const auto which = static_cast<std::int32_t>(one.b);
  finish(one.a, worker.operation, end, which);
  if (of.looks->due_after_task(one.at_ps)) look(one.a, which, worker.free_at_ps, on_.look_ps);
  assign(one.a, one.at_ps);
  if (!worker.runs && !of.unseen.empty() && of.looks->idle_looks(one.b)) {
    look(one.a, which, worker.free_at_ps, 0);
    assign(one.a, one.at_ps);
  }
}

/// The proxy takes its time from a core that computes, where there is no other.
void dataflow_engine::lengthen_task(number rank, std::int64_t by_ps) {
  simulated_rank& of = ranks_[rank];
  if (by_ps == 0 || on_.cores == 0 || on_.cores > of.workers.size()) return;
  if (stretch_ > 1) return;  // the proxy's share has it
  for (std::size_t w = 0; w < of.workers.size(); ++w) {
    simulated_thread& one = of.workers[w];
    if (!one.runs) continue;
    one.ends_ps += by_ps;
    events_.add({.at_ps = one.ends_ps,
                 .a = rank,
                 .b = static_cast<number>(w),
                 .version = ++one.version,
                 .what = event::kind::task_ended});
    return;
  }
}

/// Names the first operation that never ran.
void dataflow_engine::report_stuck() const {
  for (number r = 0; r < ranks_.size(); ++r) {
    const simulated_rank& of = ranks_[r];
    if (of.finished == of.program->size()) continue;
    std::string what = "each waits for another";
    number first = of.program->size();
    for (const auto& [_, waiting] : of.receives) first = std::min(first, waiting.front().operation);
    if (first < of.program->size())
      what = text_of(program_, of.program->operations[first], r) +
             " waits for a message that nobody sends";
    throw usage_error(fmt::format("rank {}: {} of {} operations never run: {}", r,
                                  of.program->size() - of.finished, of.program->size(), what));
  }
}

}  // namespace plait::simulate
