#include "engine/api/tune/kernel_bench.h"

#include "engine/base/checked_size.h"
#include "engine/execute/compare.h"
#include "engine/execute/kernel_arguments.h"
#include "engine/execute/output_limits.h"
#include "engine/execute/run_limit.h"
#include "engine/execute/statistics.h"
#include "engine/passes/loops/tuning_key.h"
#include "engine/passes/lowered/edit_kernels.h"
#include "engine/pipeline/pipeline.h"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace sw {

namespace {

constexpr std::size_t kMostInstructions = 20000; // of a lowered kernel; LLVM takes seconds for more
constexpr double kHopeless = 1.25;               // times of the best: the smallest time of such a candidate ends its measurement
constexpr std::size_t kFirstRounds = 3;          // before a candidate can be hopeless
constexpr std::size_t kFewestRounds = 16;        // before it can be better: 8 pairs (kDifferenceConfidence)
constexpr std::size_t kMostRounds = 80;
constexpr double kMostNanoseconds = 2e9;    // for the rounds of one candidate
constexpr double kRoundNanoseconds = 200e3; // short kernels are launched several times in a round
constexpr double kWarmNanoseconds = 10e6;   // in which the threads spread over the cores
constexpr double kMostTimes = 20;           // of the best, that the first launch of a candidate may take
constexpr std::chrono::milliseconds kShortestLimit{500};
constexpr LimitBudget kLimitBudget{.operations = 3e7, .bytes = 5e8};

Diagnostic stopped()
{
    return Diagnostic::error(Code::Cancelled, {}, "the tuning was stopped");
}

bool isCancelled(const Diagnostics &errors)
{
    return !errors.empty() && errors.front().code == Code::Cancelled;
}

TimeBand bandOf(const std::vector<double> &times)
{
    const MedianBand band = medianBand(times, kTimeConfidence);
    return {band.low, band.median, band.high};
}

std::int64_t scratchBytesOf(const LoweredKernel &kernel)
{
    CheckedSize bytes = 0;
    for (const Instruction &instruction : kernel.instructions)
        if (instruction.kind == InstructionKind::Buffer)
            bytes += CheckedSize(instruction.elements) * bytesOf(instruction.dtype);
    return bytes.saturated();
}

} // namespace

KernelBench::KernelBench(const Compilation &compilation, KernelId kernel, OpenedDevice &device)
    : m_compilation(compilation), m_kernel(kernel), m_device(device)
{
    const std::span<const BufferId> buffers = compilation.lowered->kernels.argumentsOf(kernel.value);
    for (std::size_t i = 0; i < buffers.size(); ++i)
        m_first.push_back(static_cast<std::size_t>(std::ranges::find(buffers, buffers[i]) - buffers.begin()));
    for (const Instruction &instruction : compilation.lowered->kernels.at(kernel.value).instructions)
        if (instruction.kind == InstructionKind::DefineGlobal && instruction.isWritten)
            if (const std::size_t first = m_first.at(instruction.argument);
                std::ranges::find(m_written, first) == m_written.end())
                m_written.push_back(first);
    m_limits.resize(m_written.size());
}

KernelBench::~KernelBench()
{
    freeBuffers();
}

Result<std::unique_ptr<KernelBench>> KernelBench::prepare(ProgramCompiler &compiler, const Compilation &compilation,
                                                          KernelId kernel, const RunInputs &inputs, const std::stop_token &stop)
{
    SW_TRY(const std::vector<OpenedDevice *> devices, compiler.openedDevices(compilation));
    SW_TRY(const std::vector<HostTensor> values, inputValues(*compilation.graph, inputs));
    std::vector<HostTensor> arguments;
    {
        SW_TRY(const auto executor, Executor::prepare(devices, compilation.program, values, {}, inputs.dimensions));
        SW_TRY(KernelArguments found, executor->runUpTo(kernel, stop));
        arguments = std::move(found.values);
    }
    const DeviceSlot slot = compilation.schedule->kernel(kernel).device;
    auto bench = std::unique_ptr<KernelBench>(new KernelBench(compilation, kernel, *devices.at(slot.value)));
    SW_CHECK(bench->fill(std::move(arguments)));
    SW_CHECK(bench->setLimits(inputs, values, stop));
    return bench;
}

Result<Done> KernelBench::fill(std::vector<HostTensor> values)
{
    m_initial = std::move(values);
    return renew();
}

