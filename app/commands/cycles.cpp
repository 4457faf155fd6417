#include "app/commands/cycles.h"

#include "engine/api/cycles_text.h"
#include "engine/api/report_parts.h"
#include "engine/api/stage_text.h"

namespace sw::command {

namespace {

CyclesOfKernel cyclesOfKernel(ProgramCompiler &compiler, const Execution &execution, KernelEntry entry, std::size_t kernel,
                              const CyclesContext &context)
{
    const Timing &time = execution.result.kernels.at(kernel);
    entry.medianNanoseconds = time.median.count();
    entry.lowNanoseconds = time.low.count();
    entry.highNanoseconds = time.high.count();
    const Compilation &compilation = execution.compilation;
    const MachineListing listing = compiler.machineCode(compilation, KernelId(kernel));
    CyclesOfKernel made;
    if (*listing)
        made = cyclesOf(entry, **listing, compilation.code->at(kernel), compilation.lowered->kernels.at(kernel), context);
    else
        made = {.name = entry.name, .problem = machineNote(listing->error())};
    made.kernel = static_cast<std::uint32_t>(kernel);
    return made;
}

} // namespace

ProgramCycles cyclesOfProgram(ProgramCompiler &compiler, const Execution &execution, const Environment &environment)
{
    ProgramCycles made;
    const Compilation &compilation = execution.compilation;
    const DeviceInfo &device = compilation.target.device;
    if (device.kind != DeviceKind::Cpu) {
        made.problem = format("{} is no processor of this machine whose clock could be measured", device.id);
        return made;
    }
    const CyclesContext context = cyclesContext(device, compilation.threads, environment.figures, environment.stop);
    made.clock = context.clock;
    std::vector<KernelEntry> entries = kernelEntries(compilation);
    for (std::size_t i = 0; i < entries.size(); ++i)
        made.kernels.push_back(cyclesOfKernel(compiler, execution, std::move(entries[i]), i, context));
    return made;
}

std::string cyclesText(const ProgramCycles &cycles)
{
    if (!cycles.problem.empty())
        return format("cycles: none measured, {}\n", cycles.problem);
    std::vector<std::vector<std::string>> rows{
        {"kernel", "a round is", "rounds", "threads", "simulated", "measured", "band", "ratio"}};
    std::string reasons;
    for (const CyclesOfKernel &kernel : cycles.kernels) {
        if (!kernel.problem.empty()) {
            rows.push_back({kernel.name, "-", "-", "-", "-", "-", "-", "-"});
            reasons += format("{}: no comparison, {}\n", kernel.name, kernel.problem);
            continue;
        }
        const std::string round = kernel.loop.empty() ? "a work item" : format("of loop {}", kernel.loop);
        rows.push_back({kernel.name, round, format("{}", kernel.rounds), format("{}", kernel.threads),
                        sw::cyclesText(kernel.simulated), (kernel.loop.empty() ? "" : "about ") + sw::cyclesText(kernel.measured),
                        format("{} ... {}", sw::cyclesText(kernel.low), sw::cyclesText(kernel.high)),
                        format("{:.2f} x", kernel.ratio())});
        if (!kernel.reason.empty())
            reasons += format("{}: {}\n", kernel.name, kernel.reason);
        if (kernel.share < 0.995)
            reasons += format("{}: loop {} has {:.0f} % of the simulated cycles, and is taken to have as much of the time\n",
                              kernel.name, kernel.loop, 100 * kernel.share);
    }
    return format("cycles per round, simulated and measured\n\n{}{}clock: {}\n", tableText(rows), reasons, toText(cycles.clock));
}

void writeCycles(JsonWriter &json, const ProgramCycles &cycles)
{
    json.key("cycles").beginObject();
    if (!cycles.problem.empty()) {
        json.field("problem", cycles.problem).endObject();
        return;
    }
    json.key("clock").beginObject().field("ghz", cycles.clock.gigahertz).field("low", cycles.clock.low);
    json.field("high", cycles.clock.high).field("stated_ghz", cycles.clock.stated).endObject();
    json.key("kernels").beginArray();
    for (const CyclesOfKernel &kernel : cycles.kernels) {
        json.beginObject().field("name", kernel.name);
        if (!kernel.problem.empty()) {
            json.field("problem", kernel.problem).endObject();
            continue;
        }
        json.field("loop", kernel.loop).field("share", kernel.share).field("rounds", kernel.rounds);
        json.field("threads", kernel.threads).field("simulated", kernel.simulated).field("measured", kernel.measured);
        json.field("low", kernel.low).field("high", kernel.high).field("ratio", kernel.ratio());
        json.field("reason", kernel.reason).endObject();
    }
    json.endArray().endObject();
}

} // namespace sw::command
