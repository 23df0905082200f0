# SPDX-License-Identifier: GPL-3.0-or-later
# coolspan_folder(NAME [LINK targets...]): the one library of a folder under
# daemon/. All its sources belong to it, so a new policy or ordering needs no
# change here. Links are PRIVATE: a folder that wants another says so itself.
# COOLSPAN_UNITY compiles a folder at a time, in a third of the time; not one
# whose files each have, say, Options of their own (SEPARATE).
function(coolspan_folder name)
  cmake_parse_arguments(FOLDER "SEPARATE" "" "LINK" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cc)
  add_library(coolspan_${name} STATIC ${sources})
  if(COOLSPAN_UNITY AND NOT FOLDER_SEPARATE)
    set_target_properties(coolspan_${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 12)
  endif()
  target_include_directories(coolspan_${name} PUBLIC ${CMAKE_SOURCE_DIR}/daemon)
  target_link_libraries(coolspan_${name} PRIVATE coolspan_options ${FOLDER_LINK})
endfunction()
