#pragma once
// Parts of reports, made from what the engine works with.

#include "engine/api/compilation.h"
#include "engine/api/report.h"

#include <string>
#include <vector>

namespace sw {

// Notes of a diagnostic follow it as separate messages. programFile: the name that places use for the program.
[[nodiscard]] std::vector<Message> messagesOf(const Diagnostics &diagnostics, const std::string &programFile);
// The name that places use for a compilation's program; empty when the program could not be read.
[[nodiscard]] std::string programFileOf(const Compilation &compilation);
[[nodiscard]] PassEntry entryOf(const PassStep &step);
[[nodiscard]] std::vector<KernelEntry> kernelEntries(const Compilation &compilation);
[[nodiscard]] std::vector<StageTime> stageTimes(const Compilation &compilation);
[[nodiscard]] std::vector<RunPart> runParts(const RunParts &parts);

// The dimensions of a graph in which they are placeholders.
[[nodiscard]] std::vector<DimensionEntry> dimensionEntries(const Graph &graph);

} // namespace sw
