// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/clusters/mapping_thread.h"

#include <utility>

namespace coolspan {

MappingThread::~MappingThread() {
  {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
}

bool MappingThread::Add(std::function<void()> work) {
  {
    const std::lock_guard lock(mutex_);
    if (waiting_.size() >= kMaxWaiting) return false;
    waiting_.push_back(std::move(work));
    if (!thread_.joinable()) thread_ = std::thread([this] { Run(); });
  }
  changed_.notify_one();
  return true;
}

void MappingThread::Run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return is_stopping_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    const std::function<void()> work = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    work();
    lock.lock();
  }
}

}  // namespace coolspan
