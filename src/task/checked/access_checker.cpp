// SPDX-License-Identifier: BSD-3-Clause
#include "task/checked/access_checker.hpp"

#include <cstdio>
#include <exception>
#include <memory>
#include <utility>

#include <plait/task/access_error.hpp>

namespace plait::detail {
namespace {

constexpr std::uintptr_t page_bytes = page_guard::page_bytes;
/// MPI libraries copy shorter messages when they are started; longer ones the receiving process may
/// fetch (process_vm_readv), which fails where the sender may not read itself.  The least limit
/// that Open MPI and UCX come with is 4 KiB.
constexpr std::uintptr_t least_read_remotely = 1024;
constexpr int may_read = 1;   // PROT_READ
constexpr int may_write = 2;  // PROT_WRITE

[[nodiscard]] range_list pages_of(const range_list& bytes) {
  range_list pages;
  for (const byte_range& b : bytes) {
    pages.push_back({b.begin & ~(page_bytes - 1), (b.end + page_bytes - 1) & ~(page_bytes - 1)});
  }
  return joined(std::move(pages));
}

/// The mappings of this process with their protections; not how they shall be closed.
[[nodiscard]] std::vector<guarded_pages> read_mappings() {
  std::vector<guarded_pages> result;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen("/proc/self/maps", "r"),
                                                             &std::fclose);
  if (file == nullptr) throw error("checked: cannot read /proc/self/maps");
  char line[512];
  while (std::fgets(line, sizeof line, file.get()) != nullptr) {
    guarded_pages m;
    char rights[8];
    if (std::sscanf(line, "%lx-%lx %7s", &m.begin, &m.end, rights) != 3) continue;
    const int execute = rights[2] == 'x' ? 4 : 0;
    m.open = (rights[0] == 'r' ? may_read : 0) | (rights[1] == 'w' ? may_write : 0) | execute;
    result.push_back(m);
  }
  return result;
}

/// Adds the parts of `pages` that lie in a mapping, closed as far as `keep` does not say.
void add_pages(std::vector<guarded_pages>& to, const range_list& pages,
               const std::vector<guarded_pages>& mappings, int keep) {
  auto m = mappings.begin();
  for (const byte_range& p : pages) {
    while (m != mappings.end() && m->end <= p.begin) ++m;
    for (auto in = m; in != mappings.end() && in->begin < p.end; ++in) {
      const int closed = in->open & keep;
      if ((in->open & may_read) == 0 || closed == in->open) continue;
      to.push_back({std::max(in->begin, p.begin), std::min(in->end, p.end), in->open, closed});
    }
  }
}

[[nodiscard]] const char* word(access_mode mode) {
  switch (mode) {
    case access_mode::in:
      return "in";
    case access_mode::out:
      return "out";
    case access_mode::inout:
      return "inout";
    case access_mode::commutative:
      return "commutative";
    case access_mode::reduce:
      return "reduce";
  }
  return "";
}

[[nodiscard]] const char* word(node_kind kind) {
  return kind == node_kind::asynchronous ? "message" : "task";
}

[[nodiscard]] std::string quoted(const char* name) {
  return std::string(1, '\'').append(name).append(1, '\'');
}

[[nodiscard]] std::string bytes_text(std::uintptr_t first, std::uintptr_t end, bool all_of_them) {
  const std::string begin = std::to_string(first);
  if (end - first == 1) return "byte " + begin;
  return (all_of_them ? "bytes " : "some of bytes ") + begin + " to " + std::to_string(end - 1);
}

/// Bytes [first, end) of memory, counted from its beginning; of a box, from that of their row.
[[nodiscard]] std::string bytes_text(const strided_bytes& of, std::uintptr_t first,
                                     std::uintptr_t end, bool all_of_them) {
  if (of.is_range()) return bytes_text(first - of.begin, end - of.begin, all_of_them);
  const place_in_box begins = place_of(of, first);
  const place_in_box ends = place_of(of, end - 1);
  if (begins.row == ends.row) {
    return bytes_text(begins.byte, ends.byte + 1, all_of_them) + " of row " + begins.row;
  }
  return "some of rows " + begins.row + " to " + ends.row;
}

[[nodiscard]] std::string shape_text(const strided_bytes& memory) {
  return memory.is_range() ? "" : ", " + to_string(memory);
}

}  // namespace

