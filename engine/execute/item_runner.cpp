#include "engine/execute/item_runner.h"

#include "engine/backend/host_memory.h"
#include "engine/base/mapped_file.h"
#include "engine/types/npy.h"

#include <algorithm>
#include <utility>

namespace sw {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kPieceBytes = std::size_t{16} << 20U;

std::string deviceList(const Schedule &schedule, const ScheduleItem &item)
{
    return join(devicesOf(schedule, item), ", ", [&](DeviceSlot slot) { return schedule.device(slot).id; });
}

// The bytes that a transfer reads from its source, row after row.
std::vector<std::byte> packedRows(const MemoryTransfer &transfer, std::span<const std::byte> source)
{
    if (!transfer.region)
        return {source.begin(), source.end()};
    const StridedRegion &region = *transfer.region;
    std::vector<std::byte> packed;
    packed.reserve(static_cast<std::size_t>(region.rows * region.rowBytes));
    for (std::int64_t row = 0; row < region.rows; ++row) {
        const auto part = source.subspan(static_cast<std::size_t>(region.sourceOffset + row * region.sourceStride),
                                         static_cast<std::size_t>(region.rowBytes));
        packed.insert(packed.end(), part.begin(), part.end());
    }
    return packed;
}

// What is read from a file is in memory once, on the device, but for a piece.
Result<Done> inPieces(std::span<const std::byte> bytes,
                      const std::function<Result<Done>(std::int64_t, std::span<const std::byte>)> &upload)
{
    if (!areMapped(bytes))
        return upload(0, bytes);
    for (std::size_t at = 0; at < bytes.size(); at += kPieceBytes) {
        const auto piece = bytes.subspan(at, std::min(kPieceBytes, bytes.size() - at));
        fetchPages(piece);
        SW_CHECK(upload(static_cast<std::int64_t>(at), piece));
        dropPages(piece);
    }
    return Done{};
}

MemoryTransfer inStep(MemoryTransfer transfer, std::int64_t step)
{
    if (transfer.region) {
        transfer.region->sourceOffset += step * transfer.region->sourceStep;
        transfer.region->destinationOffset += step * transfer.region->destinationStep;
    }
    return transfer;
}

} // namespace

ItemRunner::ItemRunner(CompiledProgramPtr program, std::vector<OpenedDevice *> devices, const ProgramMemory &memory,
                       HostFunctions functions)
    : m_program(std::move(program)),
      m_devices(std::move(devices)),
      m_memory(memory),
      m_functions(std::move(functions)),
      m_placeholders(m_program->lowered->schedule->graph->placeholders()),
      m_launches(m_program->lowered->kernels.size())
{
}

Result<Done> ItemRunner::finishCompiling(const std::stop_token &stop)
{
    for (OpenedDevice *const device : m_devices)
        SW_CHECK(device->finishCompiling(stop));
    return Done{};
}

Result<ItemResult> ItemRunner::run(const ItemRun &run, std::span<const HostTensor> values, std::stop_token stop)
{
    const Call call{values, std::move(stop), run.step};
    auto done = std::visit([&](const auto &step) { return work(step, call); }, schedule().items.at(run.item).work);
    if (!done)
        return atItem(run.item, done.error());
    return done;
}

Result<Done> ItemRunner::clearRows(std::uint32_t item, const RepeatedItems &repeat, std::int64_t stepsMade)
{
    const auto *transfer = std::get_if<MemoryTransfer>(&schedule().items.at(item).work);
    if (transfer == nullptr || !transfer->region || transfer->region->destinationStep == 0)
        return Done{};
    const std::vector<std::byte> zeros(static_cast<std::size_t>(transfer->region->rowBytes));
    for (std::int64_t step = stepsMade; step < repeat.steps; ++step) {
        const MemoryTransfer row = inStep(*transfer, step);
        SW_CHECK(uploadBytes(row.destination, row.region->destinationOffset, zeros));
    }
    return Done{};
}

