# plait_must_not_compile(NAME SOURCE EXPECTED_MESSAGE)
#
# Registers the test must_not_compile/NAME: SOURCE (relative to the calling folder) fails to compile,
# and the compiler's output matches the regular expression EXPECTED_MESSAGE.  The offending lines stand
# between `#ifndef PLAIT_CONTROL` and `#endif`; without them the source must compile.
# The system's Python before any in the user's path: the checks need no more than its standard library.
find_program(PLAIT_PYTHON NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH)
find_program(PLAIT_PYTHON NAMES python3 REQUIRED)
set(PLAIT_MUST_NOT_COMPILE ${CMAKE_CURRENT_LIST_DIR}/must_not_compile.py)

# Their headers are parsed once, by a test that the others wait for: a third of the time.
set(PLAIT_MUST_NOT_COMPILE_WITH ${CMAKE_CXX_COMPILER} -std=c++20 -fdiagnostics-color=never
  -I${PROJECT_SOURCE_DIR}/include)
set(PLAIT_MUST_NOT_COMPILE_HEADERS ${CMAKE_CURRENT_BINARY_DIR}/must_not_compile.hpp)
set(headers "#include <plait/task/scheduler.hpp>\n")
if(TARGET plait::runtime)
  set(headers "#include <plait/runtime/runtime.hpp>\n")
endif()
file(CONFIGURE OUTPUT ${PLAIT_MUST_NOT_COMPILE_HEADERS} CONTENT "${headers}")
add_test(NAME must_not_compile/their_headers_compile COMMAND ${PLAIT_MUST_NOT_COMPILE_WITH}
  -x c++-header ${PLAIT_MUST_NOT_COMPILE_HEADERS} -o ${PLAIT_MUST_NOT_COMPILE_HEADERS}.gch)
set_tests_properties(must_not_compile/their_headers_compile PROPERTIES TIMEOUT 120
  FIXTURES_SETUP must_not_compile)
plait_label_for_all(must_not_compile/their_headers_compile)

function(plait_must_not_compile name source expected_message)
  add_test(NAME must_not_compile/${name}
    COMMAND ${PLAIT_PYTHON} -B ${PLAIT_MUST_NOT_COMPILE} ${expected_message} --
      ${PLAIT_MUST_NOT_COMPILE_WITH} -fsyntax-only -include ${PLAIT_MUST_NOT_COMPILE_HEADERS}
      ${CMAKE_CURRENT_SOURCE_DIR}/${source})
  set_tests_properties(must_not_compile/${name} PROPERTIES TIMEOUT 120
    FIXTURES_REQUIRED must_not_compile)
  plait_label_for_all(must_not_compile/${name})
endfunction()
