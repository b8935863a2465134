// SPDX-License-Identifier: BSD-3-Clause
#include "random_program.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "generator.hpp"

namespace plait::test {
namespace {

/// Sizes and shares that all programs of a case have in common.
struct shape {
  int ranks;
  std::size_t byte_count;  ///< elements of each array
  std::size_t word_count;
  std::size_t statements;        ///< of the whole job
  double message_share;          ///< of the statements
  double commutative_share;      ///< of the accesses
  double usual_range_share;      ///< accesses to one of a few ranges, the tracker's fast path
  std::size_t longest_elements;  ///< of an arbitrary range
  int tags;
  bool
      one_target;  ///< every rank sends to the next one only, so that many messages share a channel
  double swaps;    ///< of neighbouring statements, per statement
  double box_share;  ///< of the accesses of tasks
  struct array {
    element of;
    std::size_t origin;
    std::array<std::size_t, 3> extent;  ///< the last one contiguous
  };
  std::vector<array> arrays;  ///< of which boxes are named
  std::vector<planned_access> usual_boxes;
  std::vector<planned_access> usual_ranges;

  [[nodiscard]] std::size_t count(element e) const {
    return e == element::byte ? byte_count : word_count;
  }
};

planned_access arbitrary_range(generator& g, const shape& s) {
  planned_access a;
  a.array = g.chance(0.6) ? element::byte : element::word;
  const std::size_t count = s.count(a.array);
  a.begin = g.below(count);
  a.end = std::min(count, a.begin + g.between(1, s.longest_elements));
  return a;
}

planned_access range(generator& g, const shape& s) {
  if (!g.chance(s.usual_range_share)) return arbitrary_range(g, s);
  return s.usual_ranges[g.below(s.usual_ranges.size())];
}

/// Arrays of two or three axes, perhaps several over the same memory.
shape::array arbitrary_array(generator& g, const shape& s) {
  shape::array a{.of = g.chance(0.5) ? element::byte : element::word, .origin = 0, .extent = {}};
  const std::size_t count = s.count(a.of);
  a.extent[2] = g.between(2, std::max<std::size_t>(2, count / 4));
  a.extent[1] = g.between(1, std::min<std::size_t>(12, count / a.extent[2]));
  a.extent[0] = g.chance(0.5) ? 1 : g.between(1, count / (a.extent[1] * a.extent[2]));
  a.extent[0] = std::min<std::size_t>(a.extent[0], 8);
  a.origin = g.below(count - a.extent[0] * a.extent[1] * a.extent[2] + 1);
  return a;
}

planned_access arbitrary_box(generator& g, const shape& s) {
  const shape::array& of = s.arrays[g.below(s.arrays.size())];
  std::array<std::size_t, 3> low{};
  std::array<std::size_t, 3> high{};
  for (std::size_t k = 0; k < 3; ++k) {
    low[k] = g.below(of.extent[k]);
    high[k] = g.between(low[k] + 1, of.extent[k]);
  }
  const std::size_t row = of.extent[2];
  const std::size_t plane = row * of.extent[1];
  planned_access a;
  a.array = of.of;
  a.begin = of.origin + low[0] * plane + low[1] * row + low[2];
  a.end = a.begin + high[2] - low[2];
  a.rows = {{high[0] - low[0], high[1] - low[1]}, {plane, row}};
  return a;
}

planned_access box(generator& g, const shape& s) {
  if (!g.chance(s.usual_range_share)) return arbitrary_box(g, s);
  return s.usual_boxes[g.below(s.usual_boxes.size())];
}

/// A range of exactly `size_bytes`, at an arbitrary place.
planned_access range_of_size(generator& g, const shape& s, std::size_t size_bytes) {
  planned_access a;
  const bool fits_words = size_bytes % 4 == 0 && size_bytes / 4 <= s.word_count;
  a.array =
      fits_words && (size_bytes > s.byte_count || g.chance(0.5)) ? element::word : element::byte;
  const std::size_t elements = size_bytes / size_of(a.array);
  a.begin = g.below(s.count(a.array) - elements + 1);
  a.end = a.begin + elements;
  return a;
}

shape make_shape(generator& g, int ranks) {
  shape s{};
  const bool large = g.chance(0.06);  // messages too large for MPI to buffer
  s.ranks = ranks;
  s.byte_count = large ? 64 * 1024 : g.between(16, 256);
  s.word_count = large ? 8 * 1024 : g.between(8, 64);
  s.statements = g.between(8, large ? 40 : 90) * static_cast<std::size_t>(ranks);
  s.message_share = g.one_of({0.1, 0.3, 0.3, 0.6});
  s.commutative_share = g.one_of({0.0, 0.2, 0.6});
  s.usual_range_share = g.one_of({0.0, 0.5, 0.9});
  s.longest_elements = std::max<std::size_t>(1, s.byte_count / g.between(1, 8));
  s.tags = static_cast<int>(g.between(1, 3));
  s.swaps = g.one_of({0.0, 0.3, 1.0, 3.0});
  if (!large && g.chance(0.12)) {
    // Floods: far more small messages on a channel than may overtake each other.
    s.one_target = true;
    s.tags = 1;
    s.byte_count = 1024;
    s.statements = 250 * static_cast<std::size_t>(ranks);
    s.message_share = 0.7;
    s.usual_range_share = 0;
    s.longest_elements = 4;
  }
  for (std::size_t i = g.between(1, 6); i > 0; --i) s.usual_ranges.push_back(arbitrary_range(g, s));
  s.box_share = large ? 0 : g.one_of({0.0, 0.3, 0.9});
  for (std::size_t i = g.between(1, 3); i > 0; --i) s.arrays.push_back(arbitrary_array(g, s));
  for (std::size_t i = g.between(1, 8); i > 0; --i) s.usual_boxes.push_back(arbitrary_box(g, s));
  return s;
}

step make_task(generator& g, const shape& s) {
  step task;
  for (std::size_t i = g.one_of({1, 1, 2, 2, 3, 4}); i > 0; --i) {
    planned_access a = g.chance(s.box_share) ? box(g, s) : range(g, s);
    a.mode = g.one_of({access_mode::in, access_mode::out, access_mode::inout});
    if (g.chance(s.commutative_share)) a.mode = access_mode::commutative;
    task.accesses.push_back(a);
  }
  task.urgency = g.one_of({priority::high, priority::normal, priority::low});
  task.salt = g.bits();
  if (g.chance(0.2)) task.spin_us = static_cast<int>(g.between(1, 30));
  return task;
}

/// Adds a send and its receive, at the same place of the job's order.
void add_message(generator& g, const shape& s, random_program& to) {
  const auto any_rank = [&] { return g.below(static_cast<std::size_t>(s.ranks)); };
  const std::size_t source = any_rank();
  const std::size_t target = s.one_target ? (source + 1) % to.ranks.size() : any_rank();
  step send;
  send.what = step::kind::send;
  send.peer = static_cast<int>(target);
  send.tag = static_cast<int>(g.below(static_cast<std::size_t>(s.tags)));
  planned_access from = range(g, s);
  if (g.chance(0.03)) from.end = from.begin;
  if (from.size_bytes() > s.byte_count) from.end = from.begin + 1;
  from.mode = access_mode::in;
  send.accesses = {from};
  step receive;
  receive.what = step::kind::receive;
  receive.peer = static_cast<int>(source);
  receive.tag = send.tag;
  receive.accesses = {range_of_size(g, s, from.size_bytes())};
  receive.accesses[0].mode = access_mode::out;
  // Without buffers it would wait for itself.
  if (source == target && overlap(send.accesses[0], receive.accesses[0])) return;
  to.ranks[source].push_back(std::move(send));
  to.ranks[target].push_back(std::move(receive));
}

[[nodiscard]] bool same_channel(const step& a, const step& b) {
  return a.what == b.what && a.what != step::kind::task && a.peer == b.peer && a.tag == b.tag;
}

/// Exchanges neighbours at random, but never two messages of one channel: the k-th send keeps the
/// size of the k-th receive.
void shuffle(generator& g, double swaps, rank_program& program) {
  if (program.size() < 2) return;
  const auto count = static_cast<std::size_t>(swaps * static_cast<double>(program.size()) *
                                              (g.chance(0.5) ? 1 : 0.2));
  for (std::size_t n = 0; n < count; ++n) {
    const std::size_t at = g.below(program.size() - 1);
    if (!same_channel(program[at], program[at + 1])) std::swap(program[at], program[at + 1]);
  }
}

memory random_memory(generator& g, const shape& s) {
  memory m;
  m.bytes.resize(s.byte_count);
  m.words.resize(s.word_count);
  for (auto& b : m.bytes) b = static_cast<std::uint8_t>(g.bits());
  for (auto& w : m.words) w = static_cast<std::uint32_t>(g.bits());
  return m;
}

random_program make_program(generator& g, const shape& s) {
  random_program p;
  const auto ranks = static_cast<std::size_t>(s.ranks);
  for (std::size_t r = 0; r < ranks; ++r) p.initial.push_back(random_memory(g, s));
  p.ranks.resize(ranks);
  for (std::size_t n = 0; n < s.statements; ++n) {
    if (g.chance(s.message_share)) {
      add_message(g, s, p);
    } else if (g.chance(0.01)) {
      p.ranks[g.below(ranks)].push_back({.what = step::kind::wait, .accesses = {}});
    } else {
      p.ranks[g.below(ranks)].push_back(make_task(g, s));
    }
  }
  if (g.chance(0.4)) {
    p.iterations = static_cast<int>(g.between(2, 9));
    for (std::size_t r = 0; r < ranks; ++r) p.replays.push_back(g.chance(0.7));
    for (rank_program& statements : p.ranks) {  // a graph holds no wait
      std::erase_if(statements, [](const step& x) { return x.what == step::kind::wait; });
    }
  }
  // In this order the programs cannot deadlock: a statement waits for earlier ones only.  Then let
  // sends and receives slip past each other, unless that deadlocks.
  for (double swaps = s.swaps; swaps > 0.05; swaps /= 4) {
    random_program shuffled = p;
    for (auto& program : shuffled.ranks) shuffle(g, swaps, program);
    if (run_reference(shuffled).has_value()) return shuffled;
  }
  return p;
}

runtime_options make_options(generator& g) {
  runtime_options o;
  o.tasks.measured_priorities = g.chance(0.8);
  o.engine.persistent_requests = g.one_of({persistence::where_faster, persistence::always});
  o.tasks.workers = static_cast<int>(g.between(1, 4));
  o.tasks.in_flight = g.one_of<std::size_t>({1, 2, 3, 8, 64, 4096});
  o.engine.policy = g.one_of({progress::automatic, progress::dedicated, progress::sleeping,
                              progress::workers, progress::none});
  o.engine.worst_delay_s = g.one_of({1e-4, 1.5e-3});
  o.engine.disturb = {.seed = g.bits(),
                      .probability = g.one_of({0.0, 0.1, 0.5}),
                      .longest_delay_s = g.one_of({2e-5, 3e-4})};
  return o;
}

}  // namespace

random_case make_case(std::uint64_t seed, int ranks) {
  generator g(seed * 0x2545F4914F6CDD1DU + static_cast<std::uint64_t>(ranks));
  random_case c;
  c.options = make_options(g);
  for (std::size_t n = g.between(2, 6); n > 0; --n) {
    const shape s = make_shape(g, ranks);
    c.programs.push_back(make_program(g, s));
  }
  return c;
}

bool overlap(const planned_access& a, const planned_access& b) noexcept {
  if (a.array != b.array) return false;
  bool found = false;
  for_each_row(a, [&](std::size_t i) {
    for_each_row(b, [&](std::size_t j) {
      found |= std::max(i, j) < std::min(i + a.end - a.begin, j + b.end - b.begin);
    });
  });
  return found;
}

void* address(memory& of, const planned_access& access) noexcept {
  if (access.array == element::byte) return of.bytes.data() + access.begin;
  return of.words.data() + access.begin;
}

void mix(const step& task, std::vector<task_view> views) {
  std::uint64_t h = task.salt;
  const auto take = [&h](std::uint64_t value) {
    h = (h ^ value) * 0x100000001B3U;
    h = (h << 23) | (h >> 41);
  };
  const auto for_each_byte = [](const task_view& v, auto use) {
    auto* data = static_cast<unsigned char*>(v.data);
    for_each_row(v.access, [&](std::size_t first) {
      auto* const row = data + (first - v.access.begin) * size_of(v.access.array);
      for (std::size_t i = 0; i < v.access.size_bytes(); ++i) use(row[i]);
    });
  };
  for (const task_view& v : views) {
    if (v.access.mode == access_mode::in || v.access.mode == access_mode::inout) {
      for_each_byte(v, take);
    }
  }
  for (const task_view& v : views) {
    if (v.access.mode == access_mode::in) continue;
    if (v.access.mode == access_mode::commutative) {
      // What is added does not depend on what is there.  Read and written apart, so that two at
      // once would lose something.
      for_each_byte(v, [&](volatile unsigned char& byte) {
        take(1);
        const unsigned char before = byte;
        byte = static_cast<unsigned char>(before + static_cast<unsigned char>(h >> 32));
      });
      continue;
    }
    const bool overwrite = v.access.mode == access_mode::out;
    for_each_byte(v, [&](unsigned char& byte) {
      take(overwrite ? 0 : byte);
      byte = static_cast<unsigned char>(h >> 32);
    });
  }
}

// --- the reference -------------------------------------------------------------------------------

namespace {

using payload = std::vector<unsigned char>;

/// The messages of one (source, target, tag).
struct reference_channel {
  std::vector<payload> sent;
  std::size_t receives = 0;
};

struct pending_message {
  step::kind what;
  planned_access access;
  reference_channel* via;
  std::size_t place;  ///< in the order of its channel
};

class reference {
 public:
  explicit reference(const random_program& program)
      : program_(program),
        memories_(program.initial),
        next_(program.ranks.size(), 0),
        pending_(program.ranks.size()) {}

