// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/clusters/decision_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace coolspan {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class DecisionQueueTest : public ::testing::Test {
 protected:
  using Clock = DecisionQueue::Clock;

  // A call about that job, after as many events as its number.
  void Add(std::uint32_t job_id, std::uint64_t after_sequence = 0,
           milliseconds left = milliseconds(1000), bool has_left = false) {
    v1::AllocateRequest& request = requests_.at(job_id);
    request.mutable_job()->set_job_id(job_id);
    request.set_after_sequence(after_sequence);
    DecisionQueue::Call call{};
    call.request = &request;
    call.limits = {now_ + left, milliseconds(10)};
    call.has_left = [has_left] { return has_left; };
    call.done = [this, job_id](const absl::StatusOr<v1::AllocateReply>& reply) {
      told_.emplace_back(job_id, reply.status().message());
    };
    queue_.Add(std::move(call));
  }
  // The job of the call that may be decided; 0: none.
  std::uint32_t Next() {
    std::vector<DecisionQueue::Ended> ended;
    const auto call = queue_.TakeNext(now_, is_ready_, ended);
    Tell(ended);
    return call.has_value() ? call->request->job().job_id() : 0;
  }
  void Tell(std::vector<DecisionQueue::Ended>& ended) {
    for (DecisionQueue::Ended& call : ended) call.done(call.status);
  }
  std::vector<std::uint32_t> Told() const {
    std::vector<std::uint32_t> jobs;
    for (const auto& [job_id, message] : told_) jobs.push_back(job_id);
    return jobs;
  }

  Clock::time_point now_ = Clock::now();
  std::uint64_t applied_ = 0;
  std::uint32_t closed_job_ = 0;
  const DecisionQueue::IsReady is_ready_ =
      [this](const v1::AllocateRequest& request) -> absl::StatusOr<bool> {
    if (request.job().job_id() == closed_job_) {
      return absl::FailedPreconditionError("closed");
    }
    return request.after_sequence() <= applied_;
  };
  std::array<v1::AllocateRequest, 10> requests_;
  std::vector<std::pair<std::uint32_t, std::string>> told_;
  DecisionQueue queue_;
};

TEST_F(DecisionQueueTest, InTheOrderOfArrival) {
  EXPECT_EQ(Next(), 0u);
  for (const std::uint32_t job : {3, 1, 2}) Add(job);
  EXPECT_EQ(Next(), 3u);
  EXPECT_EQ(Next(), 1u);
  EXPECT_EQ(Next(), 2u);
  EXPECT_TRUE(queue_.is_empty());
}

TEST_F(DecisionQueueTest, ACallThatWaitsForEventsIsOvertaken) {
  Add(1, 2);
  Add(2, 1);
  Add(3);
  EXPECT_EQ(Next(), 3u);
  EXPECT_EQ(Next(), 0u);
  applied_ = 1;
  EXPECT_EQ(Next(), 2u);
  applied_ = 2;
  EXPECT_EQ(Next(), 1u);
  EXPECT_THAT(told_, IsEmpty());
}

TEST_F(DecisionQueueTest, CallsThatHaveEndedAreTold) {
  Add(1, 9, milliseconds(0));
  Add(2, 0, milliseconds(0));
  Add(3, 9, milliseconds(1000), true);
  Add(4);
  closed_job_ = 4;
  Add(5, 9);
  Add(6);
  EXPECT_EQ(Next(), 6u);
  EXPECT_THAT(Told(), ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(told_[0].second,
            "after_sequence: events up to 9 not received before the deadline");
  EXPECT_EQ(told_[1].second, "deadline exceeded before the decision started");
  EXPECT_EQ(told_[2].second, "cancelled");
  EXPECT_EQ(told_[3].second, "closed");
  EXPECT_FALSE(queue_.is_empty()) << "job 5 waits on";
}

TEST_F(DecisionQueueTest, EndedOnesBehindACallAreFound) {
  Add(1);
  Add(2, 0, milliseconds(0));
  std::vector<DecisionQueue::Ended> ended;
  queue_.TakeEnded(now_, is_ready_, ended);
  Tell(ended);
  EXPECT_THAT(Told(), ElementsAre(2));
  EXPECT_EQ(Next(), 1u);
}

TEST_F(DecisionQueueTest, AllAreToldAtTheEnd) {
  Add(1, 9);
  Add(2);
  std::vector<DecisionQueue::Ended> ended;
  queue_.EndAll(absl::UnavailableError("shutting down"), ended);
  Tell(ended);
  EXPECT_THAT(Told(), ElementsAre(1, 2));
  EXPECT_THAT(told_[1].second, HasSubstr("shutting down"));
  EXPECT_TRUE(queue_.is_empty());
}

TEST_F(DecisionQueueTest, LooksAgainAtADeadlineAndAtClientsThatMayLeave) {
  EXPECT_EQ(queue_.NextLook(now_), Clock::time_point::max());
  Add(1, 9, milliseconds(1000));
  EXPECT_LT(queue_.NextLook(now_), now_ + milliseconds(500));
  EXPECT_GT(queue_.NextLook(now_), now_);
  Add(2, 9, milliseconds(7));
  EXPECT_EQ(queue_.NextLook(now_), now_ + milliseconds(7));
}

TEST_F(DecisionQueueTest, IsFullOnce) {
  for (std::size_t i = 0; i < DecisionQueue::kMaxCalls; ++i) {
    EXPECT_FALSE(queue_.is_full());
    Add(1);
  }
  EXPECT_TRUE(queue_.is_full());
}

}  // namespace
}  // namespace coolspan
