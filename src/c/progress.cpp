// SPDX-License-Identifier: BSD-3-Clause
// For programs that keep their own requests, and for languages with a lock that tasks take.
#include <plait/comm/background_progress.hpp>

#include "c/calls.hpp"

using namespace plait::c;
using plait::background_progress;

int plait_progress_start(const plait_progress_options* options) {
  try {
    background_progress::start(own_version(options, "plait_progress_options").interval_s);
    return PLAIT_SUCCESS;
  } catch (...) {
    return failed(false);
  }
}

int plait_progress_stop(void) {
  background_progress::stop();
  return PLAIT_SUCCESS;
}

int plait_wait_while(plait_runtime* rt, int (*go_on)(void* argument), void* argument, int* over) {
  if (go_on == nullptr)
    return fail(PLAIT_ERR_USAGE, "plait_wait_while: the function is a null pointer");
  bool is_over = true;
  const int code = call(rt, "plait_wait_while", from::waiting, [&] {
    is_over = rt->to().wait_while([&] { return go_on(argument) != 0; });
  });
  if (over != nullptr) *over = is_over ? 1 : 0;
  return code;
}

int plait_has_room(plait_runtime* rt, int* has) {
  return call(rt, "plait_has_room", from::anywhere, [&] {
    expect_given(has, "plait_has_room", "place for the answer");
    *has = rt->to().has_room() ? 1 : 0;
  });
}
