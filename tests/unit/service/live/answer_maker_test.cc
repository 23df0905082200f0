// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/live/answer_maker.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <stdexcept>
#include <string>
#include <thread>
#include <variant>

namespace coolspan {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

// The answer, once it is made.
HttpAnswer Awaited(const HttpReply& reply) {
  if (const auto* const answer = std::get_if<HttpAnswer>(&reply)) {
    return *answer;
  }
  while (true) {
    auto answer = std::get<HttpLater>(reply).poll();
    if (answer.has_value()) return *answer;
    std::this_thread::sleep_for(milliseconds(1));
  }
}

TEST(AnswerMaker, MakesOneAnswerForAllThatAsk) {
  std::promise<void> go;
  std::atomic<int> made = 0;
  AnswerMaker maker([] {});
  const auto make = [&, wait = go.get_future().share()] {
    wait.wait();
    return HttpAnswer{.body = std::to_string(++made)};
  };
  const HttpReply first = maker.Get("a", hours(1), make);
  const HttpReply second = maker.Get("a", hours(1), make);
  EXPECT_FALSE(std::get<HttpLater>(first).poll().has_value());
  go.set_value();
  EXPECT_EQ(Awaited(first).body, "1");
  EXPECT_EQ(Awaited(second).body, "1");
  EXPECT_EQ(Awaited(maker.Get("a", hours(1), make)).body, "1");
  EXPECT_EQ(Awaited(maker.Get("b", milliseconds(0), make)).body, "2");
  EXPECT_EQ(Awaited(maker.Get("b", milliseconds(0), make)).body, "3") << "old";
}

TEST(AnswerMaker, RefusesMoreThanItKeeps) {
  std::promise<void> go;
  AnswerMaker maker([] {});
  const auto make = [wait = go.get_future().share()] {
    wait.wait();
    return HttpAnswer{};
  };
  int refused = 0;
  // One may have left the queue.
  for (std::size_t i = 0; i < AnswerMaker::kMaxWaiting + 10; ++i) {
    const HttpReply reply = maker.Get(std::to_string(i), hours(1), make);
    if (std::holds_alternative<HttpAnswer>(reply)) {
      EXPECT_EQ(std::get<HttpAnswer>(reply).status, 503);
      ++refused;
    }
  }
  EXPECT_GE(refused, 9);
  go.set_value();
}

TEST(AnswerMaker, AnExceptionIsAnAnswer) {
  AnswerMaker maker([] {});
  const HttpAnswer answer =
      Awaited(maker.Get("a", hours(1), []() -> HttpAnswer {
        throw std::runtime_error("out of paper");
      }));
  EXPECT_EQ(answer.status, 500);
  EXPECT_EQ(answer.body, "out of paper\n");
}

}  // namespace
}  // namespace coolspan