  std::optional<std::vector<memory>> run() {
    for (bool moved = true; moved;) {
      moved = false;
      for (std::size_t r = 0; r < program_.ranks.size(); ++r) {
        while (advance(r)) moved = true;
      }
    }
    for (std::size_t r = 0; r < program_.ranks.size(); ++r) {
      if (next_[r] <= statements_of(r)) return std::nullopt;
    }
    return memories_;
  }

 private:
  [[nodiscard]] std::size_t statements_of(std::size_t r) const {
    return program_.ranks[r].size() * static_cast<std::size_t>(program_.iterations);
  }

  /// One statement of rank r, or, past the last, the wait for all messages.
  bool advance(std::size_t r) {
    const rank_program& statements = program_.ranks[r];
    if (next_[r] > statements_of(r)) return false;
    static const step final_wait{.what = step::kind::wait, .accesses = {}};
    const bool last = next_[r] == statements_of(r);
    const step& s = last ? final_wait : statements[next_[r] % statements.size()];
    if (!make_room(r, s)) return false;
    execute(r, s);
    ++next_[r];
    return true;
  }

  /// Completes the pending messages that `s` must wait for; false if one of them cannot be.
  bool make_room(std::size_t r, const step& s) {
    auto& pending = pending_[r];
    std::erase_if(pending,
                  [&](const pending_message& m) { return conflicts(m, s) && try_complete(r, m); });
    return std::none_of(pending.begin(), pending.end(),
                        [&](const pending_message& m) { return conflicts(m, s); });
  }

