/* SPDX-License-Identifier: BSD-3-Clause */
/* The interpreter of Python inside the program, which loads this only where `plait_python` is run.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>

static PyObject* module;

static int start_python(void) {
  PyConfig config;
  PyConfig_InitPythonConfig(&config);
  config.install_signal_handlers = 0;
  config.write_bytecode = 0;
  PyStatus status =
      PyConfig_SetBytesString(&config, &config.program_name, JACOBI3D_PYTHON_INTERPRETER);
  if (!PyStatus_Exception(status)) status = Py_InitializeFromConfig(&config);
  PyConfig_Clear(&config);
  if (PyStatus_Exception(status)) {
    fprintf(stderr, "plait_python: %s\n", status.err_msg ? status.err_msg : "no interpreter");
    return 1;
  }
  setenv("PLAIT_PYTHON_CORE", JACOBI3D_PYTHON_CORE, 0);
  PyObject* path = PySys_GetObject("path");
  static const char* const folders[] = {JACOBI3D_PYTHON_FOLDER, JACOBI3D_PYTHON_PACKAGE};
  for (int i = 0; i < 2; ++i) {
    PyObject* folder = PyUnicode_FromString(folders[i]);
    PyList_Insert(path, 0, folder);
    Py_DECREF(folder);
  }
  module = PyImport_ImportModule("jacobi3d_tasks");
  if (module == NULL) PyErr_Print();
  PyEval_SaveThread();
  return module == NULL;
}

int jacobi3d_python(const char* function, int64_t argument, double* results, int count);
int jacobi3d_python(const char* function, int64_t argument, double* results, int count) {
  if (module == NULL && start_python() != 0) return 1;
  const PyGILState_STATE held = PyGILState_Ensure();
  PyObject* found = PyObject_CallMethod(module, function, "L", (long long)argument);
  for (int i = 0; found != NULL && i < count; ++i) {
    PyObject* one = PySequence_GetItem(found, i);
    results[i] = one != NULL ? PyFloat_AsDouble(one) : 0;
    Py_XDECREF(one);
  }
  const int failed = PyErr_Occurred() != NULL;
  if (failed) PyErr_Print();
  Py_XDECREF(found);
  PyGILState_Release(held);
  return failed;
}
