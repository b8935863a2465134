// SPDX-License-Identifier: BSD-3-Clause
/// The runtime as Python sees it: calls of plait's C interface with arrays for memory.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <plait/plait.h>

#include "python/arrays.hpp"
#include "python/tasks.hpp"

namespace plait_python {

/// Returns the exception that a code stands for.
[[nodiscard]] nb::object exception_of(int code, const char* text);
/// Raises what a code stands for.  No effect for PLAIT_SUCCESS.
void check(int code);
/// Says which classes `check` raises: those of plait.binding.failures.
void set_error_classes(nb::object by_code);

/// Objects that messages use until the next wait, each once: the owner of the memory, not the view
/// of it that was named.
class held_objects {
 public:
  static constexpr std::size_t most = 1024;
  held_objects() = default;
  held_objects(held_objects&&) = default;
  held_objects& operator=(held_objects&&) = default;
  /// Returns false if there are too many, and this is none of them.
  [[nodiscard]] bool hold(nb::handle array);
  void let_go() noexcept { all_.clear(); }
  [[nodiscard]] held_objects take() noexcept { return std::exchange(*this, held_objects()); }

 private:
  std::unordered_map<PyObject*, held_memory> all_;
};

/// A recording, and what its messages use.
struct recording {
  plait_graph* graph = nullptr;
  held_objects held;
};

/// A move that was planned, and the arrays that it is of.
struct moving {
  moving() = default;
  moving(moving&&) = default;  // none copies what it holds

  plait_mover* mover = nullptr;
  std::vector<nb::object> arrays;
  std::vector<held_memory> held;
};

/// A task that may be waited for.
class task_end {
 public:
  task_end(plait_event* event, nb::object of) noexcept : event_(event), of_(std::move(of)) {}
  task_end(task_end&& other) noexcept
      : event_(std::exchange(other.event_, nullptr)), of_(std::move(other.of_)) {}
  task_end& operator=(task_end&&) = delete;
  ~task_end() {
    if (event_ != nullptr) (void)plait_event_free(&event_);
  }
  [[nodiscard]] bool done() const;
  void wait() const;

 private:
  plait_event* event_;
  nb::object of_;  ///< its runtime
};

/// Name and communicator of a call.
struct words_of_call {
  const char* name;
  plait_comm* among;
};

/// One runtime.  The thread that made it calls.
class runtime {
 public:
  runtime(int comm, const plait_options& options);
  ~runtime();
  runtime(const runtime&) = delete;
  runtime& operator=(const runtime&) = delete;

  /// Returns the event of the task; null while a recording is made.
  [[nodiscard]] plait_event* task(nb::handle function, const nb::tuple& arguments, nb::handle name,
                                  int priority, nb::handle also, bool anyone, bool held);
  void message(bool sends, nb::handle array, int peer, int tag, plait_comm* among,
               const std::string& name);
  /// Submits a message of as many elements as `count`, an array of one integer of 8 bytes, says
  /// when it starts; a receive writes it.
  void message_counted(bool sends, nb::handle array, nb::handle count, int peer, int tag,
                       plait_comm* among, const std::string& name);
  void wait();
  void wait_on(nb::handle array);
  void wait_for(plait_event* task);

  void record_begin();
  /// Returns the recording; `drop`: nothing is kept.
  [[nodiscard]] std::shared_ptr<recording> record_end(bool drop);
  void replay(recording& what, std::uint64_t iterations);

  /// Plans a move of these arrays by `make(runtime, place)`, a call of plait's.
  template <class Make>
  [[nodiscard]] std::shared_ptr<moving> plan(std::vector<nb::object> arrays, const Make& make) {
    auto made = std::make_shared<moving>();
    for (const nb::object& array : arrays) made->held.emplace_back(array);
    made->arrays = std::move(arrays);
    submit([&](plait_runtime* open) { return make(open, &made->mover); });
    movers_.push_back(made);
    return made;
  }
  void move(const moving& what);

  /// Submits by `call(runtime, memories)`, whose arrays are held until the next wait.
  template <class Call>
  void submit(const Call& call) {
    tidy();
    plait_runtime* const open = get();  // raises, and so needs the lock
    int code = PLAIT_SUCCESS;
    {
      const without_lock away;
      code = call(open);
    }
    hold_rest(code == PLAIT_SUCCESS);
    raise(code);
  }
  /// Returns the bytes of an array, in order, for the next `submit`, and holds the array until that
  /// is over.
  [[nodiscard]] plait_memory memory_of(nb::handle array, bool writes);

  void finalize();
  [[noreturn]] void abort(const std::string& text);
  [[nodiscard]] bool is_open() const noexcept { return rt_ != nullptr; }
  /// Errors: StateError once the runtime has ended.
  [[nodiscard]] plait_runtime* get() const;
  [[nodiscard]] plait_ledger ledger(int worker) const;
  [[nodiscard]] plait_comm* adopt(int comm, const std::string& name);
  /// Raises what a code stands for: of a task, its own exception.
  void raise(int code);

 private:
  void tidy() noexcept { closures().clear_all(); }
  /// Returns plait's copy of a name.  Errors: TypeError for what is no str.
  [[nodiscard]] const char* interned(nb::object name);
  void free_unused();
  /// Holds what the last operation uses and `held_` has no place for, by a task after it.
  void hold_rest(bool was_submitted);

  plait_runtime* rt_ = nullptr;
  first_exception failures_;
  held_objects held_;
  std::vector<access> rest_;
  std::vector<std::shared_ptr<recording>> recordings_;
  std::vector<std::shared_ptr<moving>> movers_;
  bool records_ = false;
  /// Names of tasks, each where its address leads: the same few objects come again and again.
  std::array<std::pair<nb::object, const char*>, 64> names_;
  held_objects held_before_;  ///< while a recording is made
};

}  // namespace plait_python
