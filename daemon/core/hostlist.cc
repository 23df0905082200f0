// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/hostlist.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"

namespace coolspan {
namespace {

constexpr std::size_t kMaxDigits = 18;  // any such number fits in 63 bits
// Where counts of names saturate: above any limit.
constexpr std::uint64_t kMaxCount = std::uint64_t{1} << 62;

struct NumberRange {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  std::size_t width = 0;  // zero-padded to this

  std::uint64_t count() const { return high - low + 1; }
};

std::size_t DigitCount(std::uint64_t number) {
  std::size_t digits = 1;
  for (; number >= 10; number /= 10) ++digits;
  return digits;
}

absl::Status ErrorAt(std::size_t offset, std::string_view problem) {
  return absl::InvalidArgumentError(
      fmt::format("column {}: {}", offset + 1, problem));
}

absl::Status TooMany(std::size_t offset, std::size_t max_names) {
  return ErrorAt(offset, fmt::format("more than {} names (expected at most {})",
                                     max_names, max_names));
}

absl::Status TooLong(std::size_t offset) {
  return ErrorAt(
      offset, fmt::format("name is too long (expected at most {} characters)",
                          kMaxHostNameBytes));
}

// A part of an expression for a one-line message.
std::string Excerpt(std::string_view text) {
  constexpr std::size_t kMaxBytes = 40;
  std::string excerpt(text.substr(0, kMaxBytes));
  for (char& c : excerpt) {
    if (!absl::ascii_isgraph(c)) c = absl::ascii_isspace(c) ? ' ' : '?';
  }
  return text.size() > kMaxBytes ? excerpt + "..." : excerpt;
}

// Parses an expression from left to right and reports to a sink:
// Text(string_view), Range(NumberRange), and EndBracket() after each bracket.
// Stops at the first error.
class Reader {
 public:
  Reader(std::string_view text, std::size_t max_names)
      : text_(text), max_names_(max_names) {}

  // The offset of the current name.
  std::size_t name_start() const { return name_start_; }

  // Moves to the next name; false at the end.
  absl::StatusOr<bool> FindName() {
    SkipBlanks();
    if (!AtEnd() && text_[at_] == ',') {
      const std::size_t comma = at_++;
      SkipBlanks();
      if (first_ || AtEnd() || text_[at_] == ',') {
        return ErrorAt(comma,
                       "missing name before or after ',' (expected a list such "
                       "as n1,n2)");
      }
    }
    first_ = false;
    name_start_ = at_;
    return !AtEnd();
  }

  template <typename Sink>
  absl::Status ReadName(Sink& sink) {
    while (!AtEnd() && !IsSeparator(text_[at_])) {
      if (text_[at_] == '[') {
        absl::Status status = ReadBracket(sink);
        if (!status.ok()) return status;
        sink.EndBracket();
      } else {
        absl::StatusOr<std::string_view> piece = ReadText();
        if (!piece.ok()) return piece.status();
        sink.Text(*piece);
      }
    }
    return absl::OkStatus();
  }

 private:
  static bool IsSeparator(char c) { return c == ',' || absl::ascii_isspace(c); }
  bool AtEnd() const { return at_ == text_.size(); }
  void SkipBlanks() {
    while (!AtEnd() && absl::ascii_isspace(text_[at_])) ++at_;
  }

  absl::StatusOr<std::string_view> ReadText() {
    const std::size_t start = at_;
    for (; !AtEnd() && !IsSeparator(text_[at_]) && text_[at_] != '['; ++at_) {
      if (text_[at_] == ']') {
        return ErrorAt(at_, "unmatched ']' (expected a list such as n[1-3])");
      }
      if (!absl::ascii_isgraph(text_[at_])) {
        return ErrorAt(at_,
                       "invalid character (expected names in printable ASCII)");
      }
      if (at_ - start == kMaxHostNameBytes) return TooLong(name_start_);
    }
    return text_.substr(start, at_ - start);
  }

  template <typename Sink>
  absl::Status ReadBracket(Sink& sink) {
    const std::size_t bracket = at_;
    std::uint64_t names = 0;
    do {
      ++at_;
      absl::StatusOr<NumberRange> range = ReadRange(bracket);
      if (!range.ok()) return range.status();
      sink.Range(*range);
      names += range->count();
      if (names > max_names_) return TooMany(name_start_, max_names_);
    } while (text_[at_] == ',');
    ++at_;
    return absl::OkStatus();
  }

