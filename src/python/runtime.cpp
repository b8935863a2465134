// SPDX-License-Identifier: BSD-3-Clause
#include "python/runtime.hpp"

#include <cstdint>
#include <utility>

#include "python/holds.hpp"

namespace plait_python {
namespace {

nb::object& error_classes() {
  static auto& classes = *new nb::object;
  return classes;
}

[[noreturn]] void throw_exception(const nb::object& raised) {
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(raised.ptr())), raised.ptr());
  throw nb::python_error();
}

/// Returns the object that owns the memory of an array: the last of numpy's bases.
nb::object owner_of(nb::handle array) {
  nb::object owner = nb::borrow(array);
  while (true) {
    nb::object base = nb::getattr(owner, "base", nb::none());
    if (base.is_none() && PyMemoryView_Check(owner.ptr()))
      base = nb::getattr(owner, "obj", nb::none());
    if (base.is_none() || base.is(owner)) return owner;
    owner = std::move(base);
  }
}

/// Lets Python's signals come while the program waits; stops where a handler has raised.
int no_signal_has_raised(void*) {
  const PyGILState_STATE state = PyGILState_Ensure();
  const bool raised = PyErr_CheckSignals() != 0;
  PyGILState_Release(state);
  return raised ? 0 : 1;
}

}  // namespace

void set_error_classes(nb::object by_code) {
  error_classes() = std::move(by_code);
}

nb::object exception_of(int code, const char* text) {
  return error_classes()(code, text);
}

void check(int code) {
  if (code == PLAIT_SUCCESS) return;
  throw_exception(exception_of(code, plait_error_text()));
}

bool held_objects::hold(nb::handle array) {
  nb::object owner = owner_of(array);
  if (all_.contains(owner.ptr())) return true;
  if (all_.size() >= most) return false;
  PyObject* const key = owner.ptr();
  all_.emplace(key, held_memory(std::move(owner)));
  return true;
}

bool task_end::done() const {
  int is_done = 0;
  check(plait_event_test(event_, &is_done));
  return is_done != 0;
}

void task_end::wait() const {
  nb::cast<runtime&>(of_).wait_for(event_);
}

runtime::runtime(int comm, const plait_options& options) {
  int code = PLAIT_SUCCESS;
  {
    const without_lock away;
    code = plait_init_f(comm, &options, &rt_);
  }
  check(code);
}

/// A runtime that was not ended stays as it is: its end is collective.
runtime::~runtime() = default;

plait_runtime* runtime::get() const {
  if (rt_ == nullptr) throw_exception(exception_of(PLAIT_ERR_STATE, "the runtime has ended"));
  return rt_;
}

/// The exception of a task carries where it was raised; plait's sentence, which names task and
/// iteration, becomes a note of it where Python has notes.
void runtime::raise(int code) {
  if (code == PLAIT_SUCCESS) return;
  const std::string text = plait_error_text();
  nb::object raised = failures_.take();
  if (code != PLAIT_ERR_TASK || !raised.is_valid()) return check(code);
  if (nb::hasattr(raised, "add_note")) raised.attr("add_note")("plait: " + text);
  throw_exception(raised);
}

const char* runtime::interned(nb::object name) {
  auto& [known, text] = names_[(reinterpret_cast<std::uintptr_t>(name.ptr()) >> 4) % names_.size()];
  if (known.is(name)) return text;
  const char* const own = PyUnicode_AsUTF8(name.ptr());
  if (own == nullptr) {
    PyErr_Clear();
    throw nb::type_error("the name of a task is a str");
  }
  text = plait_intern(own);
  known = std::move(name);
  return text;
}

plait_event* runtime::task(nb::handle function, const nb::tuple& arguments, nb::handle name,
                           int priority, nb::handle also, bool anyone, bool held) {
  tidy();
  plait_runtime* const rt = get();
  owned_closure closure = make_closure(function, arguments, also, failures_);
  plait_call call =
      call_of(*closure,
              interned(name.is_none() ? nb::getattr(closure->function, "__name__", nb::str("task"))
                                      : nb::borrow(name)));
  if (held) {
    if (closure->compiled != nullptr)
      throw nb::type_error("a kernel runs without the interpreter, and can take no hold");
    call.run = nullptr;
    call.run_held = &run_held;
  }
  call.priority = priority;
  call.flags = anyone ? PLAIT_FOR_ANYONE : 0;
  plait_event* event = nullptr;
  if (!records_) call.event = &event;
  (void)closure.release();
  int code = PLAIT_SUCCESS;
  {
    const without_lock away;
    code = plait_submit(rt, &call);
  }
  raise(code);
  return event;
}

void runtime::hold_rest(bool was_submitted) {
  const std::vector<access> rest = std::exchange(rest_, {});
  if (rest.empty() || !was_submitted) return;
  owned_closure closure = new_closure();
  for (const access& one : rest) closure->touch(array_view(one.array, false), PLAIT_INOUT);
  const plait_call call = call_of(*closure.release(), "hold");
  int code = PLAIT_SUCCESS;
  {
    const without_lock away;
    code = plait_submit(rt_, &call);
  }
  raise(code);
}

