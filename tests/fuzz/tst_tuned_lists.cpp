// What the tuner tries, kept as tunings and used by the compilations that follow: its own search over the kernels of small
// programs, told made-up times. Every list has to be used, and to compute what the reference does.

#include "engine/backend/native_backends.h"
#include "engine/passes/loops/tuning_key.h"
#include "engine/passes/tunings.h"
#include "engine/tune/search.h"
#include "tests/fuzz/loops_under_test.h"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <ostream>

namespace sw {
namespace {

constexpr std::uint64_t kSeed = 11;
// What its draws are made of.
constexpr std::array kDrawn = {TransformKind::Split, TransformKind::Reorder, TransformKind::SetType,    TransformKind::Mask,
                               TransformKind::Pack,  TransformKind::Unroll,  TransformKind::NonTemporal};

struct TestedDevice {
    std::string id;
    std::size_t candidates; // of each kernel, besides the compiler's choice
};

void PrintTo(const TestedDevice &device, std::ostream *out)
{
    *out << device.id;
}

std::vector<std::string> linesOf(std::span<const Transform> transforms)
{
    std::vector<std::string> lines;
    for (const Transform &transform : transforms)
        lines.push_back(toText(transform));
    return lines;
}

// One kernel of a program.
class TunedKernel {
public:
    TunedKernel(const LoopsUnderTest &program, KernelId kernel, const DeviceInfo &device)
        : m_program(program),
          m_kernel(kernel),
          m_plain(*program.plainNests()[kernel.value]),
          m_key(tuningKeyOf(program.schedule(), m_plain, device)),
          m_space(program.schedule(), m_plain, device)
    {
    }

    [[nodiscard]] const SearchSpace &space() const { return m_space; }

    // What the nest has besides the transformations that every choice begins with.
    [[nodiscard]] TransformList ownOf(const LoopProgram &loops) const
    {
        const std::vector<Transform> &all = loops.nests[m_kernel.value]->transforms;
        return {all.begin() + static_cast<std::ptrdiff_t>(m_plain.transforms.size()), all.end()};
    }

    // Compiled with the list as a tuning.
    [[nodiscard]] ListTrial tried(const TransformList &list) const
    {
        auto tunings = std::make_shared<Tunings>();
        tunings->byKey.emplace(m_key, Tuning{.transforms = list, .measuredOn = "2026-11-23", .seed = kSeed});
        CompileOptions options = m_program.options();
        options.tunings = std::move(tunings);
        ListTrial trial = m_program.tried(options);
        if (trial.loops == nullptr)
            return trial;
        if (!trial.loops->notes.empty())
            return {.verdict = ListVerdict::Wrong, .told = trial.loops->notes.front()};
        if (linesOf(ownOf(*trial.loops)) != linesOf(list))
            return {.verdict = ListVerdict::Wrong, .told = "the tuning is not used"};
        return trial;
    }

    // As overrides.
    [[nodiscard]] std::string replayOf(const LoopNest &nest) const
    {
        std::vector<LoopNest> nests;
        for (const auto &plain : m_program.plainNests())
            nests.push_back(*plain);
        nests[m_kernel.value] = nest;
        return m_program.replayOf(std::move(nests));
    }

private:
    const LoopsUnderTest &m_program;
    KernelId m_kernel;
    const LoopNest &m_plain;
    std::string m_key;
    SearchSpace m_space;
};

class TunedLists : public testing::TestWithParam<TestedDevice> {
protected:
    TunedLists() { addNativeBackends(m_registry); }

