// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/live/answer_maker.h"

#include <fmt/format.h>

#include <exception>
#include <optional>
#include <utility>

#include "service/http/http_status.h"

namespace coolspan {

AnswerMaker::AnswerMaker(std::function<void()> on_made)
    : on_made_(std::move(on_made)), thread_([this] { Run(); }) {}

AnswerMaker::~AnswerMaker() {
  {
    const std::lock_guard lock(*mutex_);
    is_stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

HttpReply AnswerMaker::Get(const std::string& key,
                           std::chrono::milliseconds max_age, Make make) {
  const std::lock_guard lock(*mutex_);
  ForgetOld();
  std::shared_ptr<Answer>& answer = answers_[key];
  if (answer == nullptr) {
    if (waiting_.size() >= kMaxWaiting) {
      answers_.erase(key);
      return HttpAnswer{.status = kHttpUnavailable,
                        .body = "too many requests are waiting\n",
                        .headers = {{"Retry-After", "1"}}};
    }
    answer = std::make_shared<Answer>();
    answer->key = key;
    answer->make = std::move(make);
    answer->max_age = max_age;
    waiting_.push_back(answer);
    changed_.notify_one();
  } else if (answer->is_made) {
    return answer->made;
  }
  return HttpLater{
      [mutex = mutex_, answer = answer]() -> std::optional<HttpAnswer> {
        const std::lock_guard poll_lock(*mutex);
        if (!answer->is_made) return std::nullopt;
        return answer->made;
      }};
}

void AnswerMaker::ForgetOld() {
  const auto now = Clock::now();
  std::erase_if(answers_, [now](const auto& entry) {
    const Answer& answer = *entry.second;
    return answer.is_made && answer.made_at + answer.max_age <= now;
  });
}

void AnswerMaker::Run() {
  while (true) {
    std::shared_ptr<Answer> answer;
    {
      std::unique_lock lock(*mutex_);
      changed_.wait(lock, [this] { return is_stopping_ || !waiting_.empty(); });
      if (is_stopping_) return;
      answer = std::move(waiting_.front());
      waiting_.pop_front();
    }
    HttpAnswer made;
    try {
      made = answer->make();
    } catch (const std::exception& error) {
      made = {.status = kHttpInternalError,
              .body = fmt::format("{}\n", error.what())};
    }
    {
      const std::lock_guard lock(*mutex_);
      answer->made = std::move(made);
      answer->made_at = Clock::now();
      answer->is_made = true;
      answer->make = nullptr;
    }
    on_made_();
  }
}

}  // namespace coolspan
