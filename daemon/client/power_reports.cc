// SPDX-License-Identifier: GPL-3.0-or-later
#include "client/power_reports.h"

#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "coolspan/v1/telemetry.grpc.pb.h"

namespace coolspan {
namespace {

constexpr std::chrono::milliseconds kReportTimeout{5000};
// Keeps messages well below gRPC's limit on their size.
constexpr int kMaxReadingsPerMessage = 4096;

}  // namespace

PowerReports::PowerReports(Channels& channels, Log log)
    : channels_(channels), log_(std::move(log)) {}

PowerReports::~PowerReports() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    if (current_call_ != nullptr) current_call_->TryCancel();
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void PowerReports::Report(std::span<const NodePower> powers) {
  if (powers.empty()) return;
  {
    const std::lock_guard lock(mutex_);
    for (const NodePower& power : powers)
      waiting_[std::string(power.node)] = power.watts;
    if (!thread_.joinable()) thread_ = std::thread([this] { Run(); });
  }
  changed_.notify_all();
}

void PowerReports::Run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
    if (stopping_) return;
    const Powers powers = std::exchange(waiting_, {});
    grpc::ClientContext context;
    current_call_ = &context;
    lock.unlock();
    const absl::Status status = Send(context, powers);
    lock.lock();
    current_call_ = nullptr;
    if (stopping_) return;
    lock.unlock();
    NoteOutcome(status, powers.size());
    lock.lock();
  }
}

absl::Status PowerReports::Send(grpc::ClientContext& context,
                                const Powers& powers) {
  const Channels::Route route = channels_.Current();
  const auto stub = v1::Telemetry::NewStub(route.channel);
  context.set_deadline(std::chrono::system_clock::now() + kReportTimeout);
  v1::ReportReply reply;
  // One stream for each report: a stream that stays open would occupy a thread
  // of the daemon, and would not confirm what has arrived.
  const auto stream = stub->Report(&context, &reply);
  v1::Readings readings;
  bool writable = true;
  for (auto power = powers.begin(); writable && power != powers.end();) {
    v1::Reading& reading = *readings.add_readings();
    reading.set_node(power->first);
    reading.set_power_w(power->second);
    if (++power == powers.end() ||
        readings.readings_size() == kMaxReadingsPerMessage) {
      writable = stream->Write(readings);
      readings.Clear();
    }
  }
  if (writable) stream->WritesDone();
  absl::Status status = ToAbsl(stream->Finish());
  if (absl::IsUnavailable(status)) channels_.MoveOn(route.index);
  return status;
}

void PowerReports::NoteOutcome(const absl::Status& status, std::size_t nodes) {
  const auto before = std::exchange(last_code_, status.code());
  if (before == status.code()) return;
  if (status.ok()) {
    log_(ClientOptions::Severity::kInfo,
         absl::StrCat("coolspand accepts node power reports (first report: ",
                      nodes, " nodes)"));
  } else if (absl::IsFailedPrecondition(status)) {
    log_(ClientOptions::Severity::kInfo,
         absl::StrCat("coolspand does not use node power reports: ",
                      status.message()));
  } else {
    log_(ClientOptions::Severity::kWarning,
         absl::StrCat(
             "node power reports are dropped until coolspand accepts them: ",
             status.message()));
  }
}

}  // namespace coolspan
