// Random lists of loop transformations, sensible ones and others, given to kernels of every kind as a person gives them: by the
// text of overrides, through the whole compiler, on every device.
//
// A failure names the seed, the device and the program, and prints the overrides that make it happen again, each list without
// the end that the fault does not need. Every list is printed before its kernel runs: buffers are guarded, so that a kernel that
// touches what is not its own ends the test. STEPWELL_FUZZ_SECONDS and STEPWELL_FUZZ_SEED: see free_running.h.

#include "engine/backend/native_backends.h"
#include "engine/loops/queries.h"
#include "engine/loops/stages.h"
#include "engine/loops/transform.h"
#include "engine/loops/verifier.h"
#include "tests/fuzz/free_running.h"
#include "tests/fuzz/loops_under_test.h"
#include "tests/support/random_transforms.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <map>
#include <ostream>
#include <random>

namespace sw {
namespace {

constexpr std::int64_t kMostRepeats = 256; // elements, times steps of a reduction, in registers: more take long to compile
constexpr int kMostDraws = 10;             // before a list may be empty
constexpr std::uint64_t kFirstSeed = 1;

// Of these each list gets one more, where it can: few of them apply at a place that is drawn.
constexpr std::array kAnother = {TransformKind::Merge,       TransformKind::Divide, TransformKind::Mask,
                                 TransformKind::NonTemporal, TransformKind::Group,  TransformKind::Unroll,
                                 TransformKind::Tensorize,   TransformKind::Share,  TransformKind::Pad,
                                 TransformKind::Prefetch,    TransformKind::Stream, TransformKind::Join};
// What a list for a processor may have: others are about groups of work items.
constexpr std::array kForProcessors = {
    TransformKind::Split,  TransformKind::Reorder,   TransformKind::SetType,  TransformKind::Merge,  TransformKind::Divide,
    TransformKind::Mask,   TransformKind::Pack,      TransformKind::Pad,      TransformKind::Unroll, TransformKind::NonTemporal,
    TransformKind::Stream, TransformKind::Tensorize, TransformKind::Prefetch, TransformKind::Join};

struct TestedDevice {
    std::string id;
    std::size_t rounds; // of lists for all programs: a device translates each of them
};

void PrintTo(const TestedDevice &device, std::ostream *out)
{
    *out << device.id;
}

std::int64_t repeatsOf(const LoopNest &nest)
{
    std::int64_t most = 1;
    forEachStage(nest, [&](const LoopNest &stage) {
        const auto repeatsIn = [&](const std::vector<AxisId> &order) {
            std::int64_t repeats = 1;
            for (const AxisId leaf : order)
                repeats *= isRepeated(stage.axes[leaf.value].type) ? stage.axes[leaf.value].extent : 1;
            return repeats;
        };
        std::int64_t ofReductions = 1;
        for (const Reduction &reduction : stage.reductions)
            ofReductions = std::max(ofReductions, repeatsIn(reduction.order));
        most = std::max(most, repeatsIn(stage.order) * ofReductions);
    });
    return most;
}

// The longest legal beginning of the list that writes out no more than is wanted.
LoopNest withoutLongEnd(LoopNest nest, const LoopNest &plain, const Schedule &schedule)
{
    while (!verifyLoops(nest, schedule) || repeatsOf(nest) > kMostRepeats) {
        const std::vector<Transform> all = nest.transforms;
        nest = withFirstTransforms(plain, all, all.size() - 1);
    }
    return nest;
}

// By kernel.
std::vector<LoopNest> drawnNests(const LoopsUnderTest &program, std::uint64_t seed)
{
    std::seed_seq words{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32U)};
    std::mt19937 random(words);
    test::RandomTransforms lists(random, program.schedule());
    std::vector<LoopNest> nests;
    for (const auto &plain : program.plainNests()) {
        LoopNest nest = *plain;
        for (int draw = 0; draw < kMostDraws && nest.transforms.size() == plain->transforms.size(); ++draw) {
            const TransformKind another = kAnother[random() % kAnother.size()];
            nest = withoutLongEnd(lists.withAnother(lists.anyNest(*plain), another), *plain, program.schedule());
        }
        nests.push_back(std::move(nest));
    }
    return nests;
}

class LoopLists : public testing::TestWithParam<TestedDevice> {
protected:
    LoopLists() { addNativeBackends(m_registry); }

    Result<DeviceUnderTest> opened()
    {
        return DeviceUnderTest::open(m_registry, GetParam().id, {.threads = 2, .guardBuffers = true});
    }

