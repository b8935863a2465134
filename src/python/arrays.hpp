// SPDX-License-Identifier: BSD-3-Clause
/// Memory of Python's arrays, as plait's C interface takes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <Python.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <plait/plait.h>

namespace plait_python {

namespace nb = nanobind;

/// The memory of an array, exported by the buffer protocol, or by DLPack where it lies on the
/// processor.  While this lives the array can neither be freed nor resized.  Holder of the
/// interpreter's lock.
class array_view {
 public:
  /// Errors: ValueError for arrays that cannot be written but shall be, of Python objects, and of
  /// other devices; TypeError for what is no array.
  array_view(nb::handle array, bool writes);
  array_view(array_view&& other) noexcept;
  array_view& operator=(array_view&& other) noexcept = delete;
  ~array_view();

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
  [[nodiscard]] const std::vector<std::int64_t>& shape() const noexcept { return shape_; }
  [[nodiscard]] const std::vector<std::int64_t>& strides() const noexcept { return strides_; }

 private:
  void take_buffer(bool writes);
  void take_dlpack(nb::handle array, bool writes);

  Py_buffer buffer_{};
  nb::object tensor_;  ///< of DLPack
  void* begin_ = nullptr;
  std::size_t item_bytes_ = 0;
  std::string type_;
  std::vector<std::int64_t> shape_;
  std::vector<std::int64_t> strides_;  ///< in bytes
};

}  // namespace plait_python
