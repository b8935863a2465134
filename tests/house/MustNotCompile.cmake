# plait_must_not_compile(NAME SOURCE EXPECTED_MESSAGE)
#
# Registers the test must_not_compile/NAME: SOURCE (relative to the calling folder) fails to compile,
# and the compiler's output matches the regular expression EXPECTED_MESSAGE.  The offending lines stand
# between `#ifndef PLAIT_CONTROL` and `#endif`; without them the source must compile.
# The system's Python before any in the user's path: the checks need no more than its standard library.
find_program(PLAIT_PYTHON NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH)
find_program(PLAIT_PYTHON NAMES python3 REQUIRED)
set(PLAIT_MUST_NOT_COMPILE ${CMAKE_CURRENT_LIST_DIR}/must_not_compile.py)

function(plait_must_not_compile name source expected_message)
  add_test(NAME must_not_compile/${name}
    COMMAND ${PLAIT_PYTHON} -B ${PLAIT_MUST_NOT_COMPILE} ${expected_message} --
      ${CMAKE_CXX_COMPILER} -std=c++20 -fsyntax-only -fdiagnostics-color=never
      -I${PROJECT_SOURCE_DIR}/include ${CMAKE_CURRENT_SOURCE_DIR}/${source})
  set_tests_properties(must_not_compile/${name} PROPERTIES TIMEOUT 120)
endfunction()
