// SPDX-License-Identifier: BSD-3-Clause
#include "device/cuda/cuda_device.hpp"

#include <algorithm>
#include <utility>

namespace plait::detail {
namespace {

/// Returns "'relax'", or "one of 'relax', 'rim'"; of many the first.
[[nodiscard]] std::string text_of(const std::vector<const char*>& tasks) {
  constexpr std::size_t most = 8;
  std::vector<std::string> names;
  for (const char* const task : tasks) {
    if (std::ranges::find(names, task) == names.end()) names.emplace_back(task);
  }
  std::string text = names.size() > 1 ? "one of " : "";
  for (std::size_t i = 0; i < std::min(names.size(), most); ++i)
    text += (i > 0 ? ", '" : "'") + names[i] + "'";
  if (names.size() > most) text += " and " + std::to_string(names.size() - most) + " more";
  return text;
}

}  // namespace

cuda_device::cuda_device(const cuda_functions& by, int ordinal)
    : by_(by), ordinal_(ordinal), bell_(cuda_bell::take()), clock_(by) {
  try {
    make_handles();
  } catch (...) {
    release_handles();
    throw;
  }
}

cuda_device::~cuda_device() {
  {
    const own_calls here(by_, context_);
    for (const one_queue& q : queues_) finish(q.stream);
  }
  ends_.store(true, std::memory_order_release);
  bell_.ring();
  if (watcher_.joinable()) watcher_.join();
  release_handles();
}

void cuda_device::make_handles() {
  const auto expect = [this](const char* what, int code) {
    if (code == 0) return;
    throw error(std::string("a ") + by_.kind() + " device gives no " + what + ": error " +
                by_.code_text(code));
  };
  expect("handle", by_.device_get(&device_, ordinal_));
  expect("context", by_.retain_context(&context_, device_));
  const own_calls here(by_, context_);
  int least = 0;
  int greatest = 0;
  expect("priorities", by_.priority_range(&least, &greatest));
  for (std::size_t q = 0; q < device_queue_count; ++q) {
    const int priority = static_cast<device_queue>(q) == device_queue::urgent ? greatest : 0;
    expect("stream", by_.stream_create(&queues_[q].stream, cuda_number::own_stream, priority));
    expect("stream", by_.stream_create(&queues_[q].signal, cuda_number::own_stream, 0));
  }
  constexpr double patience_s = 10;  // the first event may wait for the device to wake
  constexpr int answers = 8;
  expect("event", clock_.make());
  expect("time", clock_.renew(queues_[0].signal, patience_s, answers));
}

/// Destroying a stream does not wait for its host functions, which have the bell.
void cuda_device::release_handles() noexcept {
  if (context_ != nullptr) {
    const own_calls here(by_, context_);
    for (one_queue& q : queues_) {
      for (const one_mark& mark : q.marks) free_.push_back(mark.events);
      if (q.stream != nullptr) by_.stream_destroy(q.stream);
      if (q.signal != nullptr) by_.stream_destroy(q.signal);
    }
    for (const two_events& one : free_) {
      by_.event_destroy(one.start);
      by_.event_destroy(one.end);
    }
    clock_.destroy();
  }
  if (context_ != nullptr) by_.release_context(device_);
  bell_.give_back();
}

void cuda_device::listen(device_listener& to) {
  listener_ = &to;
  watcher_ = std::thread([this] { watch(); });
}

std::byte* cuda_device::allocate(std::size_t size_bytes) {
  const own_calls here(by_, context_);
  void* memory = nullptr;
  const int code = by_.allocate(&memory, std::max<std::size_t>(size_bytes, 1));
  if (code == 0) return static_cast<std::byte*>(memory);
  throw no_memory(std::string("a ") + by_.kind() + " device gives no " +
                      std::to_string(size_bytes) + " bytes of its memory",
                  code);
}

void cuda_device::release(std::byte* memory) noexcept {
  const own_calls here(by_, context_);
  by_.free(memory);
}

std::byte* cuda_device::allocate_pinned(std::size_t size_bytes) {
  const own_calls here(by_, context_);
  void* memory = nullptr;
  const int code =
      by_.allocate_host(&memory, std::max<std::size_t>(size_bytes, 1), cuda_number::portable_host);
  if (code == 0) return static_cast<std::byte*>(memory);
  throw no_memory(std::string(by_.kind()) + " pins no " + std::to_string(size_bytes) +
                      " bytes of the host's memory",
                  code);
}

void cuda_device::release_pinned(std::byte* memory) noexcept {
  const own_calls here(by_, context_);
  by_.free_host(memory);
}

/// In a turn, so the context is current.  Without the lock: a copy of memory that is not pinned may
/// wait for its end.  What is enqueued while another thread notes a failure is waited for when the
/// turn ends.
void cuda_device::copy(queue in, void* to, const void* from, std::size_t size_bytes) {
  if (size_bytes == 0) return;
  const auto call = in.which() == device_queue::to_host     ? by_.copy_to_host
                    : in.which() == device_queue::to_device ? by_.copy_to_device
                                                            : by_.copy_within;
  const beside_captures beside(by_);
  const int code = call(to, from, size_bytes, stream(in.which()));
  if (code == 0) return;
  std::lock_guard lock(mutex_);
  const error why = refused(in.task(), "the copy is refused", code);
  if (failure_.empty()) throw why;  // else the device says so, which names what has failed
}

void cuda_device::wait(device_queue queue, device_queue other, std::uint64_t number) {
  const own_calls here(by_, context_);
  std::lock_guard lock(mutex_);
  const auto& marks = at(other).marks;
  const auto mark = std::ranges::find(marks, number, &one_mark::number);
  if (mark == marks.end()) return;  // it is passed
  const int code = by_.stream_wait(at(queue).stream, mark->events.end, 0);
  if (code != 0) throw refused(mark->task, "no queue can wait for it", code);
}

std::unique_ptr<open_turn> cuda_device::begin(queue in) {
  auto begun = std::make_unique<turn>(by_, context_, in.task());
  const beside_captures beside(by_);
  std::lock_guard lock(mutex_);
  if (!failure_.empty()) throw error(failure_);
  begun->events = take_events(in.task());
  const int code = by_.event_record(begun->events.start, at(in.which()).stream);
  if (code != 0) {
    free_.push_back(begun->events);
    throw refused(in.task(), "no event is recorded", code);
  }
  open_.push_back(begun.get());
  return begun;
}

/// A task's function must leave no capture on its queue's stream, for nobody else could end it: so
/// this does.  Returns 0 where there is none.
int cuda_device::end_capture(cuda_stream stream) const noexcept {
  int status = 0;
  if (by_.is_capturing(stream, &status) != 0 || status == 0) return 0;
  void* graph = nullptr;
  if (by_.end_capture(stream, &graph) == 0) by_.destroy_graph(graph);
  return cuda_number::refused_by_capture;
}

/// After a failure it waits for what the turn may have enqueued since.
std::uint64_t cuda_device::mark(device_queue queue, std::unique_ptr<open_turn> begun) {
  const auto& ended = static_cast<const turn&>(*begun);
  one_queue& q = at(queue);
  const beside_captures beside(by_);
  std::unique_lock lock(mutex_);
  const std::uint64_t number = ++q.last;
  int code = end_capture(q.stream);
  if (code == 0 && failure_.empty()) code = by_.event_record(ended.events.end, q.stream);
  if (code != 0) note_failure(code, ended.task);
  std::erase(open_, &ended);
  if (!failure_.empty()) {
    free_.push_back(ended.events);
    lock.unlock();
    finish(q.stream);
    return number;
  }
  q.marks.push_back({number, ended.task, ended.events});
  if (q.marks.size() == 1) bell_.ring();
  return number;
}

std::string cuda_device::failure() const {
  std::lock_guard lock(mutex_);
  return failure_;
}

void cuda_device::await(device_queue queue, std::uint64_t number) noexcept {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return passed(queue) >= number || is_settled_; });
}

