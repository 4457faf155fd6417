// How transfers are done: between the host and a device, on one device, and between two of them.

#include "engine/execute/item_runner.h"

#include "engine/backend/host_memory.h"
#include "engine/base/mapped_file.h"
#include "engine/types/npy.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace sw {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kPieceBytes = std::size_t{16} << 20U;
constexpr std::size_t kMostReadAhead = std::size_t{256} << 20U;

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

StridedRegion regionOf(const MemoryTransfer &transfer)
{
    return transfer.region.value_or(StridedRegion{.rows = 1, .rowBytes = transfer.bytes});
}

// From the first row to the last.
std::size_t bytesRead(const StridedRegion &region)
{
    return static_cast<std::size_t>((region.rows - 1) * region.sourceStride + region.rowBytes);
}

// The bytes lie side by side where they go.
bool isWrittenAtOnce(const MemoryTransfer &transfer)
{
    return !transfer.region || transfer.region->rows == 1 || transfer.region->destinationStride == transfer.region->rowBytes;
}

// Not on one device, or in rows: the host reads and writes the bytes.
bool goesThroughHost(const Schedule &schedule, const MemoryTransfer &transfer)
{
    const bool isOnOneDevice = transfer.source.isValid() && transfer.destination.isValid() &&
                               schedule.buffer(transfer.source).device == schedule.buffer(transfer.destination).device;
    return !isOnOneDevice || (transfer.region && transfer.region->rows > 1);
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

Result<ItemResult> ItemRunner::work(const MemoryTransfer &transfer, const Call &call)
{
    if (queues(transfer, call.values))
        return queue(inStep(transfer, call.run.step), call);
    const auto start = Clock::now();
    if (!transfer.source.isValid()) {
        if (!isAlreadyThere(transfer))
            SW_CHECK(writeValue(transfer, valueOf(transfer, call.values)));
    } else if (!transfer.destination.isValid()) {
        SW_TRY(HostTensor value, download(transfer.source));
        m_fetched.insert_or_assign(transfer.source, std::move(value));
    } else {
        SW_CHECK(copy(inStep(transfer, call.run.step), call.run.item));
    }
    return ItemResult{Clock::now() - start, {}};
}

// Bytes of a file are not held: they are moved piece by piece, each of which leaves memory again, and they may change until all
// are read. Nor are rows apart: each would be a transfer.
bool ItemRunner::queues(const MemoryTransfer &transfer, std::span<const HostTensor> values) const
{
    if (!transfer.destination.isValid())
        return runtimeOf(transfer.source).queuesDownloads();
    if (!goesThroughHost(schedule(), transfer) || !isWrittenAtOnce(transfer) || !runtimeOf(transfer.destination).queuesUploads())
        return false;
    return transfer.source.isValid() || (!isAlreadyThere(transfer) && !areMapped(valueOf(transfer, values).unalignedBytes()));
}

Result<ItemResult> ItemRunner::queue(const MemoryTransfer &transfer, const Call &call)
{
    if (!transfer.destination.isValid())
        return queueFetch(transfer.source, call.stop);
    const auto start = Clock::now();
    SW_TRY(const HeldBytes held,
           transfer.source.isValid() ? bytesToCopy(transfer, call.run.item) : bytesOf(transfer, call.values));
    const std::chrono::nanoseconds before = Clock::now() - start;
    const QueuedUpload upload{.buffer = m_memory.of(transfer.destination),
                              .offset = transfer.region ? transfer.region->destinationOffset : 0,
                              .bytes = held.bytes,
                              .owner = held.owner};
    SW_CHECK(runtimeOf(transfer.destination).queueUpload(upload, call.stop));
    return ItemResult{before, {}, true};
}

// The value is there when it is collected.
Result<ItemResult> ItemRunner::queueFetch(BufferId buffer, const std::stop_token &stop)
{
    const ScheduledBuffer &of = schedule().buffer(buffer);
    const auto value = std::make_shared<HostTensor>(of.dtype, of.shape);
    const std::span<std::byte> bytes = value->mutableBytes().first(usedBytes(buffer));
    SW_CHECK(runtimeOf(buffer).queueDownload({.buffer = m_memory.of(buffer), .bytes = bytes, .owner = value}, stop));
    m_fetched.insert_or_assign(buffer, *value);
    return ItemResult{{}, {}, true};
}

bool ItemRunner::isAlreadyThere(const MemoryTransfer &upload) const
{
    return isAdopted(runtimeOf(upload.destination), m_memory.of(upload.destination));
}

HostTensor ItemRunner::valueOf(const MemoryTransfer &upload, std::span<const HostTensor> values) const
{
    const Graph &graph = *schedule().graph;
    const NodeId id = hostValueOf(schedule(), schedule().buffer(upload.destination));
    if (const auto *constant = std::get_if<TensorAttributes>(&graph.node(id).attributes))
        return *constant->value;
    SW_ASSERT(values.size() == m_placeholders.size(), "a value for every placeholder");
    const auto found = std::ranges::lower_bound(m_placeholders, id);
    SW_ASSERT(found != m_placeholders.end() && *found == id, "uploads of what the host has a value for");
    const HostTensor &given = values[static_cast<std::size_t>(found - m_placeholders.begin())];
    // Kernels see a u32x4 as its words.
    HostTensor value = given.dtype() == DType::U32x4 ? toRawBits(given) : given;
    SW_ASSERT(value.dtype() == graph.node(id).dtype && value.shape() == graph.node(id).shape,
              "values of the placeholders' types and shapes");
    return value;
}

Result<ItemRunner::HeldBytes> ItemRunner::bytesOf(const MemoryTransfer &upload, std::span<const HostTensor> values) const
{
    const auto value = std::make_shared<const HostTensor>(valueOf(upload, values));
    const std::span<const std::byte> bytes = value->unalignedBytes();
    SW_CHECK(value->checkUnchanged()); // all is read: it is in memory
    if (!upload.region)
        return HeldBytes{bytes.first(usedBytes(upload.destination)), value};
    const auto packed = std::make_shared<const std::vector<std::byte>>(packedRows(upload, bytes));
    return HeldBytes{*packed, packed};
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
    if (isWrittenAtOnce(transfer))
        return uploadBytes(transfer.destination, transfer.region ? transfer.region->destinationOffset : 0, packed);
    const StridedRegion &region = *transfer.region;
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

Result<Done> ItemRunner::copy(const MemoryTransfer &transfer, std::uint32_t item)
{
    if (goesThroughHost(schedule(), transfer)) {
        SW_TRY(const HeldBytes held, bytesToCopy(transfer, item));
        return writeRows(transfer, held.bytes);
    }
    const StridedRegion region = regionOf(transfer);
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

// Devices cannot access each other's memory, and a Runtime copies no rows at a distance. The bytes between the rows are read as
// well: one call that moves more costs less than one call per row.
Result<ItemRunner::HeldBytes> ItemRunner::bytesToCopy(const MemoryTransfer &transfer, std::uint32_t item)
{
    const StridedRegion region = regionOf(transfer);
    std::shared_ptr<const std::vector<std::byte>> read;
    if (auto begun = m_reads.extract(item)) {
        read = std::move(begun.mapped());
    } else {
        const auto fresh = std::make_shared<std::vector<std::byte>>(bytesRead(region));
        if (!fresh->empty())
            SW_CHECK(runtimeOf(transfer.source).download(m_memory.of(transfer.source), region.sourceOffset, *fresh));
        read = fresh;
    }
    if (region.rows == 1) // there is nothing to pack
        return HeldBytes{*read, read};
    MemoryTransfer rows = transfer;
    rows.region->sourceOffset = 0;
    const auto packed = std::make_shared<const std::vector<std::byte>>(packedRows(rows, *read));
    return HeldBytes{*packed, packed};
}

Result<Done> ItemRunner::beginReading(std::uint32_t item, const std::stop_token &stop)
{
    const auto &transfer = std::get<MemoryTransfer>(schedule().items.at(item).work);
    const StridedRegion region = regionOf(transfer);
    std::size_t held = bytesRead(region);
    for (const auto &[copy, bytes] : m_reads)
        held += bytes->size();
    if (held > kMostReadAhead)
        return Done{};
    const auto read = std::make_shared<std::vector<std::byte>>(bytesRead(region));
    const QueuedDownload download{
        .buffer = m_memory.of(transfer.source), .offset = region.sourceOffset, .bytes = *read, .owner = read};
    if (const auto queued = runtimeOf(transfer.source).queueDownload(download, stop); !queued)
        return atItem(item, queued.error());
    m_reads.insert_or_assign(item, read);
    return Done{};
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

} // namespace sw