// --- submission ----------------------------------------------------------------------------------

void access_checker::begin(task_node& node) {
  declared_[&node].clear();
}

void access_checker::add(task_node& node, const strided_bytes& memory, access_mode mode) {
  std::vector<declared>& list = declared_[&node];
  list.push_back({memory.normalised(), mode, static_cast<int>(list.size()) + 1});
  if (node.recorded == nullptr && !node.is_child) name(node, list.back());
}

void access_checker::add_replayed(std::deque<task_node>& nodes) {
  for (task_node& node : nodes) {
    for (const declared& access : declared_[&node]) name(node, access);
  }
}

void access_checker::name(task_node& node, const declared& access) {
  if (access.memory.empty()) return;
  const name_key key{access.memory, node.name, access.place, access.mode, node.kind};
  name_ids& ids = names_[key];
  ids.last = node.id.load(std::memory_order_relaxed);
  if (ids.first == 0) ids.first = ids.last;
  ids.last_task = {&node, node.generation};
  for_each_row(access.memory, [this](byte_range row) { grown_ |= registered_.insert(row); });
}

void access_checker::forget() {
  names_.clear();
  registered_.clear();
  elsewhere_.clear();
}

void access_checker::forget_finished() {
  std::erase_if(names_, [](const auto& entry) {
    const node_ref& task = entry.second.last_task;
    return task.node->recorded == nullptr && task.unfinished() == nullptr;
  });
  registered_.clear();
  for (const auto& entry : names_) {
    for_each_row(std::get<0>(entry.first), [this](byte_range row) { registered_.insert(row); });
  }
}

// --- bodies --------------------------------------------------------------------------------------

/// Forbids what `node` has not declared, and closes the pages.
void access_checker::guard(const task_node& node) {
  range_list readable;
  range_list writable;
  for (const declared& access : declared_[&node]) {
    for_each_row(access.memory, [&](byte_range row) {
      readable.push_back(row);
      if (writes(access.mode)) writable.push_back(row);
    });
  }
  range_list read_elsewhere;
  while (elsewhere_busy_.test_and_set(std::memory_order_acquire)) {
  }
  for (const task_node* other : elsewhere_) {
    for (const declared& access : declared_[other]) {
      // What a receive writes, only this process writes.
      if (other->kind == node_kind::asynchronous && writes(access.mode)) continue;
      const byte_range hull = access.memory.hull();
      if (hull.end - hull.begin < least_read_remotely) continue;
      for_each_row(access.memory, [&](byte_range row) { read_elsewhere.push_back(row); });
    }
  }
  elsewhere_busy_.clear(std::memory_order_release);
  const range_list all = registered_.list();
  const range_list unreadable = without(all, joined(std::move(readable)));
  const range_list unwritable = without(all, joined(std::move(writable)));
  const range_list closed = without(pages_of(unreadable), pages_of(joined(read_elsewhere)));
  const range_list half_closed = without(pages_of(unwritable), closed);

  if (std::exchange(grown_, false)) mappings_ = read_mappings();
  std::vector<guarded_pages> pages;
  add_pages(pages, closed, mappings_, 0);
  add_pages(pages, half_closed, mappings_, ~may_write);
  std::sort(pages.begin(), pages.end(),
            [](const guarded_pages& a, const guarded_pages& b) { return a.begin < b.begin; });
  guard_.forbid(unreadable, unwritable, pages);
  if (!guard_.close()) {
    throw error(
        "checked: Linux refuses to protect more ranges of pages of this process; raise "
        "vm.max_map_count, or check a smaller problem");
  }
}

