// SPDX-License-Identifier: BSD-3-Clause
// Puts and signalling puts.  The calling thread computes; plait's engine moves the data meanwhile.
#include "carrier.hpp"

namespace ft_probe {
namespace {

class put : public carrier {
 public:
  explicit put(const journey& on)
      : on_(on),
        tasks_(on.env, {.engine = {.policy = on.policy}, .tasks = {.workers = 1}}),
        window_(tasks_.window(on.rows.all_incoming(), {.on = on.windows})) {}

  void expect(int, const range&) override {}
  void start(int peer, const range& rows) override {
    tasks_.put("rows", window_, peer, place(peer, rows), plait::in(on_.rows.outgoing(rows)));
  }
  void wait() override { tasks_.wait(); }
  void barrier() override {
    tasks_.barrier("all have put", plait::inout(passed_));
    tasks_.wait();
  }
  [[nodiscard]] std::optional<plait::window_choice> window() const override {
    return window_.chosen();
  }

 protected:
  [[nodiscard]] std::size_t place(int peer, const range& rows) const {
    return static_cast<std::size_t>(on_.rows.place_at(peer, rows));
  }

  journey on_;
  plait::runtime tasks_;
  plait::window<complex> window_;

 private:
  int passed_ = 0;
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

}  // namespace

std::unique_ptr<carrier> make_put(const journey& on) {
  return std::make_unique<put>(on);
}

std::unique_ptr<carrier> make_put_signal(const journey& on) {
  return std::make_unique<put_signal>(on);
}

}  // namespace ft_probe
