# `cmake --install` puts the library where find_package(plait) finds it: headers, archives and
# plaitConfig.cmake, which finds again what the archives need, the MPI library included.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

get_property(plait_layers GLOBAL PROPERTY PLAIT_LAYERS)
install(TARGETS ${plait_layers} EXPORT plait ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET plait_blocking_mpi)
  install(TARGETS plait_blocking_mpi plait_blocking_mpi_linked EXPORT plait
    OBJECTS DESTINATION ${CMAKE_INSTALL_LIBDIR}/plait)
endif()
install(DIRECTORY include/plait DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

set(plait_package ${CMAKE_INSTALL_LIBDIR}/cmake/plait)
install(EXPORT plait NAMESPACE plait:: FILE plaitTargets.cmake DESTINATION ${plait_package})
configure_package_config_file(cmake/plaitConfig.cmake.in ${PROJECT_BINARY_DIR}/plaitConfig.cmake
  INSTALL_DESTINATION ${plait_package})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/plaitConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/plaitConfig.cmake ${PROJECT_BINARY_DIR}/plaitConfigVersion.cmake
  DESTINATION ${plait_package})
