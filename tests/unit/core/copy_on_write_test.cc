// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/copy_on_write.h"

#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace coolspan {
namespace {

using Text = CopyOnWrite<std::string>;

TEST(CopyOnWriteTest, CopiesShareOneValue) {
  const Text first(std::in_place, "abc");
  const Text second = first;
  Text third(std::in_place, "xyz");
  EXPECT_FALSE(third.IsSharedWith(first));
  third = second;
  EXPECT_TRUE(second.IsSharedWith(first));
  EXPECT_TRUE(third.IsSharedWith(first));
  EXPECT_EQ(&*third, &*first);
  EXPECT_EQ(third->size(), 3U);
}

TEST(CopyOnWriteTest, ChangeAffectsOneCopy) {
  Text first(std::in_place, "abc");
  const Text second = first;
  first.Mutable() += "d";
  EXPECT_EQ(*first, "abcd");
  EXPECT_EQ(*second, "abc");
  EXPECT_FALSE(first.IsSharedWith(second));
}

TEST(CopyOnWriteTest, SoleOwnerChangesInPlace) {
  Text first(std::in_place, "abc");
  const std::string* const at = &*first;
  first.Mutable() = "x";
  EXPECT_EQ(&*first, at);
  std::optional<const Text> second = first;
  second.reset();
  first.Mutable() = "y";
  EXPECT_EQ(&*first, at) << "the other copy is gone";
  Text moved = std::move(first);
  moved.Mutable() = "z";
  EXPECT_EQ(&*moved, at) << "a moved one is not counted twice";
}

TEST(CopyOnWriteTest, AssignmentToItselfKeepsTheValue) {
  Text text(std::in_place, "abc");
  const Text& same = text;
  text = same;
  EXPECT_EQ(*text, "abc");
  Text other(std::in_place, "xyz");
  other = std::move(text);
  EXPECT_EQ(*other, "abc");
  text = other;
  EXPECT_EQ(*text, "abc");
}

struct Counted {
  explicit Counted(int& counter) : live(&counter) { ++counter; }
  Counted(const Counted& other) : live(other.live) { ++*live; }
  Counted& operator=(const Counted&) = delete;
  ~Counted() { --*live; }
  int* live;
};

TEST(CopyOnWriteTest, TheLastOwnerDestroysIt) {
  int live = 0;
  {
    CopyOnWrite<Counted> first(std::in_place, live);
    {
      CopyOnWrite<Counted> second = first;
      EXPECT_EQ(live, 1);
      second.Mutable();
      EXPECT_EQ(live, 2);
      second = first;
      EXPECT_EQ(live, 1);
    }
    EXPECT_EQ(live, 1);
  }
  EXPECT_EQ(live, 0);
}

// A reader's last look at a value comes before the writer's next change of it,
// though nothing else orders the two. Under ThreadSanitizer, mostly.
TEST(CopyOnWriteThreadsTest, ReadersDestroyCopiesWhileTheWriterChanges) {
  constexpr int kRounds = 100;
  using Numbers = CopyOnWrite<std::vector<int>>;
  Numbers own(std::in_place, std::vector<int>(100, 0));
  std::atomic<int> mixed = 0;
  for (int round = 0; round < kRounds; ++round) {
    std::atomic<bool> is_done = false;
    std::thread reader([copy = own, &mixed, &is_done]() mutable {
      {
        const Numbers last = std::move(copy);
        for (const int number : *last) {
          if (number != last->front()) ++mixed;
        }
      }
      is_done.store(true, std::memory_order_relaxed);
    });
    bool was_done = false;
    do {
      was_done = is_done.load(std::memory_order_relaxed);
      for (int& number : own.Mutable()) ++number;
      if (!was_done) std::this_thread::yield();
    } while (!was_done);
    reader.join();
  }
  EXPECT_EQ(mixed, 0);
}

}  // namespace
}  // namespace coolspan
