#pragma once
// Parts of reports, made from what the engine works with.

#include "engine/api/compilation.h"
#include "engine/api/report.h"

#include <string>
#include <vector>

namespace sw {

// Notes of a diagnostic follow it as messages of their own. programFile: the name of the program in places.
[[nodiscard]] std::vector<Message> messagesOf(const Diagnostics &diagnostics, const std::string &programFile);
// The name under which a compilation's program stands in places; empty when it could not be read.
[[nodiscard]] std::string programFileOf(const Compilation &compilation);
[[nodiscard]] PassEntry entryOf(const PassStep &step);
[[nodiscard]] std::vector<KernelEntry> kernelEntries(const Compilation &compilation);
[[nodiscard]] std::vector<StageTime> stageTimes(const Compilation &compilation);
[[nodiscard]] std::vector<RunPart> runParts(const RunParts &parts);
[[nodiscard]] TensorSummary summaryOf(const std::string &name, const HostTensor &value);

// Of a graph whose dimensions are placeholders.
[[nodiscard]] std::vector<DimensionEntry> dimensionEntries(const Graph &graph);

} // namespace sw
