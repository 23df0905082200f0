// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/rpc/method_roles.h"

#include <google/protobuf/descriptor.h>
#include <gtest/gtest.h>

#include <iterator>
#include <string>

#include "coolspan/v1/allocator.pb.h"
#include "coolspan/v1/telemetry.pb.h"

namespace coolspan {
namespace {

TEST(MethodRolesTest, EveryMethodNeedsARole) {
  std::size_t methods = 0;
  for (const google::protobuf::FileDescriptor* const file :
       {v1::SyncRequest::descriptor()->file(),
        v1::Readings::descriptor()->file()}) {
    for (int s = 0; s < file->service_count(); ++s) {
      const auto* const service = file->service(s);
      for (int m = 0; m < service->method_count(); ++m) {
        const std::string path =
            "/" + service->full_name() + "/" + service->method(m)->name();
        EXPECT_NE(FindMethodRole(path), nullptr) << path;
        ++methods;
      }
    }
  }
  EXPECT_EQ(methods, std::size(kMethodRoles));
  EXPECT_EQ(FindMethodRole("/coolspan.v1.Allocator/Nothing"), nullptr);
}

TEST(MethodRolesTest, WhatChangesTheLedgerIsForResourceManagers) {
  for (const char* const method : {"Sync", "Allocate", "Commit", "Release",
                                   "Resize", "Suspend", "KeepAlive"}) {
    const auto* const found =
        FindMethodRole(std::string("/coolspan.v1.Allocator/") + method);
    ASSERT_NE(found, nullptr) << method;
    EXPECT_EQ(found->role, Role::kResourceManager) << method;
  }
}

}  // namespace
}  // namespace coolspan
