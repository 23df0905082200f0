// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>

#include "replay/find_entry.h"
#include "replay/workload_models/workload_model.h"

namespace coolspan {
namespace {

constexpr WorkloadModelEntry kWorkloadModels[] = {
    {"lublin99",
     "rigid jobs by Lublin and Feitelson (2003), with a daily cycle",
     MakeLublin99Jobs},
    {"bqp", "20 jobs per hour, 1 to 16 nodes, 1 to 20 minutes", MakeBqpJobs},
};

}  // namespace

std::span<const WorkloadModelEntry> WorkloadModelTable() {
  return kWorkloadModels;
}

absl::StatusOr<const WorkloadModelEntry*> FindWorkloadModel(
    std::string_view name) {
  return FindEntry(WorkloadModelTable(), "--model", name);
}

double DrawUnit(std::mt19937_64& random) {
  constexpr int kBits = 53;
  return std::ldexp(static_cast<double>(random() >> (64 - kBits)), -kBits);
}

void WriteSwf(const JobSource& next, std::uint32_t jobs, NodeCount nodes,
              std::string_view note, std::ostream& out) {
  constexpr std::size_t kPortionBytes = 1U << 16U;
  fmt::memory_buffer text;
  const auto end = std::back_inserter(text);
  const auto write = [&text, &out] {
    out.write(text.data(), static_cast<std::streamsize>(text.size()));
    text.clear();
  };
  fmt::format_to(end,
                 "; Version: 2.2\n; MaxJobs: {}\n; MaxRecords: {}\n"
                 "; MaxNodes: {}\n; MaxProcs: {}\n; Note: {}\n",
                 jobs, jobs, nodes, nodes, note);
  for (std::uint32_t number = 1; number <= jobs && out; ++number) {
    const GeneratedJob job = next();
    // Number, submit, wait, run, processors, CPU time, memory, requested
    // processors, estimate, requested memory, status, and 7 unknown fields.
    fmt::format_to(
        end, "{} {} -1 {} {} -1 -1 {} -1 -1 1 -1 -1 -1 -1 -1 -1 -1\n", number,
        std::llround(job.submit_s), std::max(1LL, std::llround(job.run_s)),
        job.nodes, job.nodes);
    if (text.size() >= kPortionBytes) write();
  }
  write();
}

}  // namespace coolspan
