// SPDX-License-Identifier: BSD-3-Clause
// Windows: memory that other ranks read and write.
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <plait/core/error.hpp>
#include <plait/runtime/one_sided_options.hpp>

#include "c/calls.hpp"

namespace plait::c {
namespace {

[[nodiscard]] window_options options_of(const plait_window_options* given) {
  const plait_window_options own = own_version(given, "plait_window_options");
  window_options options;
  if (own.flags != 0) options.flags = own.flags;
  switch (own.carrier) {
    case PLAIT_ON_MESSAGES:
      options.on = windows_on::messages;
      break;
    case PLAIT_ON_RMA:
      options.on = windows_on::rma;
      break;
    case PLAIT_ON_CHOSEN:
      options.on = windows_on::automatic;
      break;
    default:
      throw usage_error("plait_window_options: carrier is " + std::to_string(own.carrier));
  }
  return options;
}

[[nodiscard]] int open(plait_runtime* rt, const char* function, const window_part& part,
                       const plait_window_options* options, void** begin,
                       plait_window** made) noexcept {
  return call(rt, function, from::to_wait, [&] {
    expect_given(made, function, "place for the window");
    *made = nullptr;
    auto handle = std::make_unique<plait_window>(plait_window{rt, nullptr});
    handle->memory = rt->to().expose(part, options_of(options));
    ++rt->windows;
    if (begin != nullptr) *begin = handle->memory->begin();
    *made = handle.release();
  });
}

[[nodiscard]] one_sided_call call_on(const char* name, const plait_window* window, int peer,
                                     std::size_t offset) {
  const task_name named = name_of(name);
  expect_given(window, name, "window");
  return {.name = named, .memory = window->memory, .peer = peer, .offset_bytes = offset};
}

void put(plait_runtime& rt, one_sided_call call, const plait_memory& from, unsigned options) {
  if ((options & ~PLAIT_SOURCE_IS_FREE_EARLY) != 0) {
    throw usage_error(std::string("put '") + call.name.c_str() + "': flags " +
                      std::to_string(options) + " do not exist");
  }
  call.what = operation::kind::put;
  call.data = range_of(from, call.name.c_str());
  if ((options & PLAIT_SOURCE_IS_FREE_EARLY) != 0) call.source = completion::local;
  rt.to().one_sided(call);
}

}  // namespace
}  // namespace plait::c

using namespace plait::c;

int plait_window_create(plait_runtime* rt, void* begin, size_t bytes,
                        const plait_window_options* options, plait_window** made) {
  if (begin == nullptr && bytes > 0)
    return fail(PLAIT_ERR_USAGE, "plait_window_create: the memory begins at a null pointer");
  return open(rt, "plait_window_create", {begin, bytes, false}, options, nullptr, made);
}

int plait_window_allocate(plait_runtime* rt, size_t bytes, const plait_window_options* options,
                          void** begin, plait_window** made) {
  if (begin == nullptr)
    return fail(PLAIT_ERR_USAGE, "plait_window_allocate: the place for the address is null");
  return open(rt, "plait_window_allocate", {nullptr, bytes, true}, options, begin, made);
}

int plait_window_free(plait_window** one) {
  if (one == nullptr) return fail(PLAIT_ERR_USAGE, "plait_window_free: a null pointer");
  plait_window* const window = *one;
  if (window == nullptr) return PLAIT_SUCCESS;
  return call(window->owner, "plait_window_free", from::to_wait, [&] {
    window->owner->to().end(*window->memory);
    --window->owner->windows;
    delete window;
    *one = nullptr;
  });
}

int plait_window_bytes(plait_window* one, int rank, size_t* bytes) {
  if (one == nullptr || bytes == nullptr)
    return fail(PLAIT_ERR_USAGE, "plait_window_bytes: a null pointer");
  return call(one->owner, "plait_window_bytes", from::anywhere, [&] {
    if (rank < 0 || rank >= one->owner->env.size()) {
      throw plait::usage_error("plait_window_bytes: rank " + std::to_string(rank) + " of " +
                               std::to_string(one->owner->env.size()));
    }
    *bytes = one->memory->size_bytes(rank);
  });
}

int plait_get(plait_runtime* rt, const char* name, plait_window* from, int target, size_t offset,
              plait_memory to) {
  return call(rt, "plait_get", from::program, [&] {
    plait::one_sided_call get = call_on(name, from, target, offset);
    get.what = plait::operation::kind::get;
    get.data = range_of(to, name);
    rt->to().one_sided(get);
  });
}

int plait_put(plait_runtime* rt, const char* name, plait_memory from, plait_window* to, int target,
              size_t offset, unsigned flags) {
  return call(rt, "plait_put", from::program,
              [&] { put(*rt, call_on(name, to, target, offset), from, flags); });
}

int plait_put_signal(plait_runtime* rt, const char* name, plait_memory from, plait_window* to,
                     int target, size_t offset, int flag, unsigned options) {
  return call(rt, "plait_put_signal", from::program, [&] {
    plait::one_sided_call one = call_on(name, to, target, offset);
    one.signals = true;
    one.flag = flag;
    put(*rt, std::move(one), from, options);
  });
}

int plait_signal(plait_runtime* rt, const char* name, plait_window* at, int target, int flag,
                 const plait_access* accesses, size_t access_count) {
  return call(rt, "plait_signal", from::program, [&] {
    plait::one_sided_call one = call_on(name, at, target, 0);
    one.what = plait::operation::kind::put;
    one.signals = true;
    one.flag = flag;
    std::vector<plait::data_access> waited_for;
    if (access_count > 0) expect_given(accesses, name, "list of accesses");
    for (const plait_access& a : std::span(accesses, access_count))
      waited_for.push_back(access_of(a));
    one.accesses = waited_for;
    rt->to().one_sided(one);
  });
}

int plait_await_signal(plait_runtime* rt, const char* name, plait_window* at, int source, int flag,
                       const plait_memory* covers, size_t cover_count) {
  return call(rt, "plait_await_signal", from::program, [&] {
    plait::one_sided_call one = call_on(name, at, source, 0);
    one.what = plait::operation::kind::await_signal;
    one.flag = flag;
    std::vector<plait::data_access> covered;
    if (cover_count > 0) expect_given(covers, name, "list of memory");
    for (const plait_memory& m : std::span(covers, cover_count))
      covered.push_back({box_of(m), plait::access_mode::out});
    one.accesses = covered;
    rt->to().one_sided(one);
  });
}
