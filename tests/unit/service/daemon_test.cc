// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/daemon.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "unit/service/serving_test.h"

namespace coolspan {
namespace {

using ::testing::HasSubstr;

class DaemonTest : public ::testing::Test {
 protected:
  DaemonSetup OwnSetup() const { return SmallSetup(folder_.File("")); }
  std::string SocketPath() const { return folder_.File("") + "/s.sock"; }

  ScratchFolder folder_;
};

TEST_F(DaemonTest, SocketIsForOwnerAndGroupAndGoesWithIt) {
  auto daemon = Daemon::Start(OwnSetup());
  ASSERT_TRUE(daemon.ok()) << daemon.status();
  struct stat socket = {};
  ASSERT_EQ(stat(SocketPath().c_str(), &socket), 0);
  EXPECT_EQ(socket.st_mode & 0777, 0660u);
  (*daemon)->Stop(std::chrono::minutes(1)).IgnoreError();
  EXPECT_FALSE(std::filesystem::exists(SocketPath()));
}

// The file of a socket may have been removed, and another daemon be there.
TEST_F(DaemonTest, TheSocketOfAnotherDaemonStays) {
  auto first = Daemon::Start(OwnSetup());
  ASSERT_TRUE(first.ok()) << first.status();
  std::filesystem::remove(SocketPath());
  const int other = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  SocketPath().copy(address.sun_path, sizeof(address.sun_path) - 1);
  // NOLINTNEXTLINE: the sockets interface requires this cast.
  ASSERT_EQ(bind(other, reinterpret_cast<sockaddr*>(&address), sizeof(address)),
            0);
  (*first)->Stop(std::chrono::minutes(1)).IgnoreError();
  EXPECT_TRUE(std::filesystem::exists(SocketPath()));
  close(other);
}

// As of a client whose library looks at it only during calls.
TEST_F(DaemonTest, AnIdleConnectionDoesNotDelayTheEnd) {
  auto daemon = Daemon::Start(OwnSetup());
  ASSERT_TRUE(daemon.ok()) << daemon.status();
  const int client = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  SocketPath().copy(address.sun_path, sizeof(address.sun_path) - 1);
  // NOLINTNEXTLINE: the sockets interface requires this cast.
  ASSERT_EQ(
      connect(client, reinterpret_cast<sockaddr*>(&address), sizeof(address)),
      0);
  // HTTP/2: the preface and empty settings, to which the daemon's are answered.
  const std::string hello("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0",
                          33);
  ASSERT_EQ(write(client, hello.data(), hello.size()), 33);
  char settings = 0;
  ASSERT_EQ(read(client, &settings, 1), 1);
  const auto start = std::chrono::steady_clock::now();
  EXPECT_TRUE((*daemon)->Stop(std::chrono::minutes(1)).ok());
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(2))
      << "it waited for the client";
  close(client);
}

TEST_F(DaemonTest, ALockFileIsNoLink) {
  const std::string victim = folder_.File("victim");
  std::ofstream(victim) << "precious";
  std::filesystem::create_symlink(victim, folder_.File("state.db.lock"));
  const auto daemon = Daemon::Start(OwnSetup());
  ASSERT_FALSE(daemon.ok());
  EXPECT_THAT(std::string(daemon.status().message()),
              HasSubstr("state.db.lock: is a symbolic link"));
  std::string text;
  std::ifstream(victim) >> text;
  EXPECT_EQ(text, "precious");
}

TEST_F(DaemonTest, TcpPortIsFound) {
  DaemonSetup setup = OwnSetup();
  setup.file.listen.value = {"ipv4:127.0.0.1:0"};
  auto daemon = Daemon::Start(setup);
  ASSERT_TRUE(daemon.ok()) << daemon.status();
  const std::string endpoint = (*daemon)->endpoints()[0];
  EXPECT_EQ(endpoint.find("ipv4:127.0.0.1:"), 0u);
  EXPECT_NE(endpoint, "ipv4:127.0.0.1:0");
  auto stub = v1::Allocator::NewStub(
      grpc::CreateChannel(endpoint, grpc::InsecureChannelCredentials()));
  grpc::ClientContext context;
  v1::StatusReply reply;
  EXPECT_TRUE(stub->Status(&context, v1::StatusRequest(), &reply).ok());
  DaemonSetup second = OwnSetup();
  second.file.sqlite.value = folder_.File("other.db");
  second.file.archive.value = folder_.File("other.db-archive");
  second.file.listen.value = {endpoint};
  const auto refused = Daemon::Start(second);
  EXPECT_TRUE(absl::IsFailedPrecondition(refused.status())) << refused.status();
  EXPECT_THAT(std::string(refused.status().message()), HasSubstr(endpoint));
}

TEST_F(DaemonTest, LiveSocketIsRefusedAndStays) {
  auto daemon = Daemon::Start(OwnSetup());
  ASSERT_TRUE(daemon.ok()) << daemon.status();
  DaemonSetup second = OwnSetup();
  second.file.sqlite.value = folder_.File("other.db");
  second.file.archive.value = folder_.File("other.db-archive");
  const auto refused = Daemon::Start(second);
  EXPECT_TRUE(absl::IsFailedPrecondition(refused.status()));
  EXPECT_THAT(std::string(refused.status().message()),
              HasSubstr("another daemon listens on"));
  EXPECT_TRUE(std::filesystem::exists(SocketPath()));
  EXPECT_THAT(std::string(Daemon::Start(OwnSetup()).status().message()),
              HasSubstr("the state file is in use by another daemon"));
}

TEST_F(DaemonTest, DeadSocketIsReplaced) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  SocketPath().copy(address.sun_path, sizeof(address.sun_path) - 1);
  const int dead = socket(AF_UNIX, SOCK_STREAM, 0);
  ASSERT_EQ(bind(dead, reinterpret_cast<sockaddr*>(&address), sizeof(address)),
            0);
  close(dead);
  EXPECT_TRUE(Daemon::Start(OwnSetup()).ok());
}