// What an output of the program may be off by is known where the program is small enough to compute it.
Result<Done> KernelBench::setLimits(const RunInputs &inputs, std::span<const HostTensor> values, const std::stop_token &stop)
{
    m_isExact = !mayReassociate(*m_compilation.loops->nests.at(m_kernel.value));
    m_rule = "equal bit for bit: no loop order changes them";
    if (m_isExact)
        return Done{};
    m_rule = "within the tolerance for results whose sums are added up in another order";
    const auto *start = std::get_if<GraphPtr>(&m_compilation.pipeline.steps.front().before);
    if (start == nullptr)
        return Done{};
    const OutputLimits limits = outputLimitsOf(*start, values, inputs.dimensions, stop, kLimitBudget);
    if (stop.stop_requested())
        return stopped();
    const std::span<const BufferId> buffers = m_compilation.lowered->kernels.argumentsOf(m_kernel.value);
    const std::vector<BufferId> &outputs = m_compilation.schedule->outputs;
    for (std::size_t i = 0; i < m_written.size() && limits.missing.empty(); ++i) {
        const auto output = std::ranges::find(outputs, buffers[m_written[i]]);
        if (output == outputs.end())
            continue;
        const HostTensor &limit = limits.limits.at(static_cast<std::size_t>(output - outputs.begin()));
        if (limit.shape() != m_initial[m_written[i]].shape())
            continue;
        m_limits[i] = limit;
        m_rule = "within the limits that their own computation sets";
    }
    return Done{};
}

void KernelBench::freeBuffers()
{
    for (std::size_t i = 0; i < m_buffers.size(); ++i)
        if (m_first[i] == i)
            m_device.runtime().free(m_buffers[i]);
    m_buffers.clear();
}

Result<Done> KernelBench::renew()
{
    freeBuffers();
    m_isLost = true;
    for (std::size_t i = 0; i < m_first.size(); ++i) {
        if (m_first[i] < i) {
            m_buffers.push_back(m_buffers[m_first[i]]);
            continue;
        }
        const auto bytes = static_cast<std::int64_t>(m_initial[i].byteSize());
        SW_TRY(const DeviceBufferId id, m_device.runtime().allocate(std::max<std::int64_t>(bytes, 1)));
        m_buffers.push_back(id);
        if (bytes > 0)
            SW_CHECK(m_device.runtime().upload(id, 0, m_initial[i].unalignedBytes()));
    }
    m_isLost = false;
    return Done{};
}

Result<Done> KernelBench::resetWritten()
{
    for (const std::size_t i : m_written)
        if (m_initial[i].byteSize() > 0)
            SW_CHECK(m_device.runtime().upload(m_buffers[i], 0, m_initial[i].unalignedBytes()));
    return Done{};
}

// The passes behind the choice of the transformations, over this kernel alone.
Result<LoweredKernel> KernelBench::lowered(const LoopNest &nest, const std::stop_token &stop) const
{
    Stage stage = std::make_shared<const LoopProgram>(
        LoopProgram{.schedule = m_compilation.schedule, .nests = {std::make_shared<const LoopNest>(nest)}});
    for (const PassInfo &pass : standardPipeline()) {
        if (pass.input < StageLevel::Loops || pass.output < StageLevel::Lowered || pass.id == kEditKernelsPass)
            continue;
        PassStep step = runPass(stage, pass, m_compilation.target, stop);
        if (step.failed)
            return Failure(step.diagnostics);
        stage = std::move(step.after);
        const KernelList &kernels = std::get<LoweredProgramPtr>(stage)->kernels;
        if (kernels.bodies().front()->instructions.size() > 2 * kMostInstructions)
            break; // the rest of the passes would take long, too
    }
    return *std::get<LoweredProgramPtr>(stage)->kernels.bodies().front();
}

Result<ArtifactPtr> KernelBench::compiled(const LoweredKernel &kernel, const std::stop_token &stop)
{
    SW_TRY(const RenderedSource source, m_device.renderer().render(kernel, m_device.info()));
    SW_TRY(const std::vector<ArtifactPtr> artifacts, m_device.compile(std::span(&source, 1), stop));
    SW_CHECK(m_device.finishCompiling(stop));
    return artifacts.front();
}

Result<double> KernelBench::launch(const Version &version, const std::stop_token &stop)
{
    SW_TRY(const LaunchResult result,
           m_device.runtime().launch({version.artifact->id, m_buffers, version.globalSize, version.localSize}, stop));
    return static_cast<double>(result.time.count());
}

