# Writes build_info.hpp: the commit, the compiler and its flags, for result files.  Rewritten only when
# it changes, so that a commit does not rebuild the world.
execute_process(COMMAND git -C ${PROJECT_SOURCE_DIR} describe --always --dirty --abbrev=12
  OUTPUT_VARIABLE PLAIT_COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT PLAIT_COMMIT)  # an archive, in which git has written the commit that it is of
  file(STRINGS ${PROJECT_SOURCE_DIR}/cmake/commit.txt PLAIT_COMMIT REGEX "^[0-9a-f]+$")
  string(SUBSTRING "${PLAIT_COMMIT}" 0 12 PLAIT_COMMIT)
endif()
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

# The version, for C and C++: apart from the commit, with which it would be compiled again.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/python/plait/version.py)
configure_file(${PROJECT_SOURCE_DIR}/cmake/version.h.in
  ${PROJECT_BINARY_DIR}/generated/plait/detail/version.h @ONLY)
