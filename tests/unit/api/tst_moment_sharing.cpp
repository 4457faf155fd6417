// What moments share with each other: that it does not show, and how much of it is kept.

#include "engine/api/compilation.h"
#include "engine/api/explorer.h"
#include "engine/api/kernel_documents.h"
#include "engine/api/resources.h"
#include "engine/backend/native_backends.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace sw {
namespace {

std::vector<std::string> linesOf(const StageDocument &document)
{
    std::vector<std::string> lines;
    for (const DocumentLine &line : document.lines)
        lines.push_back(line.text);
    return lines;
}

void expectSameItems(const StageDocument &found, const StageDocument &wanted)
{
    ASSERT_EQ(found.items.size(), wanted.items.size());
    for (std::size_t i = 0; i < wanted.items.size(); ++i) {
        const DocumentItem &item = found.items[i];
        const DocumentItem &other = wanted.items[i];
        ASSERT_EQ(item.label, other.label);
        ASSERT_EQ(item.detail, other.detail);
        ASSERT_EQ(item.tags, other.tags) << item.label;
        ASSERT_EQ(item.sources, other.sources);
        ASSERT_EQ(item.kernel, other.kernel);
        ASSERT_EQ(item.group, other.group);
        ASSERT_EQ(item.node, other.node);
        ASSERT_EQ(item.place.line, other.place.line);
        ASSERT_EQ(item.place.endColumn, other.place.endColumn);
        ASSERT_EQ(item.fields.size(), other.fields.size());
        for (std::size_t field = 0; field < other.fields.size(); ++field) {
            ASSERT_EQ(item.fields[field].name, other.fields[field].name);
            ASSERT_EQ(item.fields[field].value, other.fields[field].value) << item.label << ": " << item.fields[field].name;
        }
    }
    ASSERT_EQ(found.edges.size(), wanted.edges.size());
    for (std::size_t i = 0; i < wanted.edges.size(); ++i) {
        ASSERT_EQ(found.edges[i].from, wanted.edges[i].from);
        ASSERT_EQ(found.edges[i].to, wanted.edges[i].to);
        ASSERT_EQ(found.edges[i].label, wanted.edges[i].label);
        ASSERT_EQ(found.edges[i].decision, wanted.edges[i].decision);
    }
}

ReportPtr compile(Explorer &explorer, const std::string &path)
{
    ExploreRequest request;
    request.fileName = path;
    request.isFile = true;
    request.compileMachineCode = false;
    return explorer.compile(request, {}, {});
}

// What a moment shares with those that were looked at before shows nothing of them.
TEST(MomentSharing, theWayToAMomentDoesNotShow)
{
    BackendRegistry registry;
    addNativeBackends(registry);
    Explorer explorer(registry, findResourceFolder());
    for (const char *const name : {"softmax", "mlp", "attention"}) {
        const std::string path = findResourceFolder() + "/examples/" + name + ".sw";
        const ReportPtr report = compile(explorer, path);
        ASSERT_TRUE(report && report->succeeded);
        for (std::uint32_t pass = 0; pass < report->passes.size(); ++pass) {
            const PassEntry &entry = report->passes[pass];
            if (entry.rewrites == 0 || (entry.output != StageKind::Graph && entry.output != StageKind::Schedule))
                continue;
            const std::uint32_t last = std::min(entry.rewrites, 12U);
            for (std::uint32_t done = 0; done < last; ++done)
                ASSERT_FALSE(explorer.documentsAt({pass, done}, {}).isEmpty());
            const MomentDocuments reached = explorer.documentsAt({pass, last}, {});
            ASSERT_TRUE(compile(explorer, path)->succeeded); // nothing was looked at before
            const MomentDocuments afresh = explorer.documentsAt({pass, last}, {});
            for (const auto stage : {&MomentDocuments::graph, &MomentDocuments::schedule}) {
                const StageDocumentPtr &found = (reached.*stage).document;
                const StageDocumentPtr &wanted = (afresh.*stage).document;
                ASSERT_EQ(found == nullptr, wanted == nullptr);
                if (wanted == nullptr)
                    continue;
                EXPECT_EQ((reached.*stage).marks.made, (afresh.*stage).marks.made);
                EXPECT_EQ((reached.*stage).marks.matched, (afresh.*stage).marks.matched);
                EXPECT_EQ(linesOf(*found), linesOf(*wanted)) << name << ": " << entry.id;
                expectSameItems(*found, *wanted);
            }
        }
    }
}

TEST(MomentSharing, keepsNoMoreThanItIsTold)
{
    BackendRegistry registry;
    addNativeBackends(registry);
    ProgramCompiler compiler(registry);
    CompileRequest request;
    request.program.fileName = findResourceFolder() + "/examples/attention.sw";
    request.program.isText = false;
    request.program.resourceFolder = findResourceFolder();
    request.until = CompileUntil::Lowered;
    const Compilation compilation = compiler.compile(request, {});
    ASSERT_TRUE(compilation.succeeded);
    KernelDocuments documents;
    for (const PassStep &step : compilation.pipeline.steps)
        if (levelOf(step.after) >= StageLevel::Loops)
            (void)documents.partsOf(step.after);
    const std::size_t all = documents.bytes();
    ASSERT_GT(all, 10000U);
    documents.keepAtMost(all / 2);
    EXPECT_LE(documents.bytes(), all / 2);
}

} // namespace
} // namespace sw
