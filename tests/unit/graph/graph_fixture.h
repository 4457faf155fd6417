#pragma once
// A source map of one file with a few lines, for tests that make graphs by hand.

#include "engine/graph/builder.h"

#include <array>
#include <memory>
#include <string>

namespace sw {

inline constexpr std::uint32_t kTestLines = 8;

// Item i stands on line i + 1, columns 3 to 8, of "test.sw".
inline SourceMapPtr testSources()
{
    auto sources = std::make_shared<SourceMap>();
    const FileId file = sources->addFile({"test.sw", "\n\n\n\n\n\n\n\n"});
    for (std::uint32_t line = 1; line <= kTestLines; ++line)
        sources->addItem({file, {"test.sw", line, 3, line, 9}, SourceMap::rootScope(), {}, format("item{}", line)});
    return sources;
}

inline Origin originOfLine(std::uint32_t line)
{
    return Origin(SourceId(line - 1));
}

struct TestGraph {
    GraphBuilder builder{testSources()};
    Origin here = originOfLine(1);

    NodeId input(DType dtype, Shape shape, std::string name = "x")
    {
        return builder.placeholder(here, dtype, std::move(shape), {std::move(name), PlaceholderRole::Input, nullptr, 0, false});
    }
    NodeId apply(Op op, std::initializer_list<NodeId> operands)
    {
        return builder.broadcasted(here, op, std::span(operands.begin(), operands.size())).value();
    }
    Graph finish(std::vector<NodeId> outputs)
    {
        std::vector<std::string> names;
        for (std::size_t i = 0; i < outputs.size(); ++i)
            names.push_back(i == 0 ? "output" : format("output{}", i));
        return std::move(builder).finish(here, std::move(outputs), std::move(names)).value();
    }
};

} // namespace sw
