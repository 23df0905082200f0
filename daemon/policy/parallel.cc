// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace coolspan {
namespace {

// Leaves cores of a large host to its other processes.
constexpr std::size_t kMaxThreads = 16;

std::size_t Cores() {
  static const std::size_t cores = std::clamp<std::size_t>(
      std::thread::hardware_concurrency(), 1, kMaxThreads);
  return cores;
}

}  // namespace

void ForEachPiece(
    std::size_t count, std::size_t piece,
    absl::FunctionRef<void(std::size_t begin, std::size_t end)> work) {
  const std::size_t pieces = (count + piece - 1) / piece;
  std::atomic<std::size_t> next = 0;
  std::once_flag has_thrown;
  std::exception_ptr thrown;
  const auto run = [&] {
    try {
      for (std::size_t i = next++; i < pieces; i = next++) {
        work(i * piece, std::min(count, (i + 1) * piece));
      }
    } catch (...) {
      next = pieces;
      std::call_once(has_thrown, [&] { thrown = std::current_exception(); });
    }
  };
  const std::size_t threads = std::min(Cores(), pieces);
  std::vector<std::thread> others;
  others.reserve(threads);
  for (std::size_t i = 1; i < threads; ++i) {
    try {
      others.emplace_back(run);
    } catch (const std::system_error&) {
      break;  // thread limit reached: the started threads do all pieces
    }
  }
  run();
  for (std::thread& thread : others) thread.join();
  if (thrown) std::rethrow_exception(thrown);
}

}  // namespace coolspan