Result<std::vector<HostTensor>> KernelBench::written()
{
    std::vector<HostTensor> values;
    for (const std::size_t i : m_written) {
        HostTensor value(m_initial[i].dtype(), m_initial[i].shape());
        if (value.byteSize() > 0)
            SW_CHECK(m_device.runtime().download(m_buffers[i], 0, value.mutableBytes()));
        values.push_back(std::move(value));
    }
    return values;
}

std::string KernelBench::differenceIn(const std::vector<HostTensor> &values, std::uint64_t &maxUlp) const
{
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::string &name =
            m_compilation.schedule->buffer(m_compilation.lowered->kernels.argumentsOf(m_kernel.value)[m_written[i]]).name;
        if (m_isExact && !std::ranges::equal(values[i].bytes(), m_expected[i].bytes()))
            return format("{} differs, though every order of the loops computes the same bits", name);
        const Comparison compared = compareTensors(m_expected[i], values[i], m_limits[i] ? &*m_limits[i] : nullptr);
        maxUlp = std::max(maxUlp, compared.maxUlp);
        if (!compared.equal)
            return format("{} differs at {} elements; at flat index {} it is {}, not {}", name, compared.divergences,
                          compared.first->flatIndex, toText(compared.first->actual), toText(compared.first->expected));
    }
    return {};
}

std::size_t KernelBench::launchesPerRound() const
{
    return static_cast<std::size_t>(std::clamp(kRoundNanoseconds / std::max(m_bestNanoseconds, 1.0), 1.0, 50.0));
}

Result<Done> KernelBench::warmUp(const Version &version, const std::stop_token &stop)
{
    double spent = 0;
    while (spent < kWarmNanoseconds) {
        SW_TRY(const double time, launch(version, stop));
        spent += time + 100;
    }
    return Done{};
}

Result<Done> KernelBench::timeFirst(const Version &version, CandidateTrial &trial, const std::stop_token &stop)
{
    SW_CHECK(warmUp(version, stop));
    std::vector<double> times;
    for (double spent = 0; times.size() < kFewestRounds && (times.size() < kFirstRounds || spent < kMostNanoseconds);) {
        SW_TRY(const double time, launch(version, stop));
        times.push_back(time);
        spent += time;
    }
    trial.nanoseconds = bandOf(times);
    return Done{};
}

// A B, B A, ..., until it is clear which of the two is faster.
Result<Done> KernelBench::timeInTurn(const Version &version, const Version &other, CandidateTrial &trial,
                                     const std::stop_token &stop)
{
    SW_CHECK(warmUp(version, stop));
    const std::size_t launches = launchesPerRound();
    Times times;
    double spent = 0;
    const auto turn = [&](const Version &one, std::vector<double> &into) -> Result<Done> {
        double sum = 0;
        for (std::size_t i = 0; i < launches; ++i) {
            SW_TRY(const double time, launch(one, stop));
            sum += time;
        }
        spent += sum;
        into.push_back(sum / static_cast<double>(launches));
        return Done{};
    };
    Difference difference = Difference::Unknown;
    while (times.own.size() < kMostRounds && (times.own.size() < kFirstRounds || spent < kMostNanoseconds)) {
        const bool isOwnFirst = times.own.size() % 2 == 0;
        SW_CHECK(isOwnFirst ? turn(version, times.own) : turn(other, times.other));
        SW_CHECK(isOwnFirst ? turn(other, times.other) : turn(version, times.own));
        const std::size_t rounds = times.own.size();
        if (rounds >= kFirstRounds && std::ranges::min(times.own) > kHopeless * bandOf(times.other).median) {
            trial.state = TrialState::Slower;
            break;
        }
        if (rounds < kFewestRounds || rounds % 2 != 0)
            continue;
        difference = differenceOf(ratioBand({times.other, times.own}));
        if (difference == Difference::Faster || difference == Difference::Slower)
            break;
    }
    trial.nanoseconds = bandOf(times.own);
    trial.toBest = ratioBand({times.other, times.own}).median;
    trial.isFaster = difference == Difference::Faster;
    return Done{};
}

CandidateTrial KernelBench::sizeOf(const LoweredKernel &kernel) const
{
    if (m_best.artifact != nullptr && kernel.instructions.size() > kMostInstructions)
        return {.state = TrialState::TooLarge, .told = format("more than {} lowered instructions", kMostInstructions)};
    const std::int64_t scratch = scratchBytesOf(kernel);
    if (scratch > m_device.info().scratchBytes)
        return {.state = TrialState::TooLarge,
                .told = format("{} bytes of copies and partial results per work item; there may be {}", scratch,
                               m_device.info().scratchBytes)};
    return {};
}

