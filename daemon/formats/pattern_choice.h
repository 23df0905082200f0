// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_FORMATS_PATTERN_CHOICE_H_
#define COOLSPAN_FORMATS_PATTERN_CHOICE_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "core/comm_pattern.h"
#include "core/types.h"
#include "mapping/generated_patterns.h"

namespace coolspan {

// A communication pattern for jobs of any size: the kind of a generated one, or
// that of a file. Immutable, thread-safe.
class PatternChoice {
 public:
  // text: the name of a generated pattern, else a file. Errors:
  // ReadPatternFile's.
  static absl::StatusOr<PatternChoice> Read(const std::string& text);

  // Of a generated kind: one byte from each rank to each of its receivers. Of a
  // file: its pattern, whatever the number of ranks. Errors:
  // MakeGeneratedPattern's.
  absl::StatusOr<std::shared_ptr<const CommPattern>> ForRanks(
      std::uint64_t ranks) const;
  bool IsGenerated() const { return kind_ != nullptr; }
  // Whether the ranks come out even on that many nodes.
  bool Suits(NodeCount nodes) const {
    return kind_ != nullptr || file_->ranks() % nodes == 0;
  }

 private:
  const GeneratedPattern* kind_ = nullptr;
  std::shared_ptr<const CommPattern> file_;  // null: generated
};

}  // namespace coolspan

#endif  // COOLSPAN_FORMATS_PATTERN_CHOICE_H_
