#include "app/commands/estimates.h"

namespace sw::command {

StepEstimates estimatesOf(const Compilation &compilation, const Environment &environment)
{
    return estimateSteps(*compilation.schedule, figuresOf(compilation.target, environment.figures));
}

void writeFigures(JsonWriter &json, const DeviceFigures &figures)
{
    json.field("source", figures.measuredOn.empty() ? "assumed" : "measured").key("measured_on");
    figures.measuredOn.empty() ? json.null() : json.value(figures.measuredOn);
    json.field("memory_gb_per_s", figures.rates.memoryBytesPerNanosecond);
    json.field("gflop_per_s", figures.rates.operationsPerNanosecond);
    json.field("transfer_gb_per_s", figures.rates.transferBytesPerNanosecond);
    json.field("launch_ns", figures.rates.launchNanoseconds).key("caches").beginArray();
    for (const CacheRate &cache : figures.rates.caches)
        if (cache.bytesPerNanosecond > 0)
            json.beginObject().field("bytes", cache.holds).field("gb_per_s", cache.bytesPerNanosecond).endObject();
    json.endArray().key("tensor_gflop_per_s").beginObject();
    for (const TensorInstruction one : allTensorInstructions())
        if (const double rate = figures.rates.tensorOperationsPerNanosecond.at(indexOf(one)); rate > 0)
            json.field(infoOf(one).name, rate);
    json.endObject();
}

void writeEstimates(JsonWriter &json, const Schedule &schedule, const StepEstimates &estimates)
{
    json.key("critical_path").beginObject().field("ns", estimates.path.nanoseconds).key("steps").beginArray();
    for (const std::uint32_t item : estimates.path.items)
        json.value(titleOf(schedule, schedule.items.at(item)));
    json.endArray().endObject().key("figures").beginArray();
    for (std::size_t slot = 0; slot < schedule.devices.size(); ++slot) {
        json.beginObject().field("device", schedule.devices[slot].id);
        writeFigures(json, estimates.figures.at(slot));
        json.endObject();
    }
    json.endArray();
}

std::string estimatesText(const Schedule &schedule, const StepEstimates &estimates)
{
    std::string text =
        format("critical path, estimated: {}: {}\n", timeText(std::chrono::nanoseconds(estimates.path.nanoseconds)),
               join(estimates.path.items, ", ", [&](std::uint32_t item) { return titleOf(schedule, schedule.items.at(item)); }));
    for (std::size_t slot = 0; slot < schedule.devices.size(); ++slot)
        text += format("figures of {}, {}\n", schedule.devices[slot].id, toText(estimates.figures.at(slot)));
    return text;
}

} // namespace sw::command