/// Tells a fault of the context, which is noted, from a call that is refused.
error cuda_device::refused(const char* task, const char* what, int code) {
  if (failure_.empty() && !clock_.answers()) note_failure(code, task);
  if (!failure_.empty()) return error(failure_);
  return error(std::string("task '") + task + "': " + what + ": error " + by_.code_text(code));
}

/// A fault of the context may show here first: then it is noted, and the device says so.
error cuda_device::no_memory(const std::string& what, int code) {
  std::lock_guard lock(mutex_);
  if (failure_.empty() && !clock_.answers()) note_failure(code, "an allocation");
  return error(what + ": error " + by_.code_text(code));
}

/// They are used again when their marks are passed: a stream that waits for one has taken what was
/// recorded.
cuda_device::two_events cuda_device::take_events(const char* task) {
  two_events taken;
  if (!free_.empty()) {
    taken = free_.back();
    free_.pop_back();
    return taken;
  }
  int code = by_.event_create(&taken.start, cuda_number::timing_event);
  if (code == 0) code = by_.event_create(&taken.end, cuda_number::timing_event);
  if (code == 0) return taken;
  if (taken.start != nullptr) by_.event_destroy(taken.start);
  throw refused(task, "no event is made", code);
}

/// Without a turn that may have failed the fault is of other work in the context.
void cuda_device::note_failure(int code, const char* noticed_at) {
  if (!failure_.empty()) return;
  std::vector<const char*> tasks;
  for (const one_queue& q : queues_)
    for (const one_mark& mark : q.marks) tasks.push_back(mark.task);
  for (const turn* const one : open_) tasks.push_back(one->task);
  failure_ = "error " + by_.code_text(code);
  failure_ += tasks.empty() ? ", noticed at " + text_of({noticed_at}) : " in " + text_of(tasks);
  bell_.ring();
}

// --- the device's thread -----------------------------------------------------------------------

void cuda_device::watch() {
  by_.set_current(context_);
  const beside_captures beside(by_);
  while (!ends_.load(std::memory_order_acquire)) {
    sight last = ask();
    while (last == sight::moved) last = ask();
    if (last == sight::idle) {
      bell_.wait();
    } else {
      bell_.wait_for(silence);
    }
  }
}

