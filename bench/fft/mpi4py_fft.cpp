// SPDX-License-Identifier: BSD-3-Clause
// mpi4py-fft, in an interpreter within this process: it finds MPI started, and its arrays are read
// and written from here.  Slabs, the serial transforms along y and x in one call of FFTW, one
// MPI_Alltoallw with datatypes of parts of arrays for each transpose.
#define PY_SSIZE_T_CLEAN
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>

#include <Python.h>
#include <plait/comm/mpi.hpp>

#include "peer.hpp"

namespace plait::bench::fft {
namespace {

struct let_go {
  void operator()(PyObject* object) const noexcept { Py_DECREF(object); }
};
using object = std::unique_ptr<PyObject, let_go>;

std::string what_went_wrong() {
  PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  const object kept_type(type), kept_value(value), kept_trace(trace);
  const object text(value != nullptr ? PyObject_Str(value) : nullptr);
  const char* words = text ? PyUnicode_AsUTF8(text.get()) : nullptr;
  PyErr_Clear();
  return words != nullptr && *words != '\0' ? words : "Python raised an exception without words";
}

/// Takes the object that a call of Python's returned.  Errors: plait::error with Python's words,
/// where the call returned none.
object checked(PyObject* returned) {
  if (returned == nullptr) throw error("mpi4py-fft: " + what_went_wrong());
  return object(returned);
}

/// The Python that the library belongs to, not the first one on the path.
void start_python() {
  PyConfig config;
  PyConfig_InitPythonConfig(&config);
  config.install_signal_handlers = 0;
  PyStatus status = PyConfig_SetBytesString(&config, &config.program_name, PLAIT_BENCH_PYTHON);
  if (PyStatus_Exception(status) == 0) status = Py_InitializeFromConfig(&config);
  PyConfig_Clear(&config);
  if (PyStatus_Exception(status) != 0)
    throw error(std::string("Python does not start: ") +
                (status.err_msg != nullptr ? status.err_msg : PLAIT_BENCH_PYTHON));
}

/// Starts Python once.  It lives until the process ends: mpi4py has a callback in MPI_Finalize.
PyObject* peer_module() {
  static PyObject* const loaded = [] {
    for (const char* threads : {"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"})
      setenv(threads, "1", 1);  // the ranks are the threads
    start_python();
    PyObject* const path = PySys_GetObject("path");  // borrowed
    const std::string folders = PLAIT_BENCH_PYTHON_PATH;
    for (std::size_t at = 0; at <= folders.size();) {
      const std::size_t end = std::min(folders.find(':', at), folders.size());
      const object folder = checked(PyUnicode_FromString(folders.substr(at, end - at).c_str()));
      if (path == nullptr || PyList_Insert(path, 0, folder.get()) != 0) (void)checked(nullptr);
      at = end + 1;
    }
    return checked(PyImport_ImportModule("mpi4py_peer")).release();
  }();
  return loaded;
}

const char* effort_of(spectral::planning how) {
  switch (how) {
    case spectral::planning::estimated:
      return "FFTW_ESTIMATE";
    case spectral::planning::measured:
      return "FFTW_MEASURE";
    case spectral::planning::patient:
      break;
  }
  return "FFTW_PATIENT";
}

class mpi4py_transform final : public transform {
 public:
  mpi4py_transform(environment& env, const std::array<index, 3>& cells, spectral::planning how)
      : self_(checked(PyObject_CallMethod(
            peer_module(), "Transform", "i(LLL)s", static_cast<int>(MPI_Comm_c2f(native(env))),
            static_cast<long long>(cells[2]), static_cast<long long>(cells[1]),
            static_cast<long long>(cells[0]), effort_of(how)))) {
    space_ = part_of(0);
    waves_ = part_of(1);
  }
  ~mpi4py_transform() override {
    if (PyObject* const none = PyObject_CallMethod(self_.get(), "destroy", nullptr)) {
      Py_DECREF(none);
    } else {
      PyErr_Clear();
    }
  }

  [[nodiscard]] const part& space() const noexcept override { return space_; }
  [[nodiscard]] const part& waves() const noexcept override { return waves_; }
  void forward() override { call("forward"); }
  void backward() override { call("backward"); }

 private:
  void call(const char* method) {
    (void)checked(PyObject_CallMethod(self_.get(), method, nullptr));
  }

  /// See mpi4py_peer.py.
  [[nodiscard]] part part_of(int waves) const {
    const object numbers = checked(PyObject_CallMethod(self_.get(), "part", "i", waves));
    long long at = 0;
    std::array<long long, 9> n{};
    if (PyArg_ParseTuple(numbers.get(), "LLLLLLLLLL", &at, &n[0], &n[1], &n[2], &n[3], &n[4], &n[5],
                         &n[6], &n[7], &n[8]) == 0)
      (void)checked(nullptr);
    PLAIT_EXPECTS(n[8] == 1, "neighbours along x are " + std::to_string(n[8]) + " apart");
    return {reinterpret_cast<complex*>(static_cast<std::uintptr_t>(at)),
            {n[2], n[5]},
            {n[1], n[4]},
            {n[0], n[3]},
            n[7],
            n[6]};
  }

  object self_;
  part space_, waves_;
};

}  // namespace

peer mpi4py_fft() {
  return {"mpi4py-fft", "PFFT of mpi4py-fft in slabs, its serial transforms by FFTW",
          [](environment& env, const std::array<index, 3>& cells, spectral::planning how) {
            return std::make_unique<mpi4py_transform>(env, cells, how);
          }};
}

}  // namespace plait::bench::fft
