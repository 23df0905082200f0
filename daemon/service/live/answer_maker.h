// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_LIVE_ANSWER_MAKER_H_
#define COOLSPAN_SERVICE_LIVE_ANSWER_MAKER_H_

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "service/http/http_server.h"

namespace coolspan {

// Makes answers on one thread, in the order in which they are asked for, so
// that any number of clients occupies no more than that. Whoever asks for what
// is being made, or was made less than its age ago, gets the same. Thread-safe.
class AnswerMaker {
 public:
  using Clock = std::chrono::steady_clock;
  using Make = std::function<HttpAnswer()>;
  static constexpr std::size_t kMaxWaiting = 64;

  // on_made: called after each answer, on the thread.
  explicit AnswerMaker(std::function<void()> on_made);
  // Waits for the answer being made.
  ~AnswerMaker();
  AnswerMaker(const AnswerMaker&) = delete;
  AnswerMaker& operator=(const AnswerMaker&) = delete;

  // key: of the answer. 503 if too many wait.
  HttpReply Get(const std::string& key, std::chrono::milliseconds max_age,
                Make make);

 private:
  struct Answer {
    std::string key;
    Make make;
    std::chrono::milliseconds max_age{};
    bool is_made = false;
    HttpAnswer made;
    Clock::time_point made_at;
  };

  void Run();
  // REQUIRES mutex_.
  void ForgetOld();

  const std::function<void()> on_made_;
  // Shared with the answers that are polled.
  const std::shared_ptr<std::mutex> mutex_ = std::make_shared<std::mutex>();
  std::condition_variable changed_;
  std::map<std::string, std::shared_ptr<Answer>> answers_;  // by key
  std::deque<std::shared_ptr<Answer>> waiting_;
  bool is_stopping_ = false;
  std::thread thread_;
};

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_LIVE_ANSWER_MAKER_H_