const ItemRunner::PreparedLaunch &ItemRunner::prepared(KernelId kernel)
{
    PreparedLaunch &launch = m_launches.at(kernel.value);
    if (launch.runtime != nullptr)
        return launch;
    const KernelList &kernels = m_program->lowered->kernels;
    const LoweredKernel &body = kernels.bodyOf(kernel.value);
    launch.artifact = m_program->artifacts.at(kernel.value)->id;
    launch.globalSize = body.globalSize;
    launch.localSize = body.localSize;
    for (const BufferId argument : kernels.argumentsOf(kernel.value))
        launch.buffers.push_back(m_memory.of(argument));
    launch.runtime = &runtimeOf(schedule().kernel(kernel).device);
    return launch;
}

Result<ItemResult> ItemRunner::work(const KernelLaunch &launch, const Call &call)
{
    const PreparedLaunch &known = prepared(launch.kernel);
    const LaunchRequest request{known.artifact, {known.buffers.begin(), known.buffers.end()}, known.globalSize, known.localSize};
    Result<std::optional<LaunchResult>> result = known.runtime->submit(request, call.stop);
    if (!result)
        return withArguments(result.error(), launch.kernel);
    if (!*result)
        return ItemResult{.faults = {}, .isQueued = true};
    return ItemResult{(*result)->time, std::move((*result)->faults)};
}

Result<Collected> ItemRunner::collect(DeviceSlot device, std::size_t count, std::stop_token stop)
{
    return runtimeOf(device).collect(count, std::move(stop));
}

Result<ItemResult> ItemRunner::work(const MemoryTransfer &transfer, const Call &call)
{
    const auto start = Clock::now();
    if (!transfer.source.isValid()) {
        SW_CHECK(upload(transfer, call.values));
    } else if (!transfer.destination.isValid()) {
        SW_TRY(HostTensor value, download(transfer.source));
        m_fetched.insert_or_assign(transfer.source, std::move(value));
    } else {
        SW_CHECK(copy(inStep(transfer, call.step)));
    }
    return ItemResult{Clock::now() - start, {}};
}

Result<Done> ItemRunner::upload(const MemoryTransfer &transfer, std::span<const HostTensor> values)
{
    const Graph &graph = *schedule().graph;
    const ScheduledBuffer &buffer = schedule().buffer(transfer.destination);
    const NodeId id = hostValueOf(schedule(), buffer);
    if (isAdopted(runtimeOf(transfer.destination), m_memory.of(transfer.destination)))
        return Done{};
    if (const auto *constant = std::get_if<TensorAttributes>(&graph.node(id).attributes))
        return writeValue(transfer, *constant->value);
    SW_ASSERT(values.size() == m_placeholders.size(), "a value for every placeholder");
    const auto found = std::ranges::lower_bound(m_placeholders, id);
    SW_ASSERT(found != m_placeholders.end() && *found == id, "uploads of what the host has a value for");
    const HostTensor &given = values[static_cast<std::size_t>(found - m_placeholders.begin())];
    // Kernels see a u32x4 as its words.
    const HostTensor value = given.dtype() == DType::U32x4 ? toRawBits(given) : given;
    SW_ASSERT(value.dtype() == graph.node(id).dtype && value.shape() == graph.node(id).shape,
              "values of the placeholders' types and shapes");
    return writeValue(transfer, value);
}

Result<Done> ItemRunner::writeValue(const MemoryTransfer &transfer, const HostTensor &value)
{
    const std::span<const std::byte> bytes = value.unalignedBytes();
    if (transfer.region) {
        SW_CHECK(writeRows(transfer, packedRows(transfer, bytes)));
        dropPages(bytes);
    } else {
        const std::span<const std::byte> used = bytes.first(usedBytes(transfer.destination));
        SW_CHECK(inPieces(used, [&](std::int64_t at, std::span<const std::byte> piece) {
            return uploadBytes(transfer.destination, at, piece);
        }));
    }
    return value.checkUnchanged(); // asked when all is read
}

