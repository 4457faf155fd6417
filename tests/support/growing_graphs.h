#pragma once
// Graphs of any size, to measure how the work on them grows.

#include "engine/graph/builder.h"

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace sw::test {

class GrowingGraph {
public:
    GrowingGraph() : m_builder(oneLine()) {}

    // One operation after another.
    [[nodiscard]] static Graph chain(std::size_t size)
    {
        GrowingGraph made;
        const NodeId start = made.input("x", Shape{16});
        NodeId value = start;
        for (std::size_t i = 0; i < size; ++i)
            value = i % 2 == 0 ? made.apply(Op::Add, {value, start}) : made.apply(Op::Mul, {value, start});
        return made.finish({value});
    }

    // Views of views, alternating kinds that do not merge.
    [[nodiscard]] static Graph views(std::size_t size)
    {
        GrowingGraph made;
        NodeId value = made.input("x", Shape{4, 4});
        GraphBuilder &builder = made.m_builder;
        for (std::size_t i = 0; i < size; ++i)
            value =
                i % 2 == 0 ? builder.flip(made.m_here, value, {0}).value() : builder.permute(made.m_here, value, {1, 0}).value();
        return made.finish({made.apply(Op::Neg, {value})});
    }

    // Many inputs side by side.
    [[nodiscard]] static Graph cat(std::size_t size)
    {
        GrowingGraph made;
        std::vector<NodeId> parts;
        for (std::size_t i = 0; i < size; ++i)
            parts.push_back(made.input(format("x{}", i), Shape{2}));
        return made.finish({made.m_builder.cat(made.m_here, parts, 0).value()});
    }

    // The parts of a network: a product, a sum over an axis, something elementwise, and a value that is read again.
    [[nodiscard]] static Graph layers(std::size_t size)
    {
        GrowingGraph made;
        GraphBuilder &builder = made.m_builder;
        NodeId value = made.input("x", Shape{8, 16});
        for (std::size_t i = 0; i < size; ++i) {
            const NodeId weights = made.input(format("w{}", i), Shape{16, 16});
            const NodeId left =
                builder.broadcastTo(made.m_here, builder.reshape(made.m_here, value, Shape{8, 16, 1}).value(), Shape{8, 16, 16})
                    .value();
            const NodeId product = made.apply(Op::Mul, {left, weights});
            const NodeId sum = builder.reduce(made.m_here, Op::Add, product, {1}).value();
            const NodeId flat = builder.reshape(made.m_here, sum, Shape{8, 16}).value();
            value = made.apply(Op::Add, {made.apply(Op::Max, {flat, value}), value});
        }
        return made.finish({value});
    }

private:
    static SourceMapPtr oneLine()
    {
        auto sources = std::make_shared<SourceMap>();
        const FileId file = sources->addFile({"grown.sw", "\n"});
        sources->addItem({file, {"grown.sw", 1, 1, 1, 2}, SourceMap::rootScope(), {}, "program"});
        return sources;
    }

    NodeId input(std::string name, Shape shape)
    {
        PlaceholderAttributes attributes;
        attributes.name = std::move(name);
        return m_builder.placeholder(m_here, DType::F32, std::move(shape), std::move(attributes));
    }

    NodeId apply(Op op, std::initializer_list<NodeId> operands)
    {
        return m_builder.broadcasted(m_here, op, std::span(operands.begin(), operands.size())).value();
    }

    Graph finish(std::vector<NodeId> outputs)
    {
        return std::move(m_builder).finish(m_here, std::move(outputs), {"output"}).value();
    }

    GraphBuilder m_builder;
    Origin m_here = Origin(SourceId(0U));
};

} // namespace sw::test
