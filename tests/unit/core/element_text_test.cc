// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/element_text.h"

#include <gtest/gtest.h>

namespace coolspan {
namespace {

TEST(ElementTextTest, MarkupBecomesText) {
  EXPECT_EQ(ElementText("<script>1 && 2 > 1</script>"),
            "&lt;script&gt;1 &amp;&amp; 2 &gt; 1&lt;/script&gt;");
  EXPECT_EQ(ElementText("&lt;"), "&amp;lt;");
}

TEST(ElementTextTest, OtherTextRemains) {
  EXPECT_EQ(ElementText("rack \"A\" 'n01' \xC3\xA4"),
            "rack \"A\" 'n01' \xC3\xA4");
  EXPECT_EQ(ElementText(""), "");
}

}  // namespace
}  // namespace coolspan
