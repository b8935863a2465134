// SPDX-License-Identifier: BSD-3-Clause
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include <plait/core/error.hpp>
#include <plait/core/exception_text.hpp>

namespace plait {
namespace {
std::mutex label_mutex;
std::string& label_storage() {
  static std::string label = "this process";
  return label;
}
std::atomic<void (*)() noexcept> abort_handler{nullptr};
}  // namespace

void set_process_label(std::string label) {
  std::lock_guard lock(label_mutex);
  label_storage() = std::move(label);
}

std::string process_label() {
  std::lock_guard lock(label_mutex);
  return label_storage();
}

void set_abort_handler(void (*handler)() noexcept) {
  abort_handler.store(handler);
}

namespace detail {

void abort_job() noexcept {
  if (auto* handler = abort_handler.load()) handler();
  std::abort();
}

void print_last_words(const std::string& why) noexcept {
  static std::atomic<std::thread::id> first{};
  std::thread::id nobody{};
  if (!first.compare_exchange_strong(nobody, std::this_thread::get_id()) &&
      nobody != std::this_thread::get_id()) {
    for (;;) std::this_thread::sleep_for(std::chrono::seconds(1));
  }
  std::fprintf(stderr, "plait: %s: %s\n", process_label().c_str(), plain_text(why).c_str());
}

void expects_failed(const char* expression, const char* file, int line,
                    const std::string& values) noexcept {
  print_last_words(std::string(file) + ":" + std::to_string(line) + ": expected " + expression +
                   (values.empty() ? "" : "; ") + values);
  abort_job();
}

}  // namespace detail
}  // namespace plait
