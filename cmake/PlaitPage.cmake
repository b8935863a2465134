# Writes page_asset.cpp: the page that shows results, as programs of the library write it.  `plait report` reads
# the same files (python/plait/views/html/page.py).
set(assets ${PROJECT_SOURCE_DIR}/python/plait/views/html/assets)
file(GLOB scripts CONFIGURE_DEPENDS ${assets}/*.js)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
  ${assets}/page.html ${assets}/page.css ${scripts})
file(READ ${assets}/page.html page)
file(READ ${assets}/page.css style)
set(script "")
foreach(file ${scripts})
  file(READ ${file} one)
  string(APPEND script "${one}")
endforeach()
string(REPLACE "<!--version-->" "${PROJECT_VERSION}" page "${page}")
string(REPLACE "<!--style-->" "${style}" page "${page}")
string(REPLACE "<!--script-->" "${script}" page "${page}")
configure_file(${PROJECT_SOURCE_DIR}/cmake/page_asset.cpp.in
  ${PROJECT_BINARY_DIR}/generated/page_asset.cpp @ONLY)
