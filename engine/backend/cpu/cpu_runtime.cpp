#include "engine/backend/cpu/cpu_runtime.h"

#include "engine/backend/cpu/crash_handler.h"
#include "engine/backend/cpu/launch_record.h"
#include "engine/backend/guard_pattern.h"
#include "engine/base/short_list.h"

#include <algorithm>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace sw {

namespace {

// Pieces per thread: enough that threads of unequal speed finish together and that a stop is noticed soon.
constexpr std::int64_t kPiecesPerThread = 16;
constexpr std::size_t kMostArguments = 32; // of most kernels: more take memory of their own

// While this object lives, subnormal results become zero and subnormal operands are read as zero.
class DenormalMode {
public:
#if defined(__x86_64__)
    explicit DenormalMode(bool isFlushing) : m_before(_mm_getcsr())
    {
        constexpr unsigned kFlushToZeroAndDenormalsAreZero = 0x8040;
        _mm_setcsr(isFlushing ? m_before | kFlushToZeroAndDenormalsAreZero : m_before & ~kFlushToZeroAndDenormalsAreZero);
    }
    ~DenormalMode() { _mm_setcsr(m_before); }

private:
    unsigned m_before;
#else
    explicit DenormalMode(bool) {}
#endif
    DenormalMode(const DenormalMode &) = delete;
    DenormalMode &operator=(const DenormalMode &) = delete;
};

// A run of neighbouring work items. Each thread takes those of its own share first, and then helps the others. So a thread mostly
// has the same part of the items in each launch, and finds what it has computed in its own cache; what another core has written
// must come from there.
struct alignas(64) Share {
    std::atomic<std::int64_t> next{0};
    std::int64_t end = 0;
};

struct Launch {
    RangeFunction run = nullptr;
    ShortList<void *, kMostArguments> args = {};
    std::array<std::int64_t, 3> size{1, 1, 1};
    std::int64_t total = 1;
    std::int64_t piece = 1; // work items handed out at once
    std::vector<std::int64_t> faults = {};
    std::vector<Share> shares; // by thread
    std::atomic<bool> isStopped{false};
};

// Runs the work items first <= i < last, counted across rows.
void runItems(Launch &launch, std::int64_t first, std::int64_t last)
{
    while (first < last) {
        const std::int64_t row = first / launch.size[0];
        const std::int64_t begin = first % launch.size[0];
        const std::int64_t end = std::min(launch.size[0], begin + (last - first));
        launch.run(launch.args.begin(), begin, end, row % launch.size[1], row / launch.size[1], launch.faults.data());
        first += end - begin;
    }
}

// False: there was nothing left for this thread.
bool work(Launch &launch, std::uint32_t thread, const std::stop_token &stop)
{
    bool hasWorked = false;
    for (std::size_t i = 0; i < launch.shares.size(); ++i) {
        Share &share = launch.shares[(thread + i) % launch.shares.size()];
        while (true) {
            const std::int64_t first = share.next.fetch_add(launch.piece, std::memory_order_relaxed);
            if (first >= share.end)
                break;
            if (stop.stop_requested()) {
                launch.isStopped = true;
                return hasWorked;
            }
            runItems(launch, first, std::min(share.end, first + launch.piece));
            hasWorked = true;
        }
    }
    return hasWorked;
}

// In as many shares as there are threads, of whole pieces.
void divide(Launch &launch)
{
    const auto threads = static_cast<std::int64_t>(launch.shares.size());
    const std::int64_t pieces = (launch.total + launch.piece - 1) / launch.piece;
    for (std::int64_t i = 0; i < threads; ++i) {
        Share &share = launch.shares[static_cast<std::size_t>(i)];
        share.next = pieces * i / threads * launch.piece;
        share.end = std::min(pieces * (i + 1) / threads * launch.piece, launch.total);
    }
}

void workRecorded(Launch &launch, std::uint32_t thread, const std::stop_token &stop, ThreadRecorder &recorder)
{
    const ThreadRecorder::Begun begun = recorder.beginWork();
    if (work(launch, thread, stop))
        recorder.endWork(begun);
}

std::vector<IndexFault> faultsOf(const Launch &launch, const NativeKernel &kernel)
{
    std::vector<IndexFault> found;
    for (std::size_t check = 0; check < kernel.indexChecks.size(); ++check)
        if (const std::int64_t count = launch.faults[2 * check]; count != 0)
            found.push_back({kernel.indexChecks[check], launch.faults[2 * check + 1], count});
    return found;
}

} // namespace

