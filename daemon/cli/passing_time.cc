// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/passing_time.h"

#include <algorithm>
#include <charconv>
#include <chrono>

namespace coolspan {
namespace {

std::uint64_t TenthsFor(std::string_view ordering) {
  constexpr std::uint64_t kFewSeconds = 100;
  constexpr std::uint64_t kMip = 600;
  constexpr std::string_view kSeconds = "seconds=";
  if (!ordering.starts_with("mip")) return kFewSeconds;
  const std::size_t place = ordering.find(kSeconds);
  if (place == std::string_view::npos) return kMip;
  ordering.remove_prefix(place + kSeconds.size());
  std::uint32_t seconds = 0;
  std::from_chars(ordering.data(), ordering.data() + ordering.size(), seconds);
  return std::max<std::uint64_t>(1, std::uint64_t{seconds} * 10);
}

}  // namespace

PassingTime::PassingTime(std::ostream& out, std::string_view ordering)
    : total_(TenthsFor(ordering)), bar_(out, passed_, total_) {
  thread_ = std::thread([this] {
    std::unique_lock lock(mutex_);
    while (!changed_.wait_for(lock, std::chrono::milliseconds(100),
                              [this] { return over_; })) {
      // The bar is full when the object goes, not before.
      if (passed_ + 1 < total_) ++passed_;
    }
  });
}

PassingTime::~PassingTime() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

}  // namespace coolspan
