// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/codec/text_limits.h"

#include <gtest/gtest.h>

#include <string>

#include "coolspan/v1/allocator.pb.h"

namespace coolspan {
namespace {

TEST(TextLimitsTest, LongTextsAreNamed) {
  v1::AllocateRequest request;
  request.set_user(std::string(kMaxTextBytes, 'u'));
  request.set_candidates(std::string(1'000'000, '\xff'));
  request.set_comment(std::string(100'000, 'c'));
  EXPECT_TRUE(CheckTexts(request).ok());
  request.set_user(std::string(kMaxTextBytes + 1, 'u'));
  EXPECT_EQ(CheckTexts(request),
            absl::InvalidArgumentError("user: 4097 bytes (expected at most "
                                       "4096)"));
  v1::SyncRequest sync;
  sync.add_hostlist(std::string(100'000, 'n'));
  EXPECT_TRUE(CheckTexts(sync).ok());
}

TEST(TextLimitsTest, NestedMessagesAreChecked) {
  v1::SessionRequest request;
  request.mutable_preview()->mutable_request()->set_partition(
      std::string(5000, 'p'));
  EXPECT_EQ(CheckTexts(request).message(),
            "partition: 5000 bytes (expected at most 4096)");
  v1::SyncRequest sync;
  sync.add_holdings();
  sync.add_holdings()->set_comment(std::string(5000, 'c'));
  EXPECT_TRUE(CheckTexts(sync).ok());
  sync.add_starts()->mutable_start()->set_reason(std::string(5000, 'r'));
  EXPECT_TRUE(CheckTexts(sync).ok());
  sync.add_starts()->set_cluster(std::string(5000, 'c'));
  EXPECT_FALSE(CheckTexts(sync).ok());
}

}  // namespace
}  // namespace coolspan
