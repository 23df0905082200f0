# SPDX-License-Identifier: GPL-3.0-or-later
# Everything outside choosing nodes, the thermal model and replay comes from
# Debian's packages; ./deploy/install-deps installs them.
find_package(Threads REQUIRED)
find_package(absl REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(ZLIB REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(CLI11 REQUIRED)
find_package(Eigen3 REQUIRED NO_MODULE)
find_package(GSL REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(httplib REQUIRED IMPORTED_TARGET cpp-httplib)
pkg_check_modules(systemd REQUIRED IMPORTED_TARGET libsystemd)
find_package(Protobuf REQUIRED)
if(COOLSPAN_SERVICE)
  # Without this, gRPC asks pkg-config for re2, which takes a minute with the
  # abseil of Debian 13.
  find_package(re2 QUIET CONFIG)
  if(NOT re2_FOUND)
    find_library(RE2_LIBRARY re2 REQUIRED)
    add_library(re2::re2 INTERFACE IMPORTED)
    target_link_libraries(re2::re2 INTERFACE "${RE2_LIBRARY}")
    set(re2_FOUND TRUE)
  endif()
  find_package(gRPC CONFIG REQUIRED)
  # Not their CMake configurations: that of prometheus-cpp requires the libraries
  # of its HTTP server and client too.
  pkg_check_modules(prometheus REQUIRED IMPORTED_TARGET prometheus-cpp-core)
  pkg_check_modules(microhttpd REQUIRED IMPORTED_TARGET libmicrohttpd)
  # Compiled into the reports of coolspan replay.
  find_file(CHART_JS chart.min.js PATHS /usr/share/javascript/chart.js NO_DEFAULT_PATH)
  if(NOT CHART_JS)
    message(FATAL_ERROR "chart.min.js not found (expected the package libjs-chart.js; ./deploy/install-deps installs it)")
  endif()
endif()