    void tryOut(const LoopsUnderTest &program, const std::string &name, std::uint64_t seed)
    {
        const std::vector<LoopNest> nests = drawnNests(program, seed);
        const Result<CompileOptions> options = program.optionsWith(nests);
        const std::string title = format("seed {} of {} on {}", seed, name, GetParam().id);
        ASSERT_TRUE(options) << title << ": " << toText(options.error());
        std::fputs(format("{}:\n{}", title, printOverrides(options->overrides)).c_str(), stderr);
        const ListTrial trial = program.tried(nests);
        if (trial.verdict == ListVerdict::Wrong)
            ADD_FAILURE() << title << ": " << trial.told << "\n" << program.replayOf(nests);
        ++m_rounds;
        m_exact += trial.isExact && trial.verdict == ListVerdict::Right ? 1 : 0;
        m_ran += trial.verdict == ListVerdict::Right ? 1 : 0;
        for (std::size_t i = 0; i < nests.size(); ++i) {
            const std::size_t own = program.plainNests()[i]->transforms.size();
            ++m_lists;
            m_filled += nests[i].transforms.size() > own ? 1 : 0;
            for (std::size_t at = own; at < nests[i].transforms.size() && trial.verdict == ListVerdict::Right; ++at)
                ++m_kinds[nests[i].transforms[at].kind];
        }
    }

    BackendRegistry m_registry;
    std::size_t m_rounds = 0;
    std::size_t m_ran = 0;   // of them, to the end
    std::size_t m_exact = 0; // and were compared to the last bit
    std::size_t m_lists = 0;
    std::size_t m_filled = 0;                     // of them
    std::map<TransformKind, std::size_t> m_kinds; // in lists that ran
};

TEST_P(LoopLists, computeWhatTheReferenceDoes)
{
    auto device = opened();
    if (!device)
        GTEST_SKIP() << toText(device.error());
    const bool isProcessor = device->target({}).device.kind != DeviceKind::Gpu;
    for (const SmallProgram &program : loopPrograms())
        for (const MultiplyAdd multiplyAdd : {MultiplyAdd::Apart, MultiplyAdd::Fused}) {
            const std::uint64_t second = multiplyAdd == MultiplyAdd::Fused ? 1 : 0;
            if (GetParam().rounds <= second)
                continue;
            const auto prepared = LoopsUnderTest::prepare(*device, program, multiplyAdd);
            ASSERT_TRUE(prepared || !isProcessor) << toText(prepared.error()); // a GPU has no kernels in stages
            for (std::uint64_t round = second; prepared && round < GetParam().rounds; round += 2)
                tryOut(*prepared, program.name, kFirstSeed + round);
        }
    for (const auto &[kind, count] : m_kinds)
        RecordProperty(std::string(nameOf(kind)), std::to_string(count));
    RecordProperty("exact", std::to_string(m_exact));
    EXPECT_GT(10 * m_filled, 9 * m_lists) << "lists that are not empty";
    EXPECT_GT(m_ran, 0U);
    if (GetParam().id == "opencl")
        return; // it has vectors of few lengths only
    EXPECT_GT(2 * m_ran, m_rounds);
    EXPECT_GT(m_exact, 0U);
    if (GetParam().id != "llvm")
        return; // the others have few lists
    for (const TransformKind kind : kForProcessors)
        EXPECT_GT(m_kinds[kind], 0U) << nameOf(kind);
}

TEST_P(LoopLists, runsOnFromNewSeeds)
{
    const auto time = freeRunningTime();
    if (!time)
        GTEST_SKIP() << "STEPWELL_FUZZ_SECONDS is not set";
    auto device = opened();
    if (!device)
        GTEST_SKIP() << toText(device.error());
    std::vector<std::pair<std::string, LoopsUnderTest>> programs;
    for (const SmallProgram &program : loopPrograms())
        for (const MultiplyAdd multiplyAdd : {MultiplyAdd::Apart, MultiplyAdd::Fused})
            if (auto prepared = LoopsUnderTest::prepare(*device, program, multiplyAdd))
                programs.emplace_back(program.name, *std::move(prepared));
    const auto end = std::chrono::steady_clock::now() + *time;
    for (std::uint64_t seed = freeRunningSeed(); std::chrono::steady_clock::now() < end && !HasFailure(); ++seed)
        for (const auto &[name, program] : programs)
            tryOut(program, name, seed);
    RecordProperty("rounds", std::to_string(m_rounds));
}

INSTANTIATE_TEST_SUITE_P(All, LoopLists,
                         testing::Values(TestedDevice{"llvm", 12}, TestedDevice{"interpreter", 4}, TestedDevice{"c", 2},
                                         TestedDevice{"opencl", 1}),
                         [](const auto &test) { return test.param.id; });

} // namespace
} // namespace sw
