// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_TESTS_INTEGRATION_FAIL_OVER_TCP_PROXY_H_
#define COOLSPAN_TESTS_INTEGRATION_FAIL_OVER_TCP_PROXY_H_

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace coolspan {

// Forwards connections to a port of this host, until they are cut: from then on
// no byte gets through, as if a network had failed, until they are restored.
class TcpProxy {
 public:
  explicit TcpProxy(int target_port) : target_port_(target_port) {
    listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address = Loopback(0);
    socklen_t size = sizeof(address);
    bind(listener_, Any(address), size);
    listen(listener_, 64);
    // NOLINTNEXTLINE(*-reinterpret-cast): the interface of sockets
    getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { Run(); });
  }
  ~TcpProxy() {
    is_stopping_ = true;
    thread_.join();
    close(listener_);
  }
  TcpProxy(const TcpProxy&) = delete;
  TcpProxy& operator=(const TcpProxy&) = delete;

  std::string endpoint() const { return "127.0.0.1:" + std::to_string(port_); }
  void Cut() { is_cut_ = true; }
  // Connections of before the cut are broken.
  void Restore() { is_cut_ = false; }

 private:
  struct Pair {
    std::array<int, 2> ends;
    bool was_cut = false;
  };

  static sockaddr_in Loopback(int port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    return address;
  }
  static const sockaddr* Any(const sockaddr_in& address) {
    // NOLINTNEXTLINE(*-reinterpret-cast): the interface of sockets
    return reinterpret_cast<const sockaddr*>(&address);
  }

  void Run() {
    constexpr int kPollMs = 20;
    std::vector<Pair> pairs;
    while (!is_stopping_) {
      const bool is_cut = is_cut_;
      std::vector<pollfd> polled;
      if (!is_cut) polled.push_back({listener_, POLLIN, 0});
      for (Pair& pair : pairs) {
        pair.was_cut = pair.was_cut || is_cut;
        if (is_cut) continue;
        polled.push_back({pair.ends[0], POLLIN, 0});
        polled.push_back({pair.ends[1], POLLIN, 0});
      }
      if (poll(polled.data(), polled.size(), kPollMs) < 0) continue;
      if (is_cut) continue;
      std::vector<Pair> left;
      for (std::size_t i = 0; i < pairs.size(); ++i) {
        const bool is_open = !pairs[i].was_cut &&
                             Forward(pairs[i], 0, polled[2 * i + 1]) &&
                             Forward(pairs[i], 1, polled[2 * i + 2]);
        if (is_open) {
          left.push_back(pairs[i]);
        } else {
          Close(pairs[i]);
        }
      }
      pairs = std::move(left);
      if (polled[0].revents != 0) Accept(pairs);
    }
    for (const Pair& pair : pairs) Close(pair);
  }

  static void Close(const Pair& pair) {
    for (const int end : pair.ends) close(end);
  }

  // False: the connection has ended.
  static bool Forward(const Pair& pair, std::size_t from,
                      const pollfd& polled) {
    if (polled.revents == 0) return true;
    std::array<char, 65536> bytes;
    const ssize_t count = recv(pair.ends[from], bytes.data(), bytes.size(), 0);
    if (count <= 0) return false;
    for (ssize_t sent = 0; sent < count;) {
      const ssize_t more =
          send(pair.ends[1 - from], bytes.data() + sent,
               static_cast<std::size_t>(count - sent), MSG_NOSIGNAL);
      if (more <= 0) return false;
      sent += more;
    }
    return true;
  }

  void Accept(std::vector<Pair>& pairs) const {
    const int client = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (client < 0) return;
    const int server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const sockaddr_in address = Loopback(target_port_);
    if (connect(server, Any(address), sizeof(address)) == 0) {
      pairs.push_back({{client, server}});
    } else {
      close(client);
      close(server);
    }
  }

  const int target_port_;
  int listener_ = -1;
  int port_ = 0;
  std::atomic<bool> is_cut_ = false;
  std::atomic<bool> is_stopping_ = false;
  std::thread thread_;
};

}  // namespace coolspan

#endif  // COOLSPAN_TESTS_INTEGRATION_FAIL_OVER_TCP_PROXY_H_
