# SPDX-License-Identifier: GPL-3.0-or-later
# coolspan_folder(NAME [NUMERIC] [SEPARATE sources...] [FUZZED sources...] [LINK targets...]):
# the one library of a folder under daemon/, with all its sources, so a new policy
# or ordering needs no change here. Links are PRIVATE: a folder that needs another
# names it.
# COOLSPAN_UNITY compiles a folder at a time, in a third of the time, except the
# sources after SEPARATE, whose internal names others define too.
# NUMERIC: sanitizer builds optimise its loops fully, and of its sources only those
# after FUZZED have the edge counters that guide libFuzzer.
function(coolspan_folder name)
  cmake_parse_arguments(FOLDER "NUMERIC" "" "SEPARATE;FUZZED;LINK" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cc)
  add_library(coolspan_${name} STATIC ${sources})
  if(COOLSPAN_UNITY)
    set_target_properties(coolspan_${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 12)
    if(FOLDER_SEPARATE)
      set_source_files_properties(${FOLDER_SEPARATE} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    endif()
  else()
    coolspan_precompile_linked(coolspan_${name} ${FOLDER_LINK})
  endif()
  set(edge_counters $<$<BOOL:${COOLSPAN_FUZZ}>:-fsanitize=fuzzer-no-link>)
  if(FOLDER_NUMERIC)
    target_compile_options(coolspan_${name} PRIVATE $<$<CONFIG:Sanitize>:-O2>)
    if(FOLDER_FUZZED)
      set_source_files_properties(${FOLDER_FUZZED} PROPERTIES
        COMPILE_OPTIONS "${edge_counters}" SKIP_UNITY_BUILD_INCLUSION ON)
    endif()
  else()
    target_compile_options(coolspan_${name} PRIVATE ${edge_counters})
  endif()
  target_include_directories(coolspan_${name} PUBLIC ${CMAKE_SOURCE_DIR}/daemon)
  target_link_libraries(coolspan_${name} PRIVATE coolspan_options ${FOLDER_LINK})
endfunction()
