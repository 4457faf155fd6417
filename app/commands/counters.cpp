#include "app/commands/counters.h"

#include "app/commands/common.h"

#include <algorithm>

namespace sw::command {

namespace {

std::string amountText(const std::optional<double> &amount)
{
    if (!amount)
        return "-";
    return *amount < 1e4 ? format("{:.0f}", *amount) : format("{:.3g}", *amount);
}

// Instructions per cycle.
std::string rateText(const KernelActivity &kernel)
{
    const auto cycles = kernel.countOf(HardwareEvent::Cycles);
    const auto instructions = kernel.countOf(HardwareEvent::Instructions);
    return cycles && instructions && *cycles > 0 ? format("{:.2f}", *instructions / *cycles) : "-";
}

// The smallest part of the time that one of its events was counted.
double countedPart(const KernelActivity &kernel)
{
    double part = 1;
    for (const HardwareCount &count : kernel.counts.events)
        if (count.isCounted())
            part = std::min(part, count.part());
    return part;
}

} // namespace

std::string countersText(const RecordedTimelines &timelines)
{
    if (!timelines.noCounters.empty())
        return format("no hardware counters: {}\n", timelines.noCounters);
    std::vector<std::vector<std::string>> rows{{"kernel"}};
    for (const HardwareEventInfo &event : hardwareEvents())
        rows.front().emplace_back(event.title);
    rows.front().emplace_back("per cycle");
    rows.front().emplace_back("counted");
    for (const KernelActivity &kernel : timelines.kernels) {
        std::vector<std::string> row{kernel.name};
        for (const HardwareEventInfo &event : hardwareEvents())
            row.push_back(amountText(kernel.countOf(event.event)));
        row.push_back(rateText(kernel));
        row.push_back(kernel.counts.isEmpty() ? "-" : format("{:.0f} %", 100 * countedPart(kernel)));
        rows.push_back(std::move(row));
    }
    return tableText(rows);
}

void writeCounters(JsonWriter &json, const RecordedTimelines &timelines)
{
    json.key("counters").beginObject().field("reason", timelines.noCounters).key("kernels").beginArray();
    for (const KernelActivity &kernel : timelines.kernels) {
        json.beginObject().field("name", kernel.name).field("runs", kernel.countedRuns);
        for (const HardwareEventInfo &event : hardwareEvents())
            if (const auto count = kernel.countOf(event.event))
                json.field(event.id, *count);
        if (!kernel.counts.isEmpty())
            json.field("counted_part", countedPart(kernel));
        json.endObject();
    }
    json.endArray().endObject();
}

} // namespace sw::command
