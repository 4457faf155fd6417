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

// What the threads of a launch do. They read its first lines from another core's cache: what all kernels need stands there.
class alignas(64) Launch {
public:
    Launch(const NativeKernel &kernel, const LaunchRequest &request, std::int64_t workItems, std::uint32_t threads,
           const std::stop_token &stop)
        : m_run(kernel.run),
          m_size(request.globalSize),
          m_total(workItems),
          m_piece(std::max<std::int64_t>(1, workItems / (threads * kPiecesPerThread))),
          m_stop(stop)
    {
    }

    void addArgument(void *memory) { m_arguments.push_back(memory); }
    void countFaults(std::span<std::int64_t> faults) { m_faults = faults; } // see RangeFunction; all are 0
    void flushDenormals(bool isFlushing) { m_isFlushing = isFlushing; }
    void record(ThreadRecorder &recorder) { m_recorder = &recorder; }

    [[nodiscard]] std::int64_t pieces() const { return (m_total + m_piece - 1) / m_piece; }
    [[nodiscard]] bool isStopped() const { return m_isStopped; }

    void operator()(ThreadPool::Pieces &pieces)
    {
        const DenormalMode mode(m_isFlushing);
        const auto begun = m_recorder == nullptr ? std::nullopt : std::optional(m_recorder->beginWork());
        do {
            if (m_stop.stop_requested())
                m_isStopped = true; // what is left is claimed, but not run
            else
                runItems(pieces.index() * m_piece, std::min((pieces.index() + 1) * m_piece, m_total));
        } while (pieces.next());
        if (begun)
            m_recorder->endWork(*begun);
    }

private:
    // Runs the work items first <= i < last, counted across rows.
    void runItems(std::int64_t first, std::int64_t last)
    {
        while (first < last) {
            const std::int64_t row = first / m_size[0];
            const std::int64_t begin = first % m_size[0];
            const std::int64_t end = std::min(m_size[0], begin + (last - first));
            m_run(m_arguments.begin(), begin, end, row % m_size[1], row / m_size[1], m_faults.data());
            first += end - begin;
        }
    }

    RangeFunction m_run;
    std::array<std::int64_t, 3> m_size;
    std::int64_t m_total;
    std::int64_t m_piece; // work items that a thread takes at once
    std::span<std::int64_t> m_faults;
    const std::stop_token &m_stop;
    ThreadRecorder *m_recorder = nullptr;
    std::atomic<bool> m_isStopped{false};
    bool m_isFlushing = false;
    ShortList<void *, kMostArguments> m_arguments = {};
};

// counted: for each index check the count and the first index.
std::vector<IndexFault> faultsOf(const NativeKernel &kernel, std::span<const std::int64_t> counted)
{
    std::vector<IndexFault> found;
    for (std::size_t check = 0; check < kernel.indexChecks.size(); ++check)
        if (const std::int64_t count = counted[2 * check]; count != 0)
            found.push_back({kernel.indexChecks[check], counted[2 * check + 1], count});
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
    Launch launch(*kernel, request, workItems, m_threads.threads(), stop);
    launch.flushDenormals(m_isFlushing);
    m_faults.assign(2 * kernel->indexChecks.size(), 0);
    launch.countFaults(m_faults);
    ShortList<std::span<std::byte>, kMostArguments> arguments;
    for (const DeviceBufferId buffer : request.buffers) {
        const auto found = m_buffers.find(buffer);
        if (found == m_buffers.end())
            return noSuchBuffer(buffer);
        launch.addArgument(found->second.bytes.data());
        arguments.push_back(found->second.bytes);
    }
    if (m_isGuarding)
        renewCrashHandler();
    const LaunchRecord record({arguments.begin(), arguments.end()}, kernel->entry);

    const bool isRecorded = m_recorder.isOn();
    if (isRecorded) {
        launch.record(m_recorder);
        m_recorder.beginLaunch();
    }
    const std::chrono::nanoseconds start = steadyNow();
    m_threads.run(launch.pieces(), launch);
    const std::chrono::nanoseconds end = steadyNow();
    if (isRecorded)
        m_recorder.endLaunch(start, end);
    LaunchResult result{.time = end - start, .faults = faultsOf(*kernel, m_faults)};
    if (launch.isStopped())
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
