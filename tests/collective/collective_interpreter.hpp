// SPDX-License-Identifier: BSD-3-Clause
/// Executes the schedules of all ranks of a collective call, in any order that data and matching
/// allow.  Knows nothing of operations and algorithms.
#pragma once

#include <algorithm>
#include <array>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <plait/collective/schedule.hpp>

#include "collective_world.hpp"

namespace plait::test {

using collective::action;
using collective::buffer;
using collective::schedule;
using collective::slice;

inline std::string to_text(const slice& s) {
  constexpr const char* names[] = {"send", "receive", "scratch"};
  return std::string(names[static_cast<int>(s.where)]) + "[" + std::to_string(s.begin) + ", " +
         std::to_string(s.end) + ")";
}

inline std::string to_text(const action& a) {
  constexpr const char* names[] = {"send", "receive", "operate", "copy"};
  return std::string(names[static_cast<int>(a.what)]) + " peer " + std::to_string(a.peer) + " " +
         to_text(a.from) + " -> " + to_text(a.to) + " round " + std::to_string(a.round);
}

inline bool reads(const action& a) {
  return a.what != action::kind::receive;
}
inline bool writes(const action& a) {
  return a.what != action::kind::send;
}
inline bool overlap(const slice& a, const slice& b) {
  return a.where == b.where && a.begin < b.end && b.begin < a.end;
}
inline bool conflict(const action& a, const action& b) {
  return (writes(a) && writes(b) && overlap(a.to, b.to)) ||
         (writes(a) && reads(b) && overlap(a.to, b.from)) ||
         (reads(a) && writes(b) && overlap(a.from, b.to));
}

/// Returns, in words, the first fault of one rank's schedule by itself; empty if there is none.
inline std::string flaw_of(const schedule& s, const shape& call, std::size_t send_bytes,
                           std::size_t receive_bytes) {
  const std::array<std::size_t, 3> sizes{send_bytes, receive_bytes, s.scratch_bytes};
  const bool scatters = call.what == operation::scatter || call.what == operation::scatterv;
  const bool rooted = has_root(call.what);
  const bool input_elsewhere = call.in_place && !scatters && (!rooted || call.rank == call.root);
  for (const action& a : s.actions) {
    const bool message = a.what == action::kind::send || a.what == action::kind::receive;
    const bool operates = a.what == action::kind::operate;
    std::vector<slice> used;
    if (reads(a)) used.push_back(a.from);
    if (writes(a)) used.push_back(a.to);
    const char* wrong = nullptr;
    for (const slice& u : used) {
      if (u.begin >= u.end) wrong = "no bytes";
      if (u.end > sizes[static_cast<std::size_t>(u.where)]) wrong = "outside the buffer";
      if (operates && (u.begin % call.element_bytes != 0 || u.size() % call.element_bytes != 0)) {
        wrong = "not whole elements";
      }
    }
    if (used.size() == 2 && a.from.size() != a.to.size()) wrong = "different sizes";
    if (used.size() == 2 && overlap(a.from, a.to)) wrong = "overlap";
    if (writes(a) && a.to.where == buffer::send) wrong = "writes to the send buffer";
    if (reads(a) && input_elsewhere && a.from.where == buffer::send) {
      wrong = "reads the send buffer in place";
    }
    if (message && (a.peer < 0 || a.peer >= call.ranks || a.peer == call.rank)) wrong = "peer";
    if (a.round < 0 || a.round >= std::max(s.rounds, 1)) wrong = "round";
    if (wrong != nullptr) {
      return "rank " + std::to_string(call.rank) + ": " + to_text(a) + ": " + wrong;
    }
  }
  return {};
}

/// How messages behave.
struct message_manner {
  bool eager = false;     ///< a send completes by itself; else when its receive is posted
  bool in_order = false;  ///< a message is posted after the earlier ones of its peer and direction
  /// An action begins when the one before it has, as where one task at most may be in flight.
  bool one_by_one = false;
};

class interpreter {
 public:
  interpreter(const world& w, const std::vector<schedule>& schedules)
      : world_(w),
        ranks_(static_cast<int>(schedules.size())),
        channels_(schedules.size() * schedules.size()) {
    for (std::size_t r = 0; r < schedules.size(); ++r) {
      note(flaw_of(schedules[r], w.calls[r], w.send[r].size(), w.receive[r].size()));
      if (schedules[r].rounds != schedules[0].rounds) note("ranks differ in the number of rounds");
      add(static_cast<int>(r), schedules[r]);
    }
    for (std::size_t c = 0; c < channels_.size(); ++c) note(mismatch_in(c));
  }

