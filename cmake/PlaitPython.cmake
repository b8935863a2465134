# What the Python package is built and tested with: the checkout's environment, which has nanobind of PyPI, and the
# headers of its Python.  PLAIT_PYTHON_FOUND says whether all is here.
set(PLAIT_PYTHON_INTERPRETER ${PROJECT_SOURCE_DIR}/.venv/bin/python CACHE FILEPATH
  "Python that has nanobind, numpy, numba and mpi4py")
set(PLAIT_PYTHON_FOUND OFF)
if(NOT PLAIT_BINDING OR PLAIT_SANITIZE OR NOT PLAIT_MPI MATCHES "^(openmpi|mpich)$")
  return()
endif()
if(PLAIT_NANOBIND)  # the folder of its CMake files: who builds a wheel has told, and tests nothing
  set(plait_nanobind ${PLAIT_NANOBIND})
  set(plait_finds_nanobind 0)
else()
  execute_process(COMMAND ${PLAIT_PYTHON_INTERPRETER} -I -c
    "import importlib.util as u, nanobind; assert all(map(u.find_spec, ('mpi4py', 'numpy', 'numba'))); print(nanobind.cmake_dir())"
    OUTPUT_VARIABLE plait_nanobind OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE plait_finds_nanobind)
endif()
if(plait_finds_nanobind STREQUAL "0")
  set(Python_EXECUTABLE ${PLAIT_PYTHON_INTERPRETER})
  find_package(Python 3.9 COMPONENTS Interpreter Development.Module QUIET)
endif()
if(NOT Python_Development.Module_FOUND)
  message(STATUS "without the Python package: .venv lacks nanobind, or there is no Python.h (Debian: python3-dev)")
  return()
endif()
set(nanobind_DIR ${plait_nanobind})
find_package(nanobind CONFIG REQUIRED)
set(PLAIT_PYTHON_FOUND ON)

# mpi4py opens its MPI library by a name: the link in this folder sees to it that it is the one that plait was built
# with, and that Debian's MPICH, which is called otherwise, is found at all.
set(PLAIT_PYTHON_MPI_FOLDER ${PROJECT_BINARY_DIR}/mpi4py)
set(plait_mpi_file ${MPI_CXX_LIBRARIES})
list(FILTER plait_mpi_file INCLUDE REGEX "/libmpi(ch)?[.]so")
set(plait_mpi_name libmpi.so.40)
if(PLAIT_MPI STREQUAL "mpich")
  set(plait_mpi_name libmpi.so.12)
endif()
file(MAKE_DIRECTORY ${PLAIT_PYTHON_MPI_FOLDER})
if(plait_mpi_file)
  list(GET plait_mpi_file 0 plait_mpi_file)
  file(REAL_PATH ${plait_mpi_file} plait_mpi_file)
  file(CREATE_LINK ${plait_mpi_file} ${PLAIT_PYTHON_MPI_FOLDER}/${plait_mpi_name} SYMBOLIC)
endif()
