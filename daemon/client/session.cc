// SPDX-License-Identifier: GPL-3.0-or-later
#include "client/session.h"

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/channels.h"
#include "client/endpoints.h"

namespace coolspan {
namespace {

constexpr std::chrono::seconds kConnectTimeout{5};

}  // namespace

class Session::Stream {
 public:
  Stream(const std::shared_ptr<grpc::Channel>& channel, std::string endpoint)
      : endpoint_(std::move(endpoint)),
        stub_(v1::Allocator::NewStub(channel)),
        stream_(stub_->Session(&context_)) {}

  ~Stream() {
    context_.TryCancel();
    if (!finished_) stream_->Finish();
  }

  absl::StatusOr<v1::SyncReply> Sync(v1::SyncRequest request) {
    cluster_ = request.cluster();
    client_id_ = absl::StrCat("session.", ++syncs_);
    sequence_ = 0;
    request.set_clock(v1::CLOCK_VIRTUAL);
    request.set_client_id(client_id_);
    request.set_sequence(0);
    v1::SessionRequest message;
    *message.mutable_sync() = std::move(request);
    absl::StatusOr<v1::SessionReply> reply =
        RoundTrip(message, v1::SessionReply::kSync);
    if (!reply.ok()) return reply.status();
    epoch_ = reply->sync().epoch();
    return std::move(*reply->mutable_sync());
  }

  absl::StatusOr<v1::AllocateReply> Allocate(v1::AllocateRequest request) {
    FillIn(request);
    v1::SessionRequest message;
    *message.mutable_allocate() = std::move(request);
    return RoundTripForAllocate(message);
  }

  absl::StatusOr<v1::AllocateReply> Preview(v1::PreviewRequest request) {
    FillIn(*request.mutable_request());
    v1::SessionRequest message;
    *message.mutable_preview() = std::move(request);
    return RoundTripForAllocate(message);
  }

  // kind: the field for events of their kind, SessionRequest::mutable_commit or
  // another.
  absl::Status Send(v1::Event sent, v1::Event* (v1::SessionRequest::*kind)()) {
    if (!failure_.ok()) return failure_;
    v1::SessionRequest message;
    v1::Event& event = *(message.*kind)();
    event = std::move(sent);
    event.set_cluster(cluster_);
    event.set_epoch(epoch_);
    event.set_client_id(client_id_);
    event.set_sequence(++sequence_);
    // Events need no immediate answer: gRPC may send this one together with the
    // next request.
    if (!stream_->Write(message, grpc::WriteOptions().set_buffer_hint()))
      return Broken();
    return absl::OkStatus();
  }

  absl::Status Close() {
    if (!failure_.ok() || finished_) return failure_;
    stream_->WritesDone();
    v1::SessionReply reply;
    while (stream_->Read(&reply)) {
      if (reply.has_error()) NoteError(reply.error());
    }
    const absl::Status ended = ToAbsl(stream_->Finish());
    finished_ = true;
    if (failure_.ok()) failure_ = ended;
    return failure_;
  }

 private:
  void FillIn(v1::AllocateRequest& request) {
    request.set_cluster(cluster_);
    request.set_epoch(epoch_);
    request.set_client_id(client_id_);
    request.set_after_sequence(sequence_);
  }

  absl::StatusOr<v1::AllocateReply> RoundTripForAllocate(
      const v1::SessionRequest& message) {
    absl::StatusOr<v1::SessionReply> reply =
        RoundTrip(message, v1::SessionReply::kAllocate);
    if (!reply.ok()) return reply.status();
    return std::move(*reply->mutable_allocate());
  }

  absl::StatusOr<v1::SessionReply> RoundTrip(
      const v1::SessionRequest& message, v1::SessionReply::WhatCase expected) {
    if (!failure_.ok()) return failure_;
    v1::SessionReply reply;
    if (!stream_->Write(message) || !stream_->Read(&reply)) return Broken();
    if (reply.has_error()) {
      NoteError(reply.error());
      return failure_;
    }
    if (reply.what_case() != expected) {
      failure_ = absl::InternalError("unexpected type of reply from coolspand");
      return failure_;
    }
    return reply;
  }

  void NoteError(const v1::SessionError& error) {
    if (failure_.ok()) {
      failure_ = absl::Status(static_cast<absl::StatusCode>(error.code()),
                              error.message());
    }
  }

  // The stream ended before Close. Returns the error that the daemon sent
  // before, if any.
  absl::Status Broken() {
    v1::SessionReply reply;
    while (stream_->Read(&reply)) {
      if (reply.has_error()) NoteError(reply.error());
    }
    const absl::Status ended = ToAbsl(stream_->Finish());
    finished_ = true;
    if (!failure_.ok()) return failure_;
    failure_ = ended.ok()
                   ? absl::UnavailableError("coolspand closed the session")
                   : ended;
    failure_ = absl::Status(failure_.code(),
                            absl::StrCat(endpoint_, ": ", failure_.message()));
    return failure_;
  }

  const std::string endpoint_;
  std::unique_ptr<v1::Allocator::Stub> stub_;
  grpc::ClientContext context_;
  std::unique_ptr<
      grpc::ClientReaderWriter<v1::SessionRequest, v1::SessionReply>>
      stream_;
  bool finished_ = false;
  absl::Status failure_;
  std::string cluster_;
  std::string client_id_;
  std::string epoch_;
  std::uint64_t sequence_ = 0;
  int syncs_ = 0;
};

Session::Session(std::unique_ptr<Stream> stream) : stream_(std::move(stream)) {}
Session::~Session() = default;

absl::StatusOr<std::unique_ptr<Session>> Session::Open(
    const DaemonAddress& address) {
  absl::StatusOr<std::vector<Endpoint>> parsed = ParseEndpoints(address);
  if (!parsed.ok()) return parsed.status();
  absl::Status status;
  for (const Endpoint& endpoint : *parsed) {
    std::shared_ptr<grpc::Channel> channel = MakeChannel(endpoint);
    status = Connect(*channel, endpoint, kConnectTimeout);
    if (status.ok()) {
      return std::unique_ptr<Session>(new Session(
          std::make_unique<Stream>(std::move(channel), endpoint.text)));
    }
  }
  return status;
}

absl::StatusOr<v1::SyncReply> Session::Sync(v1::SyncRequest request) {
  return stream_->Sync(std::move(request));
}

absl::StatusOr<v1::AllocateReply> Session::Allocate(
    v1::AllocateRequest request) {
  return stream_->Allocate(std::move(request));
}

absl::StatusOr<v1::AllocateReply> Session::Preview(v1::PreviewRequest request) {
  return stream_->Preview(std::move(request));
}

absl::Status Session::Commit(v1::Event event) {
  return stream_->Send(std::move(event), &v1::SessionRequest::mutable_commit);
}

absl::Status Session::Release(v1::Event event) {
  return stream_->Send(std::move(event), &v1::SessionRequest::mutable_release);
}

absl::Status Session::Resize(v1::Event event) {
  return stream_->Send(std::move(event), &v1::SessionRequest::mutable_resize);
}

absl::Status Session::Suspend(v1::Event event) {
  return stream_->Send(std::move(event), &v1::SessionRequest::mutable_suspend);
}

absl::Status Session::Close() { return stream_->Close(); }

}  // namespace coolspan