    // Candidates that ran.
    std::size_t search(const TunedKernel &kernel, const TransformList &model, const std::string &title)
    {
        Dice times(kSeed);
        std::size_t ran = 0;
        const auto tryOut = [&](const Candidate &candidate, const LoopNest &nest, const Candidate *best) {
            const ListTrial trial = kernel.tried(candidate.transforms);
            if (trial.verdict == ListVerdict::Wrong) {
                ADD_FAILURE() << title << ", candidate " << candidate.number << ": " << trial.told << "\n"
                              << kernel.replayOf(nest);
                return CandidateTrial{.state = TrialState::Wrong, .told = trial.told};
            }
            if (trial.verdict != ListVerdict::Right)
                return CandidateTrial{.state = TrialState::TooLarge};
            ++ran;
            m_exact += trial.isExact ? 1 : 0;
            ++m_sources[candidate.source];
            for (const Transform &transform : candidate.transforms)
                ++m_kinds[transform.kind];
            const double ratio = best == nullptr ? 1 : 0.5 + static_cast<double>(times.below(100)) / 100;
            return CandidateTrial{.nanoseconds = {ratio, ratio, ratio}, .toBest = ratio, .isFaster = ratio < 1};
        };
        const SearchTools tools{.tryOut = tryOut, .predict = {}, .elapsed = [] { return std::chrono::nanoseconds(0); }};
        (void)searchTransforms(kernel.space(), model, {.seed = kSeed, .candidates = GetParam().candidates}, tools, {});
        return ran;
    }

    BackendRegistry m_registry;
    std::size_t m_exact = 0; // that were compared to the last bit
    std::map<CandidateSource, std::size_t> m_sources;
    std::map<TransformKind, std::size_t> m_kinds;
};

TEST_P(TunedLists, computeWhatTheReferenceDoes)
{
    auto device = DeviceUnderTest::open(m_registry, GetParam().id, {.threads = 2, .guardBuffers = true});
    if (!device)
        GTEST_SKIP() << toText(device.error());
    const DeviceInfo info = device->target({}).device;
    if (info.kind != DeviceKind::Cpu)
        GTEST_SKIP() << info.id << " is no CPU: the search shares loops out among threads";
    std::size_t kernels = 0;
    std::size_t ran = 0;
    for (const SmallProgram &program : loopPrograms()) {
        const auto prepared = LoopsUnderTest::prepare(*device, program, MultiplyAdd::Apart);
        ASSERT_TRUE(prepared) << toText(prepared.error());
        const ListTrial chosen = prepared->tried(prepared->options());
        ASSERT_EQ(chosen.verdict, ListVerdict::Right) << program.name << ": " << chosen.told;
        for (std::size_t i = 0; i < prepared->plainNests().size(); ++i) {
            const TunedKernel kernel(*prepared, KernelId(i), info);
            const std::string title = format("seed {} of {}, kernel {} on {}", kSeed, program.name, i, info.id);
            const std::size_t own = search(kernel, kernel.ownOf(*chosen.loops), title);
            // The search draws and edits the loops of a kernel's last stage: few lists for several are legal.
            if (prepared->plainNests()[i]->stages.empty()) {
                ran += own;
                ++kernels;
            }
        }
    }
    RecordProperty("exact", std::to_string(m_exact));
    RecordProperty("drawn", std::to_string(m_sources[CandidateSource::Drawn]));
    if (GetParam().id == "opencl")
        return; // it has vectors of few lengths only
    EXPECT_GT(m_exact, 0U);
    EXPECT_GT(2 * ran, kernels * GetParam().candidates);
    if (GetParam().id != "llvm")
        return; // the others have few candidates
    EXPECT_GT(m_sources[CandidateSource::Drawn], kernels);
    EXPECT_GT(m_sources[CandidateSource::Edited], kernels);
    for (const TransformKind kind : kDrawn)
        EXPECT_GT(m_kinds[kind], 0U) << nameOf(kind);
}

INSTANTIATE_TEST_SUITE_P(All, TunedLists,
                         testing::Values(TestedDevice{"llvm", 12}, TestedDevice{"c", 2}, TestedDevice{"opencl", 1}),
                         [](const auto &test) { return test.param.id; });

} // namespace
} // namespace sw