void access_checker::leave(body& running) {
  guard_.open();
  for (const touched_bytes& each : guard_.take_touched()) running.touched.push_back(each);
  running_ = nullptr;
  if (guard_.take_incomplete()) {
    std::fprintf(stderr,
                 "plait: %s: checked: not all accesses of task '%s' were checked: too many of them "
                 "share a page with other data, or it started a process\n",
                 process_label().c_str(), running.node->name);
  }
}

access_checker::body* access_checker::suspend() {
  body* const suspended = running_;
  leave(*suspended);
  began_elsewhere(*suspended->node);
  return suspended;
}

void access_checker::resume(body* suspended) {
  ended_elsewhere(*suspended->node);
  guard(*suspended->node);
  running_ = suspended;
}

void access_checker::pause() noexcept {
  if (running_ != nullptr && running_->pauses++ == 0) guard_.open();
}

void access_checker::unpause() noexcept {
  if (running_ != nullptr && --running_->pauses == 0) (void)guard_.close();
}

void access_checker::began_elsewhere(const task_node& node) {
  while (elsewhere_busy_.test_and_set(std::memory_order_acquire)) {
  }
  elsewhere_.push_back(&node);
  elsewhere_busy_.clear(std::memory_order_release);
}

void access_checker::ended_elsewhere(const task_node& node) {
  while (elsewhere_busy_.test_and_set(std::memory_order_acquire)) {
  }
  std::erase(elsewhere_, &node);
  elsewhere_busy_.clear(std::memory_order_release);
}

void access_checker::run(task_node& node, node_action action) {
  body mine{.node = &node, .touched = {}, .outer = running_};
  if (mine.outer != nullptr) leave(*mine.outer);  // it waits for this one
  std::exception_ptr thrown;
  guard(node);
  running_ = &mine;
  try {
    node.act(node, action);
  } catch (...) {
    thrown = std::current_exception();
  }
  leave(mine);
  if (mine.outer != nullptr) {
    guard(*mine.outer->node);
    running_ = mine.outer;
  }
  if (mine.touched.empty()) {
    if (thrown != nullptr) std::rethrow_exception(thrown);
    return;
  }
  std::string text = describe(mine);
  if (thrown != nullptr) {
    try {
      std::rethrow_exception(thrown);
    } catch (const std::exception& e) {
      text += "; then it threw: " + std::string(e.what());
    } catch (...) {
      text += "; then it threw";
    }
  }
  throw access_error(text);
}

// --- saying it -----------------------------------------------------------------------------------

/// Whose access the byte is told as: the task before this one that wrote it last, if there is one.
const std::pair<const access_checker::name_key, access_checker::name_ids>* access_checker::namer(
    const task_node& node, std::uintptr_t byte) const {
  const std::uint64_t self = node.id.load(std::memory_order_relaxed);
  const std::pair<const name_key, name_ids>* best = nullptr;
  std::tuple<bool, bool, std::uint64_t> best_rank;
  for (const auto& entry : names_) {
    const auto& [memory, name, place, mode, kind] = entry.first;
    if (memory.begin > byte) break;
    if (!contains(memory, byte)) continue;
    const bool before = entry.second.first < self;
    const std::uint64_t id = before ? std::min(entry.second.last, self) : ~entry.second.first;
    const std::tuple<bool, bool, std::uint64_t> rank{before, writes(mode), id};
    if (best == nullptr || rank > best_rank) {
      best = &entry;
      best_rank = rank;
    }
  }
  return best;
}

