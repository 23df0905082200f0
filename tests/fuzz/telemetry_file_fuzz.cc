// SPDX-License-Identifier: GPL-3.0-or-later
// Arbitrary bytes as the telemetry of a room with two nodes in one zone.
#include "formats/telemetry_file.h"
#include "fuzz/network_file.h"
#include "room_machine.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  using coolspan::Expect;
  static const auto machine = coolspan::ParseMachineFile(
      "name: fuzz\ntopology: {kind: mesh, dims: [3]}\nnodes: \"n[1-3]\"\n",
      "/fuzz.yaml");
  static const auto in_room = coolspan::InRoom(
      **machine, coolspan::RoomDescription(3, 2, {0, 0, 0.01, 0}));
  const std::string path = coolspan::PathOf(data, size);
  const auto history = coolspan::ReadTelemetry({&path, 1}, *in_room);
  if (!history.ok()) {
    coolspan::ExpectOneLine(history.status(), path);
    Expect(history.status().message().size() < 2000);
    return 0;
  }
  Expect(history->interval_s > 0 && history->zones == 2);
  Expect(history->instants() >= 2);
  Expect(history->inlet_c.size() == 2 * history->instants());
  Expect(history->power_w.size() == 2 * history->instants());
  for (const double supply_c : history->supply_c) {
    Expect(supply_c >= -50 && supply_c <= 150);
  }
  return 0;
}
