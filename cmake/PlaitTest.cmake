# plait_test(LAYER/test_SUBJECT [ALONE] [RANKS n ...] [MPICH n ...] [LIBRARIES ...] [TIMEOUT s])
#
# Registers tests/LAYER/test_SUBJECT.cpp.  Without RANKS it is one process and links GoogleTest's main;
# with RANKS it is run once for each rank count under the MPI library of this build, links
# tests/support/mpi_main.cpp, and fails (never skips) when it is started with another count.
# The tests of a layer are one program, LAYER_tests, and those on ranks another, LAYER_rank_tests: a
# source is compiled with its neighbours, whose templates are its own for the most part, and linked
# once.  `--of=test_SUBJECT` chooses the tests of a source.  ALONE is for sources that want a program
# of their own, LAYER_test_SUBJECT.
# Label `mpi`: what another MPI library may change; tests on ranks, unless a folder empties
# PLAIT_LABEL_OF_RANKS.  With MPICH, whose ranks spin while they wait, so that more of them than cores
# cost a time slice for each message, MPICH's rank counts are run, if there are any: those that may
# matter to the library.  `MPICH none` is for what knows no more of MPI than plait's own messages,
# which others test with it.
# A test that is not done after TIMEOUT seconds (240) prints every thread's stack and fails.  Beside
# three processes that compute, four ranks take 100 s for what takes them 3 s alone: whoever waits
# yields, and gets the core back a time slice later.
set(PLAIT_LABEL_OF_RANKS mpi)
find_package(GTest REQUIRED)
include(GoogleTest)

# Cores that a test on ranks is said to take, where two or three times as many tests are run as there
# are cores (`ctest -j`).  Ranks of Open MPI give their core away while they wait, for tests/support/mpirun
# tells them to, and most of these tests wait most of the time.  So do MPICH's where it looks through UCX
# (tests/support/mpich_yields.cpp); else they spin, so that such a test is alone on two cores.
set(PLAIT_MPICH_YIELDS OFF)
if(PLAIT_MPI STREQUAL "mpich")
  foreach(library ${MPI_CXX_LIBRARIES})
    execute_process(COMMAND ldd ${library} OUTPUT_VARIABLE needed ERROR_QUIET)
    if(needed MATCHES "libucp[.]so")
      set(PLAIT_MPICH_YIELDS ON)
    endif()
  endforeach()
endif()
if(PLAIT_MPI MATCHES "^(mpich|abi)$" AND NOT PLAIT_MPICH_YIELDS)
  set(PLAIT_RANKS_PROCESSORS 4)
else()
  set(PLAIT_RANKS_PROCESSORS 2)
endif()

# What is tested is optimised as it is; the tests themselves take half the time to compile this way.
# With ThreadSanitizer they would run half as fast again without optimisation.
function(plait_build_quickly target)
  if(PLAIT_SANITIZE MATCHES "address")
    # Where data is aligned is checked in the library, and in the tests of random programs: a third of
    # the time that a test takes to compile here.
    target_compile_options(${target} PRIVATE -O0 -fno-sanitize=alignment,vptr)
  else()
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  endif()
endfunction()

# A source need not know the names of those that it is compiled with.
add_library(plait_test_flags INTERFACE)
target_compile_options(plait_test_flags INTERFACE -Wno-shadow)

# plait_test_program(NAME SOURCE LIBRARIES ...): a program that a test starts on ranks.  Of GoogleTest it has the macro
# that the precompiled headers want.
function(plait_test_program name source)
  add_executable(${name} ${source})
  target_link_libraries(${name} PRIVATE plait_flags ${ARGN} GTest::gtest)
  target_precompile_headers(${name} REUSE_FROM plait_mpi_test_headers)
  plait_build_quickly(${name})
endfunction()

# The program with the tests of `path`, and what to call it with, in this folder and those below.
function(plait_program_of path out)
  string(REPLACE "/" "_" program ${path})
  set(command $<TARGET_FILE:${program}>)
  if(NOT TARGET ${program})
    get_property(program GLOBAL PROPERTY PLAIT_PROGRAM_OF_${program})
    cmake_path(GET path FILENAME file)
    set(command $<TARGET_FILE:${program}> --of=${file})
  endif()
  set(${out} ${command} PARENT_SCOPE)
endfunction()

