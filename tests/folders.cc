// SPDX-License-Identifier: GPL-3.0-or-later
#include "folders.h"

namespace coolspan {

std::filesystem::path DataDir() {
  const char* from_environment = std::getenv("COOLSPAN_DATA_DIR");
  return from_environment != nullptr ? from_environment : COOLSPAN_DATA_DIR;
}

std::filesystem::path SourceDir() { return COOLSPAN_SOURCE_DIR; }

std::filesystem::path BinaryDir() { return COOLSPAN_BINARY_DIR; }

}  // namespace coolspan
