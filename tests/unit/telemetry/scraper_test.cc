// SPDX-License-Identifier: GPL-3.0-or-later
#include "telemetry/scraper.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "mesh_machine.h"
#include "telemetry/sensor_page.h"

namespace coolspan {
namespace {

using std::chrono::milliseconds;

// An exporter on loopback and the callbacks of a scraper that polls it.
class ScraperTest : public testing::Test {
 protected:
  ScraperTest() {
    server_.Get("/metrics/(.*)", [this](const httplib::Request& request,
                                        httplib::Response& response) {
      const std::lock_guard lock(mutex_);
      const auto page = pages_.find(request.matches[1]);
      if (page == pages_.end()) {
        response.status = 503;
      } else {
        response.set_content(page->second, "text/plain");
      }
    });
    // Sends a few bytes at a time, without end.
    server_.Get("/slow",
                [](const httplib::Request&, httplib::Response& response) {
                  response.set_chunked_content_provider(
                      "text/plain", [](std::size_t, httplib::DataSink& sink) {
                        std::this_thread::sleep_for(milliseconds(20));
                        return sink.write("#", 1);
                      });
                });
    port_ = server_.bind_to_any_port("127.0.0.1");
    thread_ = std::thread([this] { server_.listen_after_bind(); });
    while (!server_.is_running()) std::this_thread::yield();
  }
  ~ScraperTest() override {
    server_.stop();
    thread_.join();
  }

  void Show(const std::string& name, const std::string& page) {
    const std::lock_guard lock(mutex_);
    pages_[name] = page;
  }
  Scraper::Setting SettingOf(const std::string& path) const {
    Scraper::Setting setting;
    setting.urls = {"http://127.0.0.1:" + std::to_string(port_) + path};
    setting.inlet_metrics.assign(DefaultInletMetrics().begin(),
                                 DefaultInletMetrics().end());
    setting.power_metrics.assign(DefaultPowerMetrics().begin(),
                                 DefaultPowerMetrics().end());
    setting.interval = milliseconds(20);
    setting.timeout = milliseconds(2000);
    return setting;
  }
  std::unique_ptr<Scraper> Start(Scraper::Setting setting) {
    return std::make_unique<Scraper>(
        machine_, std::move(setting),
        [this](const std::vector<SensorReading>& readings) {
          const std::lock_guard lock(mutex_);
          for (const SensorReading& reading : readings) {
            inlets_[reading.node] = *reading.inlet_c;
          }
          changed_.notify_all();
        },
        [this](const std::string& /*url*/, const absl::Status& why) {
          const std::lock_guard lock(mutex_);
          news_.push_back(std::string(why.message()));
          changed_.notify_all();
        });
  }
  template <typename Condition>
  bool Wait(Condition condition) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(20), condition);
  }

  std::shared_ptr<const Machine> machine_ = MeshMachine(FlatGrid({3}));
  httplib::Server server_;
  int port_ = 0;
  std::thread thread_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, std::string> pages_;
  std::map<NodeId, double> inlets_;
  std::vector<std::string> news_;
};

std::string Page(double inlet_c) {
  return "ipmi_temperature_celsius{name=\"Inlet Temp\"} " +
         std::to_string(inlet_c) + "\n";
}

TEST_F(ScraperTest, ReadsOnePagePerNode) {
  for (NodeId node = 0; node < 3; ++node) {
    Show(machine_->NodeName(node), Page(20 + node));
  }
  const auto scraper = Start(SettingOf("/metrics/{node}"));
  EXPECT_TRUE(Wait([this] { return inlets_.size() == 3; }));
  EXPECT_EQ(inlets_[2], 22);
  Show(machine_->NodeName(2), Page(30));
  EXPECT_TRUE(Wait([this] { return inlets_[2] == 30; }));
  EXPECT_THAT(news_, testing::IsEmpty());
}

TEST_F(ScraperTest, ReportsAFailingPageOnce) {
  const auto scraper = Start(SettingOf("/metrics/all"));
  EXPECT_TRUE(Wait([this] { return !news_.empty(); }));
  Show("all", "what=");
  std::this_thread::sleep_for(milliseconds(200));
  Show("all", "ipmi_temperature_celsius{name=\"Inlet Temp\",node=\"" +
                  machine_->NodeName(1) + "\"} 25\n");
  EXPECT_TRUE(Wait([this] { return news_.size() == 2; }));
  EXPECT_EQ(news_[0], "HTTP 503");
  EXPECT_EQ(news_[1], "");
  EXPECT_TRUE(Wait([this] { return inlets_.count(1) == 1; }));
}

TEST_F(ScraperTest, ReportsARefusedConnection) {
  Scraper::Setting setting = SettingOf("/metrics/all");
  setting.urls = {"http://127.0.0.1:1/metrics"};
  const auto scraper = Start(setting);
  EXPECT_TRUE(Wait([this] { return !news_.empty(); }));
  EXPECT_THAT(news_[0], testing::HasSubstr("onnect"));
}

TEST_F(ScraperTest, RejectsAnEndlessPage) {
  Show("all", std::string(std::size_t{17} << 20, 'x'));
  const auto scraper = Start(SettingOf("/metrics/all"));
  EXPECT_TRUE(Wait([this] { return !news_.empty(); }));
  EXPECT_EQ(news_[0], "page is too large (expected at most 16 MiB)");
}

TEST_F(ScraperTest, GivesUpOnASlowPage) {
  Scraper::Setting setting = SettingOf("/slow");
  setting.timeout = milliseconds(300);
  const auto scraper = Start(setting);
  EXPECT_TRUE(Wait([this] { return !news_.empty(); }));
  EXPECT_EQ(news_[0], "page took more than 300 ms");
}

TEST_F(ScraperTest, IgnoresStaleSamples) {
  const auto now = std::chrono::duration_cast<milliseconds>(
      std::chrono::system_clock::now().time_since_epoch());
  const auto read_before = [&](std::chrono::seconds ago) {
    std::string page = Page(25);
    page.back() = ' ';
    return page + std::to_string((now - ago).count()) + "\n";
  };
  Show(machine_->NodeName(0), read_before(std::chrono::seconds(310)));
  Show(machine_->NodeName(1), read_before(std::chrono::seconds(200)));
  Show(machine_->NodeName(2), read_before(std::chrono::seconds(-60)));
  const auto scraper = Start(SettingOf("/metrics/{node}"));
  EXPECT_TRUE(Wait([this] { return inlets_.size() == 2 && !news_.empty(); }));
  EXPECT_EQ(inlets_.count(0), 0U);
  EXPECT_EQ(news_[0], "all samples of the page are older than 300 s");
}

}  // namespace
}  // namespace coolspan
