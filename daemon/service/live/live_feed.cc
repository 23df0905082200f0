// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/live/live_feed.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "service/live/happening_json.h"
#include "service/live/live_request.h"

namespace coolspan {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kPoll{200};
constexpr milliseconds kBatchTime{50};
constexpr int kMaxBatch = 4096;
constexpr std::size_t kBlock = std::size_t{64} << 10;

std::string EventText(std::string_view name, const Json& data) {
  return fmt::format("event: {}\ndata: {}\n\n", name,
                     data.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace

class LiveFeed::Stream final : public HttpStream {
 public:
  Stream(LiveFeed& feed, std::string cluster, std::uint64_t next)
      : feed_(feed), cluster_(std::move(cluster)), next_(next) {}
  ~Stream() override { feed_.Close(); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  std::optional<std::string> Next() override {
    std::string text;
    if (!std::exchange(is_open_, true)) {
      // How long a browser waits before it connects again, in milliseconds.
      text = "retry: 2000\n\n" + EventText("start", {{"start", feed_.start_}});
    }
    const auto now = steady_clock::now();
    {
      const std::lock_guard lock(feed_.mutex_);
      if (feed_.is_stopping_) return std::nullopt;
      feed_.Take(cluster_, next_, text);
    }
    if (text.empty() && now >= next_heartbeat_) {
      text = EventText("heartbeat", Json::object());
    }
    if (!text.empty()) next_heartbeat_ = now + feed_.limits_.heartbeat;
    return text;
  }

 private:
  LiveFeed& feed_;
  const std::string cluster_;
  std::uint64_t next_;
  bool is_open_ = false;
  steady_clock::time_point next_heartbeat_{};
};

LiveFeed::LiveFeed(WatchHub& hub, std::string start, Limits limits)
    : hub_(hub),
      start_(std::move(start)),
      limits_(limits),
      thread_([this] { Run(); }) {}

LiveFeed::~LiveFeed() {
  {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
    if (watcher_ != nullptr) watcher_->End();
  }
  changed_.notify_all();
  thread_.join();
}

absl::StatusOr<std::unique_ptr<HttpStream>> LiveFeed::Open(
    const std::string& cluster, std::string_view last_id) {
  const std::lock_guard lock(mutex_);
  if (streams_ >= limits_.streams) {
    return absl::ResourceExhaustedError(fmt::format(
        "too many event streams (expected at most {})", limits_.streams));
  }
  if (watcher_ == nullptr) {
    auto watcher = hub_.Add("");
    if (!watcher.ok()) return watcher.status();
    watcher_ = *std::move(watcher);
    changed_.notify_all();
  }
  ++streams_;
  const std::uint64_t end = first_ + events_.size();
  const auto last = ParseEventId(last_id, start_);
  const std::uint64_t next =
      last.has_value() ? std::min(end - 1, *last) + 1 : end;
  return std::unique_ptr<HttpStream>(
      std::make_unique<Stream>(*this, cluster, next));
}

std::size_t LiveFeed::streams() const {
  const std::lock_guard lock(mutex_);
  return streams_;
}

void LiveFeed::Close() {
  const std::lock_guard lock(mutex_);
  --streams_;
  last_closed_ = steady_clock::now();
}

bool LiveFeed::IsWatched() const {
  return streams_ > 0 || steady_clock::now() < last_closed_ + limits_.linger;
}

void LiveFeed::Run() {
  while (true) {
    std::shared_ptr<Watcher> watcher;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock,
                    [this] { return is_stopping_ || watcher_ != nullptr; });
      if (!is_stopping_ && IsWatched() && !watcher_->HasEnded()) {
        watcher = watcher_;
      } else if (watcher_ != nullptr) {
        hub_.Remove(std::exchange(watcher_, nullptr));
        // What happens now is missed, as the numbers must show.
        first_ += events_.size() + 1;
        events_.clear();
        bytes_ = 0;
      }
      if (is_stopping_) return;
    }
    if (watcher == nullptr) continue;
    auto happening = watcher->Next(kPoll);
    for (int i = 1; happening.has_value(); ++i) {
      Add(*happening);
      if (i == kMaxBatch) break;
      happening = watcher->Next(milliseconds(0));
    }
    // Waking this thread for each event would cost the journal's more.
    std::this_thread::sleep_for(kBatchTime);
  }
}

void LiveFeed::Add(const v1::Happening& happening) {
  std::string text = EventText(NameOf(happening), HappeningJson(happening));
  const std::lock_guard lock(mutex_);
  text.insert(0, fmt::format("id: {}-{}\n", start_, first_ + events_.size()));
  bytes_ += text.size();
  events_.push_back({happening.cluster(), std::move(text)});
  while (events_.size() > limits_.events ||
         (bytes_ > limits_.bytes && events_.size() > 1)) {
    bytes_ -= events_.front().text.size();
    events_.pop_front();
    ++first_;
  }
}

void LiveFeed::Take(const std::string& cluster, std::uint64_t& next,
                    std::string& text) const {
  if (next < first_) {
    text += EventText("missed", {{"missed", first_ - next}});
    next = first_;
  }
  const std::uint64_t end = first_ + events_.size();
  while (next < end && text.size() < kBlock) {
    const Event& event = events_[next - first_];
    ++next;
    const bool is_for_all = event.cluster.empty();
    if (cluster.empty() || is_for_all || event.cluster == cluster) {
      text += event.text;
    }
  }
}

}  // namespace coolspan
