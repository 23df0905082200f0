# SPDX-License-Identifier: GPL-3.0-or-later
# cmake --install puts everything where Debian does; tests/integration/install_test.py
# has the list.
include(GNUInstallDirs)

# One folder for each select plugin: slurmctld loads every select plugin of a
# folder of PluginDir, and select_cons_tres.so must not replace Slurm's own.
set(COOLSPAN_PLUGIN_DIR lib/coolspan CACHE STRING "Folder of the Slurm plugins, below the prefix")

if(TARGET coolspand)
  install(TARGETS coolspand RUNTIME DESTINATION ${CMAKE_INSTALL_SBINDIR})
  install(TARGETS coolspan RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(FILES ${CMAKE_BINARY_DIR}/documents/bash/coolspan
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${CMAKE_BINARY_DIR}/documents/zsh/_coolspan
    DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
  install(DIRECTORY ${CMAKE_BINARY_DIR}/documents/man1 DESTINATION ${CMAKE_INSTALL_MANDIR})
endif()

# A plugin opens libcoolspan_client.so beside itself; the folders have links.
if(TARGET select_coolspan)
  install(TARGETS coolspan_client_library LIBRARY DESTINATION ${COOLSPAN_PLUGIN_DIR})
  install(TARGETS select_coolspan LIBRARY DESTINATION ${COOLSPAN_PLUGIN_DIR}/named)
  install(TARGETS select_coolspan_dropin LIBRARY DESTINATION ${COOLSPAN_PLUGIN_DIR}/dropin)
  foreach(folder named dropin)
    install(FILES ${CMAKE_BINARY_DIR}/plugin/${folder}/libcoolspan_client.so
      DESTINATION ${COOLSPAN_PLUGIN_DIR}/${folder})
  endforeach()
endif()

# One folder for each MPI.
foreach(mpi openmpi mpich)
  if(TARGET coolspan_pattern_${mpi})
    install(TARGETS coolspan_pattern_${mpi} LIBRARY DESTINATION ${COOLSPAN_PLUGIN_DIR}/${mpi})
  endif()
endforeach()

foreach(section 1 5 7 8)
  file(GLOB pages CONFIGURE_DEPENDS docs/man/*.${section})
  install(FILES ${pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section})
endforeach()
install(DIRECTORY config/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples)
install(DIRECTORY deploy/prometheus deploy/grafana DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples)
# The manual pages and README.md refer to docs/*.md, and these to docs/adr.
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs
  FILES_MATCHING PATTERN *.md PATTERN *.svg PATTERN *.png PATTERN man EXCLUDE)
install(FILES README.md CHANGELOG.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
