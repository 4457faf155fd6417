#include "engine/api/health.h"

#include "engine/api/compilation.h"
#include "engine/api/inputs.h"
#include "engine/api/resources.h"
#include "engine/backend/native_backends.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace sw {
namespace {

const double kNan = std::numeric_limits<double>::quiet_NaN();
const double kInfinity = std::numeric_limits<double>::infinity();

TEST(HealthTest, bitsAreCountedFromTheLastPlace)
{
    const float one = 1.0F;
    const double above = std::nextafter(one, 2.0F);
    EXPECT_EQ(bitsLost(DType::F32, 1.0, 1.0), 0);
    EXPECT_EQ(bitsLost(DType::F32, 1.0, 1.0 + (above - 1.0) / 2), 0); // half a unit: correctly rounded
    EXPECT_EQ(bitsLost(DType::F32, above, 1.0), 1);                   // a whole unit
    EXPECT_EQ(bitsLost(DType::F32, 1.0 + 4 * (above - 1.0), 1.0), 3);
    EXPECT_EQ(bitsLost(DType::F32, 0, 1.0), 24);
    EXPECT_EQ(bitsLost(DType::F32, 1e30, 1.0), 24); // never more than there are
    EXPECT_EQ(bitsLost(DType::F16, 0, 1.0), 11);
    EXPECT_EQ(bitsLost(DType::BF16, 0, 1.0), 8);
    EXPECT_EQ(bitsLost(DType::F32, kNan, kNan), 0);
    EXPECT_EQ(bitsLost(DType::F32, kInfinity, kInfinity), 0);
    EXPECT_EQ(bitsLost(DType::F32, kInfinity, 1e39), 24);
    EXPECT_EQ(bitsLost(DType::F32, kNan, 1), 24);
    EXPECT_EQ(bitsLost(DType::F64, 1.7976931348623157e308, -1.7976931348623157e308), 53);
    EXPECT_EQ(bitsLost(DType::F32, 0x1p-149, 0), 1); // the smallest subnormal is one place from 0
}

class HealthOfPrograms : public testing::Test {
protected:
    HealthOfPrograms() { addNativeBackends(m_registry); }

    void check(const char *program, const std::vector<InputChoice> &choices = {})
    {
        ProgramCompiler compiler(m_registry);
        CompileRequest request;
        request.program.fileName = "test.sw";
        request.program.text = program;
        request.program.isText = true;
        request.program.resourceFolder = findResourceFolder();
        request.device = "interpreter";
        request.until = CompileUntil::Graph;
        const Compilation compilation = compiler.compile(request, {});
        ASSERT_TRUE(compilation.succeeded) << toText(compilation.diagnostics);
        m_graph = compilation.graph;
        const auto values = interpretedValues(*m_graph, {1, {}, choices});
        ASSERT_TRUE(values) << toText(values.error());
        auto found = healthOf(*m_graph, *values, {});
        ASSERT_TRUE(found) << toText(found.error());
        m_nodes = std::move(*found);
    }
    // "sub: lost bits"
    std::vector<std::string> findings(double bits = kUsualLostBits) const
    {
        std::vector<std::string> texts;
        for (const HealthFinding &finding : findingsOf(m_nodes, bits))
            texts.push_back(format("{}: {}", node(finding.node).label, nameOf(finding.kind)));
        return texts;
    }
    const NodeHealth &node(std::uint32_t id) const { return *std::ranges::find(m_nodes, id, &NodeHealth::node); }
    const NodeHealth &node(std::string_view label) const { return *std::ranges::find(m_nodes, label, &NodeHealth::label); }
    static InputChoice constant(const char *name, const char *value)
    {
        InputChoice choice;
        choice.name = name;
        choice.fill = InputFill::Constant;
        choice.constant = value;
        return choice;
    }

