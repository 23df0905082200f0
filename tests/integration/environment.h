// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_TESTS_INTEGRATION_ENVIRONMENT_H_
#define COOLSPAN_TESTS_INTEGRATION_ENVIRONMENT_H_

#include <stdlib.h>

#include <string>
#include <utility>

namespace coolspan {

// Sets a variable that programs started meanwhile inherit.
class EnvironmentVariable {
 public:
  EnvironmentVariable(std::string name, const std::string& value)
      : name_(std::move(name)) {
    setenv(name_.c_str(), value.c_str(), /*overwrite=*/1);
  }
  ~EnvironmentVariable() { unsetenv(name_.c_str()); }
  EnvironmentVariable(const EnvironmentVariable&) = delete;
  EnvironmentVariable& operator=(const EnvironmentVariable&) = delete;

 private:
  const std::string name_;
};

}  // namespace coolspan

#endif  // COOLSPAN_TESTS_INTEGRATION_ENVIRONMENT_H_
