// SPDX-License-Identifier: BSD-3-Clause
/// A message for tests of the bare engine: an operation with a buffer that notes how it ended.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <exception>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <plait/comm/engine.hpp>

namespace plait::test {

struct message : operation {
  message(operation::kind what_, int peer_, int tag_, std::vector<unsigned char> data_)
      : data(std::move(data_)) {
    what = what_;
    peer = peer_;
    tag = tag_;
    buffer = data.data();
    size_bytes = data.size();
    completed = [](operation& op, const std::exception_ptr& why) noexcept {
      auto& self = static_cast<message&>(op);
      self.failure = why;
      self.completions.fetch_add(1, std::memory_order_seq_cst);
    };
  }

  ~message() { engine::detach(*this); }

  [[nodiscard]] bool done() const { return completions.load(std::memory_order_seq_cst) != 0; }
  [[nodiscard]] std::string failure_text() const {
    if (failure == nullptr) return "none";
    try {
      std::rethrow_exception(failure);
    } catch (const std::exception& e) {
      return e.what();
    }
  }

  std::vector<unsigned char> data;
  std::atomic<int> completions{0};
  std::exception_ptr failure;
};

/// Messages that stay in place.
using messages = std::deque<message>;

inline message& send(messages& list, int peer, int tag, std::vector<unsigned char> data) {
  return list.emplace_back(operation::kind::send, peer, tag, std::move(data));
}
inline message& receive(messages& list, int peer, int tag, std::size_t size_bytes) {
  return list.emplace_back(operation::kind::receive, peer, tag,
                           std::vector<unsigned char>(size_bytes, 0xEE));
}

inline void enqueue_repeated(engine& e, messages& list, std::uint64_t iterations) {
  std::vector<operation*> ops;
  for (message& m : list) ops.push_back(&m);
  e.enqueue_repeated(ops, iterations);
}

/// Makes ready for one more of them.
inline void begin_iteration(messages& list) {
  for (message& m : list) {
    m.sequence += m.stride;
    m.completions.store(0, std::memory_order_seq_cst);
    m.failure = nullptr;
  }
}

inline void post_all(engine& e, messages& list) {
  for (message& m : list) e.enqueue(m);
  for (message& m : list) e.post(m);
}

/// Returns when all are done.  Polls only if the engine has no proxy, which drives them by itself.
inline void wait_for_all(engine& e, const messages& list) {
  for (const message& m : list) {
    while (!m.done()) {
      if (e.chosen().proxy) {  // who needs the core more than this does
        std::this_thread::sleep_for(std::chrono::microseconds(10));
      } else {
        (void)e.poll();
        std::this_thread::yield();
      }
    }
  }
}

/// A number for each message, by its channel and its place in it.
[[nodiscard]] inline std::uint64_t key(int source, int tag, int number) {
  return static_cast<std::uint64_t>(source) * 1'000'003 + static_cast<std::uint64_t>(tag) * 1009 +
         static_cast<std::uint64_t>(number);
}

/// Byte i of message k on a channel: what a receiver can compute.
inline std::vector<unsigned char> pattern(std::uint64_t key, std::size_t size_bytes) {
  std::vector<unsigned char> data(size_bytes);
  for (std::size_t i = 0; i < size_bytes; ++i) {
    data[i] = static_cast<unsigned char>((key * 0x9E3779B97F4A7C15U + i * 0x2545F491U) >> 13);
  }
  return data;
}

}  // namespace plait::test
