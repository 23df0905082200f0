# SPDX-License-Identifier: GPL-3.0-or-later
"""A resource manager that speaks gRPC to coolspand with curl and protoc, for tests
and pictures that need a few jobs: no Python package of gRPC is needed."""

import pathlib
import struct
import subprocess
import time

PACKAGE = "coolspan.v1"


def text_of(message):
    """Protobuf's text format of a dictionary; bytes are bitmaps."""
    parts = []
    for name, value in message.items():
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, dict):
                parts.append(f"{name} {{ {text_of(one)} }}")
            elif isinstance(one, bytes):
                parts.append('%s: "%s"' % (name, "".join(f"\\x{byte:02x}" for byte in one)))
            elif isinstance(one, bool):
                parts.append(f"{name}: {str(one).lower()}")
            elif isinstance(one, str):
                parts.append('%s: "%s"' % (name, one.replace("\\", "\\\\").replace('"', '\\"')))
            else:
                parts.append(f"{name}: {one}")
    return " ".join(parts)


def bitmap(ids, nodes):
    packed = bytearray((nodes + 7) // 8)
    for node in ids:
        packed[node // 8] |= 1 << node % 8
    return bytes(packed)


class WireClient:
    """A cluster of all nodes of the daemon's machine, in its order."""

    def __init__(self, source, socket, cluster, hostlist, nodes):
        self.proto = pathlib.Path(source, "proto")
        self.socket = socket
        self.cluster = cluster
        self.hostlist = hostlist
        self.nodes = nodes
        self.epoch = ""
        self.sequence = 0
        self.attempt = 0

    def protoc(self, option, name, data):
        done = subprocess.run(
            ["protoc", f"--proto_path={self.proto}", f"--{option}={PACKAGE}.{name}",
             "coolspan/v1/allocator.proto"], input=data, capture_output=True, check=True)
        return done.stdout

    def call(self, method, request, message, reply):
        """The reply in protobuf's text format."""
        encoded = self.protoc("encode", request, text_of(message).encode())
        done = subprocess.run(
            ["curl", "--silent", "--show-error", "--fail", "--max-time", "30", "--http2-prior-knowledge",
             "--unix-socket", self.socket, "--dump-header", "/dev/stderr",
             "-H", "Content-Type: application/grpc", "-H", "TE: trailers",
             "--data-binary", "@-", f"http://localhost/{PACKAGE}.Allocator/{method}"],
            input=struct.pack(">BI", 0, len(encoded)) + encoded, capture_output=True, check=False)
        headers = done.stderr.decode(errors="replace")
        if done.returncode != 0 or "grpc-status: 0" not in headers:
            raise RuntimeError(f"{method}: {headers}")
        return self.protoc("decode", reply, done.stdout[5:]).decode()

    def now_ms(self):
        return int(time.time() * 1000)

    def sync(self, mode="enforce"):
        reply = self.call("Sync", "SyncRequest", {
            "cluster": self.cluster, "now_ms": self.now_ms(), "hostlist": self.hostlist,
            "capacity": {"nodes": self.nodes, "units": 1}, "client_id": "test", "mode": mode}, "SyncReply")
        self.epoch = reply.split('epoch: "')[1].split('"')[0]
        self.sequence = 0

    def allocate(self, job_id, nodes, mode="enforce", **more):
        """The ids of the nodes; [] if the job was not placed."""
        self.attempt += 1
        reply = self.call("Allocate", "AllocateRequest", {
            "cluster": self.cluster, "epoch": self.epoch, "job": {"job_id": job_id},
            "attempt": self.attempt, "now_ms": self.now_ms(), "min_nodes": nodes, "whole": True,
            "client_id": "test", "after_sequence": self.sequence, "mode": mode, **more}, "AllocateReply")
        if "placed: true" not in reply:
            return []
        jobs = self.call("Jobs", "JobsRequest", {"cluster": self.cluster}, "JobsReply")
        for job in jobs.split("jobs {")[1:]:
            if f"job_id: {job_id}\n" in job:
                return [int(line.split()[1]) for line in job.splitlines()
                        if line.strip().startswith("node_ids:")]
        raise RuntimeError(f"no job {job_id} in {jobs}")

    def event(self, method, job_id, more):
        self.sequence += 1
        self.call(method, "Event", {
            "cluster": self.cluster, "epoch": self.epoch, "client_id": "test", "sequence": self.sequence,
            "now_ms": self.now_ms(), "job": {"job_id": job_id}, **more}, "EventReply")

    def commit(self, job_id, ids, **start):
        self.event("Commit", job_id, {
            "holding": {"job": {"job_id": job_id}, "nodes": bitmap(ids, self.nodes), "whole": True},
            **({"start": start} if start else {})})

    def release(self, job_id):
        self.event("Release", job_id, {})

    def suspend(self, job_id):
        self.event("Suspend", job_id, {"suspended": True})

    def keep_alive(self, unavailable):
        self.call("KeepAlive", "KeepAliveRequest", {
            "cluster": self.cluster, "epoch": self.epoch, "client_id": "test",
            "unavailable": bitmap(unavailable, self.nodes)}, "KeepAliveReply")
