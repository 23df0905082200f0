// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_REPORT_PAGE_PARTS_H_
#define COOLSPAN_REPORT_PAGE_PARTS_H_

#include <string_view>

namespace coolspan {

// The files of which a report is made, compiled in by coolspan_embed in
// CMakeLists.txt: those of daemon/report/page, and Chart.js with its licence
// notice.
std::string_view PageTemplate();
std::string_view PageStyle();
std::string_view PageScript();
std::string_view ChartLibrary();

}  // namespace coolspan

#endif  // COOLSPAN_REPORT_PAGE_PARTS_H_
