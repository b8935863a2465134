// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdio>
#include <string>
#include <thread>
#include <utility>

#include <plait/core/cpu_pause.hpp>
#include <plait/core/error.hpp>
#include <plait/task/scheduler.hpp>

#include "task/scheduler/scheduler_implementation.hpp"

namespace plait {

using detail::node_action;
using detail::node_kind;
using detail::task_node;
using detail::worker;

// --- the submitting thread ---------------------------------------------------------------------

void scheduler::implementation::expect_submitting_thread() {
  if (threads.in_program() && tasks.open == nullptr && tasks.begun == nullptr) return;
  const worker& w = threads.submitter();
  PLAIT_EXPECTS(std::this_thread::get_id() == submitter,
                "only the thread that made the scheduler submits tasks and waits");
  PLAIT_EXPECTS(!w.in_task,
                "a task cannot wait, record or replay; what it submits is finished before it is");
  PLAIT_EXPECTS(
      tasks.open == nullptr,
      std::string("task '") + tasks.open->name +
          "' is not submitted yet: a task that is kept in a variable is submitted when the "
          "variable's scope ends");
  if (tasks.begun != nullptr) tasks.give_node_to_begun();
}

void scheduler::implementation::expect_to_wait() {
  expect_submitting_thread();
  PLAIT_EXPECTS(recording == nullptr, "record() records tasks: there is nothing to wait for");
}

void scheduler::implementation::entered() noexcept {
  const bool from_program = !time().is_inside();
  const ticks left_at = time().last_read();
  time().entered();
  if (from_program) watch.program_ran(left_at, time().last_read());
}

/// After a failure other ranks may never send what messages in flight wait for.
void scheduler::implementation::give_up_if_failed() {
  if (!failure.is_new() || sources.cancel()) return;
  // The program would free memory that messages still use.
  std::fprintf(stderr, "plait: %s: a task failed (%s), and messages in flight cannot be given up\n",
               process_label().c_str(), failure.text().c_str());
  detail::abort_job();
}

/// Until there is room for one task; and for more at once, as long as that takes no time to speak
/// of: whoever comes back for every task meets the counts and nodes of the others in their caches
/// each time.  Tasks are run only where there was no room at all.
void scheduler::implementation::wait_for_room() {
  constexpr std::size_t most_at_once = 32;
  const std::size_t enough = std::clamp<std::size_t>(tasks.limit() / 8, 1, most_at_once);
  give_up_if_failed();
  std::size_t free = tasks.room();
  if (free >= enough) return;
  worker& w = threads.submitter();
  const bool is_full = free == 0;
  if (is_full) {
    // Workers in the middle of long chains do not wake this thread for every task they finish: it
    // looks for itself, often enough that they do not run dry.
    const ticks longest_sleep = seconds_to_ticks(200e-6);
    const auto some_room = [&] {
      give_up_if_failed();
      return tasks.room() > 0;
    };
    work_until(w, some_room, longest_sleep);
  }
  const ticks until = now_ticks() + seconds_to_ticks(5e-6);
  if (is_full) {
    w.in_loop = true;
    for (std::size_t more = enough; --more > 0 && w.time.last_read() <= until;) {
      task_node* const node = ready.find(w);
      if (node == nullptr) break;
      run(w, *node);
    }
    leave_loop(w);
    free = tasks.room();
  }
  if (threads.is_one() || oversubscribed) return;
  while (free < enough && now_ticks() <= until) {
    for (int i = 0; i < 16; ++i) cpu_pause();
    free = tasks.room();
  }
}

namespace {

[[gnu::noinline]] task_node& allocate_with_care(auto& s, const char* name, node_kind kind) {
  if (!s.threads.in_program() || s.tasks.open != nullptr) [[unlikely]] {
    if (task_node* parent = s.calling_task()) return s.allocate_child(*parent, name, kind);
    s.expect_submitting_thread();
  }
  if (s.tasks.begun != nullptr) [[unlikely]]
    s.tasks.give_node_to_begun();
  if (s.recording != nullptr) {
    s.tasks.open = &s.recording->add_node(name, kind);
  } else {
    if (s.replaying != nullptr) s.facade->wait();
    const bool full = s.tasks.is_full();
    full || s.watch.has_observer() ? s.entered() : s.time().entered_to_submit(kind);
    if (full) s.wait_for_room();
    s.tasks.provide_free();
    s.tasks.open = &s.tasks.take(name, kind);
  }
  s.tasks.open->is_told = s.recording != nullptr || s.watch.watches_submission();
  s.tasks.open->ends_with_care = true;
  s.watch.submission_begins(*s.tasks.open);
  return *s.tasks.open;
}

/// Waits for what has begun without a node, if nothing else is unfinished and that takes no more
/// than a few looks.  Returns whether all is over and nothing has failed.
[[nodiscard]] bool ends_begun(auto& s) {
  if (!s.tasks.all_finished() || s.failure.happened()) return false;
  worker& w = s.threads.submitter();
  w.time.entered();
  const ticks since = w.time.last_read();
  // Who is to sleep, or look for a stall, does so in `idle`.
  constexpr int most_looks = 64;
  const auto looks_again = [&] { return w.polls_again = s.sources.idle_wait(since) == 0; };
  bool is_over = s.tasks.begun->ends(*s.tasks.begun);
  const activity spent_as = is_over ? activity::overhead : activity::exposed;
  for (int looks = 0; !is_over && looks < most_looks && (looks == 0 || looks_again()); ++looks) {
    (void)s.sources.poll(w.polls_again);
    is_over = s.tasks.begun->ends(*s.tasks.begun);
  }
  w.time.left(spent_as);
  if (is_over) s.tasks.begun = nullptr;
  return is_over && !s.failure.happened();
}

/// Returns a node for a task whose submission passes; null for others.
[[gnu::always_inline]] inline task_node* take_passing(auto& s, const char* name) noexcept {
  const detail::crew::role& here = detail::crew::here;
  // Other threads, and tasks, are inside.
  if (here.of != &s.threads || here.self->time.is_inside() || s.tasks.open != nullptr ||
      s.tasks.is_full() || !s.tasks.has_free() || !here.self->time.passed())
    return nullptr;
  return s.tasks.open = &s.tasks.take(name, node_kind::compute);
}

/// Ends the submission of a node that `ends_with_care`.
[[gnu::noinline]] void submit_with_care(auto& s, task_node& node) {
  if (node.is_told && node.is_child) return s.submit_child(node);
  s.tasks.open = nullptr;
  if (node.is_told && node.recorded != nullptr) return;
  const bool is_task = node.kind == node_kind::compute;
  if (detail::submitted_tasks::is_ready(node)) {
    is_task ? s.ready.add_submitted(node) : s.start_in_turn(node, node, &s.threads.submitter());
  }
  if (!s.time().is_inside()) return;  // it has passed
  s.time().left();
  if (is_task && !s.watch.is_watching()) s.time().let_submissions_pass();
}

[[gnu::noinline]] void declare(auto& s, task_node& node, byte_range bytes, access_mode mode,
                               const void* operation) {
  if (s.watch.declares(node, bytes, mode, operation))
    s.tracker_of(node).add(node, bytes, mode, operation);
}

}  // namespace

/// Not to be inlined: see `of_suspendable_task`.
[[gnu::noinline]] task_node& scheduler::allocate(task_name name, node_kind kind) {
  const bool may_pass = kind == node_kind::compute;
  task_node* const node = may_pass ? take_passing(*self_, name.c_str()) : nullptr;
  return node != nullptr ? *node : allocate_with_care(*self_, name.c_str(), kind);
}

[[gnu::noinline]] task_node& scheduler::allocate(task_name name, byte_range written) {
  implementation& s = *self_;
  task_node* const node = take_passing(s, name.c_str());
  if (node == nullptr) return allocate_with_care(s, name.c_str(), node_kind::compute);
  if (!s.tasks.tracker.adds_first(*node, written)) [[unlikely]]
    node->ends_with_care = true;
  return *node;
}

void scheduler::add_access(task_node& node, byte_range bytes, access_mode mode,
                           const void* operation) {
  if (node.is_told) [[unlikely]]
    return declare(*self_, node, bytes, mode, operation);
  self_->tasks.tracker.add(node, bytes, mode, operation);
}

void scheduler::add_container(task_node& node, const detail::container& c, access_mode mode,
                              const void* operation) {
  detail::dependence_tracker& tracker = self_->tracker_of(node);
  if (self_->watch.declares(node, c, tracker, mode, operation))
    tracker.add_container(node, c, mode, operation);
}

void scheduler::add_box(task_node& node, const strided_bytes& box, access_mode mode) {
  if (self_->watch.declares(node, box, mode, nullptr))
    self_->tracker_of(node).add_box(node, box, mode);
}

void scheduler::submit(task_node& node) {
  implementation& s = *self_;
  if (node.ends_with_care) [[unlikely]]
    return submit_with_care(s, node);
  s.tasks.open = nullptr;
  if (node.edges_made == 0) s.ready.add_submitted(node);
}

void scheduler::count_out(task_node& node) noexcept {
  if (node.recorded != nullptr || node.is_child || std::exchange(node.uncounted, true)) return;
  node.care |= task_node::elsewhere;
  self_->threads.raise(&detail::counters::uncounted, &self_->threads.submitter());
}

bool scheduler::is_unused(byte_range bytes) {
  if (self_->tasks.begun != nullptr) self_->expect_submitting_thread();  // which gives it its node
  return self_->tasks.tracker.is_settled(bytes, access_mode::out);
}

/// Not to be inlined: see `of_suspendable_task`.
[[gnu::noinline]] bool scheduler::begins_without_node(byte_range bytes, access_mode mode) {
  implementation& s = *self_;
  detail::timekeeper& time = s.time();
  if (!s.threads.in_program() || s.tasks.open != nullptr || time.is_inside() ||
      s.recording != nullptr || s.replaying != nullptr || s.failure.is_known() ||
      s.watch.is_watching() || s.tasks.is_full())
    return false;
  if (s.tasks.begun != nullptr) [[unlikely]] {
    s.tasks.give_node_to_begun();
    if (s.tasks.is_full()) return false;
  }
  if (!s.tasks.tracker.is_settled(bytes, mode)) return false;
  if (!s.tasks.has_free()) [[unlikely]]
    s.tasks.provide_free();
  // Long ones are timed each: one for many would say little of them, and of short ones beside them.
  constexpr std::size_t longest_sampled = 1024;
  bytes.end - bytes.begin <= longest_sampled ? time.entered_to_begin(mode) : time.entered();
  return true;
}

void scheduler::follow(begun_operation& begun) noexcept {
  implementation& s = *self_;
  s.tasks.begun = &begun;
  s.time().stop_passing();  // then the next submission comes to `allocate_with_care`
  if (!s.threads.is_one() && s.sources.needs_idle_workers()) s.ready.wake_two();
}

/// Ends the process where there is no memory for the access: nobody could follow what is under way.
task_node& scheduler::node_of_begun(task_name name, byte_range bytes, access_mode mode) noexcept {
  implementation& s = *self_;
  task_node& node = s.tasks.take(name.c_str(), node_kind::asynchronous);
  s.threads.raise(&detail::counters::uncounted, &s.threads.submitter());
  s.tasks.has_node_of_begun = true;
  s.tasks.tracker.add(node, bytes, mode);
  return node;
}

bool scheduler::submits_once() const noexcept {
  return self_->threads.in_program() && self_->recording == nullptr;
}

void scheduler::began_without_node() noexcept {
  implementation& s = *self_;
  s.time().left_after_begin();
  if (std::exchange(s.tasks.has_node_of_begun, false) && !s.threads.is_one() &&
      s.sources.needs_idle_workers())
    s.ready.wake_two();
}

void scheduler::wait() {
  implementation& s = *self_;
  if (s.threads.in_program() && s.tasks.begun != nullptr && ends_begun(s)) return;
  s.expect_to_wait();
  // What follows takes less time than to read the clock: it counts as the program's.
  if (s.tasks.all_finished() && s.replaying == nullptr && !s.failure.happened() &&
      !s.watch.is_watching())
    return;
  {
    const implementation::stay inside(s);
    s.work_off(s.threads.submitter());
    s.give_up_if_failed();  // a failure the last look did not see
    if (s.replaying != nullptr) std::exchange(s.replaying, nullptr)->adopt_containers();
    s.watch.all_finished();
  }
  if (!s.failure.happened()) return;
  const std::exception_ptr error = s.failure.take();
  s.ready.end_care();
  if (error != nullptr) std::rethrow_exception(error);
}

bool scheduler::wait_while(const std::function<bool()>& go_on) {
  implementation& s = *self_;
  s.expect_to_wait();
  bool goes_on = true;
  {
    const implementation::stay inside(s);
    const ticks period = seconds_to_ticks(50e-3);
    ticks due = now_ticks() + period;
    const auto ends = [&] {
      s.give_up_if_failed();
      if (!goes_on || s.tasks.all_finished()) return true;  // asked again after it has said so
      if (now_ticks() < due) return false;
      goes_on = go_on();
      due = now_ticks() + period;
      return !goes_on;
    };
    s.work_until(s.threads.submitter(), ends, period);
  }
  if (goes_on) wait();
  return goes_on;
}

bool scheduler::has_room() const noexcept {
  const implementation& s = *self_;
  if (in_task()) return false;
  if (s.recording != nullptr) return true;
  return s.replaying == nullptr && !s.tasks.is_full() && !s.failure.is_known();
}

namespace {

/// The end of `wait_on`, as a task.
struct arrival {
  static constexpr bool repeatable = false;
  detail::ready_set* ready;
  std::atomic<bool>* reached;

