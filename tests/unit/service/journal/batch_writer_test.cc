// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/journal/batch_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace coolspan {
namespace {

using testing::ElementsAre;

// A writer whose attempts end when the test says how.
class BatchWriterTest : public testing::Test {
 protected:
  using Writer = BatchWriter<int>;

  ~BatchWriterTest() override {
    {
      const std::lock_guard lock(mutex_);
      is_over_ = true;
    }
    changed_.notify_all();
    writer_.reset();
  }

  void WaitForAttempt(int number) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return attempts_ >= number; });
  }
  void EndAttempt(absl::Status status) {
    const std::lock_guard lock(mutex_);
    result_ = std::move(status);
    changed_.notify_all();
  }

  // The results of WhenWritten, by ticket; waits for the number of them.
  Writer::Done Note(Writer::Ticket ticket) {
    return [this, ticket](const absl::Status& status) {
      const std::lock_guard lock(mutex_);
      done_.emplace_back(ticket, status.ok());
      changed_.notify_all();
    };
  }
  std::vector<std::pair<Writer::Ticket, bool>> Done(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return done_.size() >= count; });
    return done_;
  }

  absl::Status Wait(Writer::Ticket ticket) {
    return *ResultBy(kNever, [this, ticket](Writer::Done done) {
      writer_->WhenWritten(ticket, kNever, std::move(done));
    });
  }

  static constexpr auto kNever = Writer::Clock::time_point::max();

  std::mutex mutex_;
  std::condition_variable changed_;
  int attempts_ = 0;
  bool is_over_ = false;
  std::optional<absl::Status> result_;
  std::vector<std::pair<Writer::Ticket, bool>> done_;
  std::unique_ptr<Writer> writer_ =
      std::make_unique<Writer>([this](const std::vector<int>& items) {
        std::unique_lock lock(mutex_);
        ++attempts_;
        changed_.notify_all();
        changed_.wait(lock, [this] { return is_over_ || result_.has_value(); });
        Writer::Result result;
        if (result_.has_value()) result.status = *std::exchange(result_, {});
        if (!result.status.ok()) result.unwritten = items.size();
        return result;
      });
};

TEST_F(BatchWriterTest, CallsWhenWritten) {
  const auto first = writer_->Append(1);
  writer_->WhenWritten(first, kNever, Note(first));
  WaitForAttempt(1);
  // Not in the attempt under way.
  const auto second = writer_->Append(2);
  writer_->WhenWritten(second, kNever, Note(second));
  EndAttempt(absl::OkStatus());
  EXPECT_THAT(Done(1), ElementsAre(std::pair(first, true)));
  WaitForAttempt(2);
  EndAttempt(absl::OkStatus());
  EXPECT_THAT(Done(2),
              ElementsAre(std::pair(first, true), std::pair(second, true)));
}

TEST_F(BatchWriterTest, CallsAtOnceIfWrittenBefore) {
  const auto first = writer_->Append(1);
  writer_->WhenWritten(first, kNever, Note(first));
  WaitForAttempt(1);
  EndAttempt(absl::OkStatus());
  Done(1);
  writer_->WhenWritten(first, kNever, Note(first));
  EXPECT_EQ(Done(2).size(), 2U);
  EXPECT_EQ(attempts_, 1);
}

TEST_F(BatchWriterTest, AFailedAttemptIsAnErrorAndTheNextMayNotBe) {
  const auto first = writer_->Append(1);
  writer_->WhenWritten(first, kNever, Note(first));
  WaitForAttempt(1);
  EndAttempt(absl::UnavailableError("full"));
  EXPECT_THAT(Done(1), ElementsAre(std::pair(first, false)));
  writer_->WhenWritten(first, kNever, Note(first));
  WaitForAttempt(2);
  EndAttempt(absl::OkStatus());
  EXPECT_THAT(Done(2),
              ElementsAre(std::pair(first, false), std::pair(first, true)));
}

TEST_F(BatchWriterTest, ACallEndsAtItsTime) {
  const auto first = writer_->Append(1);
  writer_->WhenWritten(first, Writer::Clock::now(), Note(first));
  writer_->WhenWritten(first, kNever, Note(first));
  WaitForAttempt(1);
  writer_->FailOverdue();
  EXPECT_THAT(Done(1), ElementsAre(std::pair(first, false)));
  EndAttempt(absl::OkStatus());
  EXPECT_THAT(Done(2),
              ElementsAre(std::pair(first, false), std::pair(first, true)));
}

TEST_F(BatchWriterTest, EveryCallEndsWithTheWriter) {
  const auto first = writer_->Append(1);
  writer_->WhenWritten(first, kNever, Note(first));
  WaitForAttempt(1);
  const auto second = writer_->Append(2);
  writer_->WhenWritten(second, kNever, Note(second));
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  changed_.notify_all();
  writer_.reset();
  EXPECT_EQ(done_.size(), 2U);
}

TEST_F(BatchWriterTest, WaitersOfTwoAttemptsAreWoken) {
  const auto first = writer_->Append(1);
  std::thread earlier([&] { EXPECT_TRUE(Wait(first).ok()); });
  WaitForAttempt(1);
  const auto second = writer_->Append(2);
  std::thread later([&] { EXPECT_TRUE(Wait(second).ok()); });
  EndAttempt(absl::OkStatus());
  earlier.join();
  WaitForAttempt(2);
  EndAttempt(absl::OkStatus());
  later.join();
}

}  // namespace
}  // namespace coolspan
