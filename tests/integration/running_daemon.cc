// SPDX-License-Identifier: GPL-3.0-or-later
#include "integration/running_daemon.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include "client/channels.h"
#include "client/endpoints.h"
#include "folders.h"

extern char** environ;

namespace coolspan {
namespace {

constexpr char kMachine[] = R"(name: sixteen
topology: {kind: mesh, dims: [4, 4], wrap: [false, false], nodes_per_vertex: 1}
nodes: "n[01-16]"
node_types:
  - {name: std, nodes: "n[01-16]", idle_w: 100, compute_w: 300, communicate_w: 250}
)";

}  // namespace

RunningDaemon::RunningDaemon(const Options& options)
    : preload_(options.preload), wrapper_(options.wrapper) {
  std::string name = "/tmp/coolspan-test-XXXXXX";
  folder_ = mkdtemp(name.data());
  std::ofstream(folder_ + "/machine.yaml") << kMachine << options.thermal;
  const std::string& state =
      options.state_folder.empty() ? folder_ : options.state_folder;
  std::ofstream(folder_ + "/coolspand.yaml")
      << "listen: [\"unix://" << folder_ << "/d.sock\"]\n"
      << "machine: "
      << (options.machine_file.empty() ? folder_ + "/machine.yaml"
                                       : options.machine_file)
      << "\n"
      << "policy: first-fit\nordering: row-major\n"
      << "state: {sqlite: " << state << "/state.db"
      << (options.state.empty() ? "" : ", ") << options.state << "}\n";
  Start();
}

RunningDaemon::~RunningDaemon() {
  Signal(SIGKILL);
  std::filesystem::remove_all(folder_);
}

void RunningDaemon::Launch() {
  std::string program = BinaryDir() / "bin/coolspand";
  std::vector<std::string> words = {program, "--config",
                                    folder_ + "/coolspand.yaml"};
  words.insert(words.begin(), wrapper_.begin(), wrapper_.end());
  program = words.front();
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  const std::string log = LogFile();
  posix_spawn_file_actions_addopen(&files, 1, log.c_str(),
                                   O_WRONLY | O_CREAT | O_APPEND, 0644);
  posix_spawn_file_actions_adddup2(&files, 1, 2);
  std::vector<char*> environment;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    environment.push_back(*entry);
  }
  std::string preload = "LD_PRELOAD=" + preload_;
  if (!preload_.empty()) environment.push_back(preload.data());
  environment.push_back(nullptr);
  ASSERT_EQ(posix_spawn(&pid_, program.c_str(), &files, nullptr,
                        arguments.data(), environment.data()),
            0)
      << program;
  posix_spawn_file_actions_destroy(&files);
}

void RunningDaemon::Start() {
  Launch();
  const auto timeout =
      std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (std::chrono::steady_clock::now() < timeout) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() +
                         std::chrono::seconds(1));
    v1::StatusReply reply;
    if (Connect()->Status(&context, {}, &reply).ok()) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  std::ifstream output(LogFile());
  FAIL() << "coolspand does not respond: "
         << std::string(std::istreambuf_iterator<char>(output), {});
}

void RunningDaemon::Signal(int signal) {
  if (pid_ <= 0) return;
  kill(pid_, signal);
  // Waits until all threads have stopped.
  if (signal == SIGSTOP) waitpid(pid_, nullptr, WUNTRACED);
  if (signal != SIGKILL) return;
  waitpid(pid_, nullptr, 0);
  pid_ = -1;
}

std::optional<int> RunningDaemon::Wait() {
  const auto timeout =
      std::chrono::steady_clock::now() + std::chrono::minutes(1);
  int status = 0;
  while (waitpid(pid_, &status, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() > timeout) return std::nullopt;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  pid_ = -1;
  if (!WIFEXITED(status)) return std::nullopt;
  return WEXITSTATUS(status);
}

std::unique_ptr<v1::Allocator::Stub> RunningDaemon::Connect() const {
  return v1::Allocator::NewStub(
      MakeChannel(ParseEndpoints(endpoint())->front()));
}

}  // namespace coolspan
