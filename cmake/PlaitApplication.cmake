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

# plait_kernel_text(TARGET NAME): the kernels of device/NAME.cl as a text for a device's compiler, behind the
# words of common/kernel_words.cl: `NAME_text` in "NAME_text.hpp".
function(plait_kernel_text target name)
  set(words ${PROJECT_SOURCE_DIR}/apps/stencil/common/kernel_words.cl)
  set(source ${CMAKE_CURRENT_SOURCE_DIR}/device/${name}.cl)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${words} ${source})
  file(READ ${words} before)
  file(READ ${source} text)
  file(CONFIGURE OUTPUT kernel_texts/${name}_text.hpp @ONLY CONTENT
    "#pragma once\ninline constexpr const char* @name@_text = R\"kernel(@before@@text@)kernel\";\n")
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/kernel_texts)
endfunction()
