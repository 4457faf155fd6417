#pragma once
// A report as data: compact JSON that reads back to an equal report. Session files keep it, and pages of reports carry it for
// their script. Texts and lists that occur more than once are written once, in tables that the rest refers to by number; the
// parts of a document are columns. resources/docs/session-format.md describes it.
//
// What is not in it: the tensors of a run (Report::outputs, Report::runOutputs). Bytes that are not UTF-8 become U+FFFD.

#include "engine/api/report.h"
#include "engine/base/result.h"

#include <string>
#include <string_view>

namespace sw {

inline constexpr std::int64_t kReportDataVersion = 1;

[[nodiscard]] std::string reportData(const Report &report);

// For texts of unknown authors, too: all numbers are checked, so that whatever reads back is a sound report. file: for messages.
// Errors: Code::Syntax and Code::File say what is wrong; Code::Unsupported: a newer version wrote it.
[[nodiscard]] Result<Report> parseReportData(std::string_view text, std::string_view file);

// The largest numbers that documents may use, far above those of any program; indices of items are made for each up to the
// largest.
inline constexpr std::int64_t kMostSources = std::int64_t{1} << 24;
inline constexpr std::int64_t kMostKernels = std::int64_t{1} << 20;

} // namespace sw
