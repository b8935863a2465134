# plait_application(NAME SOURCES ... [LIBRARIES ...])
#
# An application: apps/NAME of the build folder, on the harness of measure/.  LIBRARIES are those of its
# family and of its kernels.  For plain-MPI variants it may include <plait/comm/mpi.hpp>.
function(plait_application name)
  cmake_parse_arguments(app "" "" "SOURCES;LIBRARIES" ${ARGN})
  add_executable(${name} ${app_SOURCES})
  target_include_directories(${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE plait_flags plait_measure ${app_LIBRARIES} MPI::MPI_CXX)
  target_precompile_headers(${name} REUSE_FROM plait_program_headers)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/apps)
endfunction()
