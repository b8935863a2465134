// SPDX-License-Identifier: BSD-3-Clause
#include "callers.hpp"

#include <cstdlib>

namespace plait::bench::bindings {
namespace {

#ifdef PLAIT_BENCH_C
const std::vector<std::string> from_c{PLAIT_BENCH_C};
#else
const std::vector<std::string> from_c;
#endif
#ifdef PLAIT_BENCH_FORTRAN
const std::vector<std::string> from_fortran{PLAIT_BENCH_FORTRAN};
#else
const std::vector<std::string> from_fortran;
#endif

#ifdef PLAIT_BENCH_PYTHON
std::vector<std::string> python(const std::string& script) {
  // What a user has by `pip install`; here the extension and the library lie in the build folder.
  return {"/usr/bin/env",
          "PYTHONPATH=" PLAIT_BENCH_PYTHON_PATH,
          "PLAIT_PYTHON_CORE=" PLAIT_BENCH_PYTHON_CORE,
          "MPI4PY_MPIABI=" PLAIT_BENCH_PYTHON_KIND,
          "LD_LIBRARY_PATH=" PLAIT_BENCH_PYTHON_MPI,
          "OMP_NUM_THREADS=1",
          PLAIT_BENCH_PYTHON,
          "-B",
          PLAIT_BENCH_SCRIPTS "/" + script};
}
#else
std::vector<std::string> python(const std::string&) {
  return {};
}
#endif

std::vector<caller> with_programs(std::vector<caller> all) {
  std::erase_if(all, [](const caller& one) {
    return one.program.empty() && one.name.find("c++") == std::string::npos;
  });
  return all;
}

}  // namespace

std::vector<caller> built_callers() {
  const std::vector<std::string> from_python = python("from_python.py");
  return with_programs({
      {"c++", "rt.task(\"nothing\", nothing, inout(x))", "typed", {}, ""},
      {"c++ erased", "rt.submitter().task(call), without an argument", "erased", {}, "c++"},
      {"c", "plait_submit, without an argument", "none", from_c, "c++"},
      {"c 8 bytes", "plait_task, whose argument is a pointer", "bytes", from_c, "c++"},
      {"c 3 sections", "plait_task, three accesses of rows", "sections", from_c, ""},
      {"fortran", "call plait_task, one descriptor", "bytes", from_fortran, "c 8 bytes"},
      {"fortran 3 sections", "call plait_task, three sections", "sections", from_fortran,
       "c 3 sections"},
      {"python kernel", "rt.task, @plait.kernel", "kernel", from_python, "c"},
      {"python function", "rt.task, a function of Python", "function", from_python, ""},
      {"python njit", "rt.task, numba.njit(nogil=True)", "njit", from_python, ""},
  });
}

std::vector<caller> built_pairs() {
  const std::vector<std::string> from_python = python("from_python.py");
  return with_programs({
      {"python kernel", "", "pair kernel", from_python, ""},
      {"python numpy", "two tasks of numpy.sqrt", "pair numpy", from_python, ""},
      {"python njit", "", "pair njit", from_python, ""},
      {"python function", "", "pair function", from_python, ""},
  });
}

std::map<std::string, std::string> missing_languages() {
  std::map<std::string, std::string> missing;
  if (from_c.empty()) missing["c"] = "a C compiler";
  if (from_fortran.empty()) missing["fortran"] = "gfortran";
  if (exchange_program().empty()) missing["python"] = "python3-dev";
  return missing;
}

std::vector<std::string> exchange_program() {
  return python("exchange.py");
}

}  // namespace plait::bench::bindings
