// SPDX-License-Identifier: BSD-3-Clause
/// Memory of Python's arrays, as plait's C interface takes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <Python.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <plait/plait.h>

namespace plait_python {

namespace nb = nanobind;

/// Holds memory: while this lives it can neither be freed nor, as a bytearray could, resized.
/// Holder of the interpreter's lock.
class held_memory {
 public:
  /// Of the object that owns the memory, an array or another.
  explicit held_memory(nb::object owner) : owner_(std::move(owner)) {
    if (PyObject_CheckBuffer(owner_.ptr()) == 0) return;
    if (PyObject_GetBuffer(owner_.ptr(), &buffer_, PyBUF_STRIDES) != 0) PyErr_Clear();
  }
  /// Of an export, which is released in the end; or of the owner alone, if that has none.
  held_memory(nb::object owner, const Py_buffer& exported)
      : owner_(std::move(owner)), buffer_(exported) {}
  held_memory(held_memory&& other) noexcept
      : owner_(std::move(other.owner_)), buffer_(std::exchange(other.buffer_, Py_buffer{})) {}
  held_memory& operator=(held_memory&&) = delete;
  ~held_memory() {
    if (buffer_.obj != nullptr) PyBuffer_Release(&buffer_);
  }

 private:
  nb::object owner_;
  Py_buffer buffer_{};
};

/// The memory of an array, exported by the buffer protocol, or by DLPack where it lies on the
/// processor.  While this lives, or what it gave away, the array can neither be freed nor resized.
/// Holder of the interpreter's lock.
class array_view {
 public:
  /// Errors: ValueError for arrays that cannot be written but shall be, of Python objects, and of
  /// other devices; TypeError for what is no array.
  array_view(nb::handle array, bool writes);
  array_view(const array_view&) = delete;
  array_view& operator=(const array_view&) = delete;
  ~array_view();

  /// Gives away what keeps the memory.  Once.
  [[nodiscard]] held_memory give_away() noexcept;
  /// Returns the bytes.  `in_order`: element by element, the last axis fastest, as a message
  /// travels; otherwise the same bytes in as few rows as possible.  Errors: ValueError for arrays
  /// whose rows lie apart along more than four axes, and for elements that stand several times in a
  /// message.
  [[nodiscard]] plait_memory memory(bool in_order) const;
  /// Returns the address and size of memory in one piece.  Errors: ValueError for other arrays.
  [[nodiscard]] plait_memory range(const char* what) const;

  /// Kind and size of the elements, as numpy writes them: "f8"; "" for structures.
  [[nodiscard]] const std::string& type() const noexcept { return type_; }
  [[nodiscard]] bool is_contiguous() const noexcept;
  [[nodiscard]] std::size_t item_bytes() const noexcept { return item_bytes_; }
  [[nodiscard]] void* begin() const noexcept { return begin_; }
  [[nodiscard]] std::span<const std::int64_t> shape() const noexcept { return shape_; }
  /// In bytes.
  [[nodiscard]] std::span<const std::int64_t> strides() const noexcept { return strides_; }

 private:
  void take_buffer();
  void take_dlpack(nb::handle array, bool writes);

  Py_buffer buffer_{};
  nb::object tensor_;                       ///< of DLPack
  std::vector<std::int64_t> of_tensor_[2];  ///< its shape and strides
  void* begin_ = nullptr;
  std::size_t item_bytes_ = 0;
  std::string type_;
  std::span<const std::int64_t> shape_;
  std::span<const std::int64_t> strides_;
};

}  // namespace plait_python
