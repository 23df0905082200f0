// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/journal/standard_error_sink.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "service/journal/event_log.h"

namespace coolspan {
namespace {

// A pipe as the standard error, as long as the object lives.
class ErrorPipe {
 public:
  ErrorPipe() : earlier_(dup(STDERR_FILENO)) {
    std::array<int, 2> ends{};
    EXPECT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
    reader_ = OwnedDescriptor(ends[0]);
    EXPECT_EQ(fcntl(reader_.get(), F_SETFL, O_NONBLOCK), 0);
    dup2(ends[1], STDERR_FILENO);
    close(ends[1]);
  }
  ~ErrorPipe() { dup2(earlier_.get(), STDERR_FILENO); }
  ErrorPipe(const ErrorPipe&) = delete;
  ErrorPipe& operator=(const ErrorPipe&) = delete;

  // What is in it.
  std::string Read() const {
    std::string text;
    std::array<char, 4096> part{};
    for (ssize_t size = 0;
         (size = read(reader_.get(), part.data(), part.size())) > 0;) {
      text.append(part.data(), static_cast<std::size_t>(size));
    }
    return text;
  }

 private:
  OwnedDescriptor earlier_;
  OwnedDescriptor reader_;
};

TEST(StandardErrorSink, LinesAreDroppedWhileNobodyReads) {
  constexpr int kLines = 5000;
  const ErrorPipe pipe;
  const auto log = *EventLog::Open({"info", "", "json"});
  for (int i = 0; i < kLines; ++i) {
    log->Write(spdlog::level::info, "test",
               {{"number", i}, {"why", std::string(100 + i % 50, 'x')}});
  }
  std::string text = pipe.Read();
  log->Write(spdlog::level::info, "last", {});
  text += pipe.Read();
  std::istringstream lines(text);
  std::vector<nlohmann::json> events;
  for (std::string line; std::getline(lines, line);) {
    events.push_back(nlohmann::json::parse(line));  // whole lines
  }
  ASSERT_GT(events.size(), 100u);
  EXPECT_EQ(events.back().at("event"), "last");
  const nlohmann::json& dropped = events[events.size() - 2];
  EXPECT_EQ(dropped.at("event"), "log");
  EXPECT_EQ(dropped.at("level"), "warning");
  EXPECT_EQ(dropped.at("lines"), kLines + 2 - events.size());
}

TEST(StandardErrorSink, AllLinesArriveIfSomebodyReads) {
  const ErrorPipe pipe;
  const auto log = *EventLog::Open({"info", "", "text"});
  std::string text;
  for (int i = 0; i < 1000; ++i) {
    log->Write(spdlog::level::info, "test", {{"number", i}});
    text += pipe.Read();
  }
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1000);
  EXPECT_EQ(text.find("dropped"), std::string::npos);
}

}  // namespace
}  // namespace coolspan
