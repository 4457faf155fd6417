// What a run touches, told by the stepper, against what its steps say one after the other.

#include "tests/unit/lowered/stepped_kernels.h"

#include <map>
#include <set>

namespace sw {
namespace {

using test::bytesOfValues;

// Two items, each with sums of neighbours, four lanes at a time, through scratch memory.
LoweredKernel neighboursKernel()
{
    return test::steppedKernel(R"(
%x = define_global f32[12] argument 0
%y = define_global f32[8] argument 1 written
%scratch = buffer f32[4]
%g = special global_x
%four = const i64 4
%one = const i64 1
%zero = const i64 0
%three = const i64 3
%start = mul i64 %g, %four
%i = range %three
  %at = add i64 %start, %i
  %v = load f32x4 %x[%at]
  store f32x4 %scratch[%zero], %v
  %w = load f32 %scratch[%i]
  store f32 %y[%at], %w
end_range %i
)",
                               "global [2, 1, 1] local [1, 1, 1] arguments [0, 1]");
}

class AccessCounting : public testing::Test {
protected:
    AccessCounting()
    {
        StepperRequest request = test::stepperRequest(m_kernel, m_buffers);
        request.stepsBetweenCheckpoints = 7;
        m_stepper.emplace(test::opened(m_kernel, request));
        do {
            const StepState state = m_stepper->state();
            for (const StepAccess &access : state.accesses)
                m_accesses.push_back({state.position, access.kind, access.memory, access.first, access.count});
        } while (m_stepper->stepForward());
        m_end = m_stepper->position();
    }

    // Up to a position, as the steps say.
    void expectCounts(const AccessCounts &counts, std::uint64_t steps) const
    {
        std::map<std::pair<std::uint32_t, std::int64_t>, ElementTouches> expected;
        for (const PastAccess &access : m_accesses) {
            for (std::uint32_t lane = 0; access.position <= steps && lane < access.count; ++lane) {
                ElementTouches &touched = expected[{access.memory.value, access.first + lane}];
                ++(access.kind == AccessKind::Store ? touched.writes : touched.reads);
                touched.last = static_cast<std::uint32_t>(access.position);
                touched.first = touched.first == 0 ? touched.last : touched.first;
            }
        }
        EXPECT_EQ(counts.steps, steps);
        for (const MemoryTouches &memory : counts.memories) {
            for (std::size_t i = 0; i < memory.elements.size(); ++i) {
                const ElementTouches &found = memory.elements[i];
                const ElementTouches &wanted = expected[{memory.memory.value, static_cast<std::int64_t>(i)}];
                EXPECT_EQ(found.reads, wanted.reads) << memory.memory.value << " " << i;
                EXPECT_EQ(found.writes, wanted.writes) << memory.memory.value << " " << i;
                EXPECT_EQ(found.first, wanted.first) << memory.memory.value << " " << i;
                EXPECT_EQ(found.last, wanted.last) << memory.memory.value << " " << i;
            }
        }
    }

