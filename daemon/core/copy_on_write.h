// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CORE_COPY_ON_WRITE_H_
#define COOLSPAN_CORE_COPY_ON_WRITE_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

namespace coolspan {

// A value shared by its copies until one of them changes it. Not
// std::shared_ptr: use_count() does not order the reads of a former owner
// before the writes of the last one. Different copies may be used on different
// threads; one copy only on one thread at a time. A moved-from copy can only be
// assigned to or destroyed.
template <typename T>
class CopyOnWrite {
 public:
  template <typename... Args>
  explicit CopyOnWrite(std::in_place_t /*in_place*/, Args&&... args)
      : shared_(
            std::make_unique<Shared>(std::forward<Args>(args)...).release()) {}
  CopyOnWrite(const CopyOnWrite& other) noexcept : shared_(other.shared_) {
    shared_->owners.fetch_add(1, std::memory_order_relaxed);
  }
  CopyOnWrite(CopyOnWrite&& other) noexcept
      : shared_(std::exchange(other.shared_, nullptr)) {}
  CopyOnWrite& operator=(CopyOnWrite other) noexcept {
    std::swap(shared_, other.shared_);
    return *this;
  }
  ~CopyOnWrite() {
    if (shared_ != nullptr &&
        shared_->owners.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      const std::unique_ptr<Shared> last(shared_);
    }
  }

  const T& operator*() const { return shared_->value; }
  const T* operator->() const { return &shared_->value; }
  // The value of this copy alone: copied first if it is shared.
  T& Mutable() {
    if (shared_->owners.load(std::memory_order_acquire) != 1) {
      *this = CopyOnWrite(std::in_place, std::as_const(shared_->value));
    }
    return shared_->value;
  }
  // Whether both copies refer to the same value in memory.
  bool IsSharedWith(const CopyOnWrite& other) const {
    return shared_ == other.shared_;
  }

 private:
  struct Shared {
    template <typename... Args>
    explicit Shared(Args&&... args) : value(std::forward<Args>(args)...) {}
    std::atomic<std::uint32_t> owners = 1;
    T value;
  };

  Shared* shared_;
};

}  // namespace coolspan

#endif  // COOLSPAN_CORE_COPY_ON_WRITE_H_