TEST_F(DaemonTest, OtherFilesAreNotReplacedByTheSocket) {
  std::ofstream(SocketPath()) << "precious";
  const auto refused = Daemon::Start(OwnSetup());
  EXPECT_TRUE(absl::IsFailedPrecondition(refused.status()));
  EXPECT_THAT(std::string(refused.status().message()),
              HasSubstr("is not a socket"));
  EXPECT_EQ(std::filesystem::file_size(SocketPath()), 8u);
}

TEST_F(DaemonTest, MissingFolderOfTheSocketIsAnError) {
  DaemonSetup setup = OwnSetup();
  setup.file.listen.value = {"unix:///nonexistent/s.sock"};
  EXPECT_THAT(std::string(Daemon::Start(setup).status().message()),
              HasSubstr("/nonexistent does not exist"));
}

TEST_F(DaemonTest, StopEndsOpenStreams) {
  auto daemon = Daemon::Start(OwnSetup());
  ASSERT_TRUE(daemon.ok()) << daemon.status();
  auto stub = v1::Allocator::NewStub(grpc::CreateChannel(
      (*daemon)->endpoints()[0], grpc::InsecureChannelCredentials()));
  grpc::ClientContext context;
  auto stream = stub->Session(&context);
  v1::SessionRequest request;
  *request.mutable_sync() = SmallSync();
  request.mutable_sync()->set_clock(v1::CLOCK_VIRTUAL);
  ASSERT_TRUE(stream->Write(request));
  v1::SessionReply reply;
  ASSERT_TRUE(stream->Read(&reply));
  EXPECT_TRUE(reply.has_sync());
  (*daemon)->Stop(std::chrono::minutes(1)).IgnoreError();
  EXPECT_FALSE(stream->Read(&reply));
}

TEST_F(DaemonTest, MachineFileMayChangeBetweenRuns) {
  {
    auto daemon = Daemon::Start(OwnSetup());
    ASSERT_TRUE(daemon.ok());
    auto stub = v1::Allocator::NewStub(grpc::CreateChannel(
        (*daemon)->endpoints()[0], grpc::InsecureChannelCredentials()));
    grpc::ClientContext context;
    v1::SyncReply reply;
    ASSERT_TRUE(
        stub->Sync(&context,
                   SmallSync({WholeHolding(1, {1, 8}), WholeHolding(2, {2}),
                              WholeHolding(3, {3})}),
                   &reply)
            .ok());
  }
  DaemonSetup setup = OwnSetup();
  setup.machine = *ParseMachineFile(
      "name: small\ntopology: {kind: mesh, dims: [4]}\nnodes: "
      "\"n8,n3,n1,m1\"\n",
      "m.yaml");
  setup.ordering = *MakeOrdering(*setup.machine, "row-major");
  setup.policy = *MakePolicy("first-fit", setup.machine, {setup.ordering});
  auto daemon = Daemon::Start(setup);
  ASSERT_TRUE(daemon.ok()) << daemon.status();
  auto stub = v1::Allocator::NewStub(grpc::CreateChannel(
      (*daemon)->endpoints()[0], grpc::InsecureChannelCredentials()));
  grpc::ClientContext context;
  v1::JobsReply jobs;
  ASSERT_TRUE(stub->Jobs(&context, v1::JobsRequest(), &jobs).ok());
  ASSERT_EQ(jobs.jobs_size(), 2) << "job 2 has none of these nodes";
  EXPECT_THAT(jobs.jobs(0).node_ids(), ::testing::ElementsAre(0, 2));
  EXPECT_EQ(jobs.jobs(1).hostlist(), "n3");
}

}  // namespace
}  // namespace coolspan
