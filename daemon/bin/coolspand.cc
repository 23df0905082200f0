// SPDX-License-Identifier: GPL-3.0-or-later
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <future>
#include <iostream>
#include <memory>
#include <string>

#include "absl/synchronization/mutex.h"
#include "cli/console.h"
#include "cli/parse_failure.h"
#include "service/daemon.h"
#include "setup/check_file.h"
#include "setup/daemon_setup.h"
#include "setup/policy_trial.h"

namespace coolspan {
namespace {

// Exit codes, the same as those of coolspan.
constexpr int kDone = 0;
constexpr int kCannot = 1;
constexpr int kBadInput = 2;

// Of which calls in progress get two. A service manager or an administrator
// waits for it.
constexpr std::chrono::seconds kStopLimit{5};

// Blocks them in all threads, so that only Serve receives them.
sigset_t BlockSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP})
    sigaddset(&signals, signal);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  return signals;
}

int Fail(const absl::Status& status) {
  std::cerr << "coolspand: " << status.message() << '\n';
  const bool is_bad_input = absl::IsInvalidArgument(status) ||
                            absl::IsNotFound(status) ||
                            absl::IsDataLoss(status);
  return is_bad_input ? kBadInput : kCannot;
}

int Check(const std::string& path) {
  auto setup = LoadDaemonFile(path);
  if (!setup.ok()) return Fail(setup.status());
  TryPolicies(*setup, &std::chrono::steady_clock::now);
  for (const std::string& warning : setup->warnings) {
    std::cerr << "coolspand: warning: " << warning << '\n';
  }
  std::cout << path << ": valid daemon file: " << Summary(*setup) << '\n';
  for (const std::string& rule : RuleSummaries(*setup)) {
    std::cout << "  " << rule << '\n';
  }
  return kDone;
}

using Started = absl::StatusOr<std::unique_ptr<Daemon>>;

Started Start(const std::string& path) {
  auto setup = LoadDaemonFile(path);
  if (!setup.ok()) return setup.status();
  TryPolicies(*setup, &std::chrono::steady_clock::now);
  return Daemon::Start(*setup);
}

// The orderings of a large machine, or a disk that does not answer, may take
// minutes: a signal to end is obeyed meanwhile, when no client has an answer.
Started StartUnlessStopped(const std::string& path, const sigset_t& signals) {
  constexpr std::chrono::milliseconds kPoll{10};
  auto starting =
      std::async(std::launch::async, [&path] { return Start(path); });
  bool is_reload_requested = false;
  while (starting.wait_for(kPoll) != std::future_status::ready) {
    const timespec now{};
    const int signal = sigtimedwait(&signals, nullptr, &now);
    if (signal == SIGHUP) is_reload_requested = true;
    if (signal == SIGTERM || signal == SIGINT) _exit(kDone);
  }
  Started daemon = starting.get();
  if (daemon.ok() && is_reload_requested) (*daemon)->RequestReload();
  return daemon;
}

int Serve(const std::string& path, const sigset_t& signals) {
  const Started daemon = StartUnlessStopped(path, signals);
  if (!daemon.ok()) return Fail(daemon.status());
  for (const std::string& warning : (*daemon)->warnings()) {
    std::cerr << "coolspand: warning: " << warning << std::endl;
  }
  while (true) {
    int signal = 0;
    sigwait(&signals, &signal);
    if (signal != SIGHUP) break;
    (*daemon)->RequestReload();
  }
  const absl::Status stopped = (*daemon)->Stop(kStopLimit);
  if (stopped.ok()) return kDone;
  // Nobody may read a pipe.
  pollfd standard_error = {STDERR_FILENO, POLLOUT, 0};
  if (poll(&standard_error, 1, 0) == 1) {
    std::cerr << "coolspand: cannot stop in "
              << std::chrono::seconds(kStopLimit).count()
              << " s: " << stopped.message() << std::endl;
  }
  // Destructors would wait, for a disk that does not answer for ever.
  _exit(kCannot);
}

}  // namespace
}  // namespace coolspan

// An exception ends the process; acknowledged requests are stored by then.
int main(int argc, char** argv) {  // NOLINT(bugprone-exception-escape)
  // Debian's build checks the order of locks, which takes 4 % of the time of a
  // call.
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
  // Our messages report failures; gRPC's own ones need this variable set.
  // Called before other threads start.
  setenv("GRPC_VERBOSITY", "NONE", /*overwrite=*/0);  // NOLINT(concurrency-*)
  // State and logs name users and jobs: not for all users of the host.
  constexpr mode_t kNotForOthers = 027;
  umask(kNotForOthers);
  const sigset_t signals = coolspan::BlockSignals();
  CLI::App app("choose nodes for the jobs of a resource manager", "coolspand");
  app.set_help_flag("-h,--help", "print this help and exit");
  std::string config;
  bool check_only = false;
  app.add_option("--config", config,
                 "daemon file, see coolspand.yaml(5) (required)")
      ->type_name("FILE");
  app.add_flag("--check-config", check_only, "check the files and exit");
  app.set_version_flag("--version",
                       std::string("coolspand ") + coolspan::Version(),
                       "print the version and exit");
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& asked) {
    return app.exit(asked);
  } catch (const CLI::ParseError& error) {
    coolspan::PrintMessage(std::cerr, coolspan::ParseFailure(app, error));
    return coolspan::kBadInput;
  }
  // Not a required option: CLI11 would report it before an unknown option.
  if (config.empty()) {
    std::cerr << "coolspand: --config is required (see coolspand --help)\n";
    return coolspan::kBadInput;
  }
  return check_only ? coolspan::Check(config)
                    : coolspan::Serve(config, signals);
}
