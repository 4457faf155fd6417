#include "engine/execute/measure_device.h"

#include "engine/base/today.h"
#include "engine/execute/machine_roofs.h"
#include "engine/execute/measure_kernels.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>

namespace sw {

namespace {

using Clock = std::chrono::steady_clock;
using Nanoseconds = std::chrono::nanoseconds;

// Long enough that launch cost does not matter, and on a processor so short that the system seldom gives it to somebody else
// meanwhile. Copying uses whole buffers unless the device is so slow that it takes too long.
constexpr Nanoseconds kLongEnough = std::chrono::microseconds(300);
constexpr Nanoseconds kLongEnoughOnGpu = std::chrono::milliseconds(3);
constexpr Nanoseconds kTooLong = std::chrono::milliseconds(40);
constexpr Nanoseconds kMostPerFigure = std::chrono::milliseconds(80);
constexpr std::size_t kMostTries = 64;
constexpr std::int64_t kProcessorBytes = std::int64_t{64} << 20; // per buffer: beyond the caches
constexpr std::int64_t kGpuBytes = std::int64_t{256} << 20;
constexpr std::int64_t kTransferBytes = std::int64_t{32} << 20;
constexpr std::int64_t kProcessorItems = std::int64_t{1} << 14;
constexpr std::int64_t kGpuItems = std::int64_t{1} << 20;

// A device's memory, freed in the destructor.
class DeviceMemory {
public:
    DeviceMemory(Runtime &runtime, DeviceBufferId id) : m_runtime(runtime), m_id(id) {}
    ~DeviceMemory() { m_runtime.free(m_id); }
    DeviceMemory(const DeviceMemory &) = delete;
    DeviceMemory &operator=(const DeviceMemory &) = delete;
    [[nodiscard]] DeviceBufferId id() const { return m_id; }

private:
    Runtime &m_runtime;
    DeviceBufferId m_id;
};

class DeviceMeter {
public:
    DeviceMeter(OpenedDevice &device, const std::stop_token &stop) : m_device(device), m_stop(stop) {}

    Result<RooflineFigures> measure()
    {
        SW_CHECK(compile());
        RooflineFigures rates;
        SW_TRY(rates.launchNanoseconds, launchCost());
        SW_CHECK(measureMemory(rates));
        SW_TRY(rates.operationsPerNanosecond, arithmeticRate());
        SW_CHECK(measureTensorInstructions(rates));
        SW_CHECK(measureCaches(rates));
        return rates;
    }

private:
    [[nodiscard]] bool isGpu() const { return m_device.info().kind == DeviceKind::Gpu; }
    [[nodiscard]] std::int64_t bytes() const { return isGpu() ? kGpuBytes : kProcessorBytes; }
    [[nodiscard]] std::int64_t mostItems() const { return isGpu() ? kGpuItems : kProcessorItems; }

    Result<Done> compile()
    {
        const DeviceInfo &info = m_device.info();
        m_kernels = {emptyKernel(info), copyKernel(info, bytes()), arithmeticKernel(info, mostItems())};
        std::vector<RenderedSource> sources;
        for (const MeasureKernel &one : m_kernels) {
            SW_TRY(RenderedSource source, m_device.renderer().render(one.kernel, info));
            sources.push_back(std::move(source));
        }
        SW_TRY(m_artifacts, m_device.compile(sources, m_stop));
        return m_device.finishCompiling(m_stop);
    }

    Result<std::unique_ptr<DeviceMemory>> memory(std::int64_t size)
    {
        SW_TRY(const DeviceBufferId id, m_device.runtime().allocate(size));
        return std::make_unique<DeviceMemory>(m_device.runtime(), id);
    }

    Result<Nanoseconds> launch(std::size_t kernel, std::span<const DeviceBufferId> buffers, std::int64_t items)
    {
        const LaunchRequest request{.artifact = m_artifacts[kernel]->id,
                                    .buffers = buffers,
                                    .globalSize = {items, 1, 1},
                                    .localSize = m_kernels[kernel].kernel.localSize};
        SW_TRY(const LaunchResult done, m_device.runtime().launch(request, m_stop));
        return std::max(done.time, Nanoseconds(1));
    }

    static Result<Nanoseconds> best(const std::function<Result<Nanoseconds>()> &timed)
    {
        return shortestTime(timed, {.most = kMostTries, .budget = kMostPerFigure});
    }

    // The kernel's work per nanosecond, with enough work items to run long enough.
    Result<double> rateOf(std::size_t kernel, std::span<const DeviceBufferId> buffers, Nanoseconds longEnough)
    {
        return rateOf(kernel, buffers, longEnough, m_kernels[kernel].kernel.globalSize[0]);
    }

    // With at most so many work items.
    Result<double> rateOf(std::size_t kernel, std::span<const DeviceBufferId> buffers, Nanoseconds longEnough, std::int64_t most)
    {
        const MeasureKernel &one = m_kernels[kernel];
        std::int64_t items = std::min(most, one.least * static_cast<std::int64_t>(m_device.info().threads));
        while (true) {
            SW_TRY(const Nanoseconds time, launch(kernel, buffers, items));
            if (time >= longEnough || items >= most)
                break;
            items = std::min(most, 4 * items);
        }
        SW_TRY(const Nanoseconds time, best([&] { return launch(kernel, buffers, items); }));
        return static_cast<double>(items) * static_cast<double>(one.perItem) / static_cast<double>(time.count());
    }

