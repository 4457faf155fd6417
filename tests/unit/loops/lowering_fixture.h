#pragma once
// Builds graphs by hand, lowers each as one kernel under several devices and options, and compares what the lowered interpreter
// makes of it with the reference interpreter.

#include "engine/graph/builder.h"
#include "engine/graph/interpreter.h"
#include "engine/loops/printer.h"
#include "engine/loops/queries.h"
#include "engine/types/random_fill.h"
#include "tests/support/one_kernel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace sw {

class LoweringTest : public ::testing::Test {
protected:
    LoweringTest()
    {
        auto map = std::make_shared<SourceMap>();
        const FileId file = map->addFile({.name = "test", .text = "test"});
        item = map->addItem(
            {.file = file, .range = {"test", 1, 1, 1, 5}, .scope = SourceMap::rootScope(), .caller = {}, .label = "t"});
        sources = map;
        builder.emplace(sources);
    }

    NodeId input(DType dtype, Shape shape)
    {
        return builder->placeholder(Origin(item), dtype, std::move(shape),
                                    {.name = format("x{}", builder->size()), .initial = nullptr});
    }
    template <class... Ids>
    NodeId op(Op which, Ids... operands)
    {
        const std::array all{operands...};
        return builder->broadcasted(Origin(item), which, all).value();
    }
    NodeId sum(NodeId value, std::vector<std::size_t> axes, Op which = Op::Add)
    {
        return builder->reduce(Origin(item), which, value, std::move(axes)).value();
    }
    NodeId writtenOut(NodeId value, std::int64_t times)
    {
        return builder->marker(Origin(item), NodeKind::Unroll, value, UnrollAttributes{times}).value();
    }
    NodeId matmul(std::int64_t m, std::int64_t n, std::int64_t k, bool isTransposed = false)
    {
        NodeId a = input(DType::F32, {m, k});
        NodeId b =
            isTransposed ? input(DType::F32, {n, k}) : builder->permute(Origin(item), input(DType::F32, {k, n}), {1, 0}).value();
        a = builder->reshape(Origin(item), a, {m, 1, k}).value();
        b = builder->reshape(Origin(item), b, {1, n, k}).value();
        return builder->reshape(Origin(item), sum(op(Op::Mul, a, b), {2}), {m, n}).value();
    }

    void check(std::vector<NodeId> outputs, double tolerance = 1e-5)
    {
        std::vector<std::string> names;
        for (std::size_t i = 0; i < outputs.size(); ++i)
            names.push_back(format("output{}", i));
        Result<Graph> finished = std::move(*builder).finish(Origin(item), std::move(outputs), names);
        ASSERT_TRUE(finished) << toText(finished.error());
        const auto graph = std::make_shared<const Graph>(std::move(*finished));
        std::vector<HostTensor> inputs;
        for (const NodeId id : graph->placeholders())
            inputs.push_back(randomTensor(graph->node(id).dtype, graph->node(id).shape, 11 + id.value));
        const auto expected = interpretGraph(*graph, inputs);
        ASSERT_TRUE(expected) << toText(expected.error());
        const SchedulePtr schedule = test::oneKernelSchedule(graph);
        DeviceInfo gpu = test::vectorDevice(64, 16);
        gpu.kind = DeviceKind::Gpu;
        gpu.maxWorkgroup = 64;
        gpu.localMemoryBytes = 32 << 10;
        for (const DeviceInfo &device : {test::vectorDevice(3, 64), test::vectorDevice(3, 16), gpu}) {
            for (const bool optimize : {true, false}) {
                const CompileOptions options{.optimize = optimize};
                const auto lowered = test::lowerFor(schedule, device, options);
                ASSERT_TRUE(lowered) << toText(lowered.error());
                const std::string nest = toText(**test::loopsFor(schedule, device, options));
                const auto actual = test::runLowered(**lowered, inputs);
                ASSERT_TRUE(actual) << toText(actual.error()) << nest;
                for (std::size_t i = 0; i < expected->size(); ++i)
                    compare((*expected)[i], (*actual)[i], tolerance, nest);
                everyNest += nest;
                for (const Instruction &one : (*lowered)->kernels.at(0).instructions) {
                    maskedVectors += one.kind == InstructionKind::MaskedLoad && one.lanes > 1 ? 1 : 0;
                    chosenVectors += one.kind == InstructionKind::Alu && one.op == Op::Where && one.lanes > 1 ? 1 : 0;
                    conditions += one.kind == InstructionKind::If ? 1 : 0;
                    limits += one.kind == InstructionKind::Alu && (one.op == Op::Min || one.op == Op::Max) ? 1 : 0;
                }
            }
        }
    }

    void compare(const HostTensor &expected, const HostTensor &actual, double tolerance, const std::string &loops)
    {
        ASSERT_EQ(expected.shape(), actual.shape());
        for (std::int64_t i = 0; i < expected.elements(); ++i) {
            const double want = expected.at(i).asDouble();
            const double got = actual.at(i).asDouble();
            ASSERT_LE(std::abs(want - got), tolerance * std::max(1.0, std::abs(want))) << "element " << i << "\n" << loops;
        }
    }

    SourceId item;
    SourceMapPtr sources;
    std::optional<GraphBuilder> builder;
    std::string everyNest;         // of everything that was checked
    std::size_t maskedVectors = 0; // likewise, that are loaded
    std::size_t chosenVectors = 0; // likewise, of two
    std::size_t conditions = 0;    // likewise, that instructions are under
    std::size_t limits = 0;        // likewise, minima and maxima
};

} // namespace sw