cuda_device::sight cuda_device::ask() {
  std::vector<news> told;
  std::array<std::size_t, device_queue_count> over{};
  bool fails = false;
  bool waits = false;
  {
    std::lock_guard lock(mutex_);
    renew_clock();
    for (std::size_t q = 0; q < device_queue_count; ++q)
      over[q] = ask_queue(static_cast<device_queue>(q), told);
    fails = !failure_.empty() && !is_settled_;
    if (told.empty() && failure_.empty()) {
      for (one_queue& q : queues_) {
        if (!q.marks.empty()) arm(q);
        waits = waits || !q.marks.empty();
      }
    }
  }
  if (told.empty() && !fails) return waits ? sight::waits : sight::idle;
  tell(told);
  for (std::size_t q = 0; q < device_queue_count; ++q) pass(static_cast<device_queue>(q), over[q]);
  if (fails) settle();
  changed_.notify_all();
  listener_->moved();
  return sight::moved;
}

/// A float keeps its resolution, if there is a stream with nothing to do.
void cuda_device::renew_clock() {
  if (!failure_.empty() || !clock_.is_old(now_ticks())) return;
  const auto idle =
      std::ranges::find_if(queues_, [](const one_queue& q) { return q.marks.empty(); });
  if (idle != queues_.end()) clock_.renew(idle->signal);
}

bool cuda_device::has_passed(cuda_event one) {
  if (!failure_.empty()) return false;
  const int code = by_.event_query(one);
  if (code != 0 && code != cuda_number::not_ready && !cuda_number::is_of_capture(code))
    note_failure(code, "");
  return code == 0;
}

/// Returns how many marks are passed.  A turn begins when the one before it has ended: two threads
/// may have enqueued theirs at once.
std::size_t cuda_device::ask_queue(device_queue queue, std::vector<news>& told) {
  one_queue& q = at(queue);
  std::size_t over = 0;
  for (one_mark& mark : q.marks) {
    const auto time_of = [&](cuda_event one, ticks earliest) {
      const ticks now = now_ticks();
      return std::clamp(clock_.time_of(one, now), std::min(earliest, now), now);
    };
    if (!mark.began) {
      if (!has_passed(mark.events.start)) break;
      mark.began = true;
      mark.begin = time_of(mark.events.start, q.end);
      told.push_back({mark.begin, queue, false, mark.task, mark.begin});
    }
    if (!has_passed(mark.events.end)) break;
    q.end = time_of(mark.events.end, mark.begin);
    told.push_back({q.end, queue, true, mark.task, mark.begin});
    ++over;
  }
  return over;
}

/// Once for each event.  If the driver refuses, `silence` ends the sleep.
void cuda_device::arm(one_queue& q) {
  const one_mark& next = q.marks.front();
  const std::uint64_t wanted = 2 * next.number + (next.began ? 1 : 0);
  if (std::exchange(q.armed, wanted) == wanted) return;
  if (by_.stream_wait(q.signal, next.began ? next.events.end : next.events.start, 0) == 0)
    by_.host_function(q.signal, &cuda_bell::ring_host, &bell_);
}

/// In the order of time, as the ledger wants it, and before marks pass: who waits for them reads
/// the ledger.
void cuda_device::tell(std::vector<news>& told) {
  std::ranges::stable_sort(told, {}, &news::now);
  for (const news& one : told) {
    if (one.is_end) {
      listener_->ran(one.queue, one.task, one.begin, one.now);
    } else {
      listener_->began(one.queue, one.now);
    }
  }
}

void cuda_device::pass(device_queue queue, std::size_t count) {
  if (count == 0) return;
  std::lock_guard lock(mutex_);
  one_queue& q = at(queue);
  for (; count > 0; --count) {
    const one_mark& mark = q.marks.front();
    free_.push_back(mark.events);
    q.passed.store(mark.number, std::memory_order_release);
    q.marks.pop_front();
  }
}

/// Returns when nothing of a stream runs: what it had has ended, or the context has failed, after
/// which nothing runs.  Only a capture on the stream itself makes it wait for more, and such a one
/// ends with its task's function.
void cuda_device::finish(cuda_stream stream) const noexcept {
  while (cuda_number::is_of_capture(by_.stream_finish(stream)))
    std::this_thread::sleep_for(silence);
}

/// After a failure: ends what runs, so that nothing touches memory of the program any more.  For
/// the ledger a turn that had begun ends now.
void cuda_device::settle() {
  for (const one_queue& q : queues_) finish(q.stream);
  std::vector<news> told;
  const ticks now = now_ticks();
  std::unique_lock lock(mutex_);
  for (std::size_t q = 0; q < device_queue_count; ++q) {
    for (const one_mark& mark : queues_[q].marks) {
      if (mark.began)
        told.push_back({now, static_cast<device_queue>(q), true, mark.task, mark.begin});
    }
  }
  lock.unlock();
  tell(told);
  lock.lock();
  is_settled_ = true;
}

}  // namespace plait::detail
