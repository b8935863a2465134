// SPDX-License-Identifier: BSD-3-Clause
// FFTW's own transforms over ranks, in place, the transformed field transposed: the fastest way
// that its manual names.  [FFTW 3.3, sections 6.4.3 and 6.7]
#include <cstddef>
#include <memory>
#include <type_traits>

#include <fftw3-mpi.h>
#include <plait/comm/mpi.hpp>

#include "peer.hpp"

namespace plait::bench::fft {
namespace {

unsigned effort_of(spectral::planning how) {
  switch (how) {
    case spectral::planning::estimated:
      return FFTW_ESTIMATE;
    case spectral::planning::measured:
      return FFTW_MEASURE;
    case spectral::planning::patient:
      break;
  }
  return FFTW_PATIENT;
}

struct release {
  void operator()(fftw_plan old) const noexcept { fftw_destroy_plan(old); }
};
using plan = std::unique_ptr<std::remove_pointer_t<fftw_plan>, release>;

class fftw_transform final : public transform {
 public:
  fftw_transform(environment& env, const std::array<index, 3>& cells, spectral::planning how) {
    static const bool started = (fftw_mpi_init(), true);
    (void)started;
    const auto [nx, ny, nz] = cells;
    std::ptrdiff_t own_z = 0, first_z = 0, own_y = 0, first_y = 0;
    memory_ = spectral::field(fftw_mpi_local_size_3d_transposed(nz, ny, nx, native(env), &own_z,
                                                                &first_z, &own_y, &first_y));
    const auto planned = [&, nx = nx, ny = ny, nz = nz](int sign, unsigned layout) {
      auto* data = reinterpret_cast<fftw_complex*>(memory_.data());
      plan made(
          fftw_mpi_plan_dft_3d(nz, ny, nx, data, data, native(env), sign, effort_of(how) | layout));
      if (!made) throw error("FFTW has no plan for this grid over these ranks");
      return made;
    };
    forward_ = planned(FFTW_FORWARD, FFTW_MPI_TRANSPOSED_OUT);
    backward_ = planned(FFTW_BACKWARD, FFTW_MPI_TRANSPOSED_IN);
    space_ = {memory_.data(), {0, nx}, {0, ny}, {first_z, first_z + own_z}, nx, nx * ny};
    waves_ = {memory_.data(), {0, nx}, {first_y, first_y + own_y}, {0, nz}, nx * nz, nx};
  }

  [[nodiscard]] const part& space() const noexcept override { return space_; }
  [[nodiscard]] const part& waves() const noexcept override { return waves_; }
  void forward() override { fftw_execute(forward_.get()); }
  void backward() override { fftw_execute(backward_.get()); }

 private:
  spectral::field memory_;
  plan forward_, backward_;
  part space_, waves_;
};

}  // namespace

peer fftw_mpi() {
  return {"fftw-mpi",
          "fftw_mpi_plan_dft_3d in place, FFTW_MPI_TRANSPOSED_OUT and FFTW_MPI_TRANSPOSED_IN",
          [](environment& env, const std::array<index, 3>& cells, spectral::planning how) {
            return std::make_unique<fftw_transform>(env, cells, how);
          }};
}

}  // namespace plait::bench::fft
