// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_ALLOCATOR_SERVICE_H_
#define COOLSPAN_SERVICE_ALLOCATOR_SERVICE_H_

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "coolspan/v1/allocator.grpc.pb.h"
#include "service/live_clusters.h"

namespace coolspan {

// The Allocator of allocator.proto: decodes, hands over, answers. Thread-safe.
class AllocatorService final : public v1::Allocator::Service {
 public:
  // decision_limit: the longest an Allocate may take, whatever the client's
  // deadline is.
  AllocatorService(LiveClusters& clusters,
                   std::chrono::milliseconds decision_limit);

  grpc::Status Sync(grpc::ServerContext* context,
                    const v1::SyncRequest* request,
                    v1::SyncReply* reply) override;
  grpc::Status Allocate(grpc::ServerContext* context,
                        const v1::AllocateRequest* request,
                        v1::AllocateReply* reply) override;
  grpc::Status Commit(grpc::ServerContext* context, const v1::Event* event,
                      v1::EventReply* reply) override;
  grpc::Status Release(grpc::ServerContext* context, const v1::Event* event,
                       v1::EventReply* reply) override;
  grpc::Status Resize(grpc::ServerContext* context, const v1::Event* event,
                      v1::EventReply* reply) override;
  grpc::Status Suspend(grpc::ServerContext* context, const v1::Event* event,
                       v1::EventReply* reply) override;

 private:
  grpc::Status Apply(EventKind kind, const v1::Event& event,
                     v1::EventReply& reply);

  LiveClusters& clusters_;
  std::chrono::milliseconds decision_limit_;
};

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_ALLOCATOR_SERVICE_H_
