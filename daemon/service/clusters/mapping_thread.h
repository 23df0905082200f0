// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_CLUSTERS_MAPPING_THREAD_H_
#define COOLSPAN_SERVICE_CLUSTERS_MAPPING_THREAD_H_

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace coolspan {

// Maps the ranks of jobs apart from the decisions, which must not wait for it.
// Thread-safe.
class MappingThread {
 public:
  static constexpr std::size_t kMaxWaiting = 64;

  MappingThread() = default;
  // Does what still waits.
  ~MappingThread();
  MappingThread(const MappingThread&) = delete;
  MappingThread& operator=(const MappingThread&) = delete;

  // Calls work on the thread, after that of earlier calls. False: it is not
  // called, as too many wait.
  bool Add(std::function<void()> work);

 private:
  void Run();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> waiting_;
  bool is_stopping_ = false;
  std::thread thread_;  // from the first call on
};

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_CLUSTERS_MAPPING_THREAD_H_
