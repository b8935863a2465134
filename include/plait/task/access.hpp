// SPDX-License-Identifier: BSD-3-Clause
/// The access words `in`, `out`, `inout` and `commutative`: what a task reads and writes, and how
/// its function receives it; and what makes a type a view of a box.  Not here: `reduce`
/// (reduction.hpp), and what follows from it (dependence_tracker.hpp).
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>  // and with it, in every library, the concepts of <ranges> (0.4 s)
#include <tuple>
#include <type_traits>
#include <utility>

#include <plait/core/strided_bytes.hpp>

namespace plait {

/// Says what a task does with the data that an access names.
enum class access_mode : std::uint8_t { in = 1, out = 2, inout = 3, commutative = 4, reduce = 5 };

[[nodiscard]] constexpr bool writes(access_mode mode) noexcept {
  return mode != access_mode::in;
}

/// Names a box of an array: cells whose rows lie apart in memory.  It is passed by value, as a view
/// is; `x.strided_memory()` says which bytes, and elements that are const cannot be written.  Where
/// a task reads it through a view of elements that are not const, the function gets `x.as_const()`.
/// A message or a collective takes its elements row by row, the first axis of `strided_memory()`
/// fastest.
///
///     struct block {
///       using element = double;
///       plait::strided_bytes strided_memory() const;
///       const_block as_const() const;
///     };
template <class X>
concept strided_view = std::copy_constructible<X> && requires(const X& x) {
  typename X::element;
  { x.strided_memory() } -> std::convertible_to<strided_bytes>;
};

/// Names several boxes of an array, which may overlap.  `x.strided_boxes()`, an array of
/// `strided_bytes`, says which; the function gets `x.passed()`, one view of them all.  The rest is
/// as with `strided_view`.
template <class X>
concept view_of_boxes = std::copy_constructible<X> && requires(const X& x) {
  typename X::element;
  { x.strided_boxes()[0] } -> std::convertible_to<strided_bytes>;
  { x.passed() } -> strided_view;
};

/// Names elements that the host cannot read, in a device's memory.  `x.strided_memory()` then says
/// which addresses of the host, at which nothing lies, stand for them.
///
///     struct device_part { static constexpr bool on_device = true; … };
template <class X>
concept device_view = strided_view<X> && X::on_device;

/// Names memory and what a task does with it, the type of its elements forgotten.
struct data_access {
  strided_bytes memory;
  access_mode mode = access_mode::in;
};

namespace detail {
/// An array that gives views of its blocks: their cells lie elsewhere, not in the object's own
/// bytes.
template <class X>
concept array_of_blocks = requires(X& x, int id) {
  { x.block(id) } -> strided_view;
};
/// An array that a device has; an access names all of it.
template <class X>
concept device_elements = requires(X& x) {
  { x.all() } -> device_view;
};

template <class T>
[[nodiscard]] byte_range bytes_of(T* data, std::size_t count) noexcept {
  const auto begin = reinterpret_cast<std::uintptr_t>(data);
  return {begin, begin + count * sizeof(T)};
}

template <class X>
concept contiguous_elements = std::ranges::contiguous_range<X> && std::ranges::sized_range<X>;

/// True if the elements of an X are known to lie in the object itself.
template <class X>
inline constexpr bool holds_its_elements = std::is_bounded_array_v<X>;
template <class T, std::size_t count>
inline constexpr bool holds_its_elements<std::array<T, count>> = true;

/// An object that says where its elements lie, its type forgotten.  A task may change what it says:
/// `elements` reads the object, which no task may be writing.
struct container {
  const void* object = nullptr;
  std::size_t object_bytes = 0;
  byte_range (*elements_of)(const void*) noexcept = nullptr;