  // Stops at the ',' or ']' after the range.
  absl::StatusOr<NumberRange> ReadRange(std::size_t bracket) {
    const std::size_t start = at_;
    NumberRange range;
    absl::Status status = ReadNumber(bracket, range.low);
    if (!status.ok()) return status;
    range.width = at_ - start;
    range.high = range.low;
    if (!AtEnd() && text_[at_] == '-') {
      ++at_;
      status = ReadNumber(bracket, range.high);
      if (!status.ok()) return status;
    }
    if (AtEnd()) return Unclosed(bracket);
    if (text_[at_] != ',' && text_[at_] != ']') {
      return ErrorAt(at_, "invalid range (expected numbers as in n[1-3,5])");
    }
    if (range.high < range.low) {
      return ErrorAt(start,
                     "descending range (expected the smaller number first)");
    }
    return range;
  }

  absl::Status ReadNumber(std::size_t bracket, std::uint64_t& number) {
    const std::size_t start = at_;
    number = 0;
    for (; !AtEnd() && absl::ascii_isdigit(text_[at_]); ++at_) {
      if (at_ - start == kMaxDigits) {
        return ErrorAt(start,
                       fmt::format("number is too long (expected at most {} "
                                   "digits)",
                                   kMaxDigits));
      }
      number = number * 10 + static_cast<std::uint64_t>(text_[at_] - '0');
    }
    if (at_ > start) return absl::OkStatus();
    if (AtEnd()) return Unclosed(bracket);
    return ErrorAt(at_, "missing number (expected numbers as in n[1-3,5])");
  }

  absl::Status Unclosed(std::size_t bracket) const {
    return ErrorAt(bracket, fmt::format("unclosed '[' in \"{}\"",
                                        Excerpt(text_.substr(name_start_))));
  }

  std::string_view text_;
  std::size_t max_names_;
  std::size_t at_ = 0;
  std::size_t name_start_ = 0;
  bool first_ = true;
};

// The number of names of one pattern and the length of the longest, in constant
// memory.
class SizeSink {
 public:
  void Text(std::string_view text) { bytes_ += text.size(); }
  void Range(const NumberRange& range) {
    in_bracket_ += range.count();
    digits_ = std::max({digits_, range.width, DigitCount(range.high)});
  }
  void EndBracket() {
    names_ =
        names_ > kMaxCount / in_bracket_ ? kMaxCount : names_ * in_bracket_;
    bytes_ += digits_;
    in_bracket_ = 0;
    digits_ = 0;
  }

  std::uint64_t names() const { return names_; }
  std::size_t bytes() const { return bytes_; }

 private:
  std::uint64_t names_ = 1;
  std::size_t bytes_ = 0;
  std::uint64_t in_bracket_ = 0;
  std::size_t digits_ = 0;
};

// One parsed pattern.
class Pattern {
 public:
  void Text(std::string_view text) { tail_ = text; }
  void Range(const NumberRange& range) { open_.push_back(range); }
  void EndBracket() {
    brackets_.push_back({tail_, std::exchange(open_, {}), 0, 0});
    tail_ = {};
  }

  absl::Status Visit(absl::FunctionRef<absl::Status(std::string_view)> visit) {
    std::string name;
    do {
      name.clear();
      for (const Bracket& bracket : brackets_) bracket.AppendTo(name);
      name += tail_;
      absl::Status status = visit(name);
      if (!status.ok()) return status;
    } while (Advance());
    return absl::OkStatus();
  }

 private:
  struct Bracket {
    std::string_view before;
    std::vector<NumberRange> ranges;
    std::size_t range;
    std::uint64_t step;

    void AppendTo(std::string& name) const {
      name += before;
      char digits[kMaxDigits + 1];
      const char* const end = std::to_chars(digits, digits + sizeof(digits),
                                            ranges[range].low + step)
                                  .ptr;
      const std::size_t length = static_cast<std::size_t>(end - digits);
      if (ranges[range].width > length) {
        name.append(ranges[range].width - length, '0');
      }
      name.append(digits, length);
    }
    // Moves to the next number; false if it wraps around to the first.
    bool Advance() {
      if (++step < ranges[range].count()) return true;
      step = 0;
      if (++range < ranges.size()) return true;
      range = 0;
      return false;
    }
  };

  // The last bracket varies fastest, then the first, the second and so on: the
  // order in which Slurm numbers the nodes of a NodeName line.
  bool Advance() {
    if (brackets_.empty()) return false;
    if (brackets_.back().Advance()) return true;
    for (std::size_t b = 0; b + 1 < brackets_.size(); ++b) {
      if (brackets_[b].Advance()) return true;
    }
    return false;
  }

