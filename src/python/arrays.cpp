// SPDX-License-Identifier: BSD-3-Clause
#include "python/arrays.hpp"

#include <array>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>

#include <nanobind/ndarray.h>

namespace plait_python {
namespace {

/// Returns kind and size of an element by its format in the buffer protocol.
std::string type_of(std::string_view format, std::size_t bytes) {
  if (!format.empty() && std::string_view("@=<").find(format[0]) != std::string_view::npos)
    format.remove_prefix(1);
  const auto sized = [bytes](char kind) { return kind + std::to_string(bytes); };
  if (format == "Zf" || format == "Zd") return sized('c');
  if (format.size() != 1) return "";
  if (std::strchr("bhilqn", format[0]) != nullptr) return sized('i');
  if (std::strchr("BHILQN", format[0]) != nullptr) return sized('u');
  if (std::strchr("efd", format[0]) != nullptr) return sized('f');
  if (format[0] == '?') return sized('b');
  return "";
}

struct axis {
  std::int64_t rows;
  std::int64_t stride;
};

/// The axes of an array along which it has several rows, slowest first.
class rows_of_array {
 public:
  void add(axis one) {
    if (size_ == all_.size()) throw nb::value_error("the array has more than 64 axes");
    all_[size_++] = one;
  }
  /// Adds it in the order of strides, behind equal ones.
  void add_sorted(axis one) {
    add(one);
    for (std::size_t i = size_ - 1; i > 0 && all_[i - 1].stride < one.stride; --i)
      std::swap(all_[i - 1], all_[i]);
  }
  [[nodiscard]] std::span<const axis> all() const noexcept { return {all_.data(), size_}; }

 private:
  std::array<axis, PyBUF_MAX_NDIM> all_;
  std::size_t size_ = 0;
};

}  // namespace

array_view::array_view(nb::handle array, bool writes) {
  if (PyObject_CheckBuffer(array.ptr()) != 0) {
    const int flags = PyBUF_STRIDES | PyBUF_FORMAT | (writes ? PyBUF_WRITABLE : 0);
    if (PyObject_GetBuffer(array.ptr(), &buffer_, flags) != 0) {
      if (!writes ||
          PyErr_ExceptionMatches(PyExc_BufferError) + PyErr_ExceptionMatches(PyExc_ValueError) == 0)
        throw nb::python_error();
      PyErr_Clear();
      throw nb::value_error("the array is read-only, and cannot be written");
    }
    take_buffer();
  } else if (nb::hasattr(array, "__dlpack__")) {
    take_dlpack(array, writes);
  } else {
    const std::string name =
        nb::cast<std::string>(nb::str(nb::handle(Py_TYPE(array.ptr())).attr("__name__")));
    throw nb::type_error(
        ("an array is expected, which has the buffer protocol or DLPack; not " + name).c_str());
  }
}

array_view::~array_view() {
  if (buffer_.obj != nullptr) PyBuffer_Release(&buffer_);
}

void array_view::take_buffer() {
  const std::string_view format = buffer_.format != nullptr ? buffer_.format : "B";
  if (format.find('O') != std::string_view::npos) {
    PyBuffer_Release(&buffer_);
    throw nb::value_error("the array has Python objects as elements, which only Python can touch");
  }
  begin_ = buffer_.buf;
  item_bytes_ = static_cast<std::size_t>(buffer_.itemsize);
  type_ = type_of(format, item_bytes_);
  shape_ = {buffer_.shape, static_cast<std::size_t>(buffer_.ndim)};
  strides_ = {buffer_.strides, static_cast<std::size_t>(buffer_.ndim)};
}

void array_view::take_dlpack(nb::handle array, bool writes) {
  nb::ndarray<nb::ro> view;
  try {
    view = nb::cast<nb::ndarray<nb::ro>>(array);
    if (writes) (void)nb::cast<nb::ndarray<>>(array);
  } catch (const nb::cast_error&) {
    throw nb::value_error("the array cannot be had by DLPack, or it is read-only");
  }
  if (view.device_type() != nb::device::cpu::value)
    throw nb::value_error("the array lies on another device than the processor");
  begin_ = const_cast<void*>(static_cast<const void*>(view.data()));
  item_bytes_ = view.itemsize();
  const auto kind = static_cast<nb::dlpack::dtype_code>(view.dtype().code);
  const char letter = kind == nb::dlpack::dtype_code::Int       ? 'i'
                      : kind == nb::dlpack::dtype_code::UInt    ? 'u'
                      : kind == nb::dlpack::dtype_code::Float   ? 'f'
                      : kind == nb::dlpack::dtype_code::Complex ? 'c'
                      : kind == nb::dlpack::dtype_code::Bool    ? 'b'
                                                                : ' ';
  if (letter != ' ') type_ = letter + std::to_string(item_bytes_);
  auto& [shape, strides] = of_tensor_;
  for (std::size_t i = 0; i < view.ndim(); ++i) {
    shape.push_back(static_cast<std::int64_t>(view.shape(i)));
    strides.push_back(view.stride(i) * static_cast<std::int64_t>(item_bytes_));
  }
  shape_ = shape;
  strides_ = strides;
  tensor_ = nb::cast(view, nb::rv_policy::reference);
}

held_memory array_view::give_away() noexcept {
  held_memory held(std::move(tensor_), buffer_);
  buffer_.obj = nullptr;  // the rest stays: shapes may lie in it
  return held;
}

bool array_view::is_contiguous() const noexcept {
  auto expected = static_cast<std::int64_t>(item_bytes_);
  for (std::size_t i = shape_.size(); i-- > 0;) {
    if (shape_[i] != 1 && strides_[i] != expected) return false;
    expected *= shape_[i];
  }
  return true;
}

plait_memory array_view::memory(bool in_order) const {
  rows_of_array rows;
  auto* begin = static_cast<char*>(begin_);
  for (std::size_t i = 0; i < shape_.size(); ++i) {
    if (shape_[i] == 0) return plait_bytes(begin_, 0);
    if (shape_[i] == 1) continue;
    axis one{shape_[i], strides_[i]};
    if (one.stride == 0 && in_order)
      throw nb::value_error("elements of the array stand for several of the message; pass a copy");
    if (one.stride == 0) continue;
    if (in_order) {
      rows.add(one);
      continue;
    }
    if (one.stride < 0) {
      begin += (one.rows - 1) * one.stride;
      one.stride = -one.stride;
    }
    rows.add_sorted(one);
  }
  const std::span<const axis> axes = rows.all();
  plait_memory found = plait_bytes(begin, item_bytes_);
  std::size_t used = 0;
  for (std::size_t i = axes.size(); i-- > 0;) {
    const axis one = axes[i];
    if (used == 0 && one.stride == static_cast<std::int64_t>(found.row_bytes)) {
      found.row_bytes *= static_cast<std::size_t>(one.rows);
    } else if (used > 0 && one.stride == found.axes[used - 1].rows * found.axes[used - 1].stride) {
      found.axes[used - 1].rows *= one.rows;
    } else if (used == PLAIT_AXES) {
      throw nb::value_error(
          "the rows of the array lie apart along more than four axes; pass a copy");
    } else {
      found.axes[used++] = {one.rows, one.stride};
    }
  }
  return found;
}

plait_memory array_view::range(const char* what) const {
  if (!is_contiguous())
    throw nb::value_error((std::string(what) + " takes arrays in one piece; pass a copy").c_str());
  std::size_t bytes = item_bytes_;
  for (const std::int64_t n : shape_) bytes *= static_cast<std::size_t>(n);
  return plait_bytes(begin_, bytes);
}

}  // namespace plait_python