  template <contiguous_elements X>
  [[nodiscard]] static container of(const X& x) noexcept {
    return {&x, sizeof(X), [](const void* object) noexcept {
              const X& it = *static_cast<const X*>(object);
              return bytes_of(std::ranges::data(it), std::ranges::size(it));
            }};
  }
  [[nodiscard]] byte_range own() const noexcept {
    return bytes_of(static_cast<const std::byte*>(object), object_bytes);
  }
  [[nodiscard]] byte_range elements() const noexcept { return elements_of(object); }
  /// Returns whether these bytes lie in the object itself, as those of a short std::string do.
  [[nodiscard]] bool holds(byte_range some) const noexcept {
    return own().begin <= some.begin && some.end <= own().end;
  }
};
inline strided_bytes as_strided(byte_range bytes) noexcept {
  return strided_bytes::of(bytes);
}
inline strided_bytes as_strided(const strided_bytes& box) noexcept {
  return box;
}
}  // namespace detail

/// One access of a task to an object, to the elements of a contiguous range or to a box.  Made by
/// the access words; holds a pointer, a span or a view, never a copy of the data.
template <access_mode Mode, class Stored, class Operation = void>
struct access {
  static constexpr access_mode mode = Mode;
  static constexpr bool is_box = strided_view<Stored>;
  static constexpr bool is_boxes = view_of_boxes<Stored>;
  static constexpr bool is_on_device = device_view<Stored>;
  /// A task that gets it as T& may change where its elements lie, and how many there are.
  static constexpr bool is_container =
      std::is_pointer_v<Stored> &&
      detail::contiguous_elements<std::remove_cv_t<std::remove_pointer_t<Stored>>> &&
      !detail::holds_its_elements<std::remove_cv_t<std::remove_pointer_t<Stored>>>;
  static constexpr bool is_written_piece =
      (Mode == access_mode::out || Mode == access_mode::inout) && !is_box && !is_boxes &&
      !is_container;
  using operation = Operation;  ///< what a reduction combines with; else void
  Stored stored;                ///< std::span<T> or a view (passed by value), or T* (passed as T&)

  [[nodiscard]] decltype(auto) argument() const noexcept {
    if constexpr (std::is_pointer_v<Stored>) {
      return *stored;
    } else if constexpr (is_boxes) {
      return stored.passed();
    } else {
      return Stored(stored);
    }
  }

  /// Returns the memory that the access covers; of a container, its elements.  Empty memory
  /// conflicts with nothing.
  [[nodiscard]] strided_bytes memory() const noexcept {
    static_assert(!is_boxes,
                  "a star is several boxes, which do not travel as one: name its boxes one by one, "
                  "or the box around them");
    static_assert(!is_on_device,
                  "the host reads no memory of a device: copy it, rt.copy(name, in(there), "
                  "out(here)); messages alone take it as it is");
    if constexpr (is_boxes || is_on_device) {
      return {};
    } else if constexpr (is_box) {
      return stored.strided_memory();
    } else {
      return strided_bytes::of(bytes());
    }
  }

  /// Returns the accessed memory as a range of strided boxes: several where the view names several,
  /// otherwise one.
  [[nodiscard]] auto boxes() const noexcept {
    if constexpr (is_boxes) {
      return stored.strided_boxes();
    } else if constexpr (is_box) {
      return std::array<strided_bytes, 1>{stored.strided_memory()};
    } else {
      return std::array{memory()};
    }
  }

  [[nodiscard]] byte_range bytes() const noexcept {
    static_assert(!is_box && !is_boxes,
                  "windows, barriers and collectives with blocks or neighbours listed take "
                  "contiguous memory, and the rows of a box lie apart: pack it in a task, or leave "
                  "it to a mover");
    if constexpr (is_box || is_boxes) {
      return {};
    } else if constexpr (std::is_pointer_v<Stored>) {
      if constexpr (detail::contiguous_elements<std::remove_pointer_t<Stored>>) {
        return detail::bytes_of(std::ranges::data(*stored), std::ranges::size(*stored));
      } else {
        return detail::bytes_of(stored, 1);
      }
    } else {
      return detail::bytes_of(stored.data(), stored.size());
    }
  }