    // The median, because some launches are late.
    Result<double> launchCost()
    {
        constexpr std::size_t kLaunches = 51;
        SW_TRY(const auto out, memory(4));
        const std::array buffers{out->id()};
        const Clock::time_point begin = Clock::now();
        std::vector<Nanoseconds> times;
        while (times.empty() || (times.size() < kLaunches && Clock::now() - begin < kMostPerFigure)) {
            SW_TRY(const Nanoseconds time, launch(0, buffers, m_kernels[0].least));
            times.push_back(time);
        }
        std::ranges::nth_element(times, times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2));
        return static_cast<double>(times[times.size() / 2].count());
    }

    Result<Done> measureMemory(RooflineFigures &rates)
    {
        SW_TRY(const auto from, memory(bytes()));
        SW_TRY(const auto to, memory(bytes()));
        SW_TRY(rates.transferBytesPerNanosecond, transferRate(from->id()));
        SW_TRY(rates.memoryBytesPerNanosecond, rateOf(1, std::array{from->id(), to->id()}, kTooLong));
        return Done{};
    }

    // Copies of what a level holds, again and again: of what all cores hold on their own, and of what they share beyond that.
    Result<Done> measureCaches(RooflineFigures &rates)
    {
        const DeviceInfo &info = m_device.info();
        if (info.kind != DeviceKind::Cpu)
            return Done{};
        const std::int64_t own = info.cacheBytesPerCore * static_cast<std::int64_t>(std::max(info.threads, 1U));
        const std::array levels{own, info.sharedCacheBytes};
        for (std::size_t i = 0; i < levels.size(); ++i) {
            const std::int64_t holds = levels.at(i);
            const std::int64_t inner = i == 0 ? 0 : own;
            if (holds / 2 <= inner || holds / 4 > bytes())
                continue;
            SW_TRY(const auto from, memory(holds / 4));
            SW_TRY(const auto to, memory(holds / 4));
            const std::int64_t items = std::max<std::int64_t>(holds / 2 / m_kernels[1].perItem, 1);
            SW_TRY(const double rate, rateOf(1, std::array{from->id(), to->id()}, kTooLong, items));
            rates.caches.at(i) = {.holds = holds, .bytesPerNanosecond = std::max(rate, rates.memoryBytesPerNanosecond)};
        }
        return Done{};
    }

    // Uploads and downloads.
    Result<double> transferRate(DeviceBufferId buffer)
    {
        std::vector<std::byte> host(kTransferBytes);
        Runtime &runtime = m_device.runtime();
        SW_TRY(const Nanoseconds time, best([&]() -> Result<Nanoseconds> {
                   if (m_stop.stop_requested())
                       return stopped();
                   const Clock::time_point begin = Clock::now();
                   SW_CHECK(runtime.upload(buffer, 0, host));
                   SW_CHECK(runtime.download(buffer, 0, host));
                   return std::max<Nanoseconds>(Clock::now() - begin, Nanoseconds(1));
               }));
        return 2.0 * kTransferBytes / static_cast<double>(time.count());
    }

    Result<double> arithmeticRate()
    {
        constexpr std::array<float, 2> kNumbers{0.5F, 1.0F};
        SW_TRY(const auto numbers, memory(sizeof kNumbers));
        SW_CHECK(m_device.runtime().upload(numbers->id(), 0, std::as_bytes(std::span(kNumbers))));
        SW_TRY(const auto result, memory(4 * arithmeticElements(m_device.info(), mostItems())));
        return rateOf(2, std::array{numbers->id(), result->id()}, isGpu() ? kLongEnoughOnGpu : kLongEnough);
    }

    // As their roofs are measured: no kernel that the passes make has nothing but them. Only a processor of this machine has any.
    Result<Done> measureTensorInstructions(RooflineFigures &rates)
    {
        for (const ArithmeticLoop &loop : tensorLoops()) {
            const std::optional<TensorInstruction> one = tensorInstructionNamed(loop.name);
            if (!one || !hasTensorInstruction(m_device.info().tensorInstructions, *one))
                continue;
            const double rate = loopRate(loop, std::max(m_device.info().threads, 1U), m_stop);
            if (rate <= 0)
                return stopped();
            rates.tensorOperationsPerNanosecond.at(indexOf(*one)) = rate;
        }
        return Done{};
    }

    static Diagnostic stopped() { return Diagnostic::error(Code::Cancelled, {}, "measuring was stopped"); }

    OpenedDevice &m_device;
    const std::stop_token &m_stop;
    std::vector<MeasureKernel> m_kernels; // the empty, the copying and the computing kernel
    std::vector<ArtifactPtr> m_artifacts; // of these kernels
};

} // namespace

Result<Nanoseconds> shortestTime(const std::function<Result<Nanoseconds>()> &timed, const Tries &tries)
{
    const Clock::time_point begin = Clock::now();
    Nanoseconds shortest = Nanoseconds::max();
    for (std::size_t i = 0; i < tries.fewest || (i < tries.most && Clock::now() - begin < tries.budget); ++i) {
        SW_TRY(const Nanoseconds time, timed());
        shortest = std::min(shortest, time);
    }
    return shortest;
}

Result<DeviceFigures> measureDevice(OpenedDevice &device, const std::stop_token &stop)
{
    SW_TRY(const RooflineFigures rates, DeviceMeter(device, stop).measure());
    return DeviceFigures{.rates = rates, .measuredOn = today()};
}

Result<Done> measureInto(const FiguresStore &store, std::span<OpenedDevice *const> devices, Measure which,
                         const std::stop_token &stop)
{
    for (OpenedDevice *const device : devices) {
        if (which == Measure::Missing && store.find(device->info()))
            continue;
        SW_TRY(const DeviceFigures figures, measureDevice(*device, stop));
        SW_CHECK(store.keep(device->info(), figures));
    }
    return Done{};
}

} // namespace sw