  /// Returns, in words, the first fault of the schedules, before they are executed; empty if there
  /// is none.
  [[nodiscard]] const std::string& flaw() const noexcept { return flaw_; }

  /// Executes what can be executed; actions of rank `held` cannot.
  /// Returns the actions that could not begin or end, by rank.  Precondition: no flaw.
  std::vector<std::vector<std::string>> run(const message_manner& manner, random_engine& random,
                                            int held = -1) {
    if (!flaw_.empty()) throw std::logic_error(flaw_);
    manner_ = manner;
    reset(random);
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
      if (manner_.one_by_one && n > 0 && nodes_[n - 1].rank == nodes_[n].rank) {
        ++nodes_[n].waits_for;
      }
    }
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
      if (nodes_[n].rank == held) {
        ++nodes_[n].waits_for;
      } else if (nodes_[n].waits_for == 0) {
        become_ready(n);
      }
    }
    while (!events_.empty()) {
      std::swap(events_[random_up_to(random, events_.size() - 1)], events_.back());
      const event e = events_.back();
      events_.pop_back();
      if (e.arrival) {
        arrive(e.node);
      } else {
        begin(e.node);
      }
    }
    std::vector<std::vector<std::string>> left(static_cast<std::size_t>(ranks_));
    for (const node& n : nodes_) {
      if (!n.done) left[static_cast<std::size_t>(n.rank)].push_back(to_text(n.what));
    }
    return left;
  }

  [[nodiscard]] const bytes& received(int rank) const { return memory_of(rank)[1]; }
  [[nodiscard]] const bytes& sent(int rank) const { return memory_of(rank)[0]; }

 private:
  struct node {
    int rank = 0;
    action what;
    std::vector<std::size_t> next = {};  ///< actions that conflict with this one
    int conflicts = 0;
    std::size_t channel = 0;
    std::size_t place = 0;
    // of a run
    int waits_for = 0;
    bool ready = false;
    bool begun = false;
    bool done = false;
    bytes payload = {};
  };
  struct event {
    std::size_t node;
    bool arrival;  ///< of the message of this receive
  };
  using messages = std::vector<std::size_t>;
  struct channel {
    messages sends;
    messages receives;
  };
  using memory = std::array<bytes, 3>;

  void note(const std::string& flaw) {
    if (flaw_.empty()) flaw_ = flaw;
  }

  /// Returns, in words, the first mismatch of the sends from one rank to another and the receives
  /// there; empty if there is none.
  [[nodiscard]] std::string mismatch_in(std::size_t c) const {
    const auto& [sends, receives] = channels_[c];
    const std::string who = "from rank " + std::to_string(static_cast<int>(c) / ranks_) + " to " +
                            std::to_string(static_cast<int>(c) % ranks_) + ": ";
    if (sends.size() != receives.size()) {
      return who + std::to_string(sends.size()) + " messages, " + std::to_string(receives.size()) +
             " receives";
    }
    for (std::size_t k = 0; k < sends.size(); ++k) {
      const action& s = nodes_[sends[k]].what;
      const action& r = nodes_[receives[k]].what;
      if (s.from.size() != r.to.size() || s.round != r.round) {
        return who + to_text(s) + " meets " + to_text(r);
      }
    }
    return {};
  }

  void add(int rank, const schedule& s) {
    if (!flaw_.empty()) return;
    const std::size_t first = nodes_.size();
    for (const action& a : s.actions) {
      node n{.rank = rank, .what = a};
      for (std::size_t earlier = first; earlier < nodes_.size(); ++earlier) {
        if (!conflict(nodes_[earlier].what, a)) continue;
        nodes_[earlier].next.push_back(nodes_.size());
        ++n.conflicts;
        check_rounds(nodes_[earlier].what, a);
      }
      const bool sends = a.what == action::kind::send;
      if (sends || a.what == action::kind::receive) {
        n.channel =
            static_cast<std::size_t>(sends ? rank * ranks_ + a.peer : a.peer * ranks_ + rank);
        messages& list = sends ? channels_[n.channel].sends : channels_[n.channel].receives;
        n.place = list.size();
        list.push_back(nodes_.size());
      }
      nodes_.push_back(n);
    }
    scratch_.push_back(s.scratch_bytes);
  }

  /// In lock-step, what a rank sends in a round it has had before.
  void check_rounds(const action& earlier, const action& later) {
    const bool passed_on = later.what == action::kind::send && earlier.what != action::kind::copy;
    if (later.round < earlier.round + (passed_on ? 1 : 0)) {
      note("too early: " + to_text(later) + " after " + to_text(earlier));
    }
  }

  void reset(random_engine& random) {
    events_.clear();
    memory_.clear();
    for (std::size_t r = 0; r < scratch_.size(); ++r) {
      bytes scratch(scratch_[r]);
      for (auto& b : scratch) b = static_cast<unsigned char>(random());
      memory_.push_back({world_.send[r], world_.receive[r], scratch});
    }
    for (node& n : nodes_) {
      n.waits_for = n.conflicts;
      n.ready = n.begun = n.done = false;
      n.payload.clear();
    }
  }

  [[nodiscard]] const memory& memory_of(int rank) const {
    return memory_[static_cast<std::size_t>(rank)];
  }
  unsigned char* at(int rank, const slice& s) {
    return memory_[static_cast<std::size_t>(rank)][static_cast<std::size_t>(s.where)].data() +
           s.begin;
  }
  [[nodiscard]] bool is_message(const node& n) const { return n.what.peer >= 0; }
  [[nodiscard]] const messages& direction_of(const node& n) const {
    const channel& c = channels_[n.channel];
    return n.what.what == action::kind::send ? c.sends : c.receives;
  }

  void become_ready(std::size_t n) {
    nodes_[n].ready = true;
    const node& self = nodes_[n];
    const bool parked = manner_.in_order && is_message(self) && self.place > 0 &&
                        !nodes_[direction_of(self)[self.place - 1]].begun;
    if (!parked) events_.push_back({n, false});
  }

  void begin(std::size_t n) {
    execute(n);
    const std::size_t next = n + 1;
    if (!manner_.one_by_one || next == nodes_.size() || nodes_[next].rank != nodes_[n].rank) return;
    if (--nodes_[next].waits_for == 0) become_ready(next);
  }

  void execute(std::size_t n) {
    node& self = nodes_[n];
    self.begun = true;
    if (!is_message(self)) {
      compute(self);
      return finish(n);
    }
    const bool sends = self.what.what == action::kind::send;
    if (sends && manner_.eager) {
      const unsigned char* data = at(self.rank, self.what.from);
      self.payload.assign(data, data + self.what.from.size());
      finish(n);
    }
    if (!sends) {  // from now on it may be written to
      std::fill_n(at(self.rank, self.what.to), self.what.to.size(), std::uint8_t{0xEE});
    }
    const channel& c = channels_[self.channel];
    if (nodes_[(sends ? c.receives : c.sends)[self.place]].begun) {
      events_.push_back({c.receives[self.place], true});
    }
    const messages& list = direction_of(self);
    if (manner_.in_order && self.place + 1 < list.size()) {
      const std::size_t next = list[self.place + 1];
      if (nodes_[next].ready) events_.push_back({next, false});
    }
  }

  void arrive(std::size_t n) {
    const node& self = nodes_[n];
    const std::size_t sender = channels_[self.channel].sends[self.place];
    const node& from = nodes_[sender];
    const unsigned char* data = manner_.eager ? from.payload.data() : at(from.rank, from.what.from);
    std::copy_n(data, self.what.to.size(), at(self.rank, self.what.to));
    finish(n);
    if (!manner_.eager) finish(sender);
  }

  void compute(const node& n) {
    const action& a = n.what;
    const unsigned char* from = at(n.rank, a.from);
    unsigned char* to = at(n.rank, a.to);
    if (a.what == action::kind::copy) {
      std::copy_n(from, a.from.size(), to);
      return;
    }
    for (std::size_t k = 0; k < a.to.size(); k += operand_bytes) {
      if (a.to_is_left) {
        world_.op(to + k, from + k, to + k);
      } else {
        world_.op(from + k, to + k, to + k);
      }
    }
  }

  void finish(std::size_t n) {
    nodes_[n].done = true;
    for (const std::size_t next : nodes_[n].next) {
      if (--nodes_[next].waits_for == 0) become_ready(next);
    }
  }

  const world& world_;
  int ranks_;
  std::string flaw_;
  std::vector<node> nodes_;
  std::vector<channel> channels_;  ///< from a to b: a * ranks + b
  std::vector<std::size_t> scratch_;
  std::vector<memory> memory_;
  std::vector<event> events_;
  message_manner manner_;
};

}  // namespace plait::test