  /// Returns the container itself, which the task covers too.
  [[nodiscard]] detail::container container() const noexcept requires is_container {
    return detail::container::of(std::as_const(*stored));
  }
};

namespace detail {
/// Returns the container that an access names, for operations, which take the present place of its
/// elements; without an object where it names other data.
template <class Access>
[[nodiscard]] container container_of(const Access& named) noexcept {
  if constexpr (Access::is_container) {
    return named.container();
  } else {
    return {};
  }
}
}  // namespace detail

template <class T>
inline constexpr bool is_access = false;
template <access_mode Mode, class Stored, class Operation>
inline constexpr bool is_access<access<Mode, Stored, Operation>> = true;

namespace detail {

/// Place in a tuple of the first access to a range of bytes that a task writes alone; the size of
/// the tuple if there is none.
template <class... T>
[[nodiscard]] consteval std::size_t first_written_piece(const std::tuple<T...>* /*of*/) noexcept {
  const bool found[] = {[] {
                          if constexpr (is_access<T>) return T::is_written_piece;
                          return false;
                        }()...,
                        true};
  std::size_t place = 0;
  while (!found[place]) ++place;
  return place;
}

template <class T>
inline constexpr bool is_contiguous_view =
    contiguous_elements<T>&& std::ranges::view<std::remove_cvref_t<T>>;

template <access_mode Mode, class View>
[[nodiscard]] auto make_box_access(const View& x) noexcept {
  constexpr bool is_const = std::is_const_v<typename View::element>;
  static_assert(Mode == access_mode::in || !is_const,
                "all but in(x) need elements that can be written");
  static_assert(Mode != access_mode::reduce,
                "reduce(x) takes an object or a contiguous range; for a box, commutative(x)");
  if constexpr (Mode != access_mode::in || is_const) {
    return access<Mode, View>{x};
  } else {
    static_assert(
        requires { x.as_const(); },
        "in(x) passes const: x needs as_const(), a view of const elements");
    return access<Mode, decltype(x.as_const())>{x.as_const()};
  }
}

/// Names an object that one task after the other uses, in program order.
template <class X>
concept keeps_program_order = X::keeps_program_order;

template <access_mode Mode, class X>
[[nodiscard]] auto make_access(X&& x) noexcept {
  using object = std::remove_reference_t<X>;
  static_assert(Mode != access_mode::commutative || !keeps_program_order<object>,
                "its tasks follow each other in program order, which other ranks rely on: "
                "inout(lane), not commutative(lane)");
  if constexpr (strided_view<std::remove_cv_t<object>> || view_of_boxes<std::remove_cv_t<object>>) {
    return make_box_access<Mode>(x);
  } else if constexpr (device_elements<object>) {
    return make_box_access<Mode>(x.all());
  } else if constexpr (is_contiguous_view<X>) {
    using element = std::remove_reference_t<std::ranges::range_reference_t<X>>;
    static_assert(Mode == access_mode::in || !std::is_const_v<element>,
                  "all but in(x) need elements that can be written");
    using passed = std::conditional_t<Mode == access_mode::in, const element, element>;
    return access<Mode, std::span<passed>>{std::span<passed>(x)};
  } else {
    static_assert(std::is_lvalue_reference_v<X>,
                  "an access names data that outlives the task: pass an lvalue or a span");
    static_assert(
        !array_of_blocks<object>,
        "an access names one piece of an array: a block, u.block(id), or cells, u[cells]");
    static_assert(!std::is_pointer_v<object>,
                  "a pointer names no extent: pass std::span(pointer, count)");
    static_assert(Mode == access_mode::in || !std::is_const_v<object>,
                  "all but in(x) need an object that can be written");
    using passed = std::conditional_t<Mode == access_mode::in, const object, object>;
    return access<Mode, passed*>{&x};
  }
}

}  // namespace detail

/// Declares that the task reads these.  Each x is an lvalue (passed as const T&), a span or other
/// contiguous view (passed as std::span<const T>), or a view of a box (passed as a view of const
/// elements).  An object covers its own bytes; a container such as std::vector those and its
/// elements; a span its elements; a view the cells of its box, or of its star.  So tasks that get a
/// container as T& may resize it.  The data must outlive the task.
template <class... X>
[[nodiscard]] auto in(X&&... x) noexcept {
  return std::tuple{detail::make_access<access_mode::in>(std::forward<X>(x))...};
}

/// Declares that the task overwrites these without reading them first.  Passed as T&, std::span<T>
/// or view.
template <class... X>
[[nodiscard]] auto out(X&&... x) noexcept {
  return std::tuple{detail::make_access<access_mode::out>(std::forward<X>(x))...};
}

/// Declares that the task reads and writes these.  Passed as T&, std::span<T> or view.
template <class... X>
[[nodiscard]] auto inout(X&&... x) noexcept {
  return std::tuple{detail::make_access<access_mode::inout>(std::forward<X>(x))...};
}

/// Declares that the task reads and writes these, and that the order among such tasks does not
/// matter: they run as they become ready, one at a time where they share a byte.  Passed as T&,
/// std::span<T> or view.
template <class... X>
[[nodiscard]] auto commutative(X&&... x) noexcept {
  return std::tuple{detail::make_access<access_mode::commutative>(std::forward<X>(x))...};
}

}  // namespace plait
