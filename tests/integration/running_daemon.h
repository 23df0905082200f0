// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_TESTS_INTEGRATION_RUNNING_DAEMON_H_
#define COOLSPAN_TESTS_INTEGRATION_RUNNING_DAEMON_H_

#include <memory>
#include <string>

#include "coolspan/v1/allocator.grpc.pb.h"

namespace coolspan {

// The built coolspand, as a process of its own, on a machine of 4x4 nodes
// n[01-16], first-fit on row-major, with its state in a folder that goes away
// with the object.
class RunningDaemon {
 public:
  // thermal: more of the machine file.
  explicit RunningDaemon(const std::string& thermal = "");
  ~RunningDaemon();
  RunningDaemon(const RunningDaemon&) = delete;
  RunningDaemon& operator=(const RunningDaemon&) = delete;

  // Until it answers Status; a failure of the test if it does not.
  void Start();
  // SIGKILL, SIGSTOP, SIGCONT, ...; returns when it is dead or stopped.
  void Signal(int signal);

  std::string endpoint() const { return "unix://" + folder_ + "/d.sock"; }
  // A new channel each time: the old one's connection may be gone.
  std::unique_ptr<v1::Allocator::Stub> Connect() const;

 private:
  std::string folder_;
  int pid_ = -1;
};

}  // namespace coolspan

#endif  // COOLSPAN_TESTS_INTEGRATION_RUNNING_DAEMON_H_
