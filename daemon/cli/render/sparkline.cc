// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/render/sparkline.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace coolspan {
namespace {

constexpr std::array<const char*, 8> kBars = {"▁", "▂", "▃", "▄",
                                              "▅", "▆", "▇", "█"};

}  // namespace

std::string Sparkline(std::span<const double> values, double max,
                      std::size_t columns) {
  std::string line;
  const std::size_t count = std::min(values.size(), columns);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t begin = i * values.size() / count;
    const std::size_t end = (i + 1) * values.size() / count;
    const auto part = values.subspan(begin, end - begin);
    const double mean = std::accumulate(part.begin(), part.end(), 0.0) /
                        static_cast<double>(part.size());
    const double level =
        max > 0 ? std::round(mean / max * (kBars.size() - 1)) : 0;
    line += kBars[static_cast<std::size_t>(level)];
  }
  return line;
}

}  // namespace coolspan
