// Values of nodes and buffers, by the reference and by devices.

#include "engine/accuracy/agreement.h"
#include "engine/accuracy/error_bounds.h"
#include "engine/api/compilation.h"
#include "engine/api/explorer.h"
#include "engine/api/inputs.h"
#include "engine/api/resources.h"
#include "engine/backend/native_backends.h"
#include "engine/execute/dimensions.h"
#include "engine/graph/interpreter.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace sw {
namespace {

// Devices may be off by this many bounds: each of them by one, and transcendentals are rounded once more on the way.
constexpr double kBounds = 2;

// The graph with these nodes as its outputs.
Graph returning(const Graph &graph, const std::vector<NodeId> &nodes)
{
    std::vector<Node> copy(graph.nodes().begin(), graph.nodes().end());
    Node &sink = copy.back();
    SinkAttributes attributes;
    for (const NodeId id : nodes)
        attributes.outputNames.push_back(format("v{}", id.value));
    sink.inputs = nodes;
    sink.attributes = std::move(attributes);
    return {std::move(copy), graph.sourcesPtr()};
}

class ValuesOf : public testing::TestWithParam<const char *> {
protected:
    ValuesOf() { addNativeBackends(m_registry); }
    BackendRegistry m_registry;
};

// Every buffer that the device stores holds what the reference says, within the bounds of the operations before it.
TEST_P(ValuesOf, everyStoredBufferAgreesWithTheReference)
{
    const std::string file = findResourceFolder() + "/examples/" + GetParam() + ".sw";
    ExploreRequest request;
    request.fileName = file;
    request.isFile = true;
    request.device = "llvm";
    Explorer explorer(m_registry, findResourceFolder());
    ASSERT_TRUE(explorer.compile(request, {}, {})->succeeded);

    ProgramCompiler compiler(m_registry);
    CompileRequest same;
    same.program.fileName = file;
    same.program.resourceFolder = findResourceFolder();
    same.device = "llvm";
    const Compilation compilation = compiler.compile(same, {});
    ASSERT_TRUE(compilation.succeeded);
    const Schedule &schedule = *compilation.schedule;
    std::vector<NodeId> nodes;
    for (const ScheduledBuffer &buffer : schedule.buffers)
        if (std::ranges::find(nodes, buffer.node) == nodes.end())
            nodes.push_back(buffer.node);
    const auto inputs = interpretedValues(*compilation.graph, {});
    ASSERT_TRUE(inputs);
    const auto bounded = interpretWithBounds(returning(*compilation.graph, nodes), *inputs);
    ASSERT_TRUE(bounded) << toText(bounded.error());

    const auto dimensions = dimensionsOf(*compilation.graph, {}, compilation.runDimensions);
    ASSERT_TRUE(dimensions);
    const NeededExtents needed(*schedule.graph);

    std::size_t compared = 0;
    std::vector<std::int64_t> place;
    for (std::uint32_t buffer = 0; buffer < schedule.buffers.size(); ++buffer) {
        const ValueOpening opening = explorer.bufferValue(buffer, {});
        ASSERT_NE(opening.value, nullptr) << opening.error;
        const auto output = static_cast<std::size_t>(std::ranges::find(nodes, schedule.buffers[buffer].node) - nodes.begin());
        const HostTensor &wanted = bounded->values[output];
        ASSERT_EQ(opening.value->elements(), wanted.elements());
        const Shape computed = neededShapeOf(*schedule.graph, needed, schedule.buffers[buffer].node, *dimensions);
        place.resize(computed.rank());
        for (std::int64_t i = 0; i < wanted.elements(); ++i) {
            unravel(i, wanted.shape(), place);
            if (!std::ranges::equal(place, computed, std::less())) // no output depends on it
                continue;
            ++compared;
            ASSERT_TRUE(agrees(wanted.at(i), opening.value->tensor().at(i), kBounds * bounded->bounds[output].at(i).asDouble()))
                << schedule.buffers[buffer].name << " element " << i << " is " << opening.value->text(i, ValueFormat::Decimal)
                << ", not " << toText(wanted.at(i));
        }
    }
    EXPECT_GT(compared, 0U);
}

INSTANTIATE_TEST_SUITE_P(Examples, ValuesOf,
                         testing::Values("add", "attention", "conv", "gelu", "layer_norm", "lengths", "matmul", "mlp", "random",
                                         "reductions", "softmax", "train_mlp", "views"),
                         [](const auto &example) { return std::string(example.param); });

class ValuesTest : public testing::Test {
protected:
    ValuesTest() { addNativeBackends(m_registry); }
    void compile(const char *program, const char *device = "interpreter")
    {
        ExploreRequest request;
        request.fileName = "test.sw";
        request.text = program;
        request.device = device;
        m_report = m_explorer.compile(request, {}, {});
        ASSERT_TRUE(m_report && m_report->succeeded);
    }
    std::uint32_t node(const std::string &label) const
    {
        const auto item = std::ranges::find(m_report->graph->items, label, &DocumentItem::label);
        return item == m_report->graph->items.end() ? kNoIndex : item->node;
    }

    BackendRegistry m_registry;
    Explorer m_explorer{m_registry, findResourceFolder()};
    ReportPtr m_report;
};

TEST_F(ValuesTest, theDeviceSaysWhichKernelComputesWhatItDoesNotStore)
{
    compile("input x: f32[4, 8]\nh = exp(x)\noutput y = h * 2.0\n");
    ASSERT_NE(node("mul"), kNoIndex);
    EXPECT_NE(m_explorer.nodeValue(node("mul"), ValueSource::Device, {}).value, nullptr);
    EXPECT_NE(m_explorer.nodeValue(node("x"), ValueSource::Device, {}).value, nullptr);
    const std::string kernel = m_report->kernels.front().name;
    const std::uint32_t inside = node("exp") != kNoIndex ? node("exp") : node("exp2");
    ASSERT_NE(inside, kNoIndex);
    const ValueOpening opening = m_explorer.nodeValue(inside, ValueSource::Device, {});
    EXPECT_EQ(opening.value, nullptr);
    EXPECT_EQ(opening.error, format("%{} is not stored: the kernel {} computes it in registers", inside, kernel));
    EXPECT_NE(m_explorer.nodeValue(inside, ValueSource::Reference, {}).value, nullptr);
}

TEST_F(ValuesTest, severalAreComputedTogether)
{
    compile("input x: f32[4]\na = sum(x)\nb = contiguous(x * 2.0)\noutput y = b + a\n");
    const std::vector<ValueOpening> values =
        m_explorer.nodeValues({node("add"), node("x"), node("add"), 12345}, ValueSource::Reference, {});
    ASSERT_EQ(values.size(), 4U);
    ASSERT_NE(values[0].value, nullptr) << values[0].error;
    EXPECT_TRUE(values[0].value->tensor().isIdenticalTo(values[2].value->tensor()));
    EXPECT_EQ(values[1].value->type(), "f32[4]");
    EXPECT_EQ(values[3].error, "there is no value %12345");
}

TEST_F(ValuesTest, stoppedValuesAreNeither)
{
    compile("input x: f32[400, 400]\noutput y = x @ x @ x\n");
    std::stop_source stopped;
    stopped.request_stop();
    const ValueOpening opening = m_explorer.nodeValue(node("x"), ValueSource::Reference, stopped.get_token());
    EXPECT_EQ(opening.value, nullptr);
    EXPECT_EQ(opening.error, "");
}

} // namespace
} // namespace sw
