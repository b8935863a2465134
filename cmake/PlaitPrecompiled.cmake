# plait_precompile(NAME HEADERS ... [LIBRARIES ...])
#
# Headers that many targets include, parsed once: `target_precompile_headers(TARGET REUSE_FROM NAME)`.
# LIBRARIES are those whose headers are among them.  A macro that is defined here has to be defined in
# every target that reuses them, so they belong to a target of their own, which links nothing else.
function(plait_precompile name)
  cmake_parse_arguments(precompile "" "" "HEADERS;LIBRARIES" ${ARGN})
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "")
  add_library(${name} OBJECT ${source})
  target_link_libraries(${name} PRIVATE plait_flags ${precompile_LIBRARIES})
  target_precompile_headers(${name} PRIVATE ${precompile_HEADERS})
endfunction()
