// Every number that a card prints, computed again from the schedule and the loops; no name of a number is left out.

#include "engine/api/compilation.h"
#include "engine/api/device_figures.h"
#include "engine/api/explanation.h"
#include "engine/api/resources.h"
#include "engine/backend/native_backends.h"
#include "engine/loops/queries.h"
#include "engine/passes/schedule/node_facts.h"
#include "engine/passes/schedule/priced_work.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace sw {
namespace {

class WhyNumbers : public testing::Test {
protected:
    WhyNumbers()
    {
        addNativeBackends(m_registry);
        for (const char *name :
             {"softmax", "mlp", "attention", "layer_norm", "conv", "reductions", "views", "random", "train_mlp", "matmul"}) {
            CompileRequest request;
            request.program.fileName = findResourceFolder() + "/examples/" + name + ".sw";
            add(request);
        }
        // Rows with a border between them.
        CompileRequest divided;
        divided.program = {.fileName = "divided.sw",
                           .text = "input x: f32[4, 40, 40]\noutput reshape(x[:, 1:39, 1:39], [4, 1444]) * 2\n",
                           .isText = true};
        add(divided);
    }

    void add(CompileRequest request)
    {
        request.program.resourceFolder = findResourceFolder();
        request.until = CompileUntil::Lowered;
        m_compilations.push_back(m_compiler.compile(request, {}));
        EXPECT_TRUE(m_compilations.back().succeeded) << request.program.fileName;
    }

    template <class Check>
    void forEach(const Check &check)
    {
        for (const Compilation &compilation : m_compilations) {
            const ValuePaths paths(*compilation.schedule->graph);
            const std::vector<DeviceFigures> figures = figuresOf(compilation.target, nullptr);
            check(Explained{*compilation.schedule, paths, compilation.loops.get(), figures});
        }
    }