CpuRuntime::CpuRuntime(std::shared_ptr<const KernelTable> kernels, std::uint32_t threads, const DeviceOptions &options,
                       std::shared_ptr<CounterSource> counters)
    : m_kernels(std::move(kernels)),
      m_isFlushing(options.flushDenormals),
      m_isGuarding(options.guardBuffers),
      m_recorder(std::move(counters)),
      m_threads(threads, [] {})
{
}

CpuRuntime::~CpuRuntime()
{
    for (const auto &[id, block] : m_buffers)
        if (!block.isView && block.guarded == nullptr)
            m_memory.giveBack(block.bytes);
}

Result<DeviceBufferId> CpuRuntime::allocate(std::int64_t bytes)
{
    const DeviceBufferId id(m_nextBuffer);
    if (m_isGuarding) {
        SW_TRY(GuardedBlock made, GuardedBlock::make(bytes));
        auto guarded = std::make_unique<GuardedBlock>(std::move(made));
        const std::span<std::byte> block = guarded->bytes();
        m_buffers.emplace(id, Block{.bytes = block, .guarded = std::move(guarded)});
    } else {
        SW_TRY(const auto block, m_memory.take(bytes));
        m_buffers.emplace(id, Block{.bytes = block});
    }
    ++m_nextBuffer;
    return id;
}

Result<DeviceBufferId> CpuRuntime::view(DeviceBufferId buffer, std::int64_t offset, std::int64_t bytes)
{
    SW_TRY(const auto part, bytesOf(buffer, offset, static_cast<std::size_t>(bytes)));
    const DeviceBufferId id(m_nextBuffer++);
    m_buffers.emplace(id, Block{.bytes = part, .isView = true});
    BufferPool::touch(part);
    return id;
}

DeviceBufferId CpuRuntime::adopt(std::span<const std::byte> bytes)
{
    const DeviceBufferId id(m_nextBuffer++);
    const std::span<std::byte> all(const_cast<std::byte *>(bytes.data()), bytes.size()); // as kernels take their arguments
    m_buffers.emplace(id, Block{.bytes = all, .isView = true, .isReadOnly = true});
    return id;
}

bool CpuRuntime::hasAdopted(DeviceBufferId buffer) const
{
    const auto found = m_buffers.find(buffer);
    return found != m_buffers.end() && found->second.isReadOnly;
}

void CpuRuntime::free(DeviceBufferId buffer)
{
    const auto found = m_buffers.find(buffer);
    if (found == m_buffers.end())
        return;
    if (!found->second.isView && found->second.guarded == nullptr)
        m_memory.giveBack(found->second.bytes);
    m_buffers.erase(found);
}

namespace {

Diagnostic noSuchBuffer(DeviceBufferId buffer)
{
    return Diagnostic::error(Code::Run, {}, "there is no device buffer {}", buffer.value);
}

} // namespace

Result<std::span<std::byte>> CpuRuntime::bytesOf(DeviceBufferId buffer, std::int64_t offset, std::size_t count) const
{
    const auto found = m_buffers.find(buffer);
    if (found == m_buffers.end())
        return noSuchBuffer(buffer);
    const std::size_t size = found->second.bytes.size();
    if (offset < 0 || static_cast<std::size_t>(offset) > size || count > size - static_cast<std::size_t>(offset))
        return Diagnostic::error(Code::Run, {}, "{} bytes at {} do not fit into a device buffer of {} bytes", count, offset,
                                 size);
    return found->second.bytes.subspan(static_cast<std::size_t>(offset), count);
}

