// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/rpc/frame_relay.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <chrono>
#include <future>
#include <string>
#include <thread>

#include "service/journal/event_log.h"

namespace coolspan {
namespace {

constexpr int kGenerousMs = 30'000;

struct Ends {
  OwnedDescriptor client;
  OwnedDescriptor server;
};

class FrameRelayTest : public ::testing::Test {
 protected:
  // A connection by way of the relay.
  Ends Connect(double calls_per_s) {
    int pair[2] = {-1, -1};
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0);
    Ends ends{OwnedDescriptor(pair[0]), OwnedDescriptor()};
    ends.server = relay_->Add(
        OwnedDescriptor(pair[1]),
        std::make_shared<Peer>("user alice", RoleSet(), calls_per_s));
    EXPECT_TRUE(ends.server.is_open());
    return ends;
  }

  std::unique_ptr<EventLog> log_ =
      EventLog::Open({"error", "/dev/null", "json"}).value();
  AccessLog access_log_{*log_};
  std::unique_ptr<FrameRelay> relay_ = FrameRelay::Start(access_log_).value();
};

bool WaitFor(int descriptor, short events) {
  pollfd polled{descriptor, events, 0};
  return poll(&polled, 1, kGenerousMs) == 1;
}

void SendAll(int to, const std::string& bytes) {
  std::size_t sent = 0;
  while (sent < bytes.size()) {
    if (!WaitFor(to, POLLOUT)) return;
    const ssize_t count =
        send(to, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (count < 0 && errno == EAGAIN) continue;
    if (count <= 0) return;
    sent += static_cast<std::size_t>(count);
  }
}

// Up to the number of bytes, or to the end.
std::string Receive(int from, std::size_t bytes) {
  std::string received(bytes, '\0');
  std::size_t size = 0;
  while (size < bytes && WaitFor(from, POLLIN)) {
    const ssize_t count = recv(from, &received[size], bytes - size, 0);
    if (count < 0 && errno == EAGAIN) continue;
    if (count <= 0) break;
    size += static_cast<std::size_t>(count);
  }
  received.resize(size);
  return received;
}

std::string Bytes(std::size_t count, unsigned seed) {
  std::string bytes;
  for (std::size_t i = 0; i < count; ++i) {
    seed = seed * 1'103'515'245 + 12'345;
    bytes += static_cast<char>(seed >> 16);
  }
  return bytes;
}

TEST_F(FrameRelayTest, CarriesBytesBothWays) {
  const Ends ends = Connect(1e12);
  const std::string up = Bytes(3'000'000, 1);
  const std::string down = Bytes(2'000'000, 2);
  const std::jthread client([&] { SendAll(ends.client.get(), up); });
  const std::jthread server([&] { SendAll(ends.server.get(), down); });
  auto at_client = std::async(std::launch::async, [&] {
    return Receive(ends.client.get(), down.size());
  });
  EXPECT_EQ(Receive(ends.server.get(), up.size()), up);
  EXPECT_EQ(at_client.get(), down);
}

TEST_F(FrameRelayTest, EndsWithTheServersEnd) {
  Ends ends = Connect(1000);
  SendAll(ends.server.get(), "last words");
  ends.server.Close();
  EXPECT_EQ(Receive(ends.client.get(), 100), "last words");
}

// The slot of a user may be given away once its connection is closed, so that
// must not happen while gRPC may still read from it.
TEST_F(FrameRelayTest, OutlivesItsClient) {
  Ends ends = Connect(1000);
  SendAll(ends.client.get(), "a request");
  ends.client.Close();
  EXPECT_EQ(Receive(ends.server.get(), 100), "a request");
  // Its answer is dropped.
  SendAll(ends.server.get(), std::string(1'000'000, 'x'));
  ends.server.Close();
  // The relay serves others afterwards.
  const Ends other = Connect(1000);
  SendAll(other.client.get(), "hello");
  EXPECT_EQ(Receive(other.server.get(), 5), "hello");
}

// Pings of one user wait once its rate is used up, so that a second's worth of
// them takes long after; those of another do not.
TEST_F(FrameRelayTest, SlowsDownAFloodOfFramesAndNobodyElse) {
  constexpr double kCallsPerS = 1;
  const Ends flood = Connect(kCallsPerS);
  const Ends other = Connect(kCallsPerS);
  const std::string ping(
      "\0\0\x8\6\0\0\0\0\0"
      "12345678",
      17);
  std::string pings(24, 'P');
  for (int i = 0; i < 10'000; ++i) pings += ping;
  const std::jthread client([&] { SendAll(flood.client.get(), pings); });
  // What was read before the first frame was counted, of 16 KiB at most.
  const std::string first = Receive(flood.server.get(), 16 << 10);
  EXPECT_FALSE(first.empty());
  pollfd polled{flood.server.get(), POLLIN, 0};
  EXPECT_EQ(poll(&polled, 1, 200), 0);
  const std::string call = std::string(24, 'P') + ping;
  SendAll(other.client.get(), call);
  EXPECT_EQ(Receive(other.server.get(), call.size()), call);
  shutdown(flood.client.get(), SHUT_RDWR);  // ends SendAll
}

}  // namespace
}  // namespace coolspan
