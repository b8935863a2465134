// SPDX-License-Identifier: BSD-3-Clause
// The module plait.binding._core: what plait.binding.runtime is written over.
#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "python/collectives.hpp"
#include "python/holds.hpp"
#include "python/movers.hpp"
#include "python/runtime.hpp"
#include "python/windows.hpp"

namespace plait_python {
namespace {

using namespace nb::literals;

/// A communicator of plait's; the runtime owns it.
struct communicator {
  plait_comm* among;
};

plait_comm* among_of(const communicator* one) noexcept {
  return one != nullptr ? one->among : nullptr;
}

void bind_tasks(nb::module_& m) {
  nb::class_<access>(m, "Access");
  const auto make = [&m](const char* name, int mode) {
    m.def(
        name,
        [mode](nb::object array) {
          return access{std::move(array), mode};
        },
        "array"_a);
  };
  make("in_", PLAIT_IN);
  make("out", PLAIT_OUT);
  make("inout", PLAIT_INOUT);
  make("commutative", PLAIT_COMMUTATIVE);
  nb::class_<kernel>(m, "Kernel")
      .def(nb::init<nb::object, nb::object>(), "function"_a, "compile"_a)
      .def("__call__",
           [](const kernel& of, const nb::args& arguments) { return of.function()(*arguments); });
  nb::class_<task_end>(m, "Task", "A task that was submitted.")
      .def("done", &task_end::done,
           "Returns True once it is over, or was dropped after another's failure.")
      .def("wait", &task_end::wait, "Waits until it is over; raises what a task has raised.");
  nb::class_<task_hold>(m, "Hold", "A hold of a task that something else finishes.")
      .def("release", &task_hold::release, "Lets the task go. Any thread; never waits.")
      .def("fail", &task_hold::fail, "why"_a,
           "Lets the task go as failed, by an exception or for a reason in words.")
      .def("another", &task_hold::another, "Returns one more hold of the task.")
      .def("finish_with", &task_hold::finish_with, "request"_a,
           "Releases it when a request of mpi4py has completed, which is plait's from now on.");
  nb::class_<recording>(m, "Graph");
  nb::class_<communicator>(m, "Communicator");
}

plait_options options_of(int workers, int policy, std::size_t in_flight, double worst_delay_s,
                         double stall_report_s, bool checked) {
  plait_options options = PLAIT_OPTIONS_INIT;
  options.workers = workers;
  options.policy = policy;
  options.in_flight = in_flight;
  options.worst_delay_s = worst_delay_s;
  options.stall_report_s = stall_report_s;
  options.checked = checked ? 1 : 0;
  return options;
}

nb::dict as_dict(const plait_ledger& l) {
  nb::dict found;
  found["compute_s"] = l.compute_s;
  found["posting_s"] = l.posting_s;
  found["exposed_s"] = l.exposed_s;
  found["overhead_s"] = l.overhead_s;
  found["idle_s"] = l.idle_s;
  found["wall_s"] = l.wall_s;
  return found;
}

template <int (*Ask)(plait_runtime*, int*)>
int number(const runtime& of) {
  int found = 0;
  check(Ask(of.get(), &found));
  return found;
}

void bind_runtime(nb::module_& m) {
  nb::class_<runtime> bound(m, "Runtime");
  bound
      .def(
          "__init__",
          [](runtime* at, int comm, int workers, int policy, std::size_t in_flight,
             double worst_delay_s, double stall_report_s, bool checked) {
            new (at) runtime(comm, options_of(workers, policy, in_flight, worst_delay_s,
                                              stall_report_s, checked));
          },
          "comm"_a, "workers"_a, "policy"_a, "in_flight"_a, "worst_delay_s"_a, "stall_report_s"_a,
          "checked"_a)
      .def("_finalize", &runtime::finalize)
      .def("_abort", &runtime::abort, "text"_a)
      .def("_is_open", &runtime::is_open)
      .def(
          "_task",
          [](nb::handle rt, nb::handle function, const nb::tuple& arguments, nb::handle name,
             int priority, nb::handle also, bool anyone, bool held) {
            plait_event* const event = nb::cast<runtime&>(rt).task(function, arguments, name,
                                                                   priority, also, anyone, held);
            return event != nullptr ? nb::cast(task_end(event, nb::borrow(rt))) : nb::none();
          },
          "function"_a, "arguments"_a, "name"_a.none(), "priority"_a, "also"_a.none(), "anyone"_a,
          "held"_a)
      .def(
          "send",
          [](runtime& rt, nb::handle array, int peer, int tag, const communicator* among,
             const std::string& name) {
            rt.message(true, array, peer, tag, among_of(among), name);
          },
          "array"_a, "peer"_a, "tag"_a = 0, "among"_a = nb::none(), nb::kw_only(),
          "name"_a = "send")
      .def(
          "recv",
          [](runtime& rt, nb::handle array, int peer, int tag, const communicator* among,
             const std::string& name) {
            rt.message(false, array, peer, tag, among_of(among), name);
          },
          "array"_a, "peer"_a, "tag"_a = 0, "among"_a = nb::none(), nb::kw_only(),
          "name"_a = "receive")
      .def(
          "_counted",
          [](runtime& rt, bool sends, nb::handle array, nb::handle count, int peer, int tag,
             const communicator* among, const std::string& name) {
            rt.message_counted(sends, array, count, peer, tag, among_of(among), name);
          },
          "sends"_a, "array"_a, "count"_a, "peer"_a, "tag"_a, "among"_a.none(), "name"_a)
      .def("wait", &runtime::wait)
      .def("wait_on", &runtime::wait_on, "array"_a)
      .def("_record_begin", &runtime::record_begin)
      .def("_record_end", &runtime::record_end, "drop"_a)
      .def("replay", &runtime::replay, "graph"_a, "iterations"_a)
      .def("move", &runtime::move, "mover"_a)
      .def("_adopt", [](runtime& rt, int comm,
                        const std::string& name) { return communicator{rt.adopt(comm, name)}; })
      .def("_mpi_begin", [](runtime& rt) { rt.submit(&plait_mpi_begin); })
      .def("_mpi_end", [](runtime& rt) { rt.submit(&plait_mpi_end); })
      .def("_ledger", [](const runtime& rt, int worker) { return as_dict(rt.ledger(worker)); })
      .def("reset_ledger", [](runtime& rt) { rt.submit(&plait_reset_ledger); })
      .def("_trace_start", [](runtime& rt) { rt.submit(&plait_trace_start); })
      .def("_trace_stop",
           [](runtime& rt, const std::string& file) {
             rt.submit([&](plait_runtime* of) { return plait_trace_stop(of, file.c_str()); });
           })
      .def_prop_ro("rank", &number<plait_rank>)
      .def_prop_ro("size", &number<plait_size>)
      .def_prop_ro("workers", &number<plait_workers>)
      .def_prop_ro("policy", [](const runtime& rt) {
        const char* policy = nullptr;
        check(plait_get_policy(rt.get(), &policy, nullptr));
        return std::string(policy);
      });
  const auto of_call = [](const communicator* among, const std::string& name) {
    return words_of_call{plait_intern(name.c_str()), among_of(among)};
  };
  bound.def(
      "_collective",
      [of_call](runtime& rt, const std::string& what, nb::handle from, nb::handle to,
                const std::string& combination, int root, const communicator* among,
                const std::string& name) {
        submit_collective(rt, of_call(among, name), what, from, to, combination, root);
      },
      "what"_a, "from_"_a.none(), "to"_a.none(), "combination"_a, "root"_a, "among"_a.none(),
      "name"_a);
  bound.def(
      "_collective_of_blocks",
      [of_call](runtime& rt, const std::string& what, nb::handle from, nb::handle to,
                const std::vector<std::size_t>& sent, const std::vector<std::size_t>& received,
                int root, const communicator* among, const std::string& name) {
        submit_blocks(rt, of_call(among, name), what, from, to, sent, received, root);
      },
      "what"_a, "from_"_a.none(), "to"_a.none(), "sent"_a, "received"_a, "root"_a, "among"_a.none(),
      "name"_a);
  bound.def(
      "_neighbour",
      [of_call](runtime& rt, const std::string& what, nb::handle from, nb::handle to,
                const std::vector<std::size_t>& sent, const std::vector<std::size_t>& received,
                const std::vector<int>& sources, const std::vector<int>& destinations,
                const communicator* among, const std::string& name) {
        submit_neighbours(rt, of_call(among, name), what, from, to, sent, received, sources,
                          destinations);
      },
      "what"_a, "from_"_a, "to"_a, "sent"_a, "received"_a, "sources"_a, "destinations"_a,
      "among"_a.none(), "name"_a);
}

void bind_movers(nb::module_& m) {
  using numbers = array_block::numbers;
  nb::class_<array_block>(m, "Block")
      .def(nb::init<nb::object, const numbers&, const numbers&, const numbers&, const numbers&,
                    bool>(),
           "array"_a, "first"_a, "cells"_a, "ghosts"_a, "periodic"_a, "writes"_a);
  nb::class_<moving>(m, "Mover");
  m.def("_plan_ghosts", &plan_ghosts, "runtime"_a, "of"_a, "corners"_a, "boundary"_a, "value"_a,
        "name"_a);
  m.def("_plan_redistribution", &plan_redistribution, "runtime"_a, "from_"_a, "to"_a, "name"_a);
  m.def("_refuse_plan", &refuse_plan, "runtime"_a);
}

void bind_windows(nb::module_& m) {
  nb::class_<window>(m, "Window")
      .def(nb::init<runtime&, nb::object, int, bool>(), nb::keep_alive<1, 2>(), "runtime"_a,
           "array"_a, "flags"_a, "rma"_a)
      .def("get", &window::get, "to"_a, "target"_a, "offset"_a = 0, nb::kw_only(), "name"_a = "get")
      .def("put", &window::put, "array"_a, "target"_a, "offset"_a = 0, nb::kw_only(),
           "signal"_a = nb::none(), "name"_a = "put")
      .def("signal", &window::signal, "target"_a, "flag"_a, "after"_a, nb::kw_only(),
           "name"_a = "signal")
      .def("await_signal", &window::await_signal, "source"_a, "flag"_a, "covers"_a, nb::kw_only(),
           "name"_a = "await signal")
      .def("free", &window::free);
}

}  // namespace
}  // namespace plait_python

NB_MODULE(_core, m) {
  using namespace plait_python;
  nb::set_leak_warnings(false);  // the interpreter ends without freeing what modules have
  m.def("_set_error_classes", &set_error_classes);
  bind_tasks(m);
  bind_runtime(m);
  bind_movers(m);
  bind_windows(m);
  m.def("_progress_start", [](double interval_s) {
    plait_progress_options options = PLAIT_PROGRESS_OPTIONS_INIT;
    options.interval_s = interval_s;
    int code = PLAIT_SUCCESS;
    {
      const without_lock away;
      code = plait_progress_start(&options);
    }
    check(code);
  });
  m.def("_progress_stop", [] {
    const without_lock away;
    (void)plait_progress_stop();
  });
  m.attr("nobody") = PLAIT_NOBODY;
}
