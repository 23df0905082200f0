# SPDX-License-Identifier: GPL-3.0-or-later
# coolspan_embed(TARGET FUNCTION FILES...): compiles the bytes of the files, one
# after the other, into the target as std::string_view coolspan::FUNCTION().
function(coolspan_embed target name)
  set(generated ${CMAKE_CURRENT_BINARY_DIR}/${name}.cc)
  add_custom_command(OUTPUT ${generated}
    COMMAND ${CMAKE_COMMAND} -DNAME=${name} -DOUTPUT=${generated} "-DFILES=${ARGN}"
      -P ${CMAKE_SOURCE_DIR}/cmake/EmbedFiles.cmake
    DEPENDS ${ARGN} ${CMAKE_SOURCE_DIR}/cmake/EmbedFiles.cmake
    COMMENT "Embedding ${name}" VERBATIM)
  set_source_files_properties(${generated} PROPERTIES
    SKIP_UNITY_BUILD_INCLUSION ON SKIP_PRECOMPILE_HEADERS ON)
  target_sources(${target} PRIVATE ${generated})
endfunction()