// Writes the packed rows to their places in the destination.
Result<Done> ItemRunner::writeRows(const MemoryTransfer &transfer, std::span<const std::byte> packed)
{
    if (!transfer.region)
        return uploadBytes(transfer.destination, 0, packed);
    const StridedRegion &region = *transfer.region;
    if (region.rows == 1 || region.destinationStride == region.rowBytes)
        return uploadBytes(transfer.destination, region.destinationOffset, packed);
    for (std::int64_t row = 0; row < region.rows; ++row)
        SW_CHECK(uploadBytes(
            transfer.destination, region.destinationOffset + row * region.destinationStride,
            packed.subspan(static_cast<std::size_t>(row * region.rowBytes), static_cast<std::size_t>(region.rowBytes))));
    return Done{};
}

Result<Done> ItemRunner::uploadBytes(BufferId buffer, std::int64_t offset, std::span<const std::byte> bytes)
{
    if (bytes.empty())
        return Done{};
    return runtimeOf(buffer).upload(m_memory.of(buffer), offset, bytes);
}

std::size_t ItemRunner::usedBytes(BufferId buffer) const
{
    return static_cast<std::size_t>(m_usedBytes.empty() ? schedule().buffer(buffer).bytes() : m_usedBytes.at(buffer.value));
}

Result<HostTensor> ItemRunner::download(BufferId buffer)
{
    const ScheduledBuffer &of = schedule().buffer(buffer);
    HostTensor value(of.dtype, of.shape);
    if (const std::size_t bytes = usedBytes(buffer); bytes > 0)
        SW_CHECK(runtimeOf(buffer).download(m_memory.of(buffer), 0, value.mutableBytes().first(bytes)));
    return value;
}

Result<Done> ItemRunner::copy(const MemoryTransfer &transfer)
{
    const bool isOnOneDevice = schedule().buffer(transfer.source).device == schedule().buffer(transfer.destination).device;
    const StridedRegion region = transfer.region.value_or(StridedRegion{.rowBytes = transfer.bytes});
    if (!isOnOneDevice || region.rows > 1)
        return copyThroughHost(transfer);
    Runtime &runtime = runtimeOf(transfer.source);
    if (region.rowBytes > 0)
        SW_CHECK(runtime.copy({.from = m_memory.of(transfer.source),
                               .to = m_memory.of(transfer.destination),
                               .bytes = region.rowBytes,
                               .fromOffset = region.sourceOffset,
                               .toOffset = region.destinationOffset}));
    if (!transfer.isAsynchronous)
        return runtime.synchronize();
    return Done{};
}

// Devices cannot access each other's memory, and a Runtime copies no rows at a distance. The bytes between the rows are copied as
// well: one call that moves more costs less than one call per row.
Result<Done> ItemRunner::copyThroughHost(const MemoryTransfer &transfer)
{
    const StridedRegion region = transfer.region.value_or(StridedRegion{.rows = 1, .rowBytes = transfer.bytes});
    std::vector<std::byte> span(static_cast<std::size_t>((region.rows - 1) * region.sourceStride + region.rowBytes));
    if (span.empty())
        return Done{};
    SW_CHECK(runtimeOf(transfer.source).download(m_memory.of(transfer.source), region.sourceOffset, span));
    if (region.rows == 1) // there is nothing to pack
        return uploadBytes(transfer.destination, region.destinationOffset, span);
    MemoryTransfer rows = transfer;
    if (rows.region)
        rows.region->sourceOffset = 0;
    return writeRows(transfer, packedRows(rows, span));
}

Result<ItemResult> ItemRunner::work(const Synchronization &wait, const Call &)
{
    const auto start = Clock::now();
    // Runtimes only report when all their work is done, which is enough for a fence or an event as well.
    for (const DeviceSlot slot : devicesOf(schedule(), {wait}))
        SW_CHECK(runtimeOf(slot).synchronize());
    return ItemResult{Clock::now() - start, {}};
}

