# SPDX-License-Identifier: GPL-3.0-or-later
# The large headers of other projects, read once a library instead of once a
# source file. A source includes what it uses all the same: clang-tidy and
# COOLSPAN_PRECOMPILE=OFF compile it without them.

# ccache takes objects made with them where CCACHE_SLOPPINESS is set as in
# CMakePresets.json, and clang's only without times in the precompiled header.
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:SHELL:-Xclang -fno-pch-timestamp>")
endif()

# With precompiled headers GCC 12 no longer treats std::string as a system header,
# and reports the false positives of its bugs 105329 and 105651.
set(coolspan_precompiled_options)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND COOLSPAN_PRECOMPILE)
  set(coolspan_precompiled_options -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread)
endif()

# coolspan_precompile_linked(TARGET LINKS...): the headers of the libraries
# among LINKS that take more than a second to read.
function(coolspan_precompile_linked target)
  if(NOT COOLSPAN_PRECOMPILE)
    return()
  endif()
  set(headers)
  if("CLI11::CLI11" IN_LIST ARGN)
    list(APPEND headers <CLI/CLI.hpp>)
  endif()
  if("nlohmann_json::nlohmann_json" IN_LIST ARGN)
    list(APPEND headers <nlohmann/json.hpp>)
  endif()
  if("gRPC::grpc++" IN_LIST ARGN)
    list(APPEND headers <grpcpp/grpcpp.h>)
  endif()
  if("yaml-cpp" IN_LIST ARGN)
    list(APPEND headers <yaml-cpp/yaml.h>)
  endif()
  if(headers)
    target_compile_options(${target} PRIVATE ${coolspan_precompiled_options})
    target_precompile_headers(${target} PRIVATE
      <functional> <map> <memory> <optional> <span> <string> <vector>
      <absl/status/statusor.h> <absl/strings/str_cat.h> ${headers})
  endif()
endfunction()
