// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/written/stall_report.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <plait/comm/collective/library_call.hpp>
#include <plait/core/error.hpp>

#include "core/environment_variable.hpp"

namespace plait {
namespace {

constexpr std::size_t most_lines = 10;  // of one kind
constexpr std::size_t most_names = 3;   // of what one task waits for

[[nodiscard]] std::string counted(std::size_t count, const char* one, const char* many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

[[nodiscard]] std::string of_iteration(const stall::task& task) {
  return task.iteration == 0 ? "" : fmt::format(", iteration {}", task.iteration);
}

/// Behind a rank: " of 'row'"; of all ranks nothing.
[[nodiscard]] std::string of_communicator(std::string_view among) {
  return among.empty() ? "" : fmt::format(" of '{}'", among);
}

/// "receive 'ghost' from rank 1, tag 3", "receive of allreduce 'total' from rank 1".  `called`: the
/// collective.
[[nodiscard]] std::string message_label(operation::kind what, operation::origin of,
                                        std::string_view called, const std::string& name,
                                        std::string_view among, int peer, int tag) {
  using kind = operation::kind;
  using origin = operation::origin;
  const std::string part = (of == origin::collective  ? fmt::format("of {} ", called)
                            : of == origin::agreement ? fmt::format("of the sizes of {} ", called)
                                                      : std::string()) +
                           "'" + name + "'";
  const std::string end =
      of_communicator(among) + (of == origin::program ? fmt::format(", tag {}", tag) : "");
  switch (what) {
    case kind::receive:
      return fmt::format("receive {} from rank {}{}", part, peer, end);
    case kind::send:
      return fmt::format("send {} to rank {}{}", part, peer, end);
    case kind::get:
      return fmt::format("get '{}' from the window of rank {}", name, peer);
    case kind::put:
      return fmt::format("put '{}' to the window of rank {}", name, peer);
    case kind::landing:
      return fmt::format("put '{}' to the window of rank {}, whose data has left", name, peer);
    case kind::await_signal:
      return fmt::format("signal '{}' from rank {}, flag {}", name, peer, tag);
    case kind::collective:
      break;  // see collective_label
  }
  return name;
}

/// "allreduce 'total' of the MPI library"
[[nodiscard]] std::string collective_label(std::string_view what, const std::string& name,
                                           std::string_view among, bool by_library = true) {
  return fmt::format("{} '{}'{}{}", what, name,
                     among.empty() ? "" : fmt::format(" among '{}'", among),
                     by_library ? " of the MPI library" : "");
}

class report {
 public:
  report(const stall& tasks, const message_survey& messages, message_of message)
      : tasks_(tasks), messages_(messages), message_(message), label_(process_label()) {}

  [[nodiscard]] std::string text() && {
    head();
    list(running_tasks());
    list(suspended_tasks());
    list(tasks_on_hold());
    list(messages_under_way());
    list(arrivals());
    list(messages_not_started());
    list(waiting_tasks());
    if (!messages_.taken) {
      line(
          "another thread keeps the right to call MPI (environment::token()), in a call of a task "
          "perhaps: which messages are under way cannot be seen");
    }
    return std::move(text_);
  }

 private:
  using lines = std::vector<std::string>;

  void line(const std::string& what) {
    fmt::format_to(std::back_inserter(text_), "plait: {}: {}\n", label_, what);
  }
  void list(const lines& all) {
    for (std::size_t i = 0; i < std::min(all.size(), most_lines); ++i) line("  " + all[i]);
    if (all.size() > most_lines) line(fmt::format("  ... and {} more", all.size() - most_lines));
  }

  void head() {
    const auto under_way =
        std::count_if(messages_.messages.begin(), messages_.messages.end(),
                      [](const auto& m) { return m.is == message_survey::state::under_way; });
    line(fmt::format(
        "nothing has started or finished here for {:.1f} s, and this rank waits: "
        "{} under way, {} not started, {} waiting, {} ready, {} running{}",
        tasks_.quiet_s, counted(static_cast<std::size_t>(under_way), "message", "messages"),
        messages_not_started().size(), counted(count(stall::state::waiting), "task", "tasks"),
        count(stall::state::ready), count(stall::state::running),
        tasks_.held.empty() ? "" : fmt::format(", {} held", tasks_.held.size())));
  }

  /// Tasks that compute.
  [[nodiscard]] std::size_t count(stall::state is) const {
    return static_cast<std::size_t>(
        std::count_if(tasks_.tasks.begin(), tasks_.tasks.end(),
                      [&](const auto& task) { return task.is == is && !is_message(task); }));
  }
  [[nodiscard]] static bool is_message(const stall::task& task) {
    return task.node->kind == detail::node_kind::asynchronous;
  }

  [[nodiscard]] std::string label(const stall::task& task) const {
    if (!is_message(task)) return fmt::format("task '{}'", task.node->name);
    const operation& op = message_(*task.node);
    const std::string_view among = engine::matching_of(op).name;
    if (op.what == operation::kind::collective) {
      return collective_label(to_string(op.called), task.node->name, among, op.call != nullptr);
    }
    const bool named = op.name != nullptr;
    return message_label(op.what, op.of, to_string(op.called), named ? op.name : task.node->name,
                         among, op.peer, op.tag);
  }

  /// "task 'relax', receive 'ghost' from rank 1, tag 3, and 4 more"
  [[nodiscard]] std::string predecessors(const stall::task& task) const {
    std::string names;
    const auto& list = task.waits_for;
    for (std::size_t i = 0; i < std::min(list.size(), most_names); ++i) {
      names += (i == 0 ? "" : "; ") + label(tasks_.tasks[list[i]]);
    }
    if (list.size() > most_names) names += fmt::format("; and {} more", list.size() - most_names);
    return names.empty() ? "what has just finished" : names;
  }

  [[nodiscard]] lines running_tasks() const {
    lines all;
    for (const stall::task& task : tasks_.tasks) {
      if (task.is != stall::state::running) continue;
      all.push_back(
          fmt::format("{} has been running on {} {} for {:.1f} s{}: this rank waits "
                      "for it, not for a message",
                      label(task), *task.resource == '\0' ? "worker" : task.resource, task.worker,
                      task.running_s, of_iteration(task)));
    }
    return all;
  }

  [[nodiscard]] lines suspended_tasks() const {
    lines all;
    for (const stall::task& task : tasks_.tasks) {
      if (task.is != stall::state::suspended) continue;
      all.push_back(fmt::format("{}{} waits in an MPI call or for what it has submitted",
                                label(task), of_iteration(task)));
    }
    return all;
  }

  [[nodiscard]] lines tasks_on_hold() const {
    lines all;
    for (const stall::held_task& task : tasks_.held) {
      all.push_back(fmt::format(
          "task '{}'{} is held since {:.1f} s: its function has returned, and "
          "whoever is to finish it has not",
          task.name, task.iteration == 0 ? "" : fmt::format(", iteration {},", task.iteration),
          task.held_s));
    }
    return all;
  }

  [[nodiscard]] static std::string described(const message_survey::message& m) {
    const std::string place = m.place == 0 ? "" : fmt::format(", place {}", m.place);
    return fmt::format(
        "{}{}, {} bytes",
        m.collective.empty()
            ? message_label(m.what, m.of, m.called, m.name, m.communicator, m.peer, m.tag)
            : collective_label(m.collective, m.name, m.communicator),
        place, m.size_bytes);
  }

  [[nodiscard]] lines messages_under_way() const {
    lines all;
    for (const message_survey::message& m : messages_.messages) {
      if (m.is != message_survey::state::under_way) continue;
      all.push_back(fmt::format("{}: started {:.1f} s ago, not complete", described(m), m.age_s));
    }
    return all;
  }

  [[nodiscard]] lines messages_not_started() const {
    lines all;
    for (const message_survey::message& m : messages_.messages) {
      if (m.is == message_survey::state::parked) {
        all.push_back(
            fmt::format("{}: not started, place {} of {} must be before", described(m), m.behind,
                        m.collective.empty() ? "this peer and tag" : "the library's collectives"));
      } else if (m.is == message_survey::state::held_back) {
        all.push_back(described(m) +
                      ": not started, held back until a send or by the option disturb");
      }
    }
    for (const stall::task& task : tasks_.tasks) {
      if (!is_message(task) || task.is != stall::state::waiting) continue;
      const operation& op = message_(*task.node);
      const bool has_place = op.what != operation::kind::get && op.what != operation::kind::put &&
                             op.what != operation::kind::landing &&  // that it may tell
                             (op.what != operation::kind::collective || op.call != nullptr);
      const std::string place = task.iteration != 0 ? of_iteration(task)
                                : has_place         ? fmt::format(", place {}", op.sequence + 1)
                                                    : "";
      all.push_back(fmt::format("{}{}, {} bytes: not started, waits for {}", label(task), place,
                                op.size_bytes, predecessors(task)));
    }
    return all;
  }

  [[nodiscard]] lines waiting_tasks() const {
    lines all;
    for (const stall::task& task : tasks_.tasks) {
      if (is_message(task) || task.is != stall::state::waiting) continue;
      all.push_back(
          fmt::format("{}{} waits for {}", label(task), of_iteration(task), predecessors(task)));
    }
    return all;
  }

  [[nodiscard]] lines arrivals() const {
    lines all;
    for (const message_survey::arrival& a : messages_.arrivals) {
      all.push_back(
          fmt::format("{} message of {} bytes from rank {}{} {} (place {}) is here, and {}",
                      a.receive_submitted ? "an early" : "an unexpected", a.size_bytes, a.peer,
                      of_communicator(a.communicator),
                      a.of_program ? fmt::format("with tag {}", a.tag)
                                   : std::string("of a collective or a move"),
                      a.place, why_not_received(a)));
    }
    return all;
  }

  [[nodiscard]] std::string why_not_received(const message_survey::arrival& a) const {
    if (!a.receive_submitted) {
      return "no receive for it has been submitted: do both ranks submit the same messages, in the "
             "same order?";
    }
    for (const stall::task& task : tasks_.tasks) {
      if (!is_message(task) || task.is != stall::state::waiting || task.iteration != 0) continue;
      const operation& op = message_(*task.node);
      if (op.what != operation::kind::receive || op.peer != a.peer || op.tag != a.tag ||
          op.sequence + 1 != a.place || engine::matching_of(op).communicator != a.matching) {
        continue;
      }
      return fmt::format(
          "its receive '{}' has not been started{}", task.node->name,
          op.size_bytes == a.size_bytes ? "" : fmt::format(", and is of {} bytes", op.size_bytes));
    }
    return "its receive has not been started";
  }

  const stall& tasks_;
  const message_survey& messages_;
  const message_of message_;
  const std::string label_;
  std::string text_;
};

}  // namespace

std::string stall_report(const stall& tasks, const message_survey& messages, message_of message) {
  return report(tasks, messages, message).text();
}

double stall_report_seconds(double option) {
  const std::string text = environment_variable("PLAIT_STALL_REPORT_S");
  if (text.empty()) return option;
  char* end = nullptr;
  const double seconds = std::strtod(text.c_str(), &end);
  if (*end != '\0' || !std::isfinite(seconds)) {
    throw usage_error(fmt::format(
        "PLAIT_STALL_REPORT_S is '{}'; it can be a number of seconds, or 0 for no report", text));
  }
  return seconds;
}

}  // namespace plait