plait_memory runtime::memory_of(nb::handle array, bool writes) {
  const plait_memory memory = array_view(array, writes).memory(true);
  if (!held_.hold(array)) rest_.push_back({nb::borrow(array), PLAIT_INOUT});
  return memory;
}

void runtime::message(bool sends, nb::handle array, int peer, int tag, plait_comm* among,
                      const std::string& name) {
  const plait_memory memory = memory_of(array, !sends);
  const char* const text = plait_intern(name.c_str());
  submit([&](plait_runtime* rt) {
    return sends ? plait_send(rt, text, memory, peer, tag, among)
                 : plait_recv(rt, text, memory, peer, tag, among);
  });
}

void runtime::message_counted(bool sends, nb::handle array, nb::handle count, int peer, int tag,
                              plait_comm* among, const std::string& name) {
  const array_view elements(array, !sends);
  const plait_memory memory = elements.range("a message with a count");
  const array_view counted(count, !sends);
  if ((counted.type() != "i8" && counted.type() != "u8") || counted.range("a count").row_bytes != 8)
    throw nb::value_error("the count of a message is an array of one integer of 8 bytes");
  auto* const at = static_cast<std::size_t*>(counted.begin());
  (void)memory_of(array, !sends);
  (void)memory_of(count, !sends);
  const char* const text = plait_intern(name.c_str());
  const std::size_t bytes = elements.item_bytes();
  submit([&](plait_runtime* rt) {
    return sends ? plait_send_counted(rt, text, memory, at, bytes, peer, tag, among)
                 : plait_recv_counted(rt, text, memory, at, bytes, peer, tag, among);
  });
}

void runtime::wait() {
  tidy();
  plait_runtime* const rt = get();
  int is_over = 0;
  int code = PLAIT_SUCCESS;
  {
    const without_lock away;
    code = plait_wait_while(rt, &no_signal_has_raised, nullptr, &is_over);
  }
  if (code == PLAIT_SUCCESS && is_over == 0) throw nb::python_error();
  held_.let_go();
  tidy();
  if (code == PLAIT_SUCCESS) free_unused();
  raise(code);
}

/// Frees the recordings and movers that Python has no name for any more.  Nothing is in flight: to
/// free a recording waits for all.
void runtime::free_unused() {
  std::erase_if(recordings_, [](const std::shared_ptr<recording>& one) {
    if (one.use_count() > 1) return false;
    const without_lock away;
    (void)plait_graph_free(&one->graph);
    return true;
  });
  std::erase_if(movers_, [](const std::shared_ptr<moving>& one) {
    return one.use_count() == 1 && plait_mover_free(&one->mover) == PLAIT_SUCCESS;
  });
}

void runtime::wait_on(nb::handle array) {
  const plait_memory memory = array_view(array, false).memory(false);
  submit([&](plait_runtime* rt) { return plait_wait_on(rt, memory); });
}

void runtime::wait_for(plait_event* task) {
  submit([&](plait_runtime*) { return plait_event_wait(task); });
}

void runtime::record_begin() {
  submit([](plait_runtime* rt) { return plait_record_begin(rt); });
  records_ = true;
  held_before_ = held_.take();
}

std::shared_ptr<recording> runtime::record_end(bool drop) {
  auto made = std::make_shared<recording>();
  records_ = false;
  made->held = std::exchange(held_, held_before_.take());
  submit([&](plait_runtime* rt) { return plait_record_end(rt, drop ? nullptr : &made->graph); });
  if (!drop) recordings_.push_back(made);
  return made;
}

void runtime::replay(recording& what, std::uint64_t iterations) {
  submit([&](plait_runtime* rt) { return plait_replay(rt, what.graph, iterations); });
}

void runtime::move(const moving& what) {
  for (const nb::object& array : what.arrays) (void)memory_of(array, false);  // held
  submit([&](plait_runtime* rt) { return plait_move(rt, what.mover); });
}

void runtime::finalize() {
  if (rt_ == nullptr) return;
  int code = PLAIT_SUCCESS;
  {
    const without_lock away;
    for (const std::shared_ptr<recording>& one : recordings_) (void)plait_graph_free(&one->graph);
    for (const std::shared_ptr<moving>& one : movers_) (void)plait_mover_free(&one->mover);
    code = plait_finalize(&rt_);
  }
  held_.let_go();
  recordings_.clear();
  movers_.clear();
  tidy();
  raise(code);
}

void runtime::abort(const std::string& text) {
  const without_lock away;
  plait_abort(rt_, text.c_str());
  std::abort();
}

plait_ledger runtime::ledger(int worker) const {
  plait_ledger found = PLAIT_LEDGER_INIT;
  check(plait_get_ledger(get(), worker, &found));
  return found;
}

plait_comm* runtime::adopt(int comm, const std::string& name) {
  plait_comm* made = nullptr;
  submit([&](plait_runtime* rt) {
    return plait_adopt_f(rt, comm, plait_intern(name.c_str()), &made);
  });
  return made;
}

}  // namespace plait_python
