// What a run does besides its kernels: it allocates nothing for them, however many there are.

#include "engine/backend/native_backends.h"
#include "engine/execute/executor.h"
#include "engine/pipeline/pipeline.h"
#include "engine/pipeline/runner.h"
#include "tests/unit/allocations/counted_allocations.h"
#include "tests/unit/allocations/grown_programs.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sw {
namespace {

using test::Allocations;
using test::allocationsSoFar;

// Programs of about 6 kernels and of 60.
struct Grown {
    std::string_view name;
    std::string (*text)(std::size_t);
    std::size_t few = 6;
    std::size_t many = 60;
    bool fuse = false;
};

constexpr std::array kPrograms{
    Grown{.name = "on all threads", .text = test::sinesText},
    Grown{.name = "with index checks", .text = test::lookupsText},
    Grown{.name = "of 31 buffers each", .text = test::readersText, .few = 180, .many = 1800, .fuse = true},
};

// All inputs are 0, so that no index is out of range.
std::vector<HostTensor> zeros(const Graph &graph)
{
    std::vector<HostTensor> values;
    for (const NodeId id : graph.placeholders())
        values.emplace_back(graph.node(id).dtype, graph.node(id).shape);
    return values;
}

class PreparedRun {
public:
    PreparedRun(const Grown &program, std::size_t size, std::uint32_t threads)
    {
        addNativeBackends(m_registry);
        m_device = OpenedDevice::open(m_registry, "llvm", {.threads = threads}).value();
        const GraphPtr graph = test::graphOf(program.text(size));
        const CompileTarget target{m_device->info(), m_device->renderer().language(), {.fuse = program.fuse}};
        const PipelineRun made = runPipeline(graph, standardPipeline(), target, {});
        EXPECT_TRUE(made.succeeded) << toText(made.diagnostics);
        const auto lowered = std::get<LoweredProgramPtr>(made.last);
        const auto sources = renderProgram(*lowered, m_device->renderer(), m_device->info()).value();
        auto artifacts = m_device->compile(sources, {}).value();
        m_kernels = lowered->kernels.size();
        m_workItems = lowered->kernels.at(0).globalSize[0];
        const auto compiled = std::make_shared<const CompiledProgram>(CompiledProgram{lowered, std::move(artifacts)});
        m_executor = Executor::prepare(*m_device, compiled, zeros(*graph)).value();
    }

    [[nodiscard]] std::size_t kernels() const { return m_kernels; }
    [[nodiscard]] std::int64_t workItems() const { return m_workItems; } // of the first kernel
    [[nodiscard]] Executor &executor() { return *m_executor; }

    std::uint64_t allocationsOfRound(Round round = Round::Measured)
    {
        const Allocations before = allocationsSoFar();
        const auto time = m_executor->runRound(round, {});
        const Allocations made = allocationsSoFar() - before;
        EXPECT_TRUE(time) << toText(time.error());
        return made.calls;
    }

private:
    BackendRegistry m_registry;
    std::unique_ptr<OpenedDevice> m_device;
    std::unique_ptr<Executor> m_executor;
    std::size_t m_kernels = 0;
    std::int64_t m_workItems = 0;
};

TEST(LaunchAllocations, areNoMoreForManyKernelsThanForFew)
{
    for (const std::uint32_t threads : {1U, 2U})
        for (const Grown &program : kPrograms) {
            SCOPED_TRACE(format("kernels {}, {} threads", program.name, threads));
            PreparedRun few(program, program.few, threads);
            PreparedRun many(program, program.many, threads);
            ASSERT_GE(few.kernels(), 6U);
            ASSERT_GE(many.kernels(), 8 * few.kernels());
            few.allocationsOfRound(); // what a launch needs is put together in the first one
            many.allocationsOfRound();
            for (int round = 1; round < 8; ++round) {
                const std::uint64_t ofFew = few.allocationsOfRound();
                EXPECT_EQ(many.allocationsOfRound(), ofFew) << "round " << round;
            }
        }
}

// Also in the rounds in which the lists of measured times grow.
TEST(LaunchAllocations, areNoneBetweenTwoLaunches)
{
    constexpr std::uint32_t kRepeats = 40;
    for (const std::uint32_t threads : {1U, 2U})
        for (const Grown &program : kPrograms) {
            SCOPED_TRACE(format("kernels {}, {} threads", program.name, threads));
            PreparedRun run(program, program.many, threads);
            const std::size_t kernels = run.kernels();
            std::vector<std::uint64_t> calls; // after each launch
            calls.reserve((1 + kRepeats) * kernels);
            const auto result = run.executor().run({.warmup = 1, .repeats = kRepeats}, {}, [&](std::uint64_t, std::uint64_t) {
                calls.push_back(allocationsSoFar().calls);
            });
            ASSERT_TRUE(result) << toText(result.error());
            ASSERT_TRUE(result->faults.empty()) << toText(result->faults);
            ASSERT_EQ(calls.size(), (1 + kRepeats) * kernels);
            for (std::size_t round = 1; round <= kRepeats; ++round)
                for (std::size_t kernel = 1; kernel < kernels; ++kernel)
                    ASSERT_EQ(calls[round * kernels + kernel], calls[round * kernels + kernel - 1])
                        << "before kernel " << kernel << " of round " << round;
        }
}

// A round that is not measured keeps no times: however many there are, it allocates nothing, and the barrier at its end neither.
TEST(LaunchAllocations, areNoneInARoundThatIsNotMeasured)
{
    for (const std::uint32_t threads : {1U, 2U})
        for (const Grown &program : kPrograms) {
            SCOPED_TRACE(format("kernels {}, {} threads", program.name, threads));
            PreparedRun run(program, program.few, threads);
            run.allocationsOfRound(Round::WarmUp);
            for (int round = 1; round < 100; ++round)
                EXPECT_EQ(run.allocationsOfRound(Round::WarmUp), 0U) << "round " << round;
        }
}

// Otherwise the second thread has nothing to do in the tests above.
TEST(LaunchAllocations, areCountedWhileTwoThreadsWork)
{
    const PreparedRun run(kPrograms.front(), kPrograms.front().few, 2);
    EXPECT_GE(run.workItems(), 2);
}

} // namespace
} // namespace sw
