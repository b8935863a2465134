// SPDX-License-Identifier: BSD-3-Clause
#include "task/checked/access_checker.hpp"

#include <cstdio>
#include <exception>
#include <memory>
#include <utility>

#include <plait/core/exception_text.hpp>
#include <plait/task/access_error.hpp>

#include "task/graphs/replayed_graph.hpp"

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

}  // namespace

// --- submission ----------------------------------------------------------------------------------

void access_checker::begin(task_node& node) {
  drop(stale_.collect_freed(nullptr));
  declared_[&node].clear();
  stale_.begin(node);
}

void access_checker::add(task_node& node, const strided_bytes& memory, access_mode mode) {
  std::vector<declared_access>& list = declared_[&node];
  const int place = list.empty() ? 1 : list.back().place + 1;
  list.push_back({.memory = memory.normalised(), .mode = mode, .place = place});
  if (node.recorded == nullptr && !node.is_child) name(node, list.back());
}

void access_checker::add_container(task_node& node, const container& c, byte_range elements,
                                   access_mode mode) {
  std::vector<declared_access>& list = declared_[&node];
  const int place = list.empty() ? 1 : list.back().place + 1;
  const auto add_part = [&](byte_range part) -> declared_access& {
    list.push_back({.memory = strided_bytes::of(part).normalised(), .mode = mode, .place = place});
    return list.back();
  };
  add_part(c.own()).is_container = true;
  add_part(elements).elements_of = c;
  if (node.recorded == nullptr && !node.is_child) {
    name(node, *std::prev(list.end(), 2));
    name(node, list.back());
  }
  stale_.add_container(node, c);
}

/// The nodes do not have their ids yet.
void access_checker::add_replayed(const replayed_graph& graph, std::uint64_t first_id) {
  for (const task_node& node : graph.nodes()) {
    for (const declared_access& access : declared_[&node])
      name(node, access, first_id + node.recorded->index);
  }
}

void access_checker::name(const task_node& node, const declared_access& access, std::uint64_t id) {
  if (access.memory.empty()) return;
  const name_key key{access.memory, node.name, access.place, access.mode, node.kind};
  name_ids& ids = names_[key];
  ids.last = id;
  if (ids.first == 0) ids.first = ids.last;
  ids.last_task = node_ref(const_cast<task_node&>(node));
  stale_.watch(access.memory.hull());
  ids.is_container = access.is_container;
  register_rows(access.memory, access.is_container);
}

void access_checker::register_rows(const strided_bytes& memory, bool of_container) {
  byte_ranges& rows = of_container ? registered_objects_ : registered_;
  for_each_row(memory, [&](byte_range row) { grown_ |= rows.insert(row); });
}

/// A task may have moved the elements since this one was submitted, which gets them where they are.
void access_checker::find_containers(const task_node& node) {
  for (declared_access& access : declared_[&node]) {
    if (!access.elements_of.has_value()) continue;
    const strided_bytes now = strided_bytes::of(access.elements_of->elements()).normalised();
    if (now == access.memory) continue;
    access.memory = now;
    if (!node.is_child) name(node, access);
  }
}

/// Forgets all names of memory that has been freed.
void access_checker::drop(const range_list& gone) {
  if (gone.empty()) return;
  const std::size_t before = names_.size();
  for (const byte_range& range : gone) {
    std::erase_if(names_, [all = strided_bytes::of(range)](const auto& entry) {
      return share_a_byte(std::get<0>(entry.first), all);
    });
  }
  if (names_.size() != before) register_again();
}

void access_checker::forget() {
  (void)stale_.collect_freed(nullptr);
  stale_.forget();
  names_.clear();
  registered_.clear();
  registered_objects_.clear();
  elsewhere_.clear();
}

void access_checker::forget_finished() {
  std::erase_if(names_, [](const auto& entry) {
    const node_ref& task = entry.second.last_task;
    return task.node->recorded == nullptr && task.unfinished() == nullptr;
  });
  register_again();
}

