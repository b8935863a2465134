// SPDX-License-Identifier: BSD-3-Clause
#include "python/windows.hpp"

#include <utility>
#include <vector>

namespace plait_python {

window::window(runtime& rt, nb::object array, int flags, bool rma)
    : rt_(rt), array_(std::move(array)) {
  const plait_memory memory = array_view(array_, true).range("a window");
  plait_window_options options = PLAIT_WINDOW_OPTIONS_INIT;
  options.flags = flags;
  options.carrier = rma ? PLAIT_ON_RMA : PLAIT_ON_MESSAGES;
  rt_.submit([&](plait_runtime* of) {
    return plait_window_create(of, memory.begin, memory.row_bytes, &options, &window_);
  });
}

plait_window* window::get_window() const {
  if (window_ == nullptr) throw nb::value_error("the window has been freed");
  return window_;
}

void window::get(nb::handle to, int target, std::size_t offset, const std::string& name) {
  plait_window* const from = get_window();
  const plait_memory memory = rt_.memory_of(to, true);
  const char* const text = plait_intern(name.c_str());
  rt_.submit([&](plait_runtime* of) { return plait_get(of, text, from, target, offset, memory); });
}

void window::put(nb::handle array, int target, std::size_t offset, nb::handle signal,
                 const std::string& name) {
  plait_window* const to = get_window();
  const plait_memory memory = rt_.memory_of(array, false);
  const char* const text = plait_intern(name.c_str());
  const int flag = signal.is_none() ? -1 : nb::cast<int>(signal);
  rt_.submit([&](plait_runtime* of) {
    return flag < 0 ? plait_put(of, text, memory, to, target, offset, 0)
                    : plait_put_signal(of, text, memory, to, target, offset, flag, 0);
  });
}

void window::signal(int target, int flag, nb::handle after, const std::string& name) {
  plait_window* const at = get_window();
  std::vector<plait_access> accesses;
  for (nb::handle one : after)
    accesses.push_back(plait_access_of(array_view(one, false).memory(false), PLAIT_IN));
  const char* const text = plait_intern(name.c_str());
  rt_.submit([&](plait_runtime* of) {
    return plait_signal(of, text, at, target, flag, accesses.data(), accesses.size());
  });
}

void window::await_signal(int source, int flag, nb::handle covers, const std::string& name) {
  plait_window* const at = get_window();
  std::vector<plait_memory> covered;
  for (nb::handle one : covers) covered.push_back(array_view(one, true).memory(false));
  const char* const text = plait_intern(name.c_str());
  rt_.submit([&](plait_runtime* of) {
    return plait_await_signal(of, text, at, source, flag, covered.data(), covered.size());
  });
}

void window::free() {
  if (window_ == nullptr) return;
  rt_.submit([&](plait_runtime*) { return plait_window_free(&window_); });
  array_ = nb::none();
}

}  // namespace plait_python