std::string access_checker::describe(const body& ran) const {
  const task_node& node = *ran.node;
  range_list by_kind[2];
  for (const touched_bytes& each : ran.touched) {
    by_kind[each.write ? 1 : 0].push_back({each.begin, each.end});
  }
  /// Cut where another access is named, then joined again by access.
  struct finding {
    const std::pair<const name_key, name_ids>* named = nullptr;
    const declared* own = nullptr;  ///< declared `in`, and written
    std::uintptr_t begin[2] = {0, 0};
    std::uintptr_t end[2] = {0, 0};
    std::uintptr_t count[2] = {0, 0};
  };
  std::vector<finding> findings;
  std::vector<std::uintptr_t> cuts;
  byte_range all{UINTPTR_MAX, 0};
  for (const touched_bytes& each : ran.touched) {
    all = {std::min(all.begin, each.begin), std::max(all.end, each.end)};
  }
  const auto cut_around = [&](byte_range row) {
    if (row.begin >= all.end || row.end <= all.begin) return;
    cuts.push_back(row.begin);
    cuts.push_back(row.end);
  };
  for (const auto& entry : names_) for_each_row(std::get<0>(entry.first), cut_around);
  std::sort(cuts.begin(), cuts.end());
  const std::vector<declared>& accesses = declared_.at(&node);
  for (int kind = 0; kind < 2; ++kind) {
    for (const byte_range& range : joined(by_kind[kind])) {
      for (std::uintptr_t at = range.begin; at < range.end;) {
        const auto cut = std::upper_bound(cuts.begin(), cuts.end(), at);
        const std::uintptr_t end = cut == cuts.end() ? range.end : std::min(*cut, range.end);
        const auto own = std::find_if(accesses.begin(), accesses.end(),
                                      [&](const declared& a) { return contains(a.memory, at); });
        const declared* const mine = own == accesses.end() ? nullptr : &*own;
        const auto* const named = mine != nullptr ? nullptr : namer(node, at);
        auto known = std::find_if(findings.begin(), findings.end(), [&](const finding& f) {
          return f.named == named && f.own == mine;
        });
        if (known == findings.end()) {
          findings.push_back({.named = named, .own = mine});
          known = std::prev(findings.end());
        }
        if (known->count[kind] == 0) known->begin[kind] = at;
        known->end[kind] = end;
        known->count[kind] += end - at;
        at = end;
      }
    }
  }

  std::string text = "task " + quoted(node.name);
  constexpr std::size_t most = 8;
  for (std::size_t i = 0; i < findings.size(); ++i) {
    if (i == most) {
      text += "; and touches " + std::to_string(findings.size() - most) + " more";
      break;
    }
    if (i > 0) text += "; it";
    const finding& f = findings[i];
    const strided_bytes of = f.own != nullptr     ? f.own->memory
                             : f.named != nullptr ? std::get<0>(f.named->first)
                                                  : strided_bytes{};
    const auto what = [&](int kind) {
      return bytes_text(of, f.begin[kind], f.end[kind],
                        f.count[kind] == f.end[kind] - f.begin[kind]);
    };
    const bool same = f.begin[0] == f.begin[1] && f.end[0] == f.end[1] && f.count[0] == f.count[1];
    if (same) {
      text += " reads and writes " + what(0);
    } else if (f.count[0] > 0 && f.count[1] > 0) {
      text += " reads " + what(0) + " and writes " + what(1);
    } else {
      text += f.count[0] > 0 ? " reads " + what(0) : " writes " + what(1);
    }
    if (f.own != nullptr) {
      text += " of its access " + std::to_string(f.own->place) + ", which it declares " +
              word(f.own->mode) + shape_text(of);
    } else if (f.named != nullptr) {
      const auto& [memory, name, place, mode, kind] = f.named->first;
      text += std::string(" of what ") + word(kind) + " " + quoted(name);
      text += kind == node_kind::asynchronous ? std::string(" names (") + word(mode) + ")"
                                              : " names as its access " + std::to_string(place) +
                                                    " (" + word(mode) + shape_text(memory) + ")";
      text += ", without an access to it";
    } else {
      text += " of data that it does not declare";
    }
  }
  return text;
}

}  // namespace plait::detail
