// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/rpc/call_counter.h"

#include <chrono>

namespace coolspan {
namespace {

namespace grpc_api = grpc::experimental;

class CallCounter final : public grpc_api::Interceptor {
 public:
  CallCounter(CallCounts& counts, std::size_t call)
      : counts_(counts), call_(call) {
    counts_.Begin();
  }
  ~CallCounter() override { counts_.End(); }
  CallCounter(const CallCounter&) = delete;
  CallCounter& operator=(const CallCounter&) = delete;

  void Intercept(grpc_api::InterceptorBatchMethods* methods) override {
    if (methods->QueryInterceptionHookPoint(
            grpc_api::InterceptionHookPoints::PRE_SEND_STATUS)) {
      counts_.Add(call_, methods->GetSendStatus().error_code(),
                  std::chrono::duration<double>(
                      std::chrono::steady_clock::now() - start_)
                      .count());
    }
    methods->Proceed();
  }

 private:
  CallCounts& counts_;
  const std::size_t call_;
  const std::chrono::steady_clock::time_point start_ =
      std::chrono::steady_clock::now();
};

class CallCounterFactory final
    : public grpc_api::ServerInterceptorFactoryInterface {
 public:
  explicit CallCounterFactory(CallCounts& counts) : counts_(counts) {}

  // The server deletes it with the call.
  grpc_api::Interceptor* CreateServerInterceptor(
      grpc_api::ServerRpcInfo* info) override {
    return std::make_unique<CallCounter>(counts_,
                                         CallCounts::IndexOf(info->method()))
        .release();
  }

 private:
  CallCounts& counts_;
};

}  // namespace

std::unique_ptr<grpc_api::ServerInterceptorFactoryInterface> MakeCallCounter(
    CallCounts& counts) {
  return std::make_unique<CallCounterFactory>(counts);
}

}  // namespace coolspan
