// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CORE_LEASE_POOL_H_
#define COOLSPAN_CORE_LEASE_POOL_H_

#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

namespace coolspan {

// A pool of objects that each serve one thread at a time. Thread-safe, and no
// call waits for another: threads at idle priority use the pool too, and could
// be kept from their core while they hold the mutex. Where the mutex is taken,
// an object is made instead of reused, or deleted instead of returned.
template <typename T>
class LeasePool {
 public:
  LeasePool() { idle_.reserve(kMaxIdle); }

  // An object of the pool; the destructor returns it. REQUIRES that the pool
  // outlives the lease.
  class Lease {
   public:
    Lease(LeasePool& pool, std::unique_ptr<T> object)
        : pool_(pool), object_(std::move(object)) {}
    Lease(Lease&&) noexcept = default;
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    Lease& operator=(Lease&&) = delete;
    ~Lease() {
      if (object_ != nullptr) pool_.Return(std::move(object_));
    }
    T& operator*() const { return *object_; }
    T* operator->() const { return object_.get(); }

   private:
    LeasePool& pool_;
    std::unique_ptr<T> object_;
  };

  static constexpr std::size_t kMaxIdle = 4;
  using Idle = std::span<const std::unique_ptr<T>>;  // last used last

  // choose: the index of the idle object to reuse, or the size of its argument
  // for none. make: a new object.
  template <typename Choose, typename Make>
  Lease Take(Choose choose, Make make) {
    std::unique_ptr<T> object = TakeIdle(choose);
    if (object == nullptr) object = make();
    return Lease(*this, std::move(object));
  }

 private:
  // nullptr: none.
  template <typename Choose>
  std::unique_ptr<T> TakeIdle(Choose choose) {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock.owns_lock()) return nullptr;
    const std::size_t chosen = choose(Idle(idle_));
    if (chosen >= idle_.size()) return nullptr;
    std::unique_ptr<T> object = std::move(idle_[chosen]);
    idle_.erase(idle_.begin() + static_cast<std::ptrdiff_t>(chosen));
    return object;
  }
  // Instead of the object that has been idle for longest, if the pool is full.
  void Return(std::unique_ptr<T> object) {
    std::unique_ptr<T> surplus;  // deleted after the mutex is released
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock.owns_lock()) return;
    if (idle_.size() == kMaxIdle) {
      surplus = std::move(idle_.front());
      idle_.erase(idle_.begin());
    }
    idle_.push_back(std::move(object));
  }

  std::mutex mutex_;
  std::vector<std::unique_ptr<T>> idle_;
};

}  // namespace coolspan

#endif  // COOLSPAN_CORE_LEASE_POOL_H_
