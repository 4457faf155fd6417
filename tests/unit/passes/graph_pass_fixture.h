#pragma once
// Runs a graph pass on a graph given as text.

#include "engine/graph/parser.h"
#include "engine/graph/printer.h"
#include "engine/graph/verify.h"
#include "engine/passes/graph/remove_dead.h"
#include "engine/passes/pass_context.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace sw {

using GraphPass = Result<std::optional<Graph>> (*)(const Graph &, PassContext &);

struct PassRun {
    explicit PassRun(std::uint32_t budget = kNoRewriteLimit) : context(device, TargetLanguage::C, options, {}, budget) {}

    DeviceInfo device;
    CompileOptions options;
    PassContext context;
};

inline Graph graphOfLines(const std::string &lines)
{
    auto graph = parseGraph("stepwell graph 1\n" + lines, "t.graph");
    EXPECT_TRUE(graph) << toText(graph.error());
    return std::move(graph).value();
}

inline std::string linesOf(const Graph &graph)
{
    const auto verified = verifyGraph(graph);
    EXPECT_TRUE(verified) << toText(verified.error());
    const std::string text = printGraph(graph).text;
    return text.substr(text.find('\n') + 1);
}

// The graph after the pass and without dead nodes; "unchanged" when the pass had nothing to do.
inline std::string afterPass(GraphPass pass, const std::string &lines)
{
    PassRun run;
    const auto changed = pass(graphOfLines(lines), run.context);
    EXPECT_TRUE(changed) << toText(changed.error());
    if (!*changed)
        return "unchanged";
    PassRun cleaning;
    const auto clean = removeDead(**changed, cleaning.context);
    EXPECT_TRUE(clean);
    return linesOf(*clean ? **clean : **changed);
}

} // namespace sw
