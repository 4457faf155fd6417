#include "engine/api/roofline.h"
#include "app/commands/commands.h"
#include "app/commands/measuring.h"
#include "engine/api/device_figures.h"
#include "engine/api/program_figures.h"
#include "engine/api/report_parts.h"
#include "engine/execute/measure_device.h"

#include <utility>

namespace sw::command {

namespace {

std::string percentText(const std::optional<double> &part)
{
    return part ? format("{:+.0f} %", 100 * *part) : "-";
}

// The kernels with their times and estimates.
std::vector<KernelEntry> kernelsOf(const Execution &execution, const Environment &environment)
{
    const Compilation &compilation = execution.compilation;
    std::vector<KernelEntry> kernels = kernelEntries(compilation);
    addEstimates(kernels, *compilation.schedule, figuresOf(compilation.target, environment.figures));
    for (std::size_t i = 0; i < kernels.size(); ++i)
        kernels[i].medianNanoseconds = execution.result.kernels.at(i).median.count();
    return kernels;
}

std::string jsonText(const Execution &execution, const Roofline &roofline)
{
    JsonWriter json;
    json.beginObject().field("version", kJsonVersion).field("device", execution.compilation.target.device.id);
    json.field("measured_on", roofline.measuredOn).key("roofs").beginArray();
    for (const Roof &roof : roofline.roofs) {
        json.beginObject().field("kind", nameOf(roof.kind)).field("name", roof.name);
        json.field("threads", roof.threads).field("level_bytes", roof.levelBytes).field("per_ns", roof.perNanosecond);
        json.endObject();
    }
    json.endArray().key("kernels").beginArray();
    for (const RooflinePoint &point : roofline.points) {
        json.beginObject().field("name", point.name).field("flops", point.flops).field("bytes", point.bytes);
        json.field("ns", point.nanoseconds).field("share", point.share).field("intensity", point.intensity);
        json.field("gflop_per_s", point.rate).field("bound", nameOf(point.bound)).field("roof", point.roof);
        json.field("part", point.part).field("estimate_ns", point.estimatedNanoseconds).key("estimate_error");
        if (point.estimateError)
            json.value(*point.estimateError);
        else
            json.null();
        json.field("text", point.text).endObject();
    }
    json.endArray().endObject();
    return json.text();
}

std::string plainText(const Execution &execution, const Roofline &roofline)
{
    std::vector<std::vector<std::string>> roofs{{"roof", "threads", "rate"}};
    for (const Roof &roof : roofline.roofs)
        roofs.push_back({roof.name, format("{}", roof.threads),
                         format("{:.3g} {}", roof.perNanosecond, roof.kind == RoofKind::Memory ? "GB/s" : "GFLOP/s")});
    std::vector<std::vector<std::string>> rows{
        {"kernel", "time", "share", "flop/byte", "GFLOP/s", "estimate", "off by", "what bounds it"}};
    for (const RooflinePoint &point : roofline.points)
        rows.push_back(
            {point.name, timeText(std::chrono::nanoseconds(point.nanoseconds)), format("{:.0f} %", 100 * point.share),
             point.intensity > 0 ? format("{:.3g}", point.intensity) : "-", point.rate > 0 ? format("{:.3g}", point.rate) : "-",
             timeText(std::chrono::nanoseconds(point.estimatedNanoseconds)), percentText(point.estimateError), point.text});
    return format("{}, measured {}\n\n{}\n{}", execution.compilation.target.device.description, roofline.measuredOn,
                  tableText(roofs), tableText(rows));
}

Result<MachineRoofs> roofsFor(const Compilation &compilation, const Arguments &arguments, const Environment &environment,
                              ProgramCompiler &compiler)
{
    const DeviceInfo &device = compilation.target.device;
    const RoofsWanted wanted = arguments.has("--measure") ? RoofsWanted::MeasuredAnew : RoofsWanted::Measured;
    if (device.kind != DeviceKind::Gpu)
        return machineRoofs(environment.figures, compilation.threads == 0 ? device.threads : compilation.threads, wanted,
                            environment.stop);
    if (environment.figures == nullptr)
        return Diagnostic::error(Code::Limit, {}, "there is no folder to keep the figures of {} in", device.id);
    SW_TRY(const std::vector<OpenedDevice *> devices, compiler.openedDevices(compilation));
    SW_CHECK(measureInto(*environment.figures, devices, wanted == RoofsWanted::Measured ? Measure::Missing : Measure::All,
                         environment.stop));
    return roofsOf(figuresOf(device, environment.figures));
}

} // namespace

Outcome roofline(const Arguments &arguments, const Environment &environment)
{
    const Result<CompileRequest> request = requestOf(arguments, environment, CompileUntil::Machine);
    if (!request)
        return requestFailed(request.error());
    const Result<std::uint64_t> seed = seedOf(arguments);
    const Result<MeasurePlan> plan = planOf(arguments, {});
    if (!seed || !plan)
        return usageFailed(seed ? plan.error() : seed.error());
    ProgramCompiler compiler(environment.registry);
    const auto made = [&]() -> Result<std::pair<Measured, Roofline>> {
        std::vector<Prepared> prepared;
        SW_TRY(Prepared one, prepare(compiler, *request, *seed, environment.stop));
        prepared.push_back(std::move(one));
        SW_TRY(Measured measured, measure(std::move(prepared), {*plan, {}}, environment.stop));
        const Execution &execution = measured.executions.front();
        // After the run, so as not to disturb it.
        SW_TRY(const MachineRoofs roofs, roofsFor(execution.compilation, arguments, environment, compiler));
        Roofline roofline = rooflineOf(kernelsOf(execution, environment), roofs);
        return std::pair(std::move(measured), std::move(roofline));
    }();
    if (!made)
        return failed(made.error());
    const auto &[measured, roofline] = *made;
    const Execution &execution = measured.executions.front();
    Diagnostics messages = execution.compilation.diagnostics;
    messages.insert(messages.end(), execution.result.faults.begin(), execution.result.faults.end());
    Outcome outcome = failed(messages);
    outcome.output =
        arguments.has("--json") ? jsonText(execution, roofline) : plainText(execution, roofline) + notesText(measured);
    return outcome;
}

} // namespace sw::command
