// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/subcommand.h"

namespace coolspan {
namespace {

constexpr SubcommandEntry kTable[] = {
    {"order", "show or compare the orderings of a machine", SetUpOrder},
    {"allocate", "choose nodes for one request", SetUpAllocate},
};

}  // namespace

std::span<const SubcommandEntry> SubcommandTable() { return kTable; }

}  // namespace coolspan
