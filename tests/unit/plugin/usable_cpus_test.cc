// SPDX-License-Identifier: GPL-3.0-or-later
#include "plugin/usable_cpus.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace coolspan {
namespace {

// Two sockets of four cores with two threads, 1,000 MB.
class UsableCpusTest : public ::testing::Test {
 protected:
  UsableCpusTest() {
    demand_.cpus_per_task = 1;
    demand_.max_cpus = UINT32_MAX;
    demand_.partition_cpus = UINT32_MAX;
    demand_.whole_cores = true;
    demand_.tracks_memory = true;
    offer_.cores_per_socket = 4;
    offer_.threads_per_core = 2;
    offer_.cpus = 16;
    offer_.cores = 8;
    offer_.memory_mb = 1000;
    offer_.memory_is_free = true;
  }
  coolspan_usable_t Usable() {
    offer_.free = free_.data();
    std::vector<std::uint16_t> taken = taken_;
    if (taken.empty()) {
      for (const std::uint16_t free : free_) {
        taken.push_back(
            static_cast<std::uint16_t>(offer_.cores_per_socket - free));
      }
    }
    offer_.taken = taken.data();
    offer_.sockets = static_cast<std::uint32_t>(free_.size());
    return usable_cpus(&demand_, &offer_);
  }
  std::uint32_t Cpus() { return Usable().cpus; }

