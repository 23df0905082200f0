// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/rpc/frame_relay.h"

#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "service/rpc/frame_count.h"

namespace coolspan {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kBufferBytes = std::size_t{16} << 10;
constexpr std::size_t kEventsAtOnce = 64;

}  // namespace

// Bytes on their way from one socket to another.
class FrameRelay::Flow {
 public:
  // Reads, if all that was read before is sent. Empty: there is nothing.
  std::string_view Read(int from) {
    if (!CanRead()) return {};
    const ssize_t count = recv(from, buffer_.data(), buffer_.size(), 0);
    if (count > 0) {
      begin_ = 0;
      end_ = is_discarding_ ? 0 : static_cast<std::size_t>(count);
      return {buffer_.data(), end_};
    }
    // An error ends the connection as its end does.
    if (count == 0 || (errno != EAGAIN && errno != EINTR)) is_ended_ = true;
    return {};
  }
  // False: the receiver is gone.
  bool Write(int to) {
    while (begin_ < end_) {
      const ssize_t count =
          send(to, &buffer_[begin_], end_ - begin_, MSG_NOSIGNAL);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return errno == EAGAIN;
      begin_ += static_cast<std::size_t>(count);
    }
    return true;
  }
  // Reads to the end from now on, and sends nothing.
  void Discard() {
    is_discarding_ = true;
    begin_ = end_ = 0;
  }
  void End() { is_ended_ = true; }

  bool CanRead() const { return begin_ == end_ && !is_ended_; }
  bool MustWrite() const { return begin_ < end_; }
  bool is_over() const { return begin_ == end_ && is_ended_; }

 private:
  std::array<char, kBufferBytes> buffer_{};
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  bool is_ended_ = false;
  bool is_discarding_ = false;
};

// A client's socket, and the one of the pair that leads to gRPC.
class FrameRelay::Connection {
 public:
  Connection(OwnedDescriptor client, OwnedDescriptor server,
             std::shared_ptr<Peer> peer)
      : client_(std::move(client)),
        server_(std::move(server)),
        peer_(std::move(peer)) {}

  // Moves what can be moved, and asks for the events that it waits for then.
  void Move(int epoll, AccessLog& log) {
    const auto now = Clock::now();
    if (!IsSlow(now)) Charge(up_.Read(client_.get()), now, log);
    // If gRPC is gone, so is what it has to read.
    if (!up_.Write(server_.get())) up_.Discard();
    down_.Read(server_.get());
    if (!down_.Write(client_.get())) {
      down_.Discard();
      up_.Discard();
      up_.End();
    }
    // gRPC closes its end then.
    if (up_.is_over() && !std::exchange(is_end_sent_, true)) {
      shutdown(server_.get(), SHUT_WR);
    }
    Ask(epoll, client_.get(), up_.CanRead() && !IsSlow(now), down_.MustWrite(),
        client_events_);
    Ask(epoll, server_.get(), down_.CanRead(), up_.MustWrite(), server_events_);
  }

  // gRPC has closed its end, and the client has what it sent before.
  bool is_over() const { return down_.is_over(); }
  bool IsSlow(Clock::time_point now) const { return slow_until_ > now; }
  Clock::time_point slow_until() const { return slow_until_; }

 private:
  void Charge(std::string_view bytes, Clock::time_point now, AccessLog& log) {
    const auto wait = peer_->frames.Reserve(frames_.Add(bytes), now);
    if (wait <= Clock::duration::zero()) return;
    slow_until_ = now + wait;
    log.Refused(peer_->name, "too many HTTP/2 frames a second: slowed down");
  }
  // A descriptor without events would still report that its peer is gone.
  void Ask(int epoll, int descriptor, bool reads, bool writes,
           std::uint32_t& asked) {
    epoll_event event{};
    event.events = (reads ? std::uint32_t{EPOLLIN} : 0) |
                   (writes ? std::uint32_t{EPOLLOUT} : 0);
    event.data.ptr = this;
    if (event.events == asked) return;
    const int change = event.events == 0 ? EPOLL_CTL_DEL
                       : asked == 0      ? EPOLL_CTL_ADD
                                         : EPOLL_CTL_MOD;
    epoll_ctl(epoll, change, descriptor, &event);
    asked = event.events;
  }