    BackendRegistry m_registry;
    GraphPtr m_graph;
    std::vector<NodeHealth> m_nodes;
};

TEST_F(HealthOfPrograms, cancellationLosesAllBits)
{
    check("input large: f32[3]\ninput x: f32[3]\ns = large + x\noutput y = s - large\n",
          {constant("large", "1e8"), constant("x", "1")});
    EXPECT_EQ(findings(), std::vector<std::string>{"sub: lost bits"});
    EXPECT_EQ(node("sub").bitsLost, 24);
    EXPECT_LE(node("add").bitsLost, 0.01); // the sum itself is correctly rounded
    EXPECT_EQ(findingsOf(m_nodes, 12).front().text, "24.0 of 24 bits lost, 0.0 before: 0.0 instead of 1.0 at [0]");
    EXPECT_TRUE(findings(24).empty());
    EXPECT_EQ(node("sub").line, 4U);
}

TEST_F(HealthOfPrograms, theFirstNanIsWhereNoOperandHasOne)
{
    InputChoice x = constant("x", "4");
    x.changes = {{{1}, "-1"}, {{3}, "-2"}};
    check("input x: f32[5]\nr = sqrt(x)\noutput y = r * 2.0 + 1.0\n", {x});
    EXPECT_EQ(findings(), std::vector<std::string>{"sqrt: NaN"});
    EXPECT_EQ(findingsOf(m_nodes, 12).front().text, "2 of 5 elements are NaN, the first at [1]");
    EXPECT_EQ(node("mul").nans, 2);
    EXPECT_FALSE(node("mul").startsNan);
}

TEST_F(HealthOfPrograms, infinitiesAndTheNanTheyLeadTo)
{
    check("input x: f32[2, 2]\ne = exp2(x)\noutput y = e - e * 1.5\n", {constant("x", "200")});
    const std::vector<std::string> wanted{"exp2: infinite", "exp2: lost bits", "sub: NaN"};
    EXPECT_EQ(findings(), wanted); // in f64 it is finite
    EXPECT_EQ(node("exp2").infinities, 4);
    EXPECT_EQ(node("exp2").bitsLost, 24);
}

TEST_F(HealthOfPrograms, subnormalsOfTheTypeItself)
{
    check("input x: f32[2]\noutput y = x * 1e-20\n", {constant("x", "1e-20")});
    EXPECT_EQ(findings(), std::vector<std::string>{"mul: subnormal"});
    check("input x: f16[2]\noutput y = x * 0.001\n", {constant("x", "0.01")});
    EXPECT_EQ(findings(8), std::vector<std::string>{"mul: subnormal"});
    check("input x: f32[2]\noutput y = x * 0.001\n", {constant("x", "0.01")});
    EXPECT_TRUE(findings().empty());
}

TEST_F(HealthOfPrograms, sumsLoseWithTheirLength)
{
    check("input x: bf16[4096]\noutput y = sum(x)\n", {constant("x", "0.1")});
    EXPECT_LE(node("reduce_axis add").bitsLost, 1); // accumulated in f32
    check("input x: f32[65536]\ninput y: f32[1]\noutput z = sum(x) - y\n", {constant("x", "0.1"), constant("y", "6553.6")});
    double most = 0; // a long sum may be split in parts
    for (const NodeHealth &at : m_nodes)
        most = at.label == "reduce_axis add" ? std::max(most, at.bitsLost) : most;
    EXPECT_GT(most, 1);
    EXPECT_LT(most, 16);
    EXPECT_GT(node("sub").bitsLost, most);
}

TEST_F(HealthOfPrograms, f64LosesNothingByThisMeasure)
{
    check("input large: f64[3]\ninput x: f64[3]\noutput y = large + x - large\n",
          {constant("large", "1e17"), constant("x", "1")});
    EXPECT_TRUE(findings(0).empty());
}

TEST_F(HealthOfPrograms, choicesAndIndicesAreThoseOfTheProgram)
{
    // The comparison of the f32 values is false; in f64 it would be true. Both take the second.
    check("input large: f32[2]\ninput x: f32[2]\noutput y = where(large + x > large, 1.0, 2.0)\n",
          {constant("large", "1e8"), constant("x", "1")});
    EXPECT_TRUE(findings(0).empty());
}

TEST_F(HealthOfPrograms, everyExampleCanBeExamined)
{
    for (const char *name : {"add", "attention", "conv", "gelu", "layer_norm", "lengths", "matmul", "mlp", "random", "reductions",
                             "softmax", "train_mlp", "views"}) {
        const auto text = readTextFile(findResourceFolder() + "/examples/" + name + ".sw");
        ASSERT_TRUE(text);
        check(text->c_str());
        EXPECT_FALSE(m_nodes.empty()) << name;
        for (const NodeHealth &node : m_nodes)
            EXPECT_EQ(node.nans, 0) << name << " %" << node.node;
    }
}

TEST_F(HealthOfPrograms, itCanBeStopped)
{
    check("input x: f32[4]\noutput y = x + 1.0\n");
    const auto values = interpretedValues(*m_graph, {});
    std::stop_source stopped;
    stopped.request_stop();
    std::size_t calls = 0;
    EXPECT_FALSE(healthOf(*m_graph, *values, stopped.get_token(), [&](std::size_t, std::size_t) { ++calls; }));
    EXPECT_LT(calls, m_graph->size());
}

} // namespace
} // namespace sw
