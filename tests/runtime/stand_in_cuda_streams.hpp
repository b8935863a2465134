// SPDX-License-Identifier: BSD-3-Clause
// What the stand-in for CUDA's driver runs: contexts, streams and events, a thread a stream.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <thread>
#include <utility>

namespace plait::test {

inline std::mutex guard;  ///< of everything below
inline std::condition_variable changed;
inline std::mt19937 chance{7};
inline std::atomic<std::size_t> host_functions{0};  ///< that were called; of no guard
inline thread_local bool in_host_function = false;

/// A rule of CUDA's documentation is broken: the test fails.
[[noreturn]] inline void broken(const char* rule) {
  std::fprintf(stderr, "stand-in for CUDA: %s\n", rule);
  std::abort();
}
[[nodiscard]] inline bool one_in(unsigned n) {
  return chance() % n == 0;
}
[[nodiscard]] inline double now_ms() {
  using ms = std::chrono::duration<double, std::milli>;
  return ms(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// A fault is seen when nothing of its context runs any more, and stays.
struct context {
  int references = 0;
  int running = 0;
  int dies_of = 0;  ///< nothing begins any more
  int fault = 0;    ///< what all calls return

  void ends_one(int code) {
    if (code != 0) dies_of = code;
    if (--running == 0) fault = dies_of;
    changed.notify_all();
  }
};

/// One time that an event was recorded.
struct record {
  bool is_over = false;
  double ms = 0;
};
struct event {
  context& of;
  bool has_time;
  bool is_captured = false;           ///< last recorded in a capture
  std::shared_ptr<record> last = {};  ///< null: never recorded
};

class stream {
 public:
  stream(context& of, int priority) : of_(of), priority_(priority) {}
  /// Runs what was enqueued to its end, without the guard.
  ~stream() {
    {
      std::lock_guard lock(guard);
      ends_ = true;
      changed.notify_all();
    }
    thread_.join();
  }
  stream(const stream&) = delete;
  stream& operator=(const stream&) = delete;

  // Under the guard.
  [[nodiscard]] context& of() noexcept { return of_; }
  [[nodiscard]] int priority() const noexcept { return priority_; }
  void work(std::function<int()> what) { add({.work = std::move(what)}); }
  void wait_for(std::shared_ptr<record> what) { add({.wait = std::move(what)}); }
  void call(void (*function)(void*), void* data) { add({.call = function, .data = data}); }
  std::shared_ptr<record> mark() {
    auto made = std::make_shared<record>();
    add({.mark = made});
    return made;
  }
  void finish(std::unique_lock<std::mutex>& lock) {
    changed.wait(lock, [this] { return commands_.empty(); });
  }

 private:
  struct command {
    std::function<int()> work = {};
    std::shared_ptr<record> wait = {};
    std::shared_ptr<record> mark = {};
    void (*call)(void*) = nullptr;
    void* data = nullptr;
  };

  void add(command one) {
    commands_.push_back(std::move(one));
    changed.notify_all();
  }
  void serve() {
    std::unique_lock lock(guard);
    while (true) {
      changed.wait(lock, [this] { return ends_ || !commands_.empty(); });
      if (commands_.empty()) return;
      if (one_in(8)) {
        const std::chrono::microseconds late(chance() % 60);
        lock.unlock();
        std::this_thread::sleep_for(late);
        lock.lock();
      }
      run(commands_.front(), lock);
      commands_.pop_front();
      changed.notify_all();
    }
  }
  void run(const command& now, std::unique_lock<std::mutex>& lock) {
    if (now.call != nullptr) {
      // After a fault it is not called, by the documentation; others have seen that it is.
      if (of_.fault != 0 && one_in(2)) return;
      lock.unlock();
      in_host_function = true;
      ++host_functions;
      now.call(now.data);
      in_host_function = false;
      lock.lock();
      return;
    }
    if (now.wait != nullptr)
      changed.wait(lock, [&] { return now.wait->is_over || of_.fault != 0; });
    changed.wait(lock, [this] { return of_.dies_of == 0 || of_.fault != 0; });
    if (of_.fault != 0) return;
    if (now.mark != nullptr) {
      now.mark->is_over = true;
      now.mark->ms = now_ms();
    }
    if (now.work) {
      ++of_.running;
      lock.unlock();
      const int code = now.work();
      lock.lock();
      of_.ends_one(code);
    }
  }

  context& of_;
  const int priority_;
  std::deque<command> commands_;  ///< the first runs
  bool ends_ = false;
  std::thread thread_{[this] { serve(); }};
};

/// Things by handles that were never another's, so that an old one is known.  Under the guard.
template <class Thing>
class handles {
 public:
  void* add(std::shared_ptr<Thing> one) {
    next_ += 16;
    all_.emplace(next_, std::move(one));
    return reinterpret_cast<void*>(next_);
  }
  [[nodiscard]] const std::shared_ptr<Thing>& at(const void* handle, const char* rule) const {
    const auto found = all_.find(reinterpret_cast<std::uintptr_t>(handle));
    if (found == all_.end()) broken(rule);
    return found->second;
  }
  [[nodiscard]] std::shared_ptr<Thing> take(const void* handle, const char* rule) {
    std::shared_ptr<Thing> one = at(handle, rule);
    all_.erase(reinterpret_cast<std::uintptr_t>(handle));
    return one;
  }
  [[nodiscard]] std::size_t size() const noexcept { return all_.size(); }

 private:
  std::map<std::uintptr_t, std::shared_ptr<Thing>> all_;
  inline static std::uintptr_t next_ = 4096;
};

}  // namespace plait::test