  const OwnedDescriptor client_;
  const OwnedDescriptor server_;
  const std::shared_ptr<Peer> peer_;
  FrameCount frames_;
  Flow up_;    // from the client
  Flow down_;  // to the client
  bool is_end_sent_ = false;
  std::uint32_t client_events_ = 0;
  std::uint32_t server_events_ = 0;
  Clock::time_point slow_until_;  // the client is not read until then
};

absl::StatusOr<std::unique_ptr<FrameRelay>> FrameRelay::Start(AccessLog& log) {
  OwnedDescriptor epoll(epoll_create1(EPOLL_CLOEXEC));
  OwnedDescriptor wake(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  epoll_event event{};
  event.events = EPOLLIN;
  if (!epoll.is_open() || !wake.is_open() ||
      epoll_ctl(epoll.get(), EPOLL_CTL_ADD, wake.get(), &event) != 0) {
    return absl::FailedPreconditionError(
        fmt::format("listen: {}", std::generic_category().message(errno)));
  }
  return std::unique_ptr<FrameRelay>(
      new FrameRelay(log, std::move(epoll), std::move(wake)));
}

FrameRelay::FrameRelay(AccessLog& log, OwnedDescriptor epoll,
                       OwnedDescriptor wake)
    : log_(log),
      epoll_(std::move(epoll)),
      wake_(std::move(wake)),
      thread_([this] { Run(); }) {}

FrameRelay::~FrameRelay() {
  {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
  }
  eventfd_write(wake_.get(), 1);
  thread_.join();
}

OwnedDescriptor FrameRelay::Add(OwnedDescriptor connection,
                                std::shared_ptr<Peer> peer) {
  std::array<int, 2> pair{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0,
                 pair.data()) != 0) {
    return OwnedDescriptor();
  }
  OwnedDescriptor own(pair[0]);
  OwnedDescriptor for_grpc(pair[1]);
  {
    const std::lock_guard lock(mutex_);
    new_.push_back(std::make_unique<Connection>(
        std::move(connection), std::move(own), std::move(peer)));
  }
  eventfd_write(wake_.get(), 1);
  return for_grpc;
}

bool FrameRelay::TakeNew() {
  eventfd_t ignored = 0;
  eventfd_read(wake_.get(), &ignored);
  std::vector<std::unique_ptr<Connection>> taken;
  {
    const std::lock_guard lock(mutex_);
    if (is_stopping_) return false;
    taken.swap(new_);
  }
  for (auto& connection : taken) {
    Connection* const key = connection.get();
    connections_.emplace(key, std::move(connection));
    key->Move(epoll_.get(), log_);
    if (key->IsSlow(Clock::now())) slow_.push_back(key);
  }
  return true;
}

int FrameRelay::WaitMs() const {
  const auto next =
      std::ranges::min_element(slow_, {}, &Connection::slow_until);
  if (next == slow_.end()) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(
      std::max((*next)->slow_until() - Clock::now(), Clock::duration::zero()));
  return static_cast<int>(std::min<std::int64_t>(left.count(), 1000));
}

void FrameRelay::Run() {
  std::array<epoll_event, kEventsAtOnce> events{};
  std::vector<Connection*> moved;
  while (TakeNew()) {
    const int count = epoll_wait(epoll_.get(), events.data(),
                                 static_cast<int>(events.size()), WaitMs());
    moved.swap(slow_);
    slow_.clear();
    for (int i = 0; i < count; ++i) {
      void* const woken = events[static_cast<std::size_t>(i)].data.ptr;
      if (woken != nullptr) moved.push_back(static_cast<Connection*>(woken));
    }
    std::sort(moved.begin(), moved.end());
    moved.erase(std::unique(moved.begin(), moved.end()), moved.end());
    for (Connection* const connection : moved) {
      connection->Move(epoll_.get(), log_);
      if (connection->is_over()) {
        connections_.erase(connection);
      } else if (connection->IsSlow(Clock::now())) {
        slow_.push_back(connection);
      }
    }
    moved.clear();
  }
}

}  // namespace coolspan
