// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/metrics/process_metrics.h"

#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

namespace coolspan {
namespace {

// Entries of a folder; 0 if it cannot be read.
double EntriesOf(const char* folder) {
  std::error_code error;
  std::filesystem::directory_iterator entries(folder, error);
  double count = 0;
  while (!error && entries != std::filesystem::directory_iterator()) {
    ++count;
    entries.increment(error);
  }
  return count;
}

double SecondsOf(const timeval& time) {
  constexpr double kSecondsPerUs = 1e-6;
  return static_cast<double>(time.tv_sec) +
         static_cast<double>(time.tv_usec) * kSecondsPerUs;
}

}  // namespace

// The second number of statm, in pages.
std::uint64_t ResidentBytes() {
  std::ifstream statm("/proc/self/statm");
  std::uint64_t total = 0;
  std::uint64_t resident = 0;
  statm >> total >> resident;
  return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

void AddProcessMetrics(MetricsPage& page) {
  page.Add(Metric::kProcessResidentMemoryBytes,
           static_cast<double>(ResidentBytes()));
  page.Add(Metric::kProcessThreads, EntriesOf("/proc/self/task"));
  page.Add(Metric::kProcessOpenFds, EntriesOf("/proc/self/fd"));
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
    page.Add(Metric::kProcessMaxFds, static_cast<double>(files.rlim_cur));
  }
  rusage usage{};
  if (getrusage(RUSAGE_SELF, &usage) == 0) {
    page.Add(Metric::kProcessCpuSeconds,
             SecondsOf(usage.ru_utime) + SecondsOf(usage.ru_stime));
  }
}

}  // namespace coolspan
