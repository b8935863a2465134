// SPDX-License-Identifier: BSD-3-Clause
// Messages, waiting, graphs and figures.
#include <algorithm>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <plait/core/error.hpp>
#include <plait/trace/chrome_trace.hpp>
#include <plait/trace/critical_path.hpp>

#include "c/calls.hpp"

namespace plait::c {
namespace {

void submit_message(plait_runtime& rt, operation::kind what, const char* name,
                    const plait_memory& memory, int peer, int tag, const plait_comm* among) {
  rt.to().message(
      {.name = name_of(name), .what = what, .memory = box_of(memory), .peer = peer, .tag = tag},
      among_of(among));
}

void submit_counted(plait_runtime& rt, operation::kind what, const char* name,
                    const plait_memory& memory, const std::size_t* count, std::size_t element_bytes,
                    int peer, int tag, const plait_comm* among) {
  const task_name named = name_of(name);
  expect_given(count, name, "count");
  if (element_bytes == 0) throw usage_error(std::string("'") + name + "': elements of 0 bytes");
  rt.to().message({.name = named,
                   .what = what,
                   .memory = strided_bytes::of(range_of(memory, name)),
                   .peer = peer,
                   .tag = tag,
                   .count = const_cast<std::size_t*>(count),  // a send only reads it
                   .element_bytes = element_bytes},
                  among_of(among));
}

[[nodiscard]] plait_ledger ledger_of(const ledger& all, int worker) {
  plait_ledger sum = PLAIT_LEDGER_INIT;
  int counted = 0;
  for (const ledger_entry& one : all) {
    if (worker != PLAIT_MEAN && one.worker != worker) continue;
    ++counted;
    sum.compute_s += one.compute_s;
    sum.posting_s += one.posting_s;
    sum.exposed_s += one.exposed_s;
    sum.overhead_s += one.overhead_s;
    sum.idle_s += one.idle_s;
    sum.wall_s += one.wall_s;
  }
  if (counted == 0) {
    throw usage_error("plait_get_ledger: there is no worker " + std::to_string(worker) + " of " +
                      std::to_string(all.size()));
  }
  for (double* part : {&sum.compute_s, &sum.posting_s, &sum.exposed_s, &sum.overhead_s, &sum.idle_s,
                       &sum.wall_s}) {
    *part /= counted;
  }
  return sum;
}

/// Rank 0 says whether it has written the file.
void write_trace(plait_runtime& rt, std::vector<trace_event> events, const char* file) {
  std::vector<trace_event> all = collect_events(rt.env, std::move(events));
  std::string problem;
  if (rt.env.rank() == 0) {
    traced_run run{.name = "plait", .events = std::move(all), .path = {}};
    run.path = critical_path(run.events);
    std::ofstream to(file);
    write_chrome_trace(to, {&run, 1});
    to.close();
    if (!to) problem = std::string("plait_trace_stop: '") + file + "' cannot be written";
  }
  problem = rt.env.broadcast(problem);
  if (!problem.empty()) throw usage_error(problem);
}

}  // namespace
}  // namespace plait::c

using namespace plait::c;
using plait::operation;

int plait_send(plait_runtime* rt, const char* name, plait_memory from, int peer, int tag,
               plait_comm* among) {
  return call(rt, "plait_send", from::program,
              [&] { submit_message(*rt, operation::kind::send, name, from, peer, tag, among); });
}

int plait_recv(plait_runtime* rt, const char* name, plait_memory to, int peer, int tag,
               plait_comm* among) {
  return call(rt, "plait_recv", from::program,
              [&] { submit_message(*rt, operation::kind::receive, name, to, peer, tag, among); });
}

int plait_send_counted(plait_runtime* rt, const char* name, plait_memory from, const size_t* count,
                       size_t element_bytes, int peer, int tag, plait_comm* among) {
  return call(rt, "plait_send_counted", from::program, [&] {
    submit_counted(*rt, operation::kind::send, name, from, count, element_bytes, peer, tag, among);
  });
}

