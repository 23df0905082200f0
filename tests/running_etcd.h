// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_TESTS_RUNNING_ETCD_H_
#define COOLSPAN_TESTS_RUNNING_ETCD_H_

#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "etcd/etcd_client.h"

extern char** environ;

namespace coolspan {

// An etcd cluster on loopback, with ports and a folder of its own. Its members
// are killed with the object.
class RunningEtcd {
 public:
  struct Options {
    int members = 1;
    // Whether a member syncs its disk before it acknowledges.
    bool syncs = false;
    // Of members and clients; empty: without TLS.
    CertificateFiles tls = {};
    // Whether clients must show a certificate.
    bool asks_clients = true;
  };

  static bool IsInstalled() { return access("/usr/bin/etcd", X_OK) == 0; }

  RunningEtcd() : RunningEtcd(Options()) {}
  explicit RunningEtcd(const Options& options)
      : options_(options), members_(options.members) {
    std::string name = "/tmp/coolspan-etcd-XXXXXX";
    folder_ = mkdtemp(name.data());
    for (Member& member : members_) {
      member.client_port = FreePort();
      member.peer_port = FreePort();
    }
    for (std::size_t i = 0; i < members_.size(); ++i) Start(i);
    WaitUntilItAnswers();
  }
  ~RunningEtcd() {
    for (std::size_t i = 0; i < members_.size(); ++i) Signal(i, SIGKILL);
    std::filesystem::remove_all(folder_);
  }
  RunningEtcd(const RunningEtcd&) = delete;
  RunningEtcd& operator=(const RunningEtcd&) = delete;

  std::vector<std::string> endpoints() const {
    std::vector<std::string> endpoints;
    for (const Member& member : members_) {
      endpoints.push_back("127.0.0.1:" + std::to_string(member.client_port));
    }
    return endpoints;
  }
  EtcdAddress address() const { return {endpoints(), options_.tls}; }
  std::size_t size() const { return members_.size(); }

  void Start(std::size_t index) {
    Member& member = members_[index];
    std::string peers;
    for (std::size_t i = 0; i < members_.size(); ++i) {
      peers += (i == 0 ? "m" : ",m") + std::to_string(i) + "=" +
               Url(members_[i].peer_port);
    }
    const std::string name = "m" + std::to_string(index);
    std::vector<std::string> words = {
        // Ends with this process, however that ends.
        "/usr/bin/setpriv",
        "--pdeathsig=KILL",
        "/usr/bin/etcd",
        "--name=" + name,
        "--data-dir=" + DataOf(index),
        "--listen-client-urls=" + ClientUrl(member),
        "--advertise-client-urls=" + ClientUrl(member),
        "--listen-peer-urls=" + Url(member.peer_port),
        "--initial-advertise-peer-urls=" + Url(member.peer_port),
        "--initial-cluster=" + peers,
        "--heartbeat-interval=50",
        "--election-timeout=500",
        "--logger=zap",
        "--log-level=error"};
    if (!options_.syncs) words.emplace_back("--unsafe-no-fsync");
    if (!options_.tls.is_empty()) {
      words.insert(words.end(), {"--cert-file=" + options_.tls.cert,
                                 "--key-file=" + options_.tls.key});
      if (options_.asks_clients) {
        words.insert(words.end(), {"--client-cert-auth",
                                   "--trusted-ca-file=" + options_.tls.ca});
      }
    }
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    const std::string log = folder_ + "/" + name + ".log";
    posix_spawn_file_actions_addopen(&files, 1, log.c_str(),
                                     O_WRONLY | O_CREAT | O_APPEND, 0644);
    posix_spawn_file_actions_adddup2(&files, 1, 2);
    EXPECT_EQ(posix_spawn(&member.pid, arguments[0], &files, nullptr,
                          arguments.data(), environ),
              0);
    posix_spawn_file_actions_destroy(&files);
  }

  // What happens to the stored keys while no member runs.
  enum class Stored { kKept, kRemoved, kSaved, kRestored };
  // Stops all members and starts them again.
  void Restart(Stored stored) {
    for (std::size_t i = 0; i < members_.size(); ++i) {
      Signal(i, SIGTERM);
      if (members_[i].pid > 0) waitpid(members_[i].pid, nullptr, 0);
      members_[i].pid = -1;
      const std::string data = DataOf(i);
      const std::string saved = data + ".saved";
      if (stored == Stored::kRemoved || stored == Stored::kRestored) {
        std::filesystem::remove_all(data);
      }
      if (stored == Stored::kSaved || stored == Stored::kRestored) {
        const bool is_saving = stored == Stored::kSaved;
        std::filesystem::copy(is_saving ? data : saved,
                              is_saving ? saved : data,
                              std::filesystem::copy_options::recursive);
      }
    }
    for (std::size_t i = 0; i < members_.size(); ++i) Start(i);
    WaitUntilItAnswers();
  }

  // After SIGKILL and SIGSTOP, waits until the member is dead or stopped.
  void Signal(std::size_t index, int signal) {
    Member& member = members_[index];
    if (member.pid <= 0) return;
    kill(member.pid, signal);
    if (signal == SIGSTOP) waitpid(member.pid, nullptr, WUNTRACED);
    if (signal != SIGKILL) return;
    waitpid(member.pid, nullptr, 0);
    member.pid = -1;
  }

  void WaitUntilItAnswers() {
    EtcdClient client(address());
    etcdserverpb::RangeRequest request;
    request.set_key("none");
    const auto until =
        std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!client.Range(request).ok()) {
      ASSERT_LT(std::chrono::steady_clock::now(), until) << "etcd is silent";
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
  }

 private:
  struct Member {
    int client_port = 0;
    int peer_port = 0;
    int pid = -1;
  };

  std::string DataOf(std::size_t index) const {
    return folder_ + "/m" + std::to_string(index);
  }
  static std::string Url(int port) {
    return "http://127.0.0.1:" + std::to_string(port);
  }
  std::string ClientUrl(const Member& member) const {
    return (options_.tls.is_empty() ? "http" : "https") +
           ("://127.0.0.1:" + std::to_string(member.client_port));
  }
  // Not used by the system for outgoing connections. Programs that are started
  // one after the other look in different places: a port is free until its
  // member has started.
  static int FreePort() {
    static int next = 20'000 + getpid() % 60 * 200;
    for (;;) {
      const int port = ++next;
      const int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
      sockaddr_in address{};
      address.sin_family = AF_INET;
      address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
      address.sin_port = htons(static_cast<std::uint16_t>(port));
      // NOLINTNEXTLINE(*-reinterpret-cast): the interface of sockets
      const auto* const any = reinterpret_cast<const sockaddr*>(&address);
      const bool is_free = bind(descriptor, any, sizeof(address)) == 0;
      close(descriptor);
      if (is_free) return port;
    }
  }

  const Options options_;
  std::vector<Member> members_;
  std::string folder_;
};

}  // namespace coolspan

#endif  // COOLSPAN_TESTS_RUNNING_ETCD_H_
