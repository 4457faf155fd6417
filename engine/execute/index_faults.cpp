#include "engine/execute/index_faults.h"

#include "engine/base/call_notes.h"
#include "engine/base/checked_size.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

namespace sw {

namespace {

struct Line {
    SourceRange where;
    Origin origin;
    std::int32_t axis = -1;
    std::int64_t bound = 0;
    std::string subject;    // what it is out of range for, where the check says it
    std::int64_t index = 0; // the first index out of range
    CheckedSize count = {};
    std::vector<std::string> kernels = {};

    [[nodiscard]] bool isSamePlace(const Line &other) const
    {
        const auto key = [](const Line &line) {
            return std::tuple(line.where.file, line.where.line, line.where.column, line.axis, line.bound, line.subject);
        };
        return key(*this) == key(other);
    }
};

Diagnostic told(const SourceMap &sources, const Line &line)
{
    const std::string axis = line.axis < 0 ? std::string() : format("axis {} of ", line.axis);
    const std::string range = line.subject.empty() ? format("for {}size {}", axis, line.bound) : line.subject;
    const std::string kernels = join(line.kernels, ", ");
    const std::string others =
        line.count > 1 ? format(" ({} such indices in {})", toText(line.count), kernels) : format(" (in {})", kernels);
    return toldAt(sources, line.origin,
                  Diagnostic::error(Code::IndexOutOfRange, {}, "index {} is out of range {}{}", line.index, range, others)
                      .withHint("no memory was touched for it; what would have been read is 0"));
}

} // namespace

Diagnostics faultDiagnostics(const LoweredProgram &program, std::span<const LaunchFault> faults)
{
    const SourceMap &sources = program.schedule->graph->sources();
    std::vector<Line> lines;
    for (const LaunchFault &found : faults) {
        const LoweredKernel &kernel = program.kernels.at(found.kernel.value);
        const Instruction &check = kernel.instruction(found.fault.instruction);
        const Line line{sources.programRange(check.origin), check.origin, check.axis, check.bound, check.name, found.fault.index};
        auto known = std::ranges::find_if(lines, [&](const Line &other) { return other.isSamePlace(line); });
        if (known == lines.end())
            known = lines.insert(lines.end(), line);
        known->count += found.fault.count;
        if (std::ranges::find(known->kernels, kernel.name) == known->kernels.end())
            known->kernels.push_back(kernel.name);
    }
    Diagnostics diagnostics;
    for (const Line &line : lines)
        diagnostics.push_back(told(sources, line));
    return diagnostics;
}

} // namespace sw
