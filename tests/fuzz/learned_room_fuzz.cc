// SPDX-License-Identifier: GPL-3.0-or-later
// Arbitrary bytes as what a room has learned, stored by another run: an error,
// or values that are stored again unchanged.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "config/machine/machine_file.h"
#include "fuzz/expect.h"
#include "room_machine.h"
#include "service/monitor/learned_room.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  using namespace coolspan;
  static const auto machine = InRoom(
      **ParseMachineFile(
          "name: fuzz\ntopology: {kind: mesh, dims: [3]}\nnodes: \"n[1-3]\"\n",
          "/fuzz.yaml"),
      RoomDescription(3, 2, {0, 0, 0.01, 0}));
  const auto zones = machine->room()->zone_count();
  const std::vector<double> zeros(zones);
  StoredLearning stored = EncodeLearned({zeros, zeros, zeros}, *machine, 0);
  // NOLINTNEXTLINE: libFuzzer's bytes are unsigned.
  stored.content.assign(reinterpret_cast<const char*>(data), size);
  const auto learned = DecodeLearned(stored, *machine);
  if (!learned.ok()) {
    ExpectOneLine(learned.status(), "");
    return 0;
  }
  const auto again =
      DecodeLearned(EncodeLearned(*learned, *machine, 0), *machine);
  Expect(again.ok() && again->bias_k == learned->bias_k &&
         again->excess_w == learned->excess_w &&
         again->lag_k == learned->lag_k);
  return 0;
}
