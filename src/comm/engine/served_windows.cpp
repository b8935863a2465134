// SPDX-License-Identifier: BSD-3-Clause
// All of it runs in the thread that holds the token.
#include "comm/engine/served_windows.hpp"

#include <cstdio>
#include <exception>

#include <plait/core/error.hpp>

namespace plait {
namespace {

/// Other ranks wait for what this one can no longer do, and no task here would say so.
[[noreturn]] void fail_others(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "plait: %s: a window cannot answer other ranks any more: %s\n",
                 process_label().c_str(), e.what());
  }
  detail::abort_job();
}

}  // namespace

one_sided_service::finished_list served_windows::start(operation& op) {
  one_sided_service::finished_list done;
  ++in_flight_;
  try {
    op.remote->home->service->start(op, done);
  } catch (...) {
    done.push_back({&op, std::current_exception()});
  }
  return done;
}

bool served_windows::look_at_all(completer& tell) {
  bool moved = false;
  // By place: a completion may end the wait for the end of a window.
  for (std::size_t i = 0; i < list_.size(); ++i) {
    one_sided_service::finished_list done;
    try {
      moved = list_[i]->service->look(done) || moved;
    } catch (...) {
      const auto failure = std::current_exception();
      list_[i]->service->abandon(done);
      if (done.empty()) fail_others(failure);
      for (auto& one : done) one.failure = failure;
    }
    moved = moved || !done.empty();
    end(done, tell);
  }
  return moved;
}

void served_windows::give_up(completer& tell) {
  for (served_window* window : list_) {
    one_sided_service::finished_list done;
    window->service->give_up(done);
    end(done, tell);
  }
}

void served_windows::abandon(served_window& window, completer& tell) {
  one_sided_service::finished_list left;
  window.service->abandon(left);
  end(left, tell);
}

}  // namespace plait
