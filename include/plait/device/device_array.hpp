// SPDX-License-Identifier: BSD-3-Clause
/// Memory of a device: arrays, and the parts of them that tasks, copies and messages name.
#pragma once

#include <plait/core/cxx20.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <type_traits>
#include <utility>

#include <plait/core/error.hpp>
#include <plait/core/strided_bytes.hpp>
#include <plait/device/device.hpp>

namespace plait {

namespace detail {
/// Memory of a device, and beside it as many addresses of the host at which nothing lies.  Tasks
/// are ordered by those: they differ from all other memory whatever a device's addresses are, and
/// no check of accesses touches the device.
struct device_memory {
  std::byte* data = nullptr;
  std::uintptr_t name = 0;  ///< first of the host's addresses
  std::shared_ptr<device_state> home = {};
};
/// Errors: `error` where there is no room.
[[nodiscard]] std::shared_ptr<const device_memory> allocate_on(const device& where,
                                                               std::size_t size_bytes);
[[nodiscard]] std::shared_ptr<std::byte> allocate_pinned(const device& where,
                                                         std::size_t size_bytes);
void keep_for_tasks(device_state& home, std::shared_ptr<const void> memory) noexcept;

/// Frees memory of a device, or of the host for it, at the end of its scope; but while an exception
/// unwinds the stack, at the end of the runtime that uses the device: tasks may still name it.
template <class Memory>
class scoped_memory {
 public:
  scoped_memory(std::shared_ptr<Memory> memory, std::shared_ptr<device_state> home) noexcept
      : memory_(std::move(memory)), home_(std::move(home)) {}
  ~scoped_memory() {
    if (memory_ != nullptr && std::uncaught_exceptions() > exceptions_)
      keep_for_tasks(*home_, std::move(memory_));
  }
  scoped_memory(scoped_memory&&) noexcept = default;
  scoped_memory& operator=(scoped_memory&&) noexcept = default;
  [[nodiscard]] Memory* get() const noexcept { return memory_.get(); }

 private:
  std::shared_ptr<Memory> memory_;
  std::shared_ptr<device_state> home_;
  int exceptions_ = std::uncaught_exceptions();
};
}  // namespace detail

/// Part of a device's memory: an address of the device and a number of elements.  The host reads
/// none of them.  Passed by value.  The array outlives its use.
template <class T>
class device_span {
 public:
  using element = T;
  static constexpr bool on_device = true;

  device_span(const detail::device_memory& of, std::size_t offset_bytes, std::size_t size) noexcept
      : of_(&of), offset_bytes_(offset_bytes), size_(size) {}

  /// Returns the address on the device.
  [[nodiscard]] T* data() const noexcept { return reinterpret_cast<T*>(of_->data + offset_bytes_); }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t size_bytes() const noexcept { return size_ * sizeof(T); }
  [[nodiscard]] std::size_t offset_bytes() const noexcept { return offset_bytes_; }
  [[nodiscard]] const detail::device_memory& memory() const noexcept { return *of_; }

  /// Returns `count` elements from `first` on.  Precondition: it has as many.
  [[nodiscard]] device_span part(std::size_t first, std::size_t count) const {
    PLAIT_EXPECTS(first <= size_ && count <= size_ - first, "the part lies in the memory");
    return {*of_, offset_bytes_ + first * sizeof(T), count};
  }
  [[nodiscard]] device_span<const T> as_const() const noexcept {
    return {*of_, offset_bytes_, size_};
  }
  [[nodiscard]] auto bytes() const noexcept {
    using byte = std::conditional_t<std::is_const_v<T>, const std::byte, std::byte>;
    return device_span<byte>{*of_, offset_bytes_, size_bytes()};
  }
  /// Returns what orders tasks: addresses that stand for the elements.
  [[nodiscard]] strided_bytes strided_memory() const noexcept {
    const std::uintptr_t begin = of_->name + offset_bytes_;
    return strided_bytes::of({begin, begin + size_bytes()});
  }

 private:
  const detail::device_memory* of_;
  std::size_t offset_bytes_;
  std::size_t size_;
};

template <class T>
inline constexpr bool is_device_span = false;
template <class T>
inline constexpr bool is_device_span<device_span<T>> = true;

/// Elements in a device's memory, not initialised.  Access words take it whole, `in(u)`, or a part,
/// `out(u.part(first, count))`.  Its end waits until the device has done what was enqueued.
///
///     plait::device_array<double> u{gpu, n};
template <class T>
class device_array {
  static_assert(std::is_trivially_copyable_v<T>, "a device's memory is copied byte by byte");

 public:
  /// Errors: `error` where the device has no room.  Precondition: the device exists.
  device_array(const device& where, std::size_t size)
      : memory_(detail::allocate_on(where, size * sizeof(T)), where.state()), size_(size) {}
  device_array(device_array&&) noexcept = default;
  device_array& operator=(device_array&&) noexcept = default;

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] device_span<T> all() noexcept { return {*memory_.get(), 0, size_}; }
  [[nodiscard]] device_span<const T> all() const noexcept { return {*memory_.get(), 0, size_}; }
  [[nodiscard]] device_span<T> part(std::size_t first, std::size_t count) {
    return all().part(first, count);
  }
  [[nodiscard]] device_span<const T> part(std::size_t first, std::size_t count) const {
    return all().part(first, count);
  }

 private:
  detail::scoped_memory<const detail::device_memory> memory_;
  std::size_t size_;
};

/// Elements in memory of the host that a device copies to and from without a detour, zero at first.
template <class T>
class pinned {
  static_assert(std::is_trivially_copyable_v<T>, "it is copied byte by byte");

 public:
  /// Errors and precondition: as of `device_array`.
  pinned(const device& where, std::size_t size)
      : memory_(detail::allocate_pinned(where, size * sizeof(T)), where.state()), size_(size) {
    std::uninitialized_value_construct_n(data(), size);
  }
  pinned(pinned&&) noexcept = default;
  pinned& operator=(pinned&&) noexcept = default;

  [[nodiscard]] T* data() noexcept { return reinterpret_cast<T*>(memory_.get()); }
  [[nodiscard]] const T* data() const noexcept { return reinterpret_cast<const T*>(memory_.get()); }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] T* begin() noexcept { return data(); }
  [[nodiscard]] T* end() noexcept { return data() + size_; }
  [[nodiscard]] const T* begin() const noexcept { return data(); }
  [[nodiscard]] const T* end() const noexcept { return data() + size_; }
  [[nodiscard]] T& operator[](std::size_t i) noexcept { return data()[i]; }
  [[nodiscard]] const T& operator[](std::size_t i) const noexcept { return data()[i]; }

 private:
  detail::scoped_memory<std::byte> memory_;
  std::size_t size_;
};

}  // namespace plait
