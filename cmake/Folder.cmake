# SPDX-License-Identifier: GPL-3.0-or-later
# coolspan_folder(NAME [SEPARATE] [LINK targets...]): the one library of a
# folder under daemon/, with all its sources, so a new policy or ordering needs
# no change here. Links are PRIVATE: a folder that needs another names it.
# COOLSPAN_UNITY compiles a folder at a time, in a third of the time; SEPARATE
# excepts a folder in which several files define the same internal names.
function(coolspan_folder name)
  cmake_parse_arguments(FOLDER "SEPARATE" "" "LINK" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cc)
  add_library(coolspan_${name} STATIC ${sources})
  if(COOLSPAN_UNITY AND NOT FOLDER_SEPARATE)
    set_target_properties(coolspan_${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 12)
  else()
    coolspan_precompile_linked(coolspan_${name} ${FOLDER_LINK})
  endif()
  if(COOLSPAN_FUZZ)
    # Edge counters, which guide libFuzzer.
    target_compile_options(coolspan_${name} PRIVATE -fsanitize=fuzzer-no-link)
  endif()
  target_include_directories(coolspan_${name} PUBLIC ${CMAKE_SOURCE_DIR}/daemon)
  target_link_libraries(coolspan_${name} PRIVATE coolspan_options ${FOLDER_LINK})
endfunction()
