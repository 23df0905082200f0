// SPDX-License-Identifier: GPL-3.0-or-later
// Patterns of jobs: Map, Allocate and Preview over a real connection.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "unit/service/serving_test.h"

namespace coolspan {
namespace {

using ::testing::HasSubstr;

class MapTest : public ServingTest {
 protected:
  MapTest() { Sync(); }

  // Ranks 0 and 2 talk, and 1 and 3.
  static void SetPattern(v1::CommPattern& pattern) {
    pattern.set_ranks(4);
    for (const std::uint32_t rank : {0U, 1U}) {
      pattern.add_from(rank);
      pattern.add_to(rank + 2);
      pattern.add_bytes(10);
    }
  }
  static v1::MapRequest MapOf(std::uint32_t job_id) {
    v1::MapRequest request;
    request.set_job_id(job_id);
    SetPattern(*request.mutable_pattern());
    return request;
  }
  std::string ErrorOf(const v1::MapRequest& request,
                      grpc::StatusCode expected) {
    v1::MapReply reply;
    const grpc::Status status = Call(&Stub::Map, request, reply);
    EXPECT_EQ(status.error_code(), expected) << status.error_message();
    return status.error_message();
  }
};

TEST_F(MapTest, MapsTheRanksOfARunningJob) {
  Commit(CommitOf(epoch_, 1, 7, {2, 3, 4, 5}));
  const v1::MapReply reply = Good(&Stub::Map, MapOf(7));
  ASSERT_EQ(reply.hostlist_size(), 4);
  EXPECT_EQ(reply.hostlist(0), "n2");
  ASSERT_EQ(reply.rank_to_node_size(), 4);
  EXPECT_EQ(reply.cost(), 20);
  EXPECT_EQ(reply.in_order_cost(), 40);
  EXPECT_FALSE(reply.stopped_early());
}

TEST_F(MapTest, RefusesWhatCannotBeMapped) {
  Commit(CommitOf(epoch_, 1, 7, {2, 3, 4}));
  EXPECT_THAT(ErrorOf(MapOf(8), grpc::StatusCode::NOT_FOUND),
              HasSubstr("job 8 holds no nodes"));
  EXPECT_THAT(ErrorOf(MapOf(7), grpc::StatusCode::INVALID_ARGUMENT),
              HasSubstr("4 ranks in the pattern, 3 slots on 3 nodes"));
  v1::MapRequest request = MapOf(7);
  request.set_method("rbc");
  EXPECT_THAT(ErrorOf(request, grpc::StatusCode::INVALID_ARGUMENT),
              HasSubstr("did you mean rcb?"));
  request = MapOf(7);
  request.mutable_pattern()->add_bytes(1);
  EXPECT_THAT(ErrorOf(request, grpc::StatusCode::INVALID_ARGUMENT),
              HasSubstr("pattern: 2 senders, 2 receivers, 3 numbers"));
  request = MapOf(7);
  request.mutable_pattern()->set_bytes(0, -1);
  EXPECT_THAT(ErrorOf(request, grpc::StatusCode::INVALID_ARGUMENT),
              HasSubstr("pattern: -1 bytes from rank 0"));
}

TEST_F(MapTest, AClientsMappingIsBounded) {
  Commit(CommitOf(epoch_, 1, 7, {2, 3, 4, 5}));
  v1::MapRequest request = MapOf(7);
  request.set_time_limit_s(-1);
  EXPECT_THAT(ErrorOf(request, grpc::StatusCode::INVALID_ARGUMENT),
              HasSubstr("time_limit_s: -1 (expected a number of at least 0)"));
  request.set_time_limit_s(0.001);
  request.mutable_pattern()->set_ranks(1 << 20);
  request.set_ranks_per_node(1 << 19);
  EXPECT_THAT(ErrorOf(request, grpc::StatusCode::INVALID_ARGUMENT),
              HasSubstr("2097152 slots on 4 nodes (expected at most 1048576"));
  // A ring of 4,096 ranks takes longer than a millisecond.
  request = MapOf(7);
  request.set_time_limit_s(0.001);
  v1::CommPattern& ring = *request.mutable_pattern();
  ring.Clear();
  ring.set_ranks(4096);
  for (std::uint32_t rank = 0; rank < 4096; ++rank) {
    ring.add_from(rank);
    ring.add_to((rank * 1031 + 7) % 4096 == rank ? (rank + 1) % 4096
                                                 : (rank * 1031 + 7) % 4096);
    ring.add_bytes(1);
  }
  EXPECT_TRUE(Good(&Stub::Map, request).stopped_early());
}

TEST_F(MapTest, AnAnswerHasTheNodesOfTheRanks) {
  v1::AllocateRequest request = AskFor(epoch_, 1, 4);
  SetPattern(*request.mutable_pattern());
  const v1::AllocateReply reply = Allocate(request);
  ASSERT_EQ(reply.rank_bits_size(), 4);
  std::vector<std::uint32_t> bits(reply.rank_bits().begin(),
                                  reply.rank_bits().end());
  EXPECT_EQ(std::max(bits[0], bits[2]) - std::min(bits[0], bits[2]), 1U);
  EXPECT_EQ(std::max(bits[1], bits[3]) - std::min(bits[1], bits[3]), 1U);
  v1::PreviewRequest preview;
  *preview.mutable_request() = request;
  EXPECT_EQ(Good(&Stub::Preview, preview).rank_bits_size(), 4);
  preview.mutable_request()->mutable_pattern()->set_ranks(0);
  EXPECT_EQ(CodeOf(&Stub::Preview, preview),
            grpc::StatusCode::INVALID_ARGUMENT);
  preview.mutable_request()->clear_pattern();
  EXPECT_EQ(Good(&Stub::Preview, preview).rank_bits_size(), 0);
}

}  // namespace
}  // namespace coolspan