  node_demand_t demand_ = {};
  node_offer_t offer_ = {};
  std::vector<std::uint16_t> free_ = {4, 3};
  std::vector<std::uint16_t> taken_;  // empty: those that are not free
};

TEST_F(UsableCpusTest, AllThreadsOfFreeCores) {
  EXPECT_EQ(Cpus(), 14U);
  EXPECT_EQ(Usable().per_core, 2U);
  free_ = {0, 0};
  EXPECT_EQ(Cpus(), 0U);
  EXPECT_EQ(Usable().per_core, 1U);
}

TEST_F(UsableCpusTest, WholeNodesAreFreeNodes) {
  demand_.whole = true;
  EXPECT_EQ(Cpus(), 0U);
  free_ = {4, 4};
  EXPECT_EQ(Cpus(), 16U);
  demand_.max_cpus = 15;
  EXPECT_EQ(Cpus(), 0U);
}

TEST_F(UsableCpusTest, OnlyWholeTasksCount) {
  free_ = {4, 3};
  demand_.cpus_per_task = 4;
  EXPECT_EQ(Cpus(), 14U);
  demand_.whole_tasks = true;
  EXPECT_EQ(Cpus(), 12U);
  demand_.tasks_per_core = 1;
  EXPECT_EQ(Cpus(), 12U) << "3 tasks of 2 cores";
  demand_.cpus_per_task = 3;
  EXPECT_EQ(Cpus(), 9U) << "3 tasks of 2 cores, of which a CPU stays idle";
  demand_.tasks_per_core = 0;
  demand_.cpus_per_task = 1;
  demand_.tasks_per_node = 5;
  EXPECT_EQ(Cpus(), 5U);
  demand_.whole = true;
  free_ = {4, 4};
  EXPECT_EQ(Cpus(), 16U);
}

TEST_F(UsableCpusTest, CpusOfAPartitionOnASocket) {
  free_ = {4, 2};
  taken_ = {0, 2};
  demand_.partition_socket_cpus = 5;
  EXPECT_EQ(Cpus(), 8U) << "2 cores of each socket";
  demand_.partition_socket_cpus = 4;
  EXPECT_EQ(Cpus(), 4U) << "the second socket has 2 cores of the partition";
  demand_.partition_socket_cpus = 1;
  EXPECT_EQ(Cpus(), 0U) << "a core has two threads";
}

TEST_F(UsableCpusTest, ThreadsPerCore) {
  demand_.threads_per_core = 1;
  EXPECT_EQ(Cpus(), 7U);
  EXPECT_EQ(Usable().per_core, 1U);
  demand_.threads_per_core = 4;
  EXPECT_EQ(Cpus(), 0U) << "no core has four threads";
  demand_.threads_per_core = 0;
  demand_.tasks_per_core = 1;
  EXPECT_EQ(Cpus(), 7U);
  demand_.cpus_per_task = 2;
  EXPECT_EQ(Cpus(), 14U) << "a task uses both threads";
}

TEST_F(UsableCpusTest, OneTaskPerCore) {
  demand_.one_task_per_core = true;
  EXPECT_EQ(Cpus(), 7U);
  EXPECT_EQ(Usable().per_core, 1U);
}

TEST_F(UsableCpusTest, ATaskLeavesThreadsOfItsLastCore) {
  demand_.tasks_per_core = 1;
  demand_.cpus_per_task = 3;
  free_ = {4, 0};
  EXPECT_EQ(Cpus(), 6U) << "two tasks on two cores each";
  free_ = {4, 1};
  EXPECT_EQ(Cpus(), 8U) << "Slurm counts the core that is left";
}

TEST_F(UsableCpusTest, TasksPerSocketLimitTheCores) {
  demand_.tasks_per_socket = 2;
  EXPECT_EQ(Cpus(), 4U);
  demand_.cpus_per_task = 3;
  EXPECT_EQ(Cpus(), 12U);
  demand_.tasks_per_node = 5;
  EXPECT_EQ(Cpus(), 0U) << "four tasks fit";
}

TEST_F(UsableCpusTest, TasksPerNodeMustFit) {
  demand_.tasks_per_node = 14;
  EXPECT_EQ(Cpus(), 14U);
  demand_.cpus_per_task = 2;
  EXPECT_EQ(Cpus(), 0U);
  demand_.tasks_per_node = 7;
  EXPECT_EQ(Cpus(), 14U);
}

TEST_F(UsableCpusTest, AllTasksMustFitOnTheOnlyNode) {
  demand_.single_node = true;
  demand_.tasks = 15;
  EXPECT_EQ(Cpus(), 0U);
  demand_.overcommit = true;
  EXPECT_EQ(Cpus(), 14U);
}

TEST_F(UsableCpusTest, MinimumOfCpusSocketsAndCores) {
  demand_.min_cpus = 15;
  EXPECT_EQ(Cpus(), 0U);
  demand_.min_cpus = 14;
  EXPECT_EQ(Cpus(), 14U);
  demand_.min_cores_per_socket = 4;
  EXPECT_EQ(Cpus(), 0U) << "one socket is left";
  demand_.min_cpus = 0;
  EXPECT_EQ(Cpus(), 8U);
  demand_.min_sockets = 2;
  EXPECT_EQ(Cpus(), 0U);
}

TEST_F(UsableCpusTest, WholeSockets) {
  demand_.whole_cores = false;
  demand_.whole_sockets = true;
  EXPECT_EQ(Cpus(), 8U);
  taken_ = {0, 0};
  EXPECT_EQ(Cpus(), 14U) << "the other core is specialized, or of a partition";
}

TEST_F(UsableCpusTest, MemoryPerNode) {
  demand_.memory_mb = 1000;
  EXPECT_EQ(Cpus(), 14U);
  demand_.memory_mb = 1001;
  EXPECT_EQ(Cpus(), 0U);
  demand_.tracks_memory = false;
  EXPECT_EQ(Cpus(), 14U);
}

TEST_F(UsableCpusTest, AllMemory) {
  EXPECT_EQ(Cpus(), 14U);
  offer_.memory_is_free = false;
  EXPECT_EQ(Cpus(), 0U);
}

TEST_F(UsableCpusTest, MemoryPerCpu) {
  demand_.memory_per_cpu = true;
  demand_.memory_mb = 100;
  EXPECT_EQ(Cpus(), 10U);
  demand_.memory_mb = 110;
  EXPECT_EQ(Cpus(), 8U) << "nine fit, but Slurm leaves out whole cores";
  demand_.cpus_per_task = 3;
  EXPECT_EQ(Cpus(), 6U) << "two tasks";
  demand_.memory_mb = 1001;
  EXPECT_EQ(Cpus(), 0U);
  demand_.cpus_per_task = 1;
  demand_.tasks_per_core = 1;
  demand_.memory_mb = 100;
  EXPECT_EQ(Cpus(), 5U) << "the memory of both threads of a core";
  demand_.whole = true;
  demand_.tasks_per_core = 0;
  free_ = {4, 4};
  EXPECT_EQ(Cpus(), 0U) << "16 CPUs need 1,600 MB";
}

TEST_F(UsableCpusTest, MaxCpusPerNodeOfThePartition) {
  demand_.partition_cpus = 10;
  EXPECT_EQ(Cpus(), 10U);
  offer_.partition_cores = 1;
  EXPECT_EQ(Cpus(), 8U);
  offer_.partition_cores = 5;
  EXPECT_EQ(Cpus(), 0U);
  demand_.partition_cpus = 24;
  EXPECT_EQ(Cpus(), 14U);
  demand_.partition_cpus = 15;
  demand_.whole = true;
  offer_.partition_cores = 0;
  free_ = {4, 4};
  EXPECT_EQ(Cpus(), 0U);
}

TEST_F(UsableCpusTest, WithGresTheCpusOfTheTasks) {
  demand_.cpus_per_task = 3;
  demand_.tasks = 12;
  EXPECT_EQ(Cpus(), 14U);
  demand_.gres = true;
  EXPECT_EQ(Cpus(), 12U);
  demand_.tasks_per_node = 2;
  EXPECT_EQ(Cpus(), 6U);
  demand_.tasks_per_node = 0;
  demand_.tasks_per_socket = 1;
  EXPECT_EQ(Cpus(), 6U) << "not the whole cores";
  demand_.tasks_per_socket = 0;
  demand_.one_task_each = true;
  EXPECT_EQ(Cpus(), 3U);
  demand_.overcommit = true;
  EXPECT_EQ(Cpus(), 14U);
}

TEST_F(UsableCpusTest, WithGresTheCpuOfTheOnlyTask) {
  demand_.gres = true;
  demand_.tasks = 1;
  EXPECT_EQ(Cpus(), 1U);
  demand_.one_task_per_core = true;
  EXPECT_EQ(Cpus(), 7U) << "Slurm cannot tell whether one CPU was requested";
}

TEST_F(UsableCpusTest, SpecializedThreads) {
  free_ = {4, 4};
  demand_.specialized_threads = 2;
  EXPECT_EQ(Cpus(), 14U);
  free_ = {4, 2};
  EXPECT_EQ(Cpus(), 12U) << "the busy cores have the threads";
}

}  // namespace
}  // namespace coolspan
