// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CONFIG_OPTIONS_YAML_TEXT_H_
#define COOLSPAN_CONFIG_OPTIONS_YAML_TEXT_H_

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <exception>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "formats/file_error.h"

namespace coolspan {

Place PlaceOf(const YAML::Mark& mark);

// The only document of a YAML text. expected, for messages: "a map of options".
// Errors: INVALID_ARGUMENT with the place, for an empty text and for several
// documents. May throw YAML::Exception, to be called in CatchYamlErrors.
absl::StatusOr<YAML::Node> ParseYaml(std::string_view text,
                                     const std::string& file,
                                     std::string_view expected);

// The result of body, an absl::StatusOr<Result>, with exceptions of yaml-cpp as
// INVALID_ARGUMENT with the place: all that read YAML nodes run in it.
template <typename Result, typename Body>
absl::StatusOr<Result> CatchYamlErrors(const std::string& file,
                                       const Body& body) {
  try {
    return body();
  } catch (const YAML::Exception& error) {
    const Place place =
        error.mark.is_null() ? Place{1, 1} : PlaceOf(error.mark);
    return ErrorAt(file, place,
                   fmt::format("not valid YAML: {}", Printable(error.msg)));
  } catch (const std::exception& error) {
    return ErrorAt(file, {}, fmt::format("cannot read file: {}", error.what()));
  }
}

}  // namespace coolspan

#endif  // COOLSPAN_CONFIG_OPTIONS_YAML_TEXT_H_
