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

// Reads Prometheus pages of exporters again and again, in threads of its own.
class Scraper {
 public:
  struct Setting {
    // "http://HOST:PORT/PATH"; with {node} in it, a page for each node of the
    // machine.
    std::vector<std::string> urls;
    std::vector<SensorMetric> inlet_metrics;
    std::vector<SensorMetric> power_metrics;
    std::chrono::milliseconds interval{15'000};
    std::chrono::milliseconds timeout{5'000};  // of one page
    // Samples that say that they are older are none.
    std::chrono::milliseconds stale_after{300'000};
  };
  // Called from the threads, also at once. readings: of one page, never empty.
  using OnReadings = std::function<void(std::vector<SensorReading> readings)>;
  // A page that could be read cannot be any more (why), or can be again (OK).
  // Pages that read well from the start are no news.
  using OnNews = std::function<void(const std::string& url, absl::Status why)>;

  Scraper(std::shared_ptr<const Machine> machine, Setting setting,
          OnReadings on_readings, OnNews on_news);
  // Waits for the page under way, no longer than its timeout.
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
  // False when it is over.
  bool WaitUntil(std::chrono::steady_clock::time_point when);

  const std::shared_ptr<const Machine> machine_;
  const Setting setting_;
  const OnReadings on_readings_;
  const OnNews on_news_;
  std::vector<Page> pages_;  // each is one thread's
  std::mutex mutex_;
  std::condition_variable ending_changed_;
  bool ending_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace coolspan

#endif  // COOLSPAN_TELEMETRY_SCRAPER_H_
