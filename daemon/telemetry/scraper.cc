// SPDX-License-Identifier: GPL-3.0-or-later
#include "telemetry/scraper.h"

#include <fmt/format.h>
#include <httplib.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "telemetry/prometheus_text.h"
#include "telemetry/sensor_page.h"

namespace coolspan {
namespace {

constexpr std::size_t kMaxThreads = 8;
constexpr std::size_t kMaxPageBytes = std::size_t{16} << 20;
constexpr std::string_view kNodePlace = "{node}";

// GETs the page, at most kMaxPageBytes. The timeout applies to connecting, to
// each read, and to the whole body.
absl::StatusOr<std::string> Fetch(const std::string& url,
                                  std::chrono::milliseconds timeout) {
  const std::size_t host = url.find("://") + 3;
  const std::size_t path = std::min(url.find('/', host), url.size());
  httplib::Client client(url.substr(0, path));
  client.set_connection_timeout(timeout);
  client.set_read_timeout(timeout);
  const auto end = std::chrono::steady_clock::now() + timeout;
  std::string body;
  bool too_long = false;
  bool too_slow = false;
  const httplib::Result result =
      client.Get(path == url.size() ? "/" : url.substr(path),
                 [&](const char* piece, std::size_t bytes) {
                   too_long = body.size() + bytes > kMaxPageBytes;
                   too_slow = std::chrono::steady_clock::now() > end;
                   if (too_long || too_slow) return false;
                   body.append(piece, bytes);
                   return true;
                 });
  if (too_long) {
    return absl::ResourceExhaustedError(fmt::format(
        "page is too large (expected at most {} MiB)", kMaxPageBytes >> 20));
  }
  if (too_slow) {
    return absl::UnavailableError(
        fmt::format("page took more than {} ms", timeout.count()));
  }
  if (!result) {
    return absl::UnavailableError(httplib::to_string(result.error()));
  }
  constexpr int kOk = 200;
  if (result->status != kOk) {
    return absl::UnavailableError(fmt::format("HTTP {}", result->status));
  }
  return body;
}

}  // namespace

Scraper::Scraper(std::shared_ptr<const Machine> machine, Setting setting,
                 OnReadings on_readings, OnStatusChange on_status_change)
    : machine_(std::move(machine)),
      setting_(std::move(setting)),
      on_readings_(std::move(on_readings)),
      on_status_change_(std::move(on_status_change)) {
  for (const std::string& url : setting_.urls) {
    const std::size_t place = url.find(kNodePlace);
    if (place == std::string::npos) {
      pages_.push_back({url, std::nullopt});
      continue;
    }
    for (NodeId node = 0; node < machine_->node_count(); ++node) {
      std::string of_node = url;
      of_node.replace(place, kNodePlace.size(), machine_->NodeName(node));
      pages_.push_back({std::move(of_node), node});
    }
  }
  const std::size_t threads = std::min(pages_.size(), kMaxThreads);
  for (std::size_t i = 0; i < threads; ++i) {
    threads_.emplace_back([this, i, threads] { Run(i, threads); });
  }
}

Scraper::~Scraper() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  ending_changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

bool Scraper::WaitUntil(std::chrono::steady_clock::time_point when) {
  std::unique_lock lock(mutex_);
  return !ending_changed_.wait_until(lock, when, [this] { return ending_; });
}

void Scraper::Run(std::size_t first, std::size_t step) {
  auto next = std::chrono::steady_clock::now();
  while (WaitUntil(next)) {
    next += setting_.interval;
    for (std::size_t i = first; i < pages_.size(); i += step) {
      if (!WaitUntil(std::chrono::steady_clock::now())) return;
      Scrape(pages_[i]);
    }
    // If the pages took longer than the interval, skip the missed rounds.
    next = std::max(next, std::chrono::steady_clock::now());
  }
}

void Scraper::Scrape(Page& page) const {
  auto readings = Read(page);
  if (page.fails == readings.ok()) {
    page.fails = !readings.ok();
    on_status_change_(page.url, readings.status());
  }
  if (readings.ok()) on_readings_(*std::move(readings));
}

absl::StatusOr<std::vector<SensorReading>> Scraper::Read(
    const Page& page) const {
  const auto text = Fetch(page.url, setting_.timeout);
  if (!text.ok()) return text.status();
  auto samples = ParsePrometheusText(*text);
  if (!samples.ok()) return samples.status();
  const PageTime time{std::chrono::duration_cast<std::chrono::milliseconds>(
                          std::chrono::system_clock::now().time_since_epoch())
                          .count(),
                      std::chrono::duration_cast<std::chrono::milliseconds>(
                          setting_.stale_after)
                          .count()};
  auto readings = ReadingsOf(*samples, *machine_, setting_.inlet_metrics,
                             setting_.power_metrics, page.node, time);
  if (readings.empty() && std::any_of(samples->begin(), samples->end(),
                                      [&](const PrometheusSample& sample) {
                                        return time.IsStale(sample);
                                      })) {
    return absl::NotFoundError(fmt::format(
        "all samples of the page are older than {} s",
        std::chrono::ceil<std::chrono::seconds>(setting_.stale_after).count()));
  }
  if (readings.empty()) {
    return absl::NotFoundError(
        "page has no inlet temperature or power of a node of this machine");
  }
  return readings;
}

}  // namespace coolspan
