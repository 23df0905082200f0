// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_LIVE_LIVE_PAGES_H_
#define COOLSPAN_SERVICE_LIVE_LIVE_PAGES_H_

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "core/machine.h"
#include "service/http/http_server.h"
#include "service/journal/watch_hub.h"
#include "service/live/answer_maker.h"
#include "service/live/live_feed.h"
#include "service/monitor/reports.h"
#include "service/monitor/thermal_monitor.h"
#include "service/rpc/allocator_service.h"
#include "service/rpc/report_turns.h"

namespace coolspan {

// The live page and the documents that it reads: / with the files below /live/,
// and /api/v1/. Status, jobs and room are made at most once a second, whatever
// the number of clients, and in turn with the reports of gRPC.
class LivePages {
 public:
  // Must outlive the pages.
  struct Sources {
    std::shared_ptr<const Machine> machine;
    const AllocatorService& service;
    const Reports& reports;
    ReportTurns& turns;
    ThermalMonitor* monitor;  // nullptr without a room
    WatchHub& watchers;
    std::string start;  // differs between starts of the daemon
    bool allow_remote = false;
  };
  explicit LivePages(Sources sources);
  // No answer must be waited for any more.
  ~LivePages();
  LivePages(const LivePages&) = delete;
  LivePages& operator=(const LivePages&) = delete;

  // nullopt: not a path of the live page. On the server's thread.
  std::optional<HttpReply> Answer(const HttpRequest& request);
  // Whom to wake when there is something to send; nullptr: nobody.
  void SetServer(HttpServer* server);

 private:
  void Wake();
  HttpReply Api(const HttpRequest& request);
  HttpReply MachineAnswer(const HttpRequest& request);
  HttpReply Events(const HttpRequest& request);
  HttpReply Explanation(const HttpRequest& request, const std::string& cluster);
  HttpAnswer MakeStatus();
  HttpAnswer MakeHoldings(const std::string& cluster);
  HttpAnswer MakeRoom();
  HttpAnswer MakeExplanation(const v1::ExplainRequest& request,
                             const std::string& job);
  // make: as in ReportTurns::InTurn.
  template <typename Make>
  auto InTurn(const Make& make);

  const Sources sources_;
  std::mutex server_mutex_;
  HttpServer* server_ = nullptr;
  std::atomic<bool> is_stopping_ = false;
  std::string machine_json_;  // made when it is first asked for
  std::string machine_tag_;
  LiveFeed feed_;
  AnswerMaker reports_;
  AnswerMaker explanations_;  // which wait for the disk
};

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_LIVE_LIVE_PAGES_H_
