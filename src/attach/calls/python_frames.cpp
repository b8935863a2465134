// SPDX-License-Identifier: BSD-3-Clause
// [CPython 3.11 to 3.13: Include/cpython/pystate.h and code.h, Include/internal/pycore_frame.h;
// 3.13 says itself where things are, in _Py_DebugOffsets of pycore_runtime.h]
#include "attach/calls/python_frames.hpp"

#include <algorithm>
#include <cstring>

#include <dlfcn.h>

namespace plait::attach {
namespace {

/// Of a frame that stands for a function of C.
constexpr unsigned char owned_by_c_stack = 3;
/// No structure that is read here is larger, and no function longer.
constexpr std::uint64_t largest_structure = 4096;
constexpr std::uintptr_t largest_function = 1 << 26;

/// Offsets of what is read, in bytes.
struct python_layout {
  std::uint32_t frame_in_thread = 0;  ///< the innermost frame, or where it is told of
  std::int32_t frame_in_c_frame = 0;  ///< of what the thread has instead; -1: the frame itself
  std::uint32_t executable = 0;       ///< of a frame, as what follows
  std::uint32_t previous = 0;
  std::uint32_t instruction = 0;
  std::uint32_t owner = 0;
  std::uint32_t file = 0;  ///< of code, as what follows
  std::uint32_t name = 0;
  std::uint32_t first_line = 0;
  std::uint32_t instructions = 0;
  std::uint32_t number = 0;  ///< 0: it has none
};
constexpr std::uint32_t type_of_object = 8;
constexpr python_layout of_3_11{56, 8, 32, 48, 56, 69, 112, 128, 72, 184, 0};
constexpr python_layout of_3_12{56, 0, 0, 8, 56, 70, 112, 128, 68, 192, 92};
/// In 3.11, of a text; letters that are no ASCII lie further behind.
constexpr std::uint32_t length_of_text = 16;
constexpr std::uint32_t letters_of_text = 48;

/// The interpreter's functions that only read.
struct python_interpreter {
  void* (*thread_state)() = nullptr;  ///< null: no interpreter is known
  int (*is_initialized)() = nullptr;
  int (*line)(void*, int) = nullptr;
  std::ptrdiff_t (*length)(void*) = nullptr;
  std::uint32_t (*letter)(void*, std::ptrdiff_t) = nullptr;
  std::uintptr_t code_type = 0;
  std::uintptr_t text_type = 0;
  python_layout layout;
};
constinit python_interpreter python;

template <class T>
[[nodiscard]] T read(std::uintptr_t object, std::uint32_t offset) noexcept {
  T value;
  std::memcpy(&value, reinterpret_cast<const void*>(object + offset), sizeof value);
  return value;
}

template <class Function>
[[nodiscard]] bool find(Function*& to, const char* name) noexcept {
  to = reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
  return to != nullptr;
}
[[nodiscard]] bool find(std::uintptr_t& to, const char* name) noexcept {
  to = reinterpret_cast<std::uintptr_t>(dlsym(RTLD_DEFAULT, name));
  return to != 0;
}

/// Takes from 3.13 what it says of itself; words are numbered as the structure has them.
[[nodiscard]] bool take_offsets(python_layout& to) noexcept {
  std::uintptr_t runtime = 0;
  if (!find(runtime, "_PyRuntime")) return false;
  std::uint64_t word[44];
  std::memcpy(word, reinterpret_cast<const void*>(runtime), sizeof word);
  const bool has_lock = word[2] == 0;
  if (std::memcmp(word, "xdebugpy", 8) != 0 || word[1] >> 16U != 0x030d || !has_lock) return false;
  for (const int used : {23, 29, 30, 31, 33, 35, 37, 39, 43}) {
    if (word[used] >= largest_structure) return false;
  }
  const auto at = [&](int number) { return static_cast<std::uint32_t>(word[number]); };
  to = {at(23), -1, at(30), at(29), at(31), at(33), at(35), at(37), at(39), at(43), of_3_12.number};
  return true;
}

[[nodiscard]] bool find_layout(unsigned long version, python_layout& to) noexcept {
  switch (version >> 16U) {
    case 0x030b:
      to = of_3_11;
      return true;
    case 0x030c:
      to = of_3_12;
      return true;
    case 0x030d:
      return take_offsets(to);
    default:
      return false;
  }
}

[[nodiscard]] void* object_in(const python_frame& of, std::uint32_t offset) noexcept {
  return reinterpret_cast<void*>(read<std::uintptr_t>(of.code, offset));
}

/// Writes one letter as UTF-8, at most four bytes; returns how many.
std::size_t write_letter(std::uint32_t letter, char* to) noexcept {
  if (letter < 0x80) {
    *to = static_cast<char>(letter);
    return 1;
  }
  const std::size_t bytes = letter < 0x800 ? 2 : letter < 0x10000 ? 3 : 4;
  for (std::size_t i = bytes; i-- > 1; letter >>= 6U) {
    to[i] = static_cast<char>(0x80U | (letter & 0x3fU));
  }
  to[0] = static_cast<char>(((0xf0U << (4 - bytes)) & 0xffU) | letter);
  return bytes;
}

/// Writes letters from `first` on, as far as whole ones find room.
void write_text(void* text, std::ptrdiff_t first, char* to, std::size_t room) noexcept {
  const std::ptrdiff_t length = python.length(text);
  std::size_t used = 0;
  for (std::ptrdiff_t i = first; i < length && used + 4 < room; ++i) {
    std::uint32_t letter = python.letter(text, i);
    if (letter < 0x20 || (letter >= 0xd800 && letter < 0xe000)) letter = '?';
    used += write_letter(letter, to + used);
  }
  to[used] = '\0';
}

}  // namespace

void find_python() noexcept {
  python_interpreter found;
  const unsigned long* version = nullptr;
  const bool is_there =
      find(version, "Py_Version") && find(found.is_initialized, "Py_IsInitialized") &&
      find(found.line, "PyCode_Addr2Line") && find(found.length, "PyUnicode_GetLength") &&
      find(found.letter, "PyUnicode_ReadChar") && find(found.code_type, "PyCode_Type") &&
      find(found.text_type, "PyUnicode_Type") && find_layout(*version, found.layout) &&
      find(found.thread_state, "PyGILState_GetThisThreadState");
  if (is_there) python = found;
}

python_frames::python_frames() noexcept {
  if (python.thread_state == nullptr || python.is_initialized() == 0) return;
  const auto thread = reinterpret_cast<std::uintptr_t>(python.thread_state());
  if (thread == 0) return;
  frame_ = read<std::uintptr_t>(thread, python.layout.frame_in_thread);
  if (python.layout.frame_in_c_frame >= 0 && frame_ != 0) {
    frame_ =
        read<std::uintptr_t>(frame_, static_cast<std::uint32_t>(python.layout.frame_in_c_frame));
  }
}

bool python_frames::next(python_frame& to) noexcept {
  while (frame_ != 0) {
    const std::uintptr_t frame = frame_;
    frame_ = read<std::uintptr_t>(frame, python.layout.previous);
    if (read<unsigned char>(frame, python.layout.owner) >= owned_by_c_stack) continue;
    to.code = read<std::uintptr_t>(frame, python.layout.executable);
    to.instruction = read<std::uintptr_t>(frame, python.layout.instruction);
    return true;
  }
  return false;
}

python_code code_of(const python_frame& of) noexcept {
  const python_layout& at = python.layout;
  const auto first_line = read<std::int32_t>(of.code, at.first_line);
  if (at.number != 0) return {read<std::uint32_t>(of.code, at.number), first_line};
  const auto file = read<std::uintptr_t>(of.code, at.file);
  const auto length = read<std::uint64_t>(file, length_of_text);
  const std::uint64_t end =
      length < 8 ? 0 : read<std::uint64_t>(file + length, letters_of_text - 8);
  return {read<std::uintptr_t>(of.code, at.name) ^ (end * 0x9e3779b97f4a7c15) ^ length, first_line};
}

bool is_sound(const python_frame& of) noexcept {
  const auto has_type = [](std::uintptr_t object, std::uintptr_t type) {
    return object != 0 && read<std::uintptr_t>(object, type_of_object) == type;
  };
  const python_layout& at = python.layout;
  const bool is_code = has_type(of.code, python.code_type) &&
                       has_type(read<std::uintptr_t>(of.code, at.file), python.text_type) &&
                       has_type(read<std::uintptr_t>(of.code, at.name), python.text_type);
  // What was begun last may be the unit before the first.
  const std::uintptr_t begin = of.code + at.instructions;
  const bool is_in_it =
      of.instruction + 2 >= begin && of.instruction - begin + 2 < largest_function;
  if (!is_code || !is_in_it) python.thread_state = nullptr;
  return is_code && is_in_it;
}

std::int32_t line_of(const python_frame& of) noexcept {
  const std::uintptr_t begin = of.code + python.layout.instructions;
  const auto offset = static_cast<int>(of.instruction - begin);
  return std::max(0, python.line(reinterpret_cast<void*>(of.code), offset));
}

void write_file(const python_frame& of, char* to, std::size_t room) noexcept {
  void* text = object_in(of, python.layout.file);
  std::ptrdiff_t first = python.length(text);
  char letter[4];
  for (std::size_t bytes = 4; first > 0; --first) {  // `write_text` wants room for a long letter
    bytes += write_letter(python.letter(text, first - 1), letter);
    if (bytes >= room) break;
  }
  write_text(text, first, to, room);
}

void write_function(const python_frame& of, char* to, std::size_t room) noexcept {
  write_text(object_in(of, python.layout.name), 0, to, room);
}

}  // namespace plait::attach
