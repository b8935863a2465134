// SPDX-License-Identifier: BSD-3-Clause
// Puts, signalling puts and messages of plait's.  The calling thread computes; plait's engine moves
// the data meanwhile.
#include "carrier.hpp"

namespace spectral {
namespace {

class by_tasks : public carrier {
 public:
  explicit by_tasks(const journey& on)
      : on_(on), tasks_(on.env, {.engine = {.policy = on.policy}, .tasks = {.workers = 1}}) {}

  void wait() override { tasks_.wait(); }
  void barrier() override {
    tasks_.barrier("all are here", plait::inout(passed_));
    tasks_.wait();
  }
  complex sum_on_first(const complex& mine) override {
    complex total;
    tasks_.reduce("sum", plait::in(mine), plait::out(total), 0);
    tasks_.wait();
    return total;
  }

 protected:
  journey on_;
  plait::runtime tasks_;

 private:
  int passed_ = 0;
};

class put : public by_tasks {
 public:
  explicit put(const journey& on)
      : by_tasks(on), window_(tasks_.window(on.rows.memory_of_incoming(), {.on = on.windows})) {}

  void expect(int, const range&) override {}
  void start(int peer, const range& rows) override {
    tasks_.put("rows", window_, peer, place(peer, rows), plait::in(on_.rows.outgoing(rows)));
  }
  [[nodiscard]] std::optional<plait::window_choice> window() const override {
    return window_.chosen();
  }

 protected:
  [[nodiscard]] std::size_t place(int peer, const range& rows) const {
    return static_cast<std::size_t>(on_.rows.place_at(peer, rows));
  }

  plait::window<complex> window_;
};

class put_signal final : public put {
 public:
  using put::put;

  void expect(int from, const range& rows) override {
    tasks_.await_signal("rows", window_, from, plait::out(on_.rows.incoming(from, rows)));
  }
  void start(int peer, const range& rows) override {
    tasks_.put_signal("rows", window_, peer, place(peer, rows), plait::in(on_.rows.outgoing(rows)));
  }
};

class message final : public by_tasks {
 public:
  using by_tasks::by_tasks;

  void expect(int from, const range& rows) override {
    tasks_.recv("rows", plait::out(on_.rows.incoming(from, rows)), from);
  }
  void start(int peer, const range& rows) override {
    tasks_.send("rows", plait::in(on_.rows.outgoing(rows)), peer);
  }
};

}  // namespace

std::unique_ptr<carrier> make_put(const journey& on) {
  return std::make_unique<put>(on);
}

std::unique_ptr<carrier> make_put_signal(const journey& on) {
  return std::make_unique<put_signal>(on);
}

std::unique_ptr<carrier> make_message(const journey& on) {
  return std::make_unique<message>(on);
}

}  // namespace spectral
