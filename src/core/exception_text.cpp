// SPDX-License-Identifier: BSD-3-Clause
#include <cstddef>
#include <mutex>
#include <utility>

#include <plait/core/exception_text.hpp>

namespace plait {
namespace {

struct noted_origin {
  std::mutex mutex;
  std::exception_ptr thrown = nullptr;  ///< alive, so that no other one has its place
  std::string text = {};
};

/// Never destroyed: std::terminate may ask when everything else is gone.
noted_origin& last_origin() {
  static auto* const origin = new noted_origin;
  return *origin;
}

[[nodiscard]] std::string what_it_says(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "an exception of unknown type";
  }
}

/// Returns how many bytes of UTF-8 at the front command a terminal: U+0000 to U+001F, U+007F to
/// U+009F, U+202A to U+202E, U+2066 to U+2069.
[[nodiscard]] std::size_t length_of_control(std::string_view text) {
  const auto byte = [text](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
  };
  const auto is_within = [](int c, int first, int last) { return c >= first && c <= last; };
  const int first = byte(0);
  if (first == 0x7F || (first < 0x20 && first != '\n' && first != '\t')) return 1;
  if (first == 0xC2 && is_within(byte(1), 0x80, 0x9F)) return 2;
  if (first != 0xE2) return 0;
  const bool turns = (byte(1) == 0x80 && is_within(byte(2), 0xAA, 0xAE)) ||
                     (byte(1) == 0x81 && is_within(byte(2), 0xA6, 0xA9));
  return turns ? 3 : 0;
}

}  // namespace

std::string plain_text(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t left_out = length_of_control(text);
    if (left_out == 0) result += text.front();
    text.remove_prefix(left_out == 0 ? 1 : left_out);
  }
  return result;
}

void note_origin(const std::exception_ptr& thrown, std::string origin) {
  noted_origin& last = last_origin();
  std::exception_ptr before = thrown;  // freed without the lock: its destructor is the program's
  std::lock_guard lock(last.mutex);
  std::swap(last.thrown, before);
  last.text = std::move(origin);
}

std::string exception_text(const std::exception_ptr& thrown) {
  noted_origin& last = last_origin();
  std::string origin;
  {
    std::lock_guard lock(last.mutex);
    if (last.thrown == thrown) origin = last.text + ": ";
  }
  return plain_text(origin + what_it_says(thrown));
}

}  // namespace plait
