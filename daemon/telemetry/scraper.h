// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_TELEMETRY_SCRAPER_H_
#define COOLSPAN_TELEMETRY_SCRAPER_H_

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/machine.h"
#include "core/sensor_reading.h"

namespace coolspan {

// Polls Prometheus pages of exporters, in threads of its own.
class Scraper {
 public:
  struct Setting {
    // "http://HOST:PORT/PATH"; {node} stands for the name of a node: one page
    // per node of the machine.
    std::vector<std::string> urls;
    std::vector<SensorMetric> inlet_metrics;
    std::vector<SensorMetric> power_metrics;
    std::chrono::milliseconds interval{15'000};
    std::chrono::milliseconds timeout{5'000};  // of one page
    // Samples with an older timestamp are ignored.
    std::chrono::milliseconds stale_after{300'000};
  };
  // Both are called from the threads, possibly at the same time.
  // The readings of one page, never empty.
  using OnReadings = std::function<void(std::vector<SensorReading> readings)>;
  // A page starts to fail (an error) or can be read again (OK). Not called for
  // pages that never failed.
  using OnStatusChange =
      std::function<void(const std::string& url, absl::Status status)>;

  Scraper(std::shared_ptr<const Machine> machine, Setting setting,
          OnReadings on_readings, OnStatusChange on_status_change);
  // Waits for pages being read, at most their timeout.
  ~Scraper();
  Scraper(const Scraper&) = delete;
  Scraper& operator=(const Scraper&) = delete;

 private:
  struct Page {
    std::string url;
    std::optional<NodeId> node;
    bool fails = false;
  };

  void Run(std::size_t first, std::size_t step);
  void Scrape(Page& page) const;
  absl::StatusOr<std::vector<SensorReading>> Read(const Page& page) const;
  // False if the scraper is being destroyed.
  bool WaitUntil(std::chrono::steady_clock::time_point when);

  const std::shared_ptr<const Machine> machine_;
  const Setting setting_;
  const OnReadings on_readings_;
  const OnStatusChange on_status_change_;
  std::vector<Page> pages_;  // page i belongs to thread i % threads
  std::mutex mutex_;
  std::condition_variable ending_changed_;
  bool ending_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace coolspan

#endif  // COOLSPAN_TELEMETRY_SCRAPER_H_