// The launch whose values are compared. One that takes very long is ended, and Slower then.
Result<CandidateTrial> KernelBench::launchedOnce(const Version &version, const std::stop_token &stop)
{
    const auto most = std::max(kShortestLimit, std::chrono::milliseconds(std::llround(kMostTimes * m_bestNanoseconds / 1e6)));
    const RunLimit limit(m_best.artifact == nullptr ? std::chrono::milliseconds(0) : most, stop);
    SW_CHECK(resetWritten());
    const Result<double> once = launch(version, limit.token());
    CandidateTrial trial;
    if (once) {
        trial.nanoseconds = {*once, *once, *once};
    } else if (isCancelled(once.error()) && !stop.stop_requested()) {
        const double least = std::max(kMostTimes * m_bestNanoseconds, static_cast<double>(most.count()) * 1e6);
        m_isLost = true; // a process that does not end its kernel is ended itself
        trial = {.state = TrialState::Slower,
                 .nanoseconds = {least, least, least},
                 .toBest = least / m_bestNanoseconds,
                 .told = format("ended after {} ms", most.count())};
    } else {
        return Failure(once.error());
    }
    return trial;
}

// Two launches of a candidate that is far from the best say enough.
Result<bool> KernelBench::isFarOff(const Version &version, CandidateTrial &trial, const std::stop_token &stop)
{
    const double limit = 2 * kHopeless * m_bestNanoseconds;
    const double first = trial.nanoseconds.median;
    if (m_best.artifact == nullptr || first <= limit)
        return false;
    SW_TRY(const double again, launch(version, stop));
    if (again <= limit)
        return false;
    trial.state = TrialState::Slower;
    trial.nanoseconds = {std::min(first, again), std::min(first, again), std::max(first, again)};
    trial.toBest = trial.nanoseconds.median / m_bestNanoseconds;
    return true;
}

Result<CandidateTrial> KernelBench::tried(const LoopNest &nest, const std::stop_token &stop)
{
    const bool isFirst = m_best.artifact == nullptr;
    if (m_isLost)
        SW_CHECK(renew());
    SW_TRY(const LoweredKernel kernel, lowered(nest, stop));
    if (CandidateTrial large = sizeOf(kernel); large.state == TrialState::TooLarge)
        return large;
    Version version{.artifact = nullptr, .globalSize = kernel.globalSize, .localSize = kernel.localSize};
    SW_TRY(version.artifact, compiled(kernel, stop));
    SW_TRY(CandidateTrial trial, launchedOnce(version, stop));
    if (trial.state != TrialState::Timed)
        return trial;
    SW_TRY(std::vector<HostTensor> values, written());
    if (isFirst) {
        m_expected = std::move(values);
    } else if (trial.told = differenceIn(values, trial.maxUlp); !trial.told.empty()) {
        trial.state = TrialState::Wrong;
        return trial;
    }
    SW_TRY(const bool isHopeless, isFarOff(version, trial, stop));
    if (isFirst) {
        SW_CHECK(timeFirst(version, trial, stop));
        m_model = version;
    } else if (!isHopeless) {
        SW_CHECK(timeInTurn(version, m_best, trial, stop));
    }
    if (isFirst || trial.isFaster) {
        m_best = std::move(version);
        m_bestNanoseconds = trial.nanoseconds.median;
    }
    return trial;
}

CandidateTrial KernelBench::outcomeOf(Result<CandidateTrial> trial, const std::stop_token &stop)
{
    if (trial)
        return *std::move(trial);
    if (stop.stop_requested())
        return {.state = TrialState::Stopped};
    m_isLost = true; // where kernels run in a process of their own, it may have ended
    return {.state = TrialState::Failed, .told = trial.error().empty() ? "" : trial.error().front().message};
}

CandidateTrial KernelBench::tryOut(const LoopNest &nest, const std::stop_token &stop)
{
    return outcomeOf(tried(nest, stop), stop);
}

CandidateTrial KernelBench::compareBestWithFirst(const std::stop_token &stop)
{
    const auto compared = [&]() -> Result<CandidateTrial> {
        if (m_isLost)
            SW_CHECK(renew());
        CandidateTrial trial;
        SW_CHECK(timeInTurn(m_best, m_model, trial, stop));
        return trial;
    };
    return outcomeOf(compared(), stop);
}

} // namespace sw
