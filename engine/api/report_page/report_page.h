#pragma once
// A report as one page of HTML that needs nothing else: no server, no network, no other file. It shows every stage, and pointing
// at an item lights up its partners in all others, as in the window. resources/docs/report.md describes it.

#include "engine/api/report.h"

#include <cstddef>
#include <string>
#include <vector>

namespace sw {

struct PageRequest {
    std::string title;        // "softmax.sw"
    std::string summary = {}; // one line below it: device, machine, when
    std::size_t mostBytes = std::size_t{24} << 20;
};

struct ReportPage {
    std::string html;
    std::vector<std::string> leftOut; // "machine code: the page would have 31 MiB, more than 24 MiB"; the page says it, too
};

// Leaves out whole stages, from the last to the first, when the page would be larger than the request allows.
[[nodiscard]] ReportPage reportPage(const Report &report, const PageRequest &request);

} // namespace sw
