// SPDX-License-Identifier: BSD-3-Clause
#include "plans.hpp"

#include <algorithm>
#include <type_traits>

#include <fftw3.h>
#include <plait/plait.hpp>

namespace spectral {
namespace {

fftw_complex* native(complex* x) {
  return reinterpret_cast<fftw_complex*>(x);
}

unsigned effort_of(planning how) {
  switch (how) {
    case planning::estimated:
      return FFTW_ESTIMATE;
    case planning::measured:
      return FFTW_MEASURE;
    case planning::patient:
      break;
  }
  return FFTW_PATIENT;
}

index extent(index n, index count, const line_layout& lines) {
  return (n - 1) * lines.stride + (count - 1) * lines.distance + 1;
}

}  // namespace

void field::release::operator()(complex* memory) const noexcept {
  fftw_free(memory);
}

field::field(index size) : size_(size) {
  PLAIT_EXPECTS(size >= 0, std::to_string(size));
  const auto bytes = static_cast<std::size_t>(std::max<index>(size, 1)) * sizeof(complex);
  data_.reset(static_cast<complex*>(fftw_malloc(bytes)));
  if (!data_) throw plait::error("no memory for " + std::to_string(bytes) + " bytes");
  std::fill_n(data_.get(), size, complex());
}

line_plan::line_plan(index n, index count, const line_layout& from, const line_layout& to,
                     bool in_place, sign way, planning how) {
  const field input(extent(n, count, from));
  const field output(in_place ? 0 : extent(n, count, to));
  const int length = static_cast<int>(n);
  fftw_plan made = fftw_plan_many_dft(
      1, &length, static_cast<int>(count), native(input.data()), nullptr,
      static_cast<int>(from.stride), static_cast<int>(from.distance),
      native(in_place ? input.data() : output.data()), nullptr, static_cast<int>(to.stride),
      static_cast<int>(to.distance), static_cast<int>(way), effort_of(how));
  if (made == nullptr) throw plait::error("FFTW has no plan for lines of " + std::to_string(n));
  plan_ = std::shared_ptr<void>(made,
                                [](void* old) { fftw_destroy_plan(static_cast<fftw_plan>(old)); });
}

void line_plan::execute(const complex* from, complex* to) const {
  // An out-of-place complex transform leaves its input as it is (FFTW's default).
  fftw_execute_dft(static_cast<fftw_plan>(plan_.get()), native(const_cast<complex*>(from)),
                   native(to));
}

}  // namespace spectral