Result<ItemResult> ItemRunner::work(const HostCallback &callback, const Call &)
{
    const auto start = Clock::now();
    const auto found = m_functions.find(callback.function);
    SW_ASSERT(found != m_functions.end(), "functions that were checked to be there");
    std::vector<HostTensor> inputs;
    for (const BufferId input : callback.inputs) {
        SW_TRY(HostTensor value, download(input));
        inputs.push_back(std::move(value));
    }
    SW_TRY(const std::vector<HostTensor> outputs, found->second(inputs));
    if (outputs.size() != callback.outputs.size())
        return Diagnostic::error(Code::Run, {}, "the function returned {} tensors, expected {}", outputs.size(),
                                 callback.outputs.size());
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        const ScheduledBuffer &wanted = schedule().buffer(callback.outputs[i]);
        if (outputs[i].dtype() != wanted.dtype || outputs[i].shape() != wanted.shape)
            return Diagnostic::error(Code::Run, {}, "the function returned {} for {}, expected {}",
                                     typeText(outputs[i].dtype(), outputs[i].shape()), wanted.name,
                                     typeText(wanted.dtype, wanted.shape));
        SW_CHECK(uploadBytes(callback.outputs[i], 0, outputs[i].bytes()));
    }
    return ItemResult{Clock::now() - start, {}};
}

Result<ItemResult> ItemRunner::work(const Join &, const Call &)
{
    return ItemResult{}; // all parts are there already
}

// Adds "item 3, kernel k1_softmax on llvm: ..." to the errors, except to the error that the run was stopped.
Failure ItemRunner::withArguments(const Diagnostics &errors, KernelId kernel) const
{
    Diagnostics told = errors;
    std::vector<std::string> names;
    for (const BufferId argument : m_program->lowered->kernels.argumentsOf(kernel.value))
        names.push_back(format("{}: {}", names.size(), schedule().buffer(argument).name));
    if (told.front().code == Code::Run && told.front().hint.empty())
        told.front().hint = "the kernel's arguments are " + join(names, ", ");
    else if (told.front().code == Code::Run)
        told.front().hint += "; the kernel's arguments are " + join(names, ", ");
    return Failure(std::move(told));
}

Failure ItemRunner::atItem(std::uint32_t item, const Diagnostics &errors) const
{
    Diagnostics told = errors;
    const ScheduleItem &step = schedule().items[item];
    for (Diagnostic &error : told) {
        const std::string where = format("item {}, {}{} on {}", item, step.kernel().isValid() ? "kernel " : "",
                                         titleOf(schedule(), step), deviceList(schedule(), step));
        if (error.code == Code::Cancelled) {
            Diagnostic note = Diagnostic::warning(Code::Cancelled, {}, "in {}", where);
            note.severity = Severity::Note;
            error.notes.push_back(std::move(note));
            continue;
        }
        error.message = format("{}: {}", where, error.message);
        if (!error.where.isKnown())
            error.where = schedule().graph->sources().programRange(originOf(schedule(), step));
    }
    return Failure(std::move(told));
}

Result<Done> checkHostFunctions(const Schedule &schedule, const HostFunctions &functions)
{
    Diagnostics missing;
    for (std::uint32_t item = 0; item < schedule.items.size(); ++item) {
        const auto *callback = std::get_if<HostCallback>(&schedule.items[item].work);
        if (callback == nullptr || functions.contains(callback->function))
            continue;
        missing.push_back(
            Diagnostic::error(Code::Run, schedule.graph->sources().programRange(originOf(schedule, schedule.items[item])),
                              "item {} calls the host's function {}, which there is not", item, sw::quoted(callback->function))
                .withHint(functions.empty()
                              ? std::string("no functions were given for this run")
                              : format("there are: {}", join(functions, ", ", [](const auto &known) { return known.first; }))));
    }
    if (!missing.empty())
        return Failure(std::move(missing));
    return Done{};
}

} // namespace sw
