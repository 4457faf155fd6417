#include "engine/api/machine_report.h"

#include "engine/api/machine_analysis.h"
#include "engine/base/json.h"
#include "engine/base/text.h"

#include <algorithm>

namespace sw {

namespace {

constexpr std::size_t kPortsShown = 8;

// The busiest ports, busiest first.
std::string portsText(const Throughput &throughput)
{
    std::vector<PortUse> ports = throughput.ports;
    std::ranges::stable_sort(ports, std::greater(), &PortUse::cycles);
    ports.resize(std::min(ports.size(), kPortsShown));
    return join(ports, ", ", [](const PortUse &port) { return format("{} {:.2f}", port.name, port.cycles); });
}

void addThroughput(std::string &text, const Throughput &throughput, const MachineCode &code)
{
    text += format(";   {}\n", throughputText(throughput, code));
    if (throughput.problem.empty())
        text += format(";   cycles per round by port: {}\n", portsText(throughput));
}

void writeThroughput(JsonWriter &json, const Throughput &throughput, const MachineCode &code)
{
    json.beginObject();
    if (!throughput.problem.empty()) {
        json.field("problem", throughput.problem).endObject();
        return;
    }
    json.field("simulated_rounds", throughput.rounds)
        .field("cycles", throughput.cycles)
        .field("micro_operations", throughput.microOps);
    json.field("width", throughput.width).field("bottleneck", std::string(nameOf(throughput.bottleneck)));
    json.key("ports").beginArray();
    for (const PortUse &port : throughput.ports)
        json.beginObject().field("name", port.name).field("cycles", port.cycles).endObject();
    json.endArray().key("busiest").beginArray();
    for (const std::string &port : throughput.busiest)
        json.value(port);
    json.endArray().key("waiting").beginArray();
    for (const std::uint32_t index : throughput.waiting)
        json.value(code.instructions.at(index).address);
    json.endArray().endObject();
}

} // namespace

std::string machineReport(const MachineCode &code, const RenderedSource &source, const LoweredKernel &kernel)
{
    const MachineAnalysis analysis = analysed(code, source, kernel);
    std::string text = format("; {} instructions for {}\n", code.size(), code.target);
    text += format("; registers in use at most: {}\n", registersText(code, analysis.liveness));
    for (const std::uint32_t index : analysis.byHeat) {
        const LoopAnalysis &loop = analysis.loops[index];
        const auto addressOf = [&](std::uint32_t at) { return code.instructions.at(at).address; };
        text += format("; {}, from 0x{:x} to 0x{:x}\n", loopText(loop), addressOf(loop.loop.first), addressOf(loop.loop.last));
        if (loop.throughput)
            addThroughput(text, *loop.throughput, code);
    }
    if (analysis.whole) {
        text += "; no loops; a round is one work item\n";
        addThroughput(text, *analysis.whole, code);
    }
    for (const MachineCopies &copies : analysis.copies)
        text += format("; copies at 0x{:x}: {}\n", code.instructions.at(copies.first).address, copiesText(copies));
    return text;
}

void writeMachineReport(JsonWriter &json, const MachineCode &code, const RenderedSource &source, const LoweredKernel &kernel)
{
    const MachineAnalysis analysis = analysed(code, source, kernel);
    const auto addressOf = [&](std::uint32_t at) { return code.instructions.at(at).address; };
    json.beginObject().field("name", kernel.name).field("target", code.target);
    json.field("instructions", static_cast<std::uint64_t>(code.size()));
    json.key("registers").beginArray();
    for (const RegisterFile &file : code.registers)
        json.beginObject()
            .field("kind", std::string(nameOf(file.kind)))
            .field("name", file.name)
            .field("count", file.count)
            .field("peak", std::uint32_t{analysis.liveness.peakOf(file.kind)})
            .endObject();
    json.endArray().key("loops").beginArray();
    for (const std::uint32_t index : analysis.byHeat) {
        const LoopAnalysis &loop = analysis.loops[index];
        json.beginObject().field("name", loop.name).field("depth", loop.loop.depth).field("first", addressOf(loop.loop.first));
        json.field("last", addressOf(loop.loop.last)).field("header", addressOf(loop.loop.header));
        json.field("instructions", static_cast<std::uint64_t>(loop.loop.body.size()));
        if (loop.rounds != 0)
            json.field("rounds", loop.rounds);
        if (loop.throughput)
            writeThroughput(json.key("throughput"), *loop.throughput, code);
        json.endObject();
    }
    json.endArray();
    if (analysis.whole)
        writeThroughput(json.key("throughput"), *analysis.whole, code);
    json.key("copies").beginArray();
    for (const MachineCopies &copies : analysis.copies)
        json.beginObject()
            .field("first", addressOf(copies.first))
            .field("instructions", copies.length)
            .field("count", copies.count)
            .field("registers", copies.registers)
            .endObject();
    json.endArray().endObject();
}

} // namespace sw
