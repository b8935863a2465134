# `cmake --install` puts attach and the plait command where bin/plait finds them from where it lies itself, whatever
# the prefix: the folder may be moved.  A prefix takes attach for several MPI libraries, one of a kind.
if(TARGET plait_attach)
  set(plait_home lib/plait)
  install(TARGETS plait_attach LIBRARY DESTINATION ${plait_home}/attach/${PLAIT_MPI})
  install(TARGETS plait_attach_salvage RUNTIME DESTINATION ${plait_home}/attach/${PLAIT_MPI})
  install(DIRECTORY python/plait DESTINATION ${plait_home}/python PATTERN __pycache__ EXCLUDE)
  install(PROGRAMS packaging/installed/plait DESTINATION bin)
  install(FILES packaging/installed/modulefile DESTINATION share/modulefiles RENAME plait)
  install(FILES include/plait/region.h include/plait/region.f90 DESTINATION include/plait)
endif()
if(NOT PLAIT_LIBRARY)
  return()
endif()

# It puts the library where find_package(plait) finds it: headers, archives and plaitConfig.cmake, which finds
# again what the archives need, the MPI library included.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

get_property(plait_layers GLOBAL PROPERTY PLAIT_LAYERS)
install(TARGETS ${plait_layers} EXPORT plait ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET plait_blocking_mpi)
  install(TARGETS plait_blocking_mpi plait_blocking_mpi_linked EXPORT plait
    OBJECTS DESTINATION ${CMAKE_INSTALL_LIBDIR}/plait)
endif()
install(DIRECTORY include/plait DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
if(TARGET plait_c)
  install(TARGETS plait_c EXPORT plait LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
if(TARGET plait_fortran)
  install(TARGETS plait_fortran EXPORT plait ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  get_target_property(module_folder plait_fortran Fortran_MODULE_DIRECTORY)
  install(FILES ${module_folder}/plait.mod src/fortran/plait.F90 src/fortran/external.F90
    src/fortran/blocks.c src/fortran/descriptors.c src/fortran/descriptors.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/plait/fortran)
endif()

set(plait_package ${CMAKE_INSTALL_LIBDIR}/cmake/plait)
install(EXPORT plait NAMESPACE plait:: FILE plaitTargets.cmake DESTINATION ${plait_package})
configure_package_config_file(cmake/plaitConfig.cmake.in ${PROJECT_BINARY_DIR}/plaitConfig.cmake
  INSTALL_DESTINATION ${plait_package})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/plaitConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/plaitConfig.cmake ${PROJECT_BINARY_DIR}/plaitConfigVersion.cmake
  DESTINATION ${plait_package})

# The same for programs that are built without CMake: plait.pc.
set(plait_pc_requires "hwloc fmt")
set(plait_pc_libs "")
foreach(layer ${plait_layers})  # those a layer depends on are before it
  get_target_property(type ${layer} TYPE)
  if(type STREQUAL "STATIC_LIBRARY")
    string(PREPEND plait_pc_libs " -l${layer}")
  endif()
endforeach()
string(APPEND plait_pc_libs " -lboost_context -pthread")
if(Zydis_FOUND)  # which Debian ships without a .pc file
  string(APPEND plait_pc_libs " -lZydis")
endif()
set(plait_pc_flags "")
if(TARGET MPI::MPI_CXX)
  foreach(folder ${MPI_CXX_INCLUDE_DIRS})
    string(APPEND plait_pc_flags " -I${folder}")
  endforeach()
  if(PLAIT_MPI STREQUAL "abi")
    string(APPEND plait_pc_flags " -DMPI_ABI")
  endif()
  foreach(file ${MPI_CXX_LIBRARIES})
    string(APPEND plait_pc_libs " ${file}")
  endforeach()
endif()
file(RELATIVE_PATH plait_pc_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" plait_pc_prefix "${plait_pc_prefix}")
configure_file(cmake/plait.pc.in ${PROJECT_BINARY_DIR}/plait.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/plait.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
if(TARGET plait_c)
  configure_file(cmake/plait-c.pc.in ${PROJECT_BINARY_DIR}/plait-c.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/plait-c.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()
if(TARGET plait_fortran)
  configure_file(cmake/plait-fortran.pc.in ${PROJECT_BINARY_DIR}/plait-fortran.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/plait-fortran.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()