  void run() const {
    reached->store(true, std::memory_order_seq_cst);  // the last that is known of `reached`
    ready->wake_submitter();
  }
  void run_again() const {}
};

}  // namespace

void scheduler::wait_for(std::span<const strided_bytes> memory) {
  implementation& s = *self_;
  s.expect_to_wait();
  std::atomic<bool> reached{false};
  task_node& node = allocate("wait_on", node_kind::compute);
  detail::store_call(node, arrival{&s.ready, &reached});
  node.urgency = priority::high;
  for (const strided_bytes& one : memory) add_box(node, one, access_mode::in);
  s.watch.program_waits_for(node);
  submit(node);
  {
    const implementation::stay inside(s);
    const auto done = [&] { return reached.load(std::memory_order_seq_cst) || failed(); };
    s.work_until(s.threads.submitter(), done, progress_source::never);
  }
  waited();
  if (failed()) wait();
}

// --- any thread ----------------------------------------------------------------------------------

void scheduler::complete(task_node& node) {
  worker* const w = self_->threads.this_worker();
  if (w != nullptr && w->starts.starting == &node) {
    w->starts.starting = nullptr;
  } else {
    self_->finish(node, w);
  }
}

void scheduler::fail(std::exception_ptr error) noexcept {
  self_->record_failure(std::move(error));
}

void scheduler::wake() noexcept {
  self_->ready.wake_submitter();
}

bool scheduler::failed() const noexcept {
  return self_->failure.happened();
}

}  // namespace plait
