# Writes build_info.hpp: the commit, the compiler and its flags, for result files.  Rewritten only when
# it changes, so that a commit does not rebuild the world.
execute_process(COMMAND git -C ${PROJECT_SOURCE_DIR} describe --always --dirty --abbrev=12
  OUTPUT_VARIABLE PLAIT_COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT PLAIT_COMMIT)
  set(PLAIT_COMMIT "unknown")
endif()
string(TOUPPER "${CMAKE_BUILD_TYPE}" build_type)
set(PLAIT_CXX_FLAGS "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${build_type}}")
if(PLAIT_NATIVE)
  string(APPEND PLAIT_CXX_FLAGS " (kernels: -O3 -march=native -ffp-contract=off)")
else()
  string(APPEND PLAIT_CXX_FLAGS " (kernels: -O3 -ffp-contract=off)")
endif()
if(PLAIT_SANITIZE)
  string(APPEND PLAIT_CXX_FLAGS " -fsanitize=${PLAIT_SANITIZE}")
endif()
string(STRIP "${PLAIT_CXX_FLAGS}" PLAIT_CXX_FLAGS)
configure_file(${PROJECT_SOURCE_DIR}/cmake/build_info.hpp.in
  ${PROJECT_BINARY_DIR}/generated/plait/detail/build_info.hpp @ONLY)