function(plait_test path)
  cmake_parse_arguments(test "ALONE" "TIMEOUT" "RANKS;MPICH;LIBRARIES" ${ARGN})
  if(PLAIT_MPI MATCHES "^(mpich|abi)$" AND test_MPICH AND NOT PLAIT_SANITIZE)
    if(test_MPICH STREQUAL "none")
      return()
    endif()
    set(test_RANKS ${test_MPICH})
  endif()
  if(NOT test_TIMEOUT)
    set(test_TIMEOUT 240)
  endif()
  string(REPLACE "/" "_" target ${path})
  cmake_path(GET path FILENAME file)
  if(NOT test_ALONE AND NOT PLAIT_TESTS_ALONE)
    cmake_path(GET path PARENT_PATH layer)
    set(program ${layer}_tests)
    if(test_RANKS)
      set(program ${layer}_rank_tests)
    endif()
    set_property(GLOBAL PROPERTY PLAIT_PROGRAM_OF_${target} ${program})
    set(target ${program})
  endif()
  if(NOT TARGET ${target})
    add_executable(${target})
    target_link_libraries(${target} PRIVATE plait_flags plait_test_flags plait_test_support)
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src)
    set_target_properties(${target} PROPERTIES UNITY_BUILD "${PLAIT_UNITY_TESTS}" UNITY_BUILD_BATCH_SIZE 4)
    if(test_RANKS)
      target_link_libraries(${target} PRIVATE plait_mpi_test_main plait::runtime)
      target_precompile_headers(${target} REUSE_FROM plait_mpi_test_headers)
    else()
      target_link_libraries(${target} PRIVATE plait_test_main)
      if(plait::task IN_LIST test_LIBRARIES)
        target_precompile_headers(${target} REUSE_FROM plait_task_test_headers)
      else()
        target_precompile_headers(${target} REUSE_FROM plait_test_headers)
      endif()
    endif()
    plait_build_quickly(${target})
  endif()
  if("MPI::MPI_CXX" IN_LIST test_LIBRARIES OR test_MPICH STREQUAL "none")  # behind those whose objects builds share
    cmake_language(EVAL CODE "cmake_language(DEFER CALL target_sources ${target} PRIVATE ${file}.cpp)")
  else()
    target_sources(${target} PRIVATE ${file}.cpp)
  endif()
  get_target_property(linked ${target} LINK_LIBRARIES)
  list(REMOVE_ITEM test_LIBRARIES ${linked})
  target_link_libraries(${target} PRIVATE ${test_LIBRARIES})
  plait_program_of(${path} program)
  if(test_RANKS)
    foreach(ranks ${test_RANKS})
      set(name ${path}@${ranks})
      add_test(NAME ${name} COMMAND ${PROJECT_SOURCE_DIR}/tests/support/mpirun ${PLAIT_MPI}
        ${PLAIT_MPIEXEC} ${ranks} ${program})
      set(processors ${PLAIT_RANKS_PROCESSORS})
      if(ranks EQUAL 1)  # who waits for nobody
        math(EXPR processors "${processors} / 2")
      endif()
      set_tests_properties(${name} PROPERTIES TIMEOUT ${test_TIMEOUT} PROCESSORS ${processors}
        LABELS "${PLAIT_LABEL_OF_RANKS}"
        ENVIRONMENT "PLAIT_TEST_RANKS=${ranks};PLAIT_TEST_TIMEOUT_S=${test_TIMEOUT}")
      if(ranks GREATER 3)
        plait_label_for_all(${name})
      endif()
    endforeach()
  else()
    add_test(NAME ${path} COMMAND ${program})
    set_tests_properties(${path} PROPERTIES TIMEOUT ${test_TIMEOUT}
      ENVIRONMENT "PLAIT_TEST_TIMEOUT_S=${test_TIMEOUT}")
  endif()
endfunction()

# plait_test_under_abi(TEST COMMAND ... [ENVIRONMENT ...])
#
# Where PLAIT_MPI is abi: a test for each MPI library of PyPI that has the standard ABI, named TEST@LIBRARY, with label
# `abi`.  The same programs run under all of them.  MPIEXEC in the command stands for that of the library.  A library
# that could not be downloaded disables its tests, which CTest then lists.
file(STRINGS ${PROJECT_SOURCE_DIR}/tests/support/libraries_of_abi.txt plait_libraries_of_abi)
list(TRANSFORM plait_libraries_of_abi REPLACE "==" "-")
function(plait_test_under_abi test)
  cmake_parse_arguments(of "" "" "COMMAND;ENVIRONMENT" ${ARGN})
  if(NOT PLAIT_MPI STREQUAL "abi")
    return()
  endif()
  foreach(library ${plait_libraries_of_abi})
    set(folder ${PROJECT_SOURCE_DIR}/build/abi-libraries/${library})
    list(TRANSFORM of_COMMAND REPLACE "^MPIEXEC$" ${folder}/bin/mpiexec OUTPUT_VARIABLE command)
    add_test(NAME ${test}@${library} COMMAND ${command})
    set_tests_properties(${test}@${library} PROPERTIES TIMEOUT 240 PROCESSORS ${PLAIT_RANKS_PROCESSORS} LABELS "abi;all"
      ENVIRONMENT "LD_LIBRARY_PATH=${folder}/lib;I_MPI_ROOT=${folder};${of_ENVIRONMENT}")
    if(NOT EXISTS ${folder})
      set_tests_properties(${test}@${library} PROPERTIES DISABLED ON)
    endif()
  endforeach()
endfunction()

# plait_label_of_one_thread(TEST ...): label `sanitize` for tests without ranks in which one thread
# computes.  ThreadSanitizer would find nothing in them and take ten times as long.
function(plait_label_of_one_thread)
  if(NOT PLAIT_SANITIZE MATCHES "thread")
    set_tests_properties(${ARGN} PROPERTIES LABELS sanitize)
  endif()
endfunction()

# plait_label_for_all([TEST ...]): these tests, or all of this folder, are run by `./plait test --all`, and not by
# `./plait test`.
function(plait_label_for_all)
  set(names ${ARGN})
  if(NOT names)
    get_property(names DIRECTORY PROPERTY TESTS)
  endif()
  set_property(TEST ${names} APPEND PROPERTY LABELS all)
endfunction()
