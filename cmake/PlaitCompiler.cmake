# The compiler flags every target of plait shares.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  if(PROJECT_IS_TOP_LEVEL)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
  else()  # the project around plait chooses for both
    message(WARNING "CMAKE_BUILD_TYPE is not set: plait is compiled without optimisation")
  endif()
endif()

add_library(plait_flags INTERFACE)
target_compile_options(plait_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
  -Wno-sign-conversion -Werror=return-type)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Files that are compiled together see each other's names; preset `debug` compiles each alone.
  if(CMAKE_UNITY_BUILD)
    target_compile_options(plait_flags INTERFACE -Wno-shadow $<$<COMPILE_LANGUAGE:CXX>:-Wno-subobject-linkage>)
  endif()
  # The compiler collects its garbage later: a tenth less time for half a gigabyte more, the same code.
  target_compile_options(plait_flags INTERFACE "SHELL:--param ggc-min-heapsize=524288")
endif()
# Lines to be written are fetched as such; x86-64 processors without the instruction ignore it.
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  target_compile_options(plait_flags INTERFACE -mprfchw)
endif()
if(PLAIT_DEBUG_STL)
  target_compile_definitions(plait_flags INTERFACE _GLIBCXX_ASSERTIONS)
endif()
if(PLAIT_SANITIZE)
  target_compile_options(plait_flags INTERFACE -fsanitize=${PLAIT_SANITIZE} -fno-omit-frame-pointer)
  target_link_options(plait_flags INTERFACE -fsanitize=${PLAIT_SANITIZE})
  # What is found ends the program: a test would pass with it otherwise, and compile half as fast again.
  # A null pointer that is used ends it anyway, and an object's end is AddressSanitizer's to watch:
  # another tenth.
  if(PLAIT_SANITIZE MATCHES "undefined")
    target_compile_options(plait_flags INTERFACE -fno-sanitize-recover=undefined
      -fno-sanitize=null,object-size)
  endif()
endif()

# What no time is measured in, such as command lines and results: two thirds of the time to compile.
add_library(plait_quick_flags INTERFACE)
target_compile_options(plait_quick_flags INTERFACE $<$<AND:$<CONFIG:Release>,$<COMPILE_LANGUAGE:CXX>>:-O1>)

# Compute kernels: vectorised for this machine when PLAIT_NATIVE is on, and never with fused
# multiply-add contraction, so that every variant of an application gives the same bits.
add_library(plait_kernel_flags INTERFACE)
target_compile_options(plait_kernel_flags INTERFACE -O3 -ffp-contract=off -fno-math-errno)
if(PLAIT_NATIVE)
  target_compile_options(plait_kernel_flags INTERFACE -march=native)
endif()
