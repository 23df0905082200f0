# shellcheck shell=bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Sourced: mesh_daemon BIN_FOLDER [LINES] starts a coolspand in a folder of its
# own, with 10,000 nodes (a mesh of 100x100), best-fit and further lines of the
# daemon file. Sets folder, endpoint and pid; at exit all of it is removed.
# COOLSPAND: another daemon, such as an earlier version.
folder=$(mktemp -d -p "${TMPDIR:-/var/tmp}")
endpoint=unix://$folder/coolspand.sock
pid=
clean_up() {
  [ -z "$pid" ] || { kill "$pid" 2>/dev/null && wait "$pid" || true; }
  rm -rf "$folder"
}
trap clean_up EXIT

mesh_daemon() {
  cat >"$folder/machine.yaml" <<'YAML'
name: load
topology: {kind: mesh, dims: [100, 100]}
nodes: "n[1-10000]"
YAML
  cat >"$folder/coolspand.yaml" <<YAML
machine: machine.yaml
policy: best-fit
ordering: hilbert
listen: $endpoint
state: {sqlite: $folder/state.db}
${2-}
YAML
  "${COOLSPAND:-$1/coolspand}" --config "$folder/coolspand.yaml" &
  pid=$!
  local i
  for ((i = 0; i < 100; ++i)); do
    [ ! -S "$folder/coolspand.sock" ] || break
    sleep 0.1
  done
}