Result<Done> CpuRuntime::upload(DeviceBufferId buffer, std::int64_t offset, std::span<const std::byte> bytes)
{
    SW_TRY(const auto target, bytesOf(buffer, offset, bytes.size()));
    SW_ASSERT(!m_buffers.at(buffer).isReadOnly, "a buffer that is not the host's");
    if (!bytes.empty())
        std::memcpy(target.data(), bytes.data(), bytes.size());
    return Done{};
}

Result<Done> CpuRuntime::download(DeviceBufferId buffer, std::int64_t offset, std::span<std::byte> bytes)
{
    SW_TRY(const auto source, bytesOf(buffer, offset, bytes.size()));
    if (!bytes.empty())
        std::memcpy(bytes.data(), source.data(), bytes.size());
    return Done{};
}

Result<Done> CpuRuntime::copy(const BufferCopy &copy)
{
    SW_TRY(const auto source, bytesOf(copy.from, copy.fromOffset, static_cast<std::size_t>(copy.bytes)));
    SW_TRY(const auto target, bytesOf(copy.to, copy.toOffset, static_cast<std::size_t>(copy.bytes)));
    SW_ASSERT(!m_buffers.at(copy.to).isReadOnly, "a buffer that is not the host's");
    if (copy.bytes > 0)
        std::memmove(target.data(), source.data(), source.size());
    return Done{};
}

Result<LaunchResult> CpuRuntime::launch(const LaunchRequest &request, std::stop_token stop)
{
    const auto kernel = m_kernels->find(request.artifact);
    if (!kernel)
        return Diagnostic::error(Code::Run, {}, "there is no compiled kernel {}", request.artifact.value);
    SW_TRY(const std::int64_t workItems, workItemsOf(request));
    Launch launch{.run = kernel->run,
                  .size = request.globalSize,
                  .faults = std::vector<std::int64_t>(2 * kernel->indexChecks.size()),
                  .shares = std::vector<Share>(m_threads.threads())};
    ShortList<std::span<std::byte>, kMostArguments> arguments;
    for (const DeviceBufferId buffer : request.buffers) {
        const auto found = m_buffers.find(buffer);
        if (found == m_buffers.end())
            return noSuchBuffer(buffer);
        launch.args.push_back(found->second.bytes.data());
        arguments.push_back(found->second.bytes);
    }
    if (m_isGuarding)
        renewCrashHandler();
    const LaunchRecord record({arguments.begin(), arguments.end()}, kernel->entry);
    launch.total = workItems;
    launch.piece = std::max<std::int64_t>(1, launch.total / (m_threads.threads() * kPiecesPerThread));

    const bool isRecorded = m_recorder.isOn();
    if (isRecorded)
        m_recorder.beginLaunch();
    const std::chrono::nanoseconds start = steadyNow();
    divide(launch);
    const std::function<void(std::uint32_t)> job = [&](std::uint32_t thread) {
        const DenormalMode mode(m_isFlushing);
        if (isRecorded)
            workRecorded(launch, thread, stop, m_recorder);
        else
            work(launch, thread, stop);
    };
    if (launch.total > launch.piece && m_threads.threads() > 1)
        m_threads.run(job);
    else if (launch.total > 0)
        job(0);
    const std::chrono::nanoseconds end = steadyNow();
    if (isRecorded)
        m_recorder.endLaunch(start, end);
    LaunchResult result{.time = end - start, .faults = faultsOf(launch, *kernel)};
    if (launch.isStopped)
        return Diagnostic::error(Code::Cancelled, {}, "the run was stopped");
    SW_CHECK(checkGuards(request.buffers));
    return result;
}

Result<Done> CpuRuntime::startRecording(WithCounters counters)
{
    m_recorder.start(counters);
    return Done{};
}

Result<Done> CpuRuntime::checkGuards(std::span<const DeviceBufferId> buffers)
{
    if (!m_isGuarding)
        return Done{};
    for (std::size_t i = 0; i < buffers.size(); ++i) {
        const Block &block = m_buffers.at(buffers[i]);
        const auto overwritten = block.guarded == nullptr ? std::nullopt : block.guarded->takeOverwritten();
        if (overwritten)
            return wroteBeside(*overwritten, i, block.bytes.size());
    }
    return Done{};
}

} // namespace sw
