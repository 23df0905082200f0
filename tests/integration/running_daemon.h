// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_TESTS_INTEGRATION_RUNNING_DAEMON_H_
#define COOLSPAN_TESTS_INTEGRATION_RUNNING_DAEMON_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "coolspan/v1/allocator.grpc.pb.h"

namespace coolspan {

// A coolspand process with the policy first-fit and the ordering row-major on a
// 4x4 mesh with nodes n[01-16]. Its state is in a temporary folder, which is
// removed with the object.
class RunningDaemon {
 public:
  struct Options {
    std::string thermal = "";       // appended to the machine file
    std::string state_folder = "";  // empty: the temporary folder
    std::string preload = "";       // a library, as LD_PRELOAD
    // A program and its options that become the daemon: {"/usr/bin/prlimit",
    // "--nofile=99"}.
    std::vector<std::string> wrapper = {};
    std::string machine_file = "";  // another machine; empty: the mesh
    // The options of the section state besides sqlite, such as "etcd: [...]".
    std::string state = "";
  };

  RunningDaemon() : RunningDaemon(Options()) {}
  explicit RunningDaemon(const Options& options);
  ~RunningDaemon();
  RunningDaemon(const RunningDaemon&) = delete;
  RunningDaemon& operator=(const RunningDaemon&) = delete;

  // Starts the process and waits until it answers Status; else the test fails.
  void Start();
  // Does not wait.
  void Launch();
  // Sends a signal; after SIGKILL and SIGSTOP, waits until the process is dead
  // or stopped.
  void Signal(int signal);

  // Waits until the process has ended, for at most a minute, which is ten times
  // as long as a stop may take. Its exit code; nullopt: it has not ended, or
  // was ended by a signal.
  std::optional<int> Wait();
  int pid() const { return pid_; }
  // The daemon file.
  std::string config_file() const { return folder_ + "/coolspand.yaml"; }

  std::string endpoint() const { return "unix://" + folder_ + "/d.sock"; }
  std::string machine_file() const { return folder_ + "/machine.yaml"; }
  // Uses a new channel each time, since an existing connection may be broken.
  std::unique_ptr<v1::Allocator::Stub> Connect() const;

 private:
  std::string LogFile() const { return folder_ + "/log"; }

  std::string folder_;
  std::string preload_;
  std::vector<std::string> wrapper_;
  int pid_ = -1;
};

}  // namespace coolspan

#endif  // COOLSPAN_TESTS_INTEGRATION_RUNNING_DAEMON_H_