void access_checker::register_again() {
  registered_.clear();
  registered_objects_.clear();
  for (const auto& entry : names_)
    register_rows(std::get<0>(entry.first), entry.second.is_container);
}

void access_checker::expect_live(const task_node& message) {
  drop(stale_.collect_freed(nullptr));
  stale_.expect_live(message);
}

void access_checker::expect_live(const replayed_graph& graph) {
  drop(stale_.collect_freed(nullptr));
  stale_.begin_replay(graph);
}

// --- bodies --------------------------------------------------------------------------------------

/// Forbids what `node` has not declared, and closes the pages.
void access_checker::guard(const task_node& node) {
  range_list readable;
  range_list writable;
  for (const declared_access& access : declared_[&node]) {
    for_each_row(access.memory, [&](byte_range row) {
      readable.push_back(row);
      if (writes(access.mode)) writable.push_back(row);
    });
  }
  range_list read_elsewhere;
  range_list used;
  while (elsewhere_busy_.test_and_set(std::memory_order_acquire)) {
  }
  for (const auto& [other, is_held] : elsewhere_) {
    for (const declared_access& access : declared_[other]) {
      if (is_held) {
        for_each_row(access.memory, [&](byte_range row) { used.push_back(row); });
        continue;
      }
      // What a receive writes, only this process writes.
      if (other->kind == node_kind::asynchronous && writes(access.mode)) continue;
      const byte_range hull = access.memory.hull();
      if (hull.end - hull.begin < least_read_remotely) continue;
      for_each_row(access.memory, [&](byte_range row) { read_elsewhere.push_back(row); });
    }
  }
  elsewhere_busy_.clear(std::memory_order_release);
  range_list all = registered_.list();
  const range_list unreadable = without(all, joined(std::move(readable)));
  for (const byte_range& object : registered_objects_.list()) all.push_back(object);
  const range_list unwritable = without(joined(std::move(all)), joined(std::move(writable)));
  const range_list open = pages_of(joined(used));
  const range_list closed =
      without(without(pages_of(unreadable), pages_of(joined(read_elsewhere))), open);
  const range_list half_closed = without(without(pages_of(unwritable), closed), open);

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

void access_checker::began_elsewhere(const task_node& node, bool is_held) {
  while (elsewhere_busy_.test_and_set(std::memory_order_acquire)) {
  }
  elsewhere_.push_back({&node, is_held});
  elsewhere_busy_.clear(std::memory_order_release);
}

void access_checker::ended_elsewhere(const task_node& node) {
  while (elsewhere_busy_.test_and_set(std::memory_order_acquire)) {
  }
  std::erase_if(elsewhere_, [&](const auto& one) { return one.node == &node; });
  elsewhere_busy_.clear(std::memory_order_release);
}

void access_checker::run(task_node& node, node_action action) {
  body mine{.node = &node, .touched = {}, .outer = running_};
  if (mine.outer != nullptr) leave(*mine.outer);  // it waits for this one
  std::exception_ptr thrown;
  drop(stale_.collect_freed(mine.outer != nullptr ? mine.outer->node : nullptr));
  stale_.expect_live(node);
  find_containers(node);
  guard(node);
  running_ = &mine;
  try {
    node.act(node, action);
  } catch (...) {
    thrown = std::current_exception();
  }
  leave(mine);
  drop(stale_.collect_freed(&node));
  drop(stale_.collect_moved(node));
  find_containers(node);
  if (mine.outer != nullptr) {
    guard(*mine.outer->node);
    running_ = mine.outer;
  }
  if (mine.touched.empty()) {
    if (thrown != nullptr) std::rethrow_exception(thrown);
    return;
  }
  std::string text = describe(mine);
  if (thrown != nullptr) text += "; then it threw: " + exception_text(thrown);
  throw access_error(text);
}

}  // namespace plait::detail
