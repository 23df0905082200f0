// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/replay_page.h"

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "core/element_text.h"
#include "report/page_data.h"
#include "report/page_parts.h"

namespace coolspan {
namespace {

using Json = nlohmann::ordered_json;

// A JSON document in a script element, which the text </script would end.
std::string ScriptJson(std::string_view json) {
  std::string escaped;
  escaped.reserve(json.size());
  for (const char c : json) {
    if (c == '<') {
      escaped += "\\u003c";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

// The template with the parts in place of {{NAME}}; parts are not searched.
std::string Fill(
    std::string_view text,
    const std::vector<std::pair<std::string_view, std::string_view>>& parts) {
  std::string page;
  while (!text.empty()) {
    const std::size_t open = text.find("{{");
    page += text.substr(0, open);
    if (open == std::string_view::npos) break;
    text.remove_prefix(open + 2);
    const std::size_t close = text.find("}}");
    const std::string_view name = text.substr(0, close);
    for (const auto& [known, part] : parts) {
      if (known == name) page += part;
    }
    text.remove_prefix(close + 2);
  }
  return page;
}

bool SameButSeed(const RunSpec& a, const RunSpec& b) {
  return a.policy == b.policy && a.ordering == b.ordering &&
         a.scheduler.spec() == b.scheduler.spec();
}

}  // namespace

Recording RecordingForPage(const ReplaySetup& setup) {
  Recording recording = {.series = true, .shape = true};
  std::vector<const RunSpec*> groups;
  for (std::size_t i = 0; i < setup.runs.size(); ++i) {
    if (groups.size() == kMaxPicturedRuns) break;
    const RunSpec& run = setup.runs[i];
    if (std::any_of(groups.begin(), groups.end(), [&](const RunSpec* known) {
          return SameButSeed(*known, run);
        })) {
      continue;
    }
    groups.push_back(&run);
    recording.pictured.push_back(i);
  }
  return recording;
}

std::string ReplayPage(const ReplaySetup& setup,
                       const std::vector<RunReport>& reports,
                       const PageInputs& inputs) {
  Json data = {{"version", inputs.version},
               {"command_line", inputs.command_line},
               {"trace", inputs.trace},
               {"machine", MachineData(*setup.machine)},
               {"max_pictured_runs", kMaxPicturedRuns},
               {"runs", Json::array()}};
  for (const std::size_t index : setup.recording.pictured) {
    data["runs"].push_back(RunData(*setup.machine, reports[index]));
  }
  const std::string title = ElementText("Replay on " + setup.machine->name());
  const std::string replay_json = ScriptJson(inputs.replay_json);
  const std::string data_json =
      ScriptJson(data.dump(-1, ' ', false, Json::error_handler_t::replace));
  return Fill(PageTemplate(), {{"title", title},
                               {"style", PageStyle()},
                               {"replay", replay_json},
                               {"data", data_json},
                               {"chart", ChartLibrary()},
                               {"script", PageScript()}});
}

}  // namespace coolspan