int plait_recv_counted(plait_runtime* rt, const char* name, plait_memory to, size_t* count,
                       size_t element_bytes, int peer, int tag, plait_comm* among) {
  return call(rt, "plait_recv_counted", from::program, [&] {
    submit_counted(*rt, operation::kind::receive, name, to, count, element_bytes, peer, tag, among);
  });
}

int plait_wait(plait_runtime* rt) {
  return call(rt, "plait_wait", from::waiting, [rt] { rt->joined->wait(); });
}

int plait_wait_on(plait_runtime* rt, plait_memory memory) {
  return call(rt, "plait_wait_on", from::waiting, [&] {
    const plait::strided_bytes box = box_of(memory);
    rt->to().wait_on({&box, 1});
  });
}

int plait_record_begin(plait_runtime* rt) {
  return call(rt, "plait_record_begin", from::to_wait, [rt] { rt->to().begin_record(); });
}

int plait_record_end(plait_runtime* rt, plait_graph** made) {
  return call(rt, "plait_record_end", from::program, [&] {
    if (!rt->to().recording()) throw state_error("plait_record_end without plait_record_begin");
    if (made == nullptr) {
      (void)rt->to().end_record(false);
      return;
    }
    *made = nullptr;
    auto handle = std::make_unique<plait_graph>(plait_graph{rt, {}});
    rt->graphs.insert(handle.get());
    handle->recorded = rt->to().end_record();
    *made = handle.release();
  });
}

int plait_replay(plait_runtime* rt, plait_graph* graph, uint64_t iterations) {
  const int before = call(rt, "plait_replay", from::waiting, [rt] { rt->joined->wait(); });
  if (before != PLAIT_SUCCESS) return before;
  return call(rt, "plait_replay", from::to_wait, [&] {
    expect_given(graph, "plait_replay", "graph");
    if (!graph->recorded.has_value())
      throw state_error("plait_replay: the runtime that recorded the graph has ended");
    rt->joined->replay(*graph->recorded, iterations);
  });
}

int plait_graph_free(plait_graph** graph) {
  if (graph == nullptr) return fail(PLAIT_ERR_USAGE, "plait_graph_free: a null pointer");
  plait_graph* const one = *graph;
  if (one == nullptr) return PLAIT_SUCCESS;
  int code = PLAIT_SUCCESS;
  if (one->recorded.has_value()) {
    code =
        call(one->owner, "plait_graph_free", from::waiting, [one] { one->owner->joined->wait(); });
    if (code == PLAIT_ERR_STATE) return code;
    one->recorded.reset();
    one->owner->graphs.erase(one);
  }
  delete one;
  *graph = nullptr;
  return code;
}

int plait_get_ledger(plait_runtime* rt, int worker, plait_ledger* found) {
  return call(rt, "plait_get_ledger", from::to_wait, [&] {
    expect_given(found, "plait_get_ledger", "place for the ledger");
    const size_t size = own_version(found, "plait_ledger").struct_size;
    const size_t given = found->struct_size;
    plait_ledger own = ledger_of(rt->joined->ledger(), worker);
    own.struct_size = given;
    std::memcpy(found, &own, std::min(size, given));
  });
}

int plait_reset_ledger(plait_runtime* rt) {
  return call(rt, "plait_reset_ledger", from::to_wait, [rt] { rt->joined->reset_ledger(); });
}

int plait_trace_start(plait_runtime* rt) {
  return call(rt, "plait_trace_start", from::to_wait, [rt] {
    rt->joined->wait();
    rt->joined->start_trace();
  });
}

int plait_trace_stop(plait_runtime* rt, const char* file) {
  return call(rt, "plait_trace_stop", from::to_wait, [&] {
    expect_given(file, "plait_trace_stop", "file's name");
    rt->joined->wait();
    write_trace(*rt, rt->joined->stop_trace(), file);
  });
}
