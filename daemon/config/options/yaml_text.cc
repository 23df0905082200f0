// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/options/yaml_text.h"

#include <yaml-cpp/eventhandler.h>

#include <sstream>
#include <vector>

namespace coolspan {
namespace {

// The start of the first two documents of a YAML text.
class DocumentStarts : public YAML::EventHandler {
 public:
  explicit DocumentStarts(const std::string& text) {
    std::istringstream in(text);
    YAML::Parser parser(in);
    while (starts_.size() < 2 && parser.HandleNextDocument(*this)) {
    }
  }
  const std::vector<YAML::Mark>& starts() const { return starts_; }

  void OnDocumentStart(const YAML::Mark& mark) override {
    starts_.push_back(mark);
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t,
                const std::string&) override {}
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {}
  void OnMapEnd() override {}

 private:
  std::vector<YAML::Mark> starts_;
};

}  // namespace

Place PlaceOf(const YAML::Mark& mark) {
  return {mark.line + 1, mark.column + 1};
}

// YAML::LoadAll does not return on a text that starts with a character such as
// a comma, hence DocumentStarts.
absl::StatusOr<YAML::Node> ParseYaml(std::string_view text,
                                     const std::string& file,
                                     std::string_view expected) {
  const std::string copy(text);
  const DocumentStarts documents(copy);
  const std::vector<YAML::Mark>& starts = documents.starts();
  if (starts.size() > 1) {
    return ErrorAt(file, PlaceOf(starts[1]),
                   starts[1].pos == starts[0].pos
                       ? fmt::format("not valid YAML: unexpected character "
                                     "(expected {})",
                                     expected)
                       : "second YAML document (expected one)");
  }
  YAML::Node document = YAML::Load(copy);
  if (document.IsNull()) {
    const bool is_utf16 =
        text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF");
    return ErrorAt(file, {1, 1},
                   is_utf16
                       ? "not a text file (expected UTF-8)"
                       : fmt::format("file is empty (expected {})", expected));
  }
  return document;
}

}  // namespace coolspan
