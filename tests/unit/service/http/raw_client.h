// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_TESTS_UNIT_SERVICE_HTTP_RAW_CLIENT_H_
#define COOLSPAN_TESTS_UNIT_SERVICE_HTTP_RAW_CLIENT_H_

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace coolspan {

// A client that sends what it likes.
class RawClient {
 public:
  explicit RawClient(const std::string& address)
      : socket_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<std::uint16_t>(
        std::stoi(address.substr(address.rfind(':') + 1))));
    inet_pton(AF_INET, "127.0.0.1", &to.sin_addr);
    EXPECT_EQ(connect(socket_, reinterpret_cast<sockaddr*>(&to), sizeof(to)),
              0);
  }
  RawClient(RawClient&& other) noexcept
      : socket_(std::exchange(other.socket_, -1)) {}
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;
  RawClient& operator=(RawClient&&) = delete;
  ~RawClient() {
    if (socket_ >= 0) close(socket_);
  }

  // False if the server has closed the connection.
  bool Send(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t sent =
          send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }
  // All that the server sends until it closes the connection.
  std::string ReadAll() const {
    std::string all;
    char bytes[4096];
    ssize_t count = 0;
    while ((count = recv(socket_, bytes, sizeof(bytes), 0)) > 0) {
      all.append(bytes, static_cast<std::size_t>(count));
    }
    return all;
  }

  // At least what is there when the text has arrived; all if it never does.
  std::string ReadUntil(std::string_view text) const {
    std::string all;
    char bytes[4096];
    ssize_t count = 0;
    while (all.find(text) == std::string::npos &&
           (count = recv(socket_, bytes, sizeof(bytes), 0)) > 0) {
      all.append(bytes, static_cast<std::size_t>(count));
    }
    return all;
  }

 private:
  int socket_;
};

}  // namespace coolspan

#endif  // COOLSPAN_TESTS_UNIT_SERVICE_HTTP_RAW_CLIENT_H_
