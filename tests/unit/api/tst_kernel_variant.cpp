// Kernels with fewer of their loop transformations: they compute the same, and touch memory in another order.

#include "engine/api/explorer.h"
#include "engine/api/kernel_trace.h"
#include "engine/api/kernel_variant.h"
#include "engine/api/resources.h"
#include "engine/backend/native_backends.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace sw {
namespace {

class KernelVariants : public testing::Test {
protected:
    KernelVariants() : m_explorer((addNativeBackends(m_registry), m_registry), findResourceFolder()) {}

    void compile(const std::string &name)
    {
        ExploreRequest request;
        request.fileName = findResourceFolder() + "/examples/" + name + ".sw";
        request.isFile = true;
        request.compileMachineCode = false;
        m_report = m_explorer.compile(request, {}, {});
        ASSERT_TRUE(m_report && m_report->succeeded);
    }
    std::shared_ptr<KernelTrace> opened(const TraceOpening &opening)
    {
        EXPECT_TRUE(opening.trace) << opening.error;
        return opening.trace;
    }
    // What the run leaves in the buffers that it writes, by name.
    static std::map<std::string, std::vector<std::string>> resultsOf(KernelTrace &trace)
    {
        EXPECT_TRUE(trace.goTo(*trace.findEnd({}), {}));
        std::map<std::string, std::vector<std::string>> results;
        for (const TraceMemory &memory : trace.memories())
            if (memory.isBuffer && memory.isWritten)
                results[memory.name] = trace.elements(memory.instruction, 0, static_cast<std::size_t>(memory.elements));
        return results;
    }

    BackendRegistry m_registry;
    Explorer m_explorer;
    ReportPtr m_report;
};

TEST_F(KernelVariants, everyBeginningOfTheListIsAKernelOrSaysWhyNot)
{
    std::size_t opened = 0;
    for (const char *name : {"softmax", "matmul", "layer_norm", "gelu"}) {
        compile(name);
        for (std::uint32_t kernel = 0; kernel < m_report->kernels.size(); ++kernel) {
            const ChosenTransforms chosen = m_explorer.chosenTransforms(kernel);
            for (std::size_t i = chosen.first; i < chosen.lines.size(); ++i) {
                SCOPED_TRACE(format("{}, kernel {}, {} of {}", name, kernel, i, chosen.lines.size()));
                const TraceOpening with = m_explorer.openKernelWith(kernel, i, {});
                EXPECT_NE(with.trace == nullptr, with.error.empty());
                if (!with.trace)
                    continue;
                ++opened;
                const auto found = with.trace->run(TraceDirection::Forward, "difference", {});
                ASSERT_TRUE(found) << toText(found.error());
                EXPECT_FALSE(found->isFound) << toText(*with.trace->comparison({}));
            }
        }
    }
    EXPECT_GT(opened, 10U);
}

// Without any, one element is read at a time; with all, lanes are.
TEST_F(KernelVariants, withoutTransformationsEachElementIsReadAlone)
{
    compile("softmax");
    const ChosenTransforms chosen = m_explorer.chosenTransforms(0);
    ASSERT_GT(chosen.lines.size(), chosen.first);
    const auto plain = opened(m_explorer.openKernelWith(0, chosen.first, {}));
    const auto now = opened(m_explorer.openKernel(0, {}));
    const LineCounts linesOfPlain = *plain->countLines({}, {});
    const LineCounts linesNow = *now->countLines({}, {});
    EXPECT_TRUE(linesNow.isWhole);
    EXPECT_EQ(linesOfPlain.lines, linesNow.lines); // the same tensors
    EXPECT_GT(linesOfPlain.reads, linesNow.reads);
    EXPECT_GT(linesOfPlain.touches, linesNow.touches);
    // All the transformations again are the kernel as it is.
    const auto all = opened(m_explorer.openKernelWith(0, chosen.lines.size(), {}));
    EXPECT_EQ(all->lines(), now->lines());
    EXPECT_EQ(resultsOf(*all), resultsOf(*now));
}

TEST_F(KernelVariants, sayWhatThereIs)
{
    compile("softmax");
    const std::size_t count = m_explorer.chosenTransforms(0).lines.size();
    EXPECT_NE(m_explorer.openKernelWith(0, count + 1, {}).error.find(format("to {} of their transformations", count)),
              std::string::npos);
    EXPECT_EQ(m_explorer.openKernelWith(99, 0, {}).error, "there is no kernel 99");
    EXPECT_TRUE(m_explorer.chosenTransforms(99).lines.empty());
    std::stop_source stop;
    stop.request_stop();
    EXPECT_FALSE(m_explorer.openKernelWith(0, 0, stop.get_token()).trace);
}

} // namespace
} // namespace sw
