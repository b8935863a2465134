# plait_label_for_sanitizers(TEST ...): tests on ranks that run under the sanitizers too.  What the
# MPI library does inside is not ours to report.  Nor are its leaks: it unloads its plugins before the
# check, so nothing tells them from ours; leaks are looked for in the tests of one process.
function(plait_label_for_sanitizers)
  if(NOT PLAIT_SANITIZE)
    return()
  endif()
  set(folder ${PROJECT_SOURCE_DIR}/tests/runtime)
  foreach(name ${ARGN})
    set_property(TEST ${name} APPEND PROPERTY LABELS sanitize)
    set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT
      "TSAN_OPTIONS=suppressions=${folder}/tsan.supp:ignore_noninstrumented_modules=1"
      "ASAN_OPTIONS=detect_leaks=0")
  endforeach()
endfunction()
