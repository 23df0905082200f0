// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/codec/text_limits.h"

#include <fmt/format.h>
#include <google/protobuf/descriptor.h>

#include <string>
#include <vector>

namespace coolspan {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

bool IsUnlimited(const FieldDescriptor& field) {
  for (const char* const name :
       {"hostlist", "comment", "reason", "reason_class", "decision_id"}) {
    if (field.name() == name) return true;
  }
  return false;
}

absl::Status CheckText(const Message& message, const FieldDescriptor& field,
                       int index) {
  const Reflection& reflection = *message.GetReflection();
  std::string scratch;
  const std::string& text =
      field.is_repeated()
          ? reflection.GetRepeatedStringReference(message, &field, index,
                                                  &scratch)
          : reflection.GetStringReference(message, &field, &scratch);
  if (text.size() <= kMaxTextBytes) return absl::OkStatus();
  return absl::InvalidArgumentError(
      fmt::format("{}: {} bytes (expected at most {})", field.name(),
                  text.size(), kMaxTextBytes));
}

absl::Status CheckEntry(const Message& message, const FieldDescriptor& field,
                        int index) {
  if (field.type() == FieldDescriptor::TYPE_STRING) {
    return IsUnlimited(field) ? absl::OkStatus()
                              : CheckText(message, field, index);
  }
  const Reflection& reflection = *message.GetReflection();
  return CheckTexts(field.is_repeated()
                        ? reflection.GetRepeatedMessage(message, &field, index)
                        : reflection.GetMessage(message, &field));
}

}  // namespace

absl::Status CheckTexts(const Message& request) {
  std::vector<const FieldDescriptor*> fields;
  request.GetReflection()->ListFields(request, &fields);
  for (const FieldDescriptor* const field : fields) {
    if (field->type() != FieldDescriptor::TYPE_STRING &&
        field->type() != FieldDescriptor::TYPE_MESSAGE) {
      continue;
    }
    const int count = field->is_repeated()
                          ? request.GetReflection()->FieldSize(request, field)
                          : 1;
    for (int i = 0; i < count; ++i) {
      absl::Status status = CheckEntry(request, *field, i);
      if (!status.ok()) return status;
    }
  }
  return absl::OkStatus();
}

}  // namespace coolspan
