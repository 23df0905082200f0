# SPDX-License-Identifier: GPL-3.0-or-later
# coolspan_folder(NAME [LINK targets...]): the one library of a folder under
# daemon/. All its sources belong to it, so a new policy or ordering needs no
# change here. Links are PRIVATE: a folder that wants another says so itself.
function(coolspan_folder name)
  cmake_parse_arguments(FOLDER "" "" "LINK" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cc)
  add_library(coolspan_${name} STATIC ${sources})
  target_include_directories(coolspan_${name} PUBLIC ${CMAKE_SOURCE_DIR}/daemon)
  target_link_libraries(coolspan_${name} PRIVATE coolspan_options ${FOLDER_LINK})
endfunction()