  static bool conflicts(const pending_message& m, const step& s) {
    if (s.what == step::kind::wait) return true;
    return std::any_of(s.accesses.begin(), s.accesses.end(), [&m](const planned_access& a) {
      return overlap(a, m.access) && (writes(a.mode) || writes(m.access.mode));
    });
  }

  bool try_complete(std::size_t r, const pending_message& m) {
    if (m.what == step::kind::send) return m.via->receives > m.place;
    if (m.via->sent.size() <= m.place) return false;
    const payload& data = m.via->sent[m.place];
    if (!data.empty()) std::memcpy(address(memories_[r], m.access), data.data(), data.size());
    return true;
  }

  void execute(std::size_t r, const step& s) {
    const int self = static_cast<int>(r);
    if (s.what == step::kind::task) {
      std::vector<task_view> views;
      for (const auto& a : s.accesses) views.push_back({address(memories_[r], a), a});
      mix(s, std::move(views));
    } else if (s.what == step::kind::send) {
      reference_channel& via = channel(self, s.peer, s.tag);
      const auto* data = static_cast<unsigned char*>(address(memories_[r], s.accesses[0]));
      pending_[r].push_back({s.what, s.accesses[0], &via, via.sent.size()});
      via.sent.emplace_back(data, data + s.accesses[0].size_bytes());
    } else if (s.what == step::kind::receive) {
      reference_channel& via = channel(s.peer, self, s.tag);
      pending_[r].push_back({s.what, s.accesses[0], &via, via.receives++});
    }
  }

  reference_channel& channel(int source, int target, int tag) {
    constexpr std::size_t most_tags = 4;
    const std::size_t ranks = program_.ranks.size();
    if (channels_.empty()) channels_.resize(ranks * ranks * most_tags);
    return channels_[(static_cast<std::size_t>(source) * ranks + static_cast<std::size_t>(target)) *
                         most_tags +
                     static_cast<std::size_t>(tag)];
  }

  const random_program& program_;
  std::vector<memory> memories_;
  std::vector<std::size_t> next_;
  std::vector<std::vector<pending_message>> pending_;
  std::vector<reference_channel> channels_;
};

}  // namespace

std::optional<std::vector<memory>> run_reference(const random_program& program) {
  return reference(program).run();
}

}  // namespace plait::test
