// SPDX-License-Identifier: GPL-3.0-or-later
#include "documents/man_pages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <iterator>
#include <string>

#include "cli/command_line.h"
#include "folders.h"

namespace coolspan {
namespace {

using testing::HasSubstr;

constexpr char kPage[] = R"(.TH COOLSPAN 1 2026-01-02 "Coolspan 1" "Coolspan"
.SH DESCRIPTION
.SS Endpoints
Where it is.
.TP
.BI \-\-tls\-cert " FILE"
Certificate.
.SH SUBCOMMANDS
.SS map\-view
.B coolspan map\-view
.I A
.PP
.B coolspan map\-view
.I B
.PP
Draws.
.PP
More.
.TP
.BI \-\-out " FILE"
Where to.
.SS other
Other.
.SH FILES
)";

TEST(SubcommandPage, HasThePartsOfTheSection) {
  CLI::App app("draw a map-view", "map-view");
  std::string text;
  app.add_option("--out", text);
  const auto page = SubcommandPage(app, kPage);
  ASSERT_TRUE(page.ok()) << page.status();
  EXPECT_THAT(*page, HasSubstr(".TH COOLSPAN\\-MAP\\-VIEW 1 2026-01-02 \""));
  EXPECT_THAT(*page, HasSubstr(".SH NAME\ncoolspan\\-map\\-view \\- draw a "
                               "map\\-view\n"));
  EXPECT_THAT(*page, HasSubstr(".SH SYNOPSIS\n.B coolspan map\\-view\n.I A\n"
                               ".br\n.B coolspan map\\-view\n.I B\n"
                               ".SH DESCRIPTION\nDraws.\n.PP\nMore.\n"
                               ".SH OPTIONS\n.TP\n.BI \\-\\-out \" FILE\"\n"));
  EXPECT_THAT(*page, testing::Not(HasSubstr("Other")));
  EXPECT_THAT(*page, testing::Not(HasSubstr("tls")));
}

TEST(SubcommandPage, HasTheOptionsOfEndpoints) {
  CLI::App app("draw", "map-view");
  std::string text;
  app.add_option("--tls-cert", text);
  const auto page = SubcommandPage(app, kPage);
  ASSERT_TRUE(page.ok()) << page.status();
  EXPECT_THAT(*page, HasSubstr("Where to.\n.TP\n.BI \\-\\-tls\\-cert"));
}

TEST(SubcommandPage, RefusesAMissingSectionAndAMissingOption) {
  CLI::App unknown("", "unknown");
  EXPECT_THAT(SubcommandPage(unknown, kPage).status().message(),
              HasSubstr("no section unknown"));
  CLI::App app("", "map-view");
  std::string text;
  app.add_option("--in", text);
  EXPECT_THAT(SubcommandPage(app, kPage).status().message(),
              HasSubstr("section map-view lacks --in"));
}

TEST(SubcommandPage, IsMadeForEverySubcommand) {
  std::ifstream file(SourceDir() / "docs/man/coolspan.1");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  const CommandLine line;
  for (const CLI::App* const app :
       line.app().get_subcommands([](const CLI::App*) { return true; })) {
    if (app->get_name() == "replay") continue;  // coolspan-replay.1
    const auto made = SubcommandPage(*app, page);
    EXPECT_TRUE(made.ok()) << made.status();
  }
}

}  // namespace
}  // namespace coolspan