    BackendRegistry m_registry;
    ProgramCompiler m_compiler{m_registry};
    std::vector<Compilation> m_compilations;
};

double amountOf(const WhyCard &card, std::string_view name)
{
    const auto found = std::ranges::find(card.numbers, name, &WhyNumber::name);
    return found == card.numbers.end() ? -1 : found->amount;
}

double stepsOf(const ScheduledKernel &kernel, const Graph &graph, NodeId member)
{
    auto steps = static_cast<double>(graph.node(member).shape.elements());
    for (const IterationAxis &axis : kernel.axes)
        if (axis.reduction == member)
            steps *= static_cast<double>(axis.extent);
    return steps;
}

TEST_F(WhyNumbers, ofValues)
{
    forEach([](const Explained &of) {
        const Graph &graph = *of.schedule.graph;
        for (NodeId id(0U); id < graph.sink(); ++id.value) {
            const WhyCard card = valueCard(of, id);
            EXPECT_EQ(amountOf(card, "size"),
                      static_cast<double>(graph.node(id).shape.elements()) * static_cast<double>(bytesOf(graph.node(id).dtype)));
            EXPECT_EQ(card.numbers.size(), 1U);
        }
    });
}

// A member is computed once for each element, or once for each step of its reduction; in some kernels more often.
TEST_F(WhyNumbers, ofKernels)
{
    int exact = 0;
    forEach([&](const Explained &of) {
        const Graph &graph = *of.schedule.graph;
        for (std::size_t i = 0; i < of.schedule.kernels.size(); ++i) {
            const ScheduledKernel &kernel = of.schedule.kernels[i];
            const WhyCard card = kernelCard(of, KernelId(i));
            SCOPED_TRACE(toText(card));
            double reads = 0;
            for (const BufferId id : kernel.reads)
                reads += static_cast<double>(of.schedule.buffer(id).bytes());
            EXPECT_EQ(amountOf(card, "reads"), reads);
            double operations = 0;
            double priced = 0;
            for (const NodeId member : kernel.members) {
                const double steps = stepsOf(kernel, graph, member);
                operations += steps * static_cast<double>(operationsOf(graph.node(member)));
                priced += steps * static_cast<double>(pricedWorkOf(graph.node(member)));
                for (const NodeId along : doneAlong(graph, graph.node(member), FuseProducts::Yes))
                    if (std::ranges::binary_search(kernel.members, along) && stepsOf(kernel, graph, along) == steps)
                        priced -= steps * static_cast<double>(pricedWorkOf(graph.node(along)));
            }
            EXPECT_GE(amountOf(card, "operations"), operations);
            if (amountOf(card, "operations") == operations) {
                EXPECT_EQ(amountOf(card, "priced work"), priced);
                ++exact;
            }
        }
    });
    EXPECT_GT(exact, 10);
}

TEST_F(WhyNumbers, ofMemory)
{
    forEach([](const Explained &of) {
        for (std::uint32_t slot = 0; slot < of.schedule.devices.size(); ++slot) {
            const ScheduledDevice &device = of.schedule.devices[slot];
            std::int64_t peak = 0;
            std::int64_t end = 0;
            for (std::uint32_t item = 0; item < of.schedule.items.size(); ++item) {
                std::int64_t live = 0;
                for (const ScheduledBuffer &buffer : of.schedule.buffers)
                    if (buffer.device == DeviceSlot(slot) && buffer.firstItem <= item && item <= buffer.lastItem)
                        live += buffer.bytes();
                peak = std::max(peak, live);
            }
            for (const ScheduledBuffer &buffer : of.schedule.buffers)
                if (buffer.device == DeviceSlot(slot))
                    end = std::max(end, buffer.arenaOffset + buffer.bytes());
            for (std::size_t i = 0; i < of.schedule.buffers.size(); ++i) {
                if (of.schedule.buffers[i].device != DeviceSlot(slot))
                    continue;
                const WhyCard card = bufferCard(of, BufferId(i));
                SCOPED_TRACE(toText(card));
                EXPECT_EQ(amountOf(card, "peak"), static_cast<double>(peak));
                EXPECT_GE(amountOf(card, "memory in all"), static_cast<double>(end));
                EXPECT_LT(amountOf(card, "memory in all"), static_cast<double>(end + device.alignment));
            }
        }
    });
}

TEST_F(WhyNumbers, ofTransformations)
{
    int extents = 0;
    int divisions = 0;
    forEach([&](const Explained &of) {
        for (const auto &nest : of.loops->nests)
            for (std::uint32_t i = 0; i < nest->transforms.size(); ++i) {
                const Transform &transform = nest->transforms[i];
                const WhyCard card = transformCard(of, nest->kernel, i);
                SCOPED_TRACE(toText(card));
                std::size_t known = 0;
                for (const std::string &axis : transform.axes) {
                    if (!axisNamed(*nest, axis))
                        continue;
                    ++known;
                    EXPECT_EQ(amountOf(card, "extent of " + axis),
                              static_cast<double>(nest->axes[axisNamed(*nest, axis)->value].extent));
                }
                extents += static_cast<int>(known);
                const bool isSplit = transform.kind == TransformKind::Split && known > 0;
                const bool isDivision = transform.kind == TransformKind::Divide;
                EXPECT_EQ(card.numbers.size(), known + (isSplit ? 3 : 0) + (isDivision ? 2 : 0));
                if (isDivision) {
                    ++divisions;
                    EXPECT_EQ(amountOf(card, "places in a row"), static_cast<double>(transform.factor));
                    EXPECT_EQ(amountOf(card, "rows") * amountOf(card, "places in a row"),
                              amountOf(card, "extent of " + transform.axes.front()));
                }
                if (isSplit) {
                    EXPECT_EQ(amountOf(card, "factor"), static_cast<double>(transform.factor));
                }
            }
    });
    EXPECT_GT(extents, 30);
    EXPECT_GT(divisions, 0);
}

// How often the loops compute a node; the most of all nodes of the kernel that come after this one.
double mostEvaluations(const LoopNest &nest, NodeId after)
{
    const std::vector<std::vector<AxisId>> axes = valueDependencies(nest);
    std::map<NodeId, double> evaluations;
    const auto points = [&](std::size_t value) {
        double product = 1;
        for (const AxisId axis : axes[value])
            product *= static_cast<double>(nest.axes[axis.value].extent);
        return product;
    };
    std::set<NodeId> lookups; // which have a value for the converted index too
    for (const Value &value : nest.values)
        if (value.kind == ValueKind::Indexed)
            lookups.insert(value.node);
    for (std::size_t i = 0; i < nest.values.size(); ++i) {
        const Value &value = nest.values[i];
        const bool isIndex = value.kind == ValueKind::Cast && lookups.contains(value.node);
        if (value.kind == ValueKind::Masked) // a cat picks its element in several steps
            evaluations[value.node] = std::max(evaluations[value.node], points(i));
        else if (value.kind != ValueKind::Load && value.kind != ValueKind::Constant && !isIndex)
            evaluations[value.node] += points(i);
    }
    for (const Reduction &reduction : nest.reductions)
        evaluations[reduction.node] = std::max(evaluations[reduction.node], points(reduction.body.value));
    double most = 0;
    for (const auto &[node, times] : evaluations)
        if (node.value > after.value)
            most = std::max(most, times);
    return most;
}

// How often the loops would compute what they load from a buffer: once for each round of the loops around it. Of the loops, those
// inside of all that move it are left out, and a reduction stands inside of those that move its result.
double needsOf(const LoopNest &nest, BufferId stored)
{
    const std::vector<std::vector<AxisId>> moving = valueDependencies(nest);
    const auto leaveOutInner = [&](std::vector<AxisId> &loops, std::size_t value) {
        while (!loops.empty() && !std::ranges::binary_search(moving[value], loops.back()))
            loops.pop_back();
    };
    double needs = 0;
    for (std::size_t i = 0; i < nest.values.size(); ++i) {
        if (nest.values[i].kind != ValueKind::Load || nest.values[i].buffer != stored)
            continue;
        std::vector<AxisId> around = nest.domain;
        for (std::size_t result = 0; result < nest.values.size(); ++result) {
            if (nest.values[result].kind != ValueKind::Reduction)
                continue;
            const std::vector<AxisId> &axes = nest.reductions[nest.values[result].reduction.value].axes;
            if (std::ranges::none_of(axes, [&](AxisId axis) { return std::ranges::binary_search(moving[i], axis); }))
                continue;
            leaveOutInner(around, result);
            around.insert(around.end(), axes.begin(), axes.end());
        }
        leaveOutInner(around, i);
        double points = 1;
        for (const AxisId axis : around)
            points *= static_cast<double>(nest.axes[axis.value].extent);
        needs += points;
    }
    return needs;
}

TEST_F(WhyNumbers, evaluationsAreThoseOfTheLoops)
{
    int checked = 0;
    forEach([&](const Explained &of) {
        for (std::uint32_t i = 0; i < of.schedule.decisions.size(); ++i) {
            const FusionDecision &decision = of.schedule.decisions[i];
            const WhyCard card = edgeCard(of, i);
            const double evaluations = amountOf(card, "evaluations");
            if (evaluations < 0 || decision.isFused) // what is fused has no loads of its own
                continue;
            const KernelId kernel = of.schedule.kernelOf(decision.consumer);
            const LoopNest &nest = *of.loops->nests[kernel.value];
            EXPECT_EQ(evaluations, needsOf(nest, of.schedule.bufferOf(decision.producer))) << toText(card);
            ++checked;
        }
    });
    EXPECT_GT(checked, 10);
}

// A kernel grows from its root upwards: when an edge is decided, all that is computed after the producer is in it already.
TEST_F(WhyNumbers, ofEdges)
{
    int checked = 0;
    forEach([&](const Explained &of) {
        const Graph &graph = *of.schedule.graph;
        for (std::uint32_t i = 0; i < of.schedule.decisions.size(); ++i) {
            const FusionDecision &decision = of.schedule.decisions[i];
            const WhyCard card = edgeCard(of, i);
            SCOPED_TRACE(toText(card));
            const KernelId kernel = of.schedule.kernelOf(decision.consumer);
            const double points = amountOf(card, "points");
            if (decision.isFused && points >= 0) {
                EXPECT_EQ(points, mostEvaluations(*of.loops->nests[kernel.value], decision.producer));
                ++checked;
            }
            if (amountOf(card, "operations per element") >= 0) {
                EXPECT_GE(amountOf(card, "operations per element"),
                          static_cast<double>(operationsOf(graph.node(decision.producer))));
            }
        }
    });
    EXPECT_GT(checked, 3);
}

// A number that is new needs a check of its own, above or in tst_why.cpp.
TEST_F(WhyNumbers, allAreChecked)
{
    const std::set<std::string> checked{"traffic",
                                        "its time",
                                        "rows",
                                        "elements",
                                        "points",
                                        "evaluations",
                                        "operations per element",
                                        "operations per point",
                                        "extra operations per element",
                                        "operations",
                                        "priced work",
                                        "reads",
                                        "writes",
                                        "estimated time",
                                        "size",
                                        "lies at byte",
                                        "memory in all",
                                        "peak",
                                        "factor",
                                        "rounds",
                                        "rest",
                                        "places in a row"};
    std::set<std::string> seen;
    const auto look = [&](const auto &self, const WhyCard &card) -> void {
        for (const WhyNumber &number : card.numbers) {
            seen.insert(number.name.starts_with("extent of ") ? "factor" : number.name);
            EXPECT_FALSE(number.origin.empty()) << number.name;
        }
        for (const WhyCard &part : card.parts)
            self(self, part);
    };
    forEach([&](const Explained &of) {
        for (NodeId id(0U); id < of.schedule.graph->sink(); ++id.value)
            look(look, valueCard(of, id));
        for (std::size_t i = 0; i < of.schedule.kernels.size(); ++i)
            look(look, kernelCard(of, KernelId(i)));
        for (std::size_t i = 0; i < of.schedule.buffers.size(); ++i)
            look(look, bufferCard(of, BufferId(i)));
        for (const auto &nest : of.loops->nests)
            for (std::uint32_t i = 0; i < nest->transforms.size(); ++i)
                look(look, transformCard(of, nest->kernel, i));
    });
    for (const std::string &name : seen)
        EXPECT_TRUE(checked.contains(name)) << name;
    EXPECT_GT(seen.size(), 12U);
}

} // namespace
} // namespace sw
