// SPDX-License-Identifier: BSD-3-Clause
#include "peer.hpp"

namespace plait::bench::fft {

std::vector<peer> all_peers() {
  std::vector<peer> all;
#ifdef PLAIT_BENCH_FFTW_MPI
  all.push_back(fftw_mpi());
#endif
#ifdef PLAIT_BENCH_MPI4PY_FFT
  all.push_back(mpi4py_fft());
#endif
  return all;
}

std::map<std::string, std::string> missing_peers() {
  std::map<std::string, std::string> missing;
#ifndef PLAIT_BENCH_FFTW_MPI
  missing["fftw-mpi"] = "needs libfftw3-mpi-dev, which Debian builds for Open MPI alone";
#endif
#ifndef PLAIT_BENCH_MPI4PY_FFT
  missing["mpi4py-fft"] =
      "needs python3-dev, and mpi4py-fft from PyPI for this MPI library; ./plait bench fft --peers "
      "installs both";
#endif
  return missing;
}

}  // namespace plait::bench::fft
