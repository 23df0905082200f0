// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/live/live_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/stable_hash.h"

namespace coolspan {

// Made by coolspan_embed in CMakeLists.txt.
std::string_view LivePageHtml();
std::string_view LivePageStyle();
std::string_view LivePageIcon();
std::string_view LiveMainScript();
std::string_view LiveConnectionScript();
std::string_view LiveMapScript();
std::string_view LiveNodesScript();
std::string_view LiveLegendScript();
std::string_view LiveDecisionsScript();
std::string_view LiveExplainScript();
std::string_view LiveSummaryScript();
std::string_view SharedFormatScript();
std::string_view SharedPlanesScript();

namespace {

constexpr char kHtml[] = "text/html; charset=utf-8";
constexpr char kScript[] = "text/javascript; charset=utf-8";

const auto& Files() {
  static const std::array files = {
      LiveFile{"/", kHtml, LivePageHtml()},
      LiveFile{"/live", kHtml, LivePageHtml()},
      LiveFile{"/live/page.css", "text/css; charset=utf-8", LivePageStyle()},
      LiveFile{"/live/icon.svg", "image/svg+xml", LivePageIcon()},
      LiveFile{"/live/main.js", kScript, LiveMainScript()},
      LiveFile{"/live/connection.js", kScript, LiveConnectionScript()},
      LiveFile{"/live/machine_map.js", kScript, LiveMapScript()},
      LiveFile{"/live/nodes.js", kScript, LiveNodesScript()},
      LiveFile{"/live/legend.js", kScript, LiveLegendScript()},
      LiveFile{"/live/decisions.js", kScript, LiveDecisionsScript()},
      LiveFile{"/live/explanation.js", kScript, LiveExplainScript()},
      LiveFile{"/live/summary.js", kScript, LiveSummaryScript()},
      LiveFile{"/live/format.js", kScript, SharedFormatScript()},
      LiveFile{"/live/planes.js", kScript, SharedPlanesScript()},
  };
  return files;
}

}  // namespace

const LiveFile* FindLiveFile(std::string_view path) {
  const auto& files = Files();
  const auto* const found =
      std::find_if(files.begin(), files.end(),
                   [path](const LiveFile& file) { return file.path == path; });
  return found == files.end() ? nullptr : found;
}

std::string TagOf(std::string_view bytes) {
  StableHash hash;
  hash.Add(bytes);
  return fmt::format("\"{:016x}\"", hash.value());
}

}  // namespace coolspan
