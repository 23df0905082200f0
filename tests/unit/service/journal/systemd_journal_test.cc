// SPDX-License-Identifier: GPL-3.0-or-later
// With a real journald: tests/integration/journald_test.py.
#include "service/journal/systemd_journal.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "folders.h"

namespace coolspan {
namespace {

TEST(SystemdJournalTest, TheManPageListsTheMessageIds) {
  std::ifstream in(SourceDir() / "docs/man/coolspand.8");
  const std::string page(std::istreambuf_iterator<char>(in), {});
  std::set<std::string_view> ids;
  std::string list;
  for (const JournalMessageId& known : kMessageIds) {
    list += fmt::format("{:<9} {}\n", known.event, known.id);
    EXPECT_EQ(known.id.size(), 32u) << known.event;
    ids.insert(known.id);
  }
  EXPECT_EQ(ids.size(), std::size(kMessageIds));
  EXPECT_THAT(page, testing::HasSubstr(".nf\n" + list + ".fi\n"));
}

}  // namespace
}  // namespace coolspan
