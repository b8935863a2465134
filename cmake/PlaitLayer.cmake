include(PlaitPrecompiled)

# plait_layer(NAME SOURCES ... DEPENDS ... LIBRARIES ... PUBLIC_LIBRARIES ...)
#
# One layer of the library: target plait::NAME, headers in include/plait/NAME, sources in src/NAME.
# DEPENDS are layers, along the arrows of docs/internals/architecture.md and no others; LIBRARIES are private,
# PUBLIC_LIBRARIES those whose headers a public header shows.
function(plait_layer name)
  cmake_parse_arguments(layer "" "" "SOURCES;DEPENDS;LIBRARIES;PUBLIC_LIBRARIES" ${ARGN})
  set(target plait_${name})
  if(layer_SOURCES)
    add_library(${target} STATIC ${layer_SOURCES})
    set(scope PUBLIC)
    target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:plait_flags> ${layer_LIBRARIES})
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src)
    # GCC 12.2 takes a store of an inlined function for none (modref): `reduce_scatter` by pairwise lost a contribution.
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 12
        AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
      target_compile_options(${target} PRIVATE -fno-ipa-modref)
    endif()
    target_precompile_headers(${target} REUSE_FROM plait_standard_headers)
  else()
    add_library(${target} INTERFACE)
    set(scope INTERFACE)
  endif()
  add_library(plait::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  set_property(GLOBAL APPEND PROPERTY PLAIT_LAYERS ${target})
  target_compile_features(${target} ${scope} cxx_std_20)
  target_include_directories(${target} ${scope}
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>)
  target_link_libraries(${target} ${scope} ${layer_PUBLIC_LIBRARIES})
  foreach(dependency ${layer_DEPENDS})
    target_link_libraries(${target} ${scope} plait::${dependency})
  endforeach()
endfunction()