  std::vector<Bracket> brackets_;
  std::vector<NumberRange> open_;
  std::string_view tail_;
};

// Validates the whole expression and counts its names.
absl::StatusOr<std::size_t> CountNames(std::string_view expression,
                                       std::size_t max_names) {
  max_names = std::min(max_names, kMaxHostlistBytes);
  Reader reader(expression, max_names);
  std::uint64_t names = 0;
  std::uint64_t bytes = 0;
  while (true) {
    absl::StatusOr<bool> found = reader.FindName();
    if (!found.ok()) return found.status();
    if (!*found) return static_cast<std::size_t>(names);
    SizeSink size;
    absl::Status status = reader.ReadName(size);
    if (!status.ok()) return status;
    if (size.bytes() > kMaxHostNameBytes) return TooLong(reader.name_start());
    names = std::min(names + size.names(), kMaxCount);
    if (names > max_names) return TooMany(reader.name_start(), max_names);
    bytes += size.names() * size.bytes();
    if (bytes > kMaxHostlistBytes) {
      return ErrorAt(reader.name_start(),
                     fmt::format("names are too long (expected at most {} "
                                 "characters in total)",
                                 kMaxHostlistBytes));
    }
  }
}

absl::Status VisitChecked(
    std::string_view expression, std::size_t max_names,
    absl::FunctionRef<absl::Status(std::string_view)> visit) {
  Reader reader(expression, max_names);
  while (true) {
    absl::StatusOr<bool> found = reader.FindName();
    if (!found.ok()) return found.status();
    if (!*found) return absl::OkStatus();
    Pattern pattern;
    absl::Status status = reader.ReadName(pattern);
    if (!status.ok()) return status;
    status = pattern.Visit(visit);
    if (!status.ok()) return status;
  }
}

// A name split before the number at its end, if any of at most kMaxDigits
// digits.
struct NumberedName {
  std::string_view prefix;
  std::string_view digits;
  std::uint64_t number = 0;
};

NumberedName SplitNumber(std::string_view name) {
  std::size_t start = name.size();
  while (start > 0 && absl::ascii_isdigit(name[start - 1])) --start;
  if (name.size() - start > kMaxDigits) start = name.size();
  NumberedName split{name.substr(0, start), name.substr(start)};
  std::from_chars(split.digits.data(),
                  split.digits.data() + split.digits.size(), split.number);
  return split;
}

// The numbers of consecutive names with one prefix.
class Fold {
 public:
  bool Accepts(const NumberedName& name) const {
    return started_ && !name.digits.empty() && !last_.digits.empty() &&
           name.prefix == last_.prefix;
  }

  void Add(const NumberedName& name) {
    // "n08" continues with "n09" and "n10", not with "n9": a range is printed
    // with the padding of its first number.
    const bool continues =
        started_ && name.number == last_.number + 1 &&
        name.digits.size() ==
            std::max(first_.digits.size(), DigitCount(name.number));
    if (!continues) {
      if (started_) EndRange();
      first_ = name;
    }
    last_ = name;
    started_ = true;
  }

  void WriteTo(std::string& list) {
    if (!started_) return;
    EndRange();
    if (!list.empty()) list += ',';
    list += first_.prefix;
    if (numbers_ > 1) list += '[';
    list += ranges_;
    if (numbers_ > 1) list += ']';
    ranges_.clear();
    numbers_ = 0;
    started_ = false;
  }

 private:
  void EndRange() {
    if (numbers_ > 0) ranges_ += ',';
    ranges_ += first_.digits;
    ++numbers_;
    if (first_.number != last_.number) {
      ranges_ += '-';
      ranges_ += last_.digits;
      ++numbers_;
    }
  }

  bool started_ = false;
  NumberedName first_;  // of the current range
  NumberedName last_;
  std::string ranges_;       // the completed ones, as printed
  std::size_t numbers_ = 0;  // printed in ranges_
};

}  // namespace

absl::StatusOr<std::vector<std::string>> ExpandHostlist(
    std::string_view expression, std::size_t max_names) {
  absl::StatusOr<std::size_t> count = CountNames(expression, max_names);
  if (!count.ok()) return count.status();
  std::vector<std::string> names;
  names.reserve(*count);
  absl::Status status =
      VisitChecked(expression, max_names, [&](std::string_view name) {
        names.emplace_back(name);
        return absl::OkStatus();
      });
  if (!status.ok()) return status;
  return names;
}

absl::Status VisitHostlist(
    std::string_view expression, std::size_t max_names,
    absl::FunctionRef<absl::Status(std::string_view)> visit) {
  absl::StatusOr<std::size_t> count = CountNames(expression, max_names);
  if (!count.ok()) return count.status();
  return VisitChecked(expression, max_names, visit);
}

std::string CompressHostlist(std::span<const std::string_view> names) {
  std::string list;
  Fold fold;
  for (const std::string_view name : names) {
    const NumberedName numbered = SplitNumber(name);
    if (!fold.Accepts(numbered)) fold.WriteTo(list);
    fold.Add(numbered);
  }
  fold.WriteTo(list);
  return list;
}

}  // namespace coolspan
