// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/reloader.h"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "service/clusters/idle_priority.h"
#include "setup/policy_trial.h"

namespace coolspan {
namespace {

// Reading files and making orderings takes long on large machines, and must not
// take a core from decisions. A trial measures time: at idle priority it would
// measure the load of the host.
absl::StatusOr<ReloadedSetup> LoadAgain(const DaemonSetup& running) {
  absl::StatusOr<ReloadedSetup> reloaded;
  RunAtIdlePriority([&] { reloaded = ReloadDaemonFile(running); });
  if (reloaded.ok()) {
    TryPolicies(reloaded->setup, &std::chrono::steady_clock::now);
  }
  return reloaded;
}

v1::ReloadReply ReplyOf(const ReloadedSetup& reloaded) {
  v1::ReloadReply reply;
  for (const OptionDifference& difference : reloaded.changes) {
    v1::OptionChange& change = *reply.add_changes();
    change.set_option(difference.name);
    change.set_before(difference.before);
    change.set_after(difference.after);
  }
  for (const std::string& warning : reloaded.setup.warnings) {
    reply.add_warnings(warning);
  }
  return reply;
}

std::vector<std::string> TextsOf(const v1::ReloadReply& reply) {
  std::vector<std::string> texts;
  for (const v1::OptionChange& change : reply.changes()) {
    texts.push_back(fmt::format("{}: {} (was {})", change.option(),
                                change.after(), change.before()));
  }
  return texts;
}

}  // namespace

Reloader::Reloader(DaemonSetup running, Parts parts)
    : parts_(std::move(parts)),
      running_(std::move(running)),
      thread_([this] { Run(); }) {
  const std::lock_guard lock(status_mutex_);
  status_.set_file(running_.path);
  status_.set_loaded_ms(parts_.wall_clock_ms());
}

Reloader::~Reloader() {
  {
    const std::lock_guard lock(requests_mutex_);
    is_stopping_ = true;
  }
  requested_.notify_all();
  thread_.join();
}

absl::StatusOr<v1::ReloadReply> Reloader::TryReload() {
  // Reading it would wait for a writer.
  if (std::error_code ignored;
      std::filesystem::is_fifo(running_.path, ignored)) {
    return absl::InvalidArgumentError(
        fmt::format("{}: is a FIFO (expected a file)", running_.path));
  }
  auto reloaded = LoadAgain(running_);
  if (!reloaded.ok()) return reloaded.status();
  DaemonSetup& setup = reloaded->setup;
  CurrentConfig::Ptr config;
  RunAtIdlePriority(
      [&] { config = std::make_shared<const DecisionConfig>(setup); });
  auto output = EventLog::OutputFor(setup.file.log);
  if (!output.ok()) {
    return absl::InvalidArgumentError(fmt::format(
        "{}: {}", setup.path, std::string(output.status().message())));
  }
  // From here on nothing fails.
  parts_.config.Replace(std::move(config));
  parts_.log.Use(*std::move(output));
  parts_.journal.SetRetention(setup.file.RetentionMs());
  parts_.clusters.SetExpiry(setup.file.ClusterExpiryMs());
  if (parts_.monitor != nullptr) parts_.monitor->Reconfigure(setup.file);
  v1::ReloadReply reply = ReplyOf(*reloaded);
  running_ = std::move(setup);
  return reply;
}

absl::StatusOr<v1::ReloadReply> Reloader::Reload() {
  const std::lock_guard lock(reloading_);
  if (parts_.on_begin) parts_.on_begin();
  auto reply = TryReload();
  const TimeMs now_ms = parts_.wall_clock_ms();
  {
    const std::lock_guard status_lock(status_mutex_);
    status_.set_reload_ms(now_ms);
    status_.set_error(std::string(reply.status().message()));
    if (reply.ok()) status_.set_loaded_ms(now_ms);
  }
  EventLog& log = parts_.log;
  if (reply.ok()) {
    log.Write(spdlog::level::info, "reload",
              {{"result", "done"}, {"changes", TextsOf(*reply)}});
    for (const std::string& warning : reply->warnings()) {
      log.Write(spdlog::level::warn, "config", {{"why", warning}});
    }
  } else {
    // The file may have been rotated all the same.
    const absl::Status reopened = log.Reopen();
    log.Write(spdlog::level::err, "reload",
              {{"result", "refused"},
               {"why", std::string(reply.status().message())}});
    if (!reopened.ok()) {
      log.Write(spdlog::level::err, "log",
                {{"why", std::string(reopened.message())}});
    }
  }
  log.Flush();
  if (parts_.on_end) parts_.on_end();
  return reply;
}

void Reloader::RequestReload() {
  {
    const std::lock_guard lock(requests_mutex_);
    is_requested_ = true;
  }
  requested_.notify_all();
}

void Reloader::Run() {
  std::unique_lock lock(requests_mutex_);
  while (true) {
    requested_.wait(lock, [this] { return is_requested_ || is_stopping_; });
    if (is_stopping_) return;
    is_requested_ = false;
    lock.unlock();
    // The log has the result.
    Reload().IgnoreError();
    lock.lock();
  }
}

v1::ConfigStatus Reloader::Status() const {
  const std::lock_guard lock(status_mutex_);
  return status_;
}

}  // namespace coolspan
