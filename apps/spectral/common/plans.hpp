// SPDX-License-Identifier: BSD-3-Clause
/// FFTW's one-dimensional plans: the one kernel of all spectral applications.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "slabs.hpp"

namespace spectral {

/// The sign of the exponent.
enum class sign : std::int8_t { forward = -1, backward = 1 };

/// FFTW's effort for a plan: `measured` times some, `estimated` times none, `patient` times many.
enum class planning : std::uint8_t { measured, estimated, patient };
inline constexpr std::array<std::string_view, 3> planning_names{"measured", "estimated", "patient"};

/// Layout of lines: elements between neighbours of a line, and between neighbouring lines.
struct line_layout {
  index stride = 1;
  index distance = 1;
};

/// Memory for FFTW, aligned as its plans expect, zeroed.
class field {
 public:
  field() = default;
  explicit field(index size);
  [[nodiscard]] complex* data() const noexcept { return data_.get(); }
  [[nodiscard]] index size() const noexcept { return size_; }
  [[nodiscard]] std::span<complex> all() const noexcept {
    return {data(), static_cast<std::size_t>(size_)};
  }

 private:
  struct release {
    void operator()(complex* memory) const noexcept;
  };
  std::unique_ptr<complex, release> data_;
  index size_ = 0;
};

/// Transforms `count` lines of length n.  Making one is for one thread at a time, executing it for
/// any number.  Not normalised.
class line_plan {
 public:
  line_plan() = default;
  /// In place where both layouts are `in_place`; else `to` must be other memory than `from`, which
  /// stays as it is.
  line_plan(index n, index count, const line_layout& from, const line_layout& to, bool in_place,
            sign way, planning how);
  void execute(const complex* from, complex* to) const;

 private:
  std::shared_ptr<void> plan_;
};

}  // namespace spectral
