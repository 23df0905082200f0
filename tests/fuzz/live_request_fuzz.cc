// SPDX-License-Identifier: GPL-3.0-or-later
// Arbitrary texts in a request for the live page, one a line: path, Host,
// Sec-Fetch-Site, If-None-Match, Last-Event-ID, job.
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "fuzz/expect.h"
#include "replies/job_name.h"
#include "service/live/live_files.h"
#include "service/live/live_request.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  using coolspan::Expect;
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  std::array<std::string, 6> lines;
  for (std::string& line : lines) {
    const std::size_t end = rest.find('\n');
    line = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  const auto& [path, host, site, tags, event_id, job] = lines;
  const coolspan::HttpRequest request{
      .path = path,
      .query = {},
      .headers = {{"host", host}, {"sec-fetch-site", site}}};
  if (coolspan::WhyRefused(request, false).empty()) {
    Expect(coolspan::IsAddressOrLocalhost(host));
    Expect(coolspan::WhyRefused(request, true).empty());
  }
  const coolspan::LiveFile* const file = coolspan::FindLiveFile(path);
  if (file != nullptr) {
    Expect(file->path == path);
    const std::string tag = coolspan::TagOf(file->bytes);
    if (coolspan::Matches(tags, tag)) {
      Expect(tags.find(tag) != std::string::npos ||
             tags.find('*') != std::string::npos);
    }
  }
  const auto number = coolspan::ParseEventId(event_id, "17");
  if (number.has_value()) {
    const std::string again = "17-" + std::to_string(*number);
    Expect(coolspan::ParseEventId(again, "17") == number);
  }
  const auto named = coolspan::ParseJobName(job);
  if (named.has_value()) {
    Expect(!(named->has_array_task_id() && named->has_het_job_offset()));
    Expect(job.find_first_not_of("0123456789._+") == std::string::npos);
  }
  return 0;
}