    LoweredKernel m_kernel = neighboursKernel();
    test::Buffers m_buffers{bytesOfValues<float>({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}),
                            bytesOfValues<float>({0, 0, 0, 0, 0, 0, 0, 0})};
    std::optional<KernelStepper> m_stepper;
    std::vector<PastAccess> m_accesses;
    std::uint64_t m_end = 0;
};

TEST_F(AccessCounting, isThatOfTheSteps)
{
    ASSERT_GT(m_accesses.size(), 20U);
    for (const std::uint64_t from : {std::uint64_t{0}, m_end / 2, m_end}) {
        ASSERT_TRUE(m_stepper->goTo(from));
        const auto counts = m_stepper->countAccesses({});
        ASSERT_TRUE(counts);
        EXPECT_TRUE(counts->isWhole);
        ASSERT_EQ(counts->memories.size(), 3U);
        EXPECT_EQ(counts->memories[0].elements.size(), 12U);
        expectCounts(*counts, m_end);
        EXPECT_EQ(m_stepper->position(), from);
    }
}

TEST_F(AccessCounting, endsAtItsLimits)
{
    ASSERT_TRUE(m_stepper->goTo(3));
    const auto counts = m_stepper->countAccesses({.steps = m_end / 2, .elements = 12});
    ASSERT_TRUE(counts);
    EXPECT_FALSE(counts->isWhole);
    expectCounts(*counts, m_end / 2);
    EXPECT_EQ(counts->memories[0].elements.size(), 12U);
    EXPECT_TRUE(counts->memories[1].elements.empty()); // there is no more room
    EXPECT_EQ(m_stepper->position(), 3U);
    std::stop_source stopped;
    stopped.request_stop();
    EXPECT_FALSE(m_stepper->countAccesses({}, stopped.get_token()));
    EXPECT_EQ(m_stepper->position(), 3U);
}

TEST_F(AccessCounting, tellsTheLastOnes)
{
    for (std::uint64_t at = 0; at <= m_end; at += 3) {
        ASSERT_TRUE(m_stepper->goTo(at));
        for (const std::size_t count : {std::size_t{1}, std::size_t{5}, std::size_t{100}}) {
            const auto found = m_stepper->lastAccesses(count);
            ASSERT_TRUE(found);
            std::vector<PastAccess> expected;
            for (auto access = m_accesses.rbegin(); access != m_accesses.rend() && expected.size() < count; ++access)
                if (access->position <= at)
                    expected.push_back(*access);
            ASSERT_EQ(found->size(), expected.size()) << at;
            for (std::size_t i = 0; i < expected.size(); ++i) {
                EXPECT_EQ((*found)[i].position, expected[i].position);
                EXPECT_EQ((*found)[i].memory, expected[i].memory);
                EXPECT_EQ((*found)[i].first, expected[i].first);
                EXPECT_EQ((*found)[i].count, expected[i].count);
                EXPECT_EQ((*found)[i].kind, expected[i].kind);
            }
            ASSERT_EQ(m_stepper->position(), at);
        }
    }
}

// The log of the last steps does not reach back to them.
TEST(PastAccesses, areFoundHoweverLongAgo)
{
    const LoweredKernel kernel = test::steppedKernel(R"(
%x = define_global f32[4] argument 0
%y = define_global f32[4] argument 1 written
%zero = const i64 0
%long = const i64 20000
%first = load f32 %x[%zero]
%i = range %long
  %j = add i64 %i, %i
end_range %i
store f32 %y[%zero], %first
)",
                                                     "global [1, 1, 1] local [1, 1, 1] arguments [0, 1]");
    const test::Buffers buffers{bytesOfValues<float>({1, 2, 3, 4}), bytesOfValues<float>({0, 0, 0, 0})};
    KernelStepper stepper = test::opened(kernel, test::stepperRequest(kernel, buffers));
    const auto end = stepper.findEnd();
    ASSERT_TRUE(end);
    ASSERT_GT(*end, 40000U);
    ASSERT_TRUE(stepper.goTo(*end));
    const auto both = stepper.lastAccesses(2);
    ASSERT_TRUE(both);
    ASSERT_EQ(both->size(), 2U);
    EXPECT_EQ(both->front().kind, AccessKind::Store);
    const PastAccess load = both->back();
    EXPECT_EQ(load.kind, AccessKind::Load);
    EXPECT_LT(load.position, 10U);
    for (const std::uint64_t at : {*end - 2, *end / 2, load.position}) {
        ASSERT_TRUE(stepper.goTo(at));
        const auto found = stepper.lastAccesses(2);
        ASSERT_TRUE(found);
        ASSERT_EQ(found->size(), 1U) << at;
        EXPECT_EQ(found->front().position, load.position);
        EXPECT_EQ(stepper.position(), at);
    }
    ASSERT_TRUE(stepper.goTo(load.position - 1));
    EXPECT_TRUE(stepper.lastAccesses(1)->empty());
}

// As the steps say, from whatever position it is asked.
TEST_F(AccessCounting, tellsWhoWroteAnElementLast)
{
    const InstructionId memory(1U);
    ASSERT_TRUE(m_stepper->goTo(m_end / 2));
    const auto written = m_stepper->writtenAtEnd({&memory, 1});
    ASSERT_TRUE(written) << toText(written.error());
    EXPECT_EQ(m_stepper->position(), m_end / 2);
    ASSERT_EQ(written->size(), 1U);
    std::vector<std::uint64_t> writers(8);
    for (const PastAccess &access : m_accesses)
        for (std::uint32_t lane = 0; access.memory == memory && lane < access.count; ++lane)
            if (access.kind == AccessKind::Store)
                writers[static_cast<std::size_t>(access.first) + lane] = access.position;
    EXPECT_EQ(written->front().writers, writers);
    ASSERT_TRUE(m_stepper->goTo(m_end));
    EXPECT_TRUE(std::ranges::equal(written->front().bytes, m_stepper->bytesOf(memory)));
}

// A cache of so many lines, emulated with the accesses that the steps tell.
TEST_F(AccessCounting, tellsHowLinesAreUsed)
{
    for (const std::size_t room : {std::size_t{1}, std::size_t{2}, std::size_t{64}}) {
        ASSERT_TRUE(m_stepper->goTo(5));
        const auto counts = m_stepper->countLines({.steps = 1'000'000, .cachedLines = room});
        ASSERT_TRUE(counts) << toText(counts.error());
        EXPECT_EQ(m_stepper->position(), 5U);
        EXPECT_TRUE(counts->isWhole);
        EXPECT_EQ(counts->steps, m_end);
        LineCounts expected;
        std::vector<std::pair<std::uint32_t, std::int64_t>> cached; // newest last
        std::set<std::pair<std::uint32_t, std::int64_t>> known;
        for (const PastAccess &access : m_accesses) {
            if (access.memory.value > 1) // memory inside the kernel
                continue;
            ++(access.kind == AccessKind::Store ? expected.writes : expected.reads);
            for (std::int64_t line = access.first * 4 / 64; line <= ((access.first + access.count) * 4 - 1) / 64; ++line) {
                const std::pair one(access.memory.value, line);
                ++expected.touches;
                known.insert(one);
                if (std::erase(cached, one) == 0)
                    ++expected.fetches;
                cached.push_back(one);
                if (cached.size() > room)
                    cached.erase(cached.begin());
            }
        }
        EXPECT_EQ(counts->reads, expected.reads);
        EXPECT_EQ(counts->writes, expected.writes);
        EXPECT_EQ(counts->touches, expected.touches);
        EXPECT_EQ(counts->lines, known.size());
        EXPECT_EQ(counts->fetches, expected.fetches);
    }
}

} // namespace
} // namespace sw
