// Everything has an origin: each item of each stage leads to a line of the program, and each node of the graph is in
// one kernel, or is a view or a leaf.

#include "tests/golden/program_fixture.h"

#include "engine/api/describe.h"

#include <algorithm>
#include <array>
#include <iostream>
#include <set>

namespace sw::test {
namespace {

constexpr std::array kDevices{"interpreter", "llvm", "c", "opencl"};
constexpr double kLocatedShare = 0.95;
constexpr double kGivenShare = 0.85; // without counting inferred lines

class Provenance : public ProgramTest, public testing::WithParamInterface<std::filesystem::path> {
protected:
    Compilation compiled(const std::string &device) { return m_compiler.compile(requestFor(GetParam(), device), {}); }

    ProgramCompiler m_compiler{m_registry};
};

std::vector<StageDocumentPtr> documentsOf(ProgramCompiler &compiler, const Compilation &compilation)
{
    return {describeProgram(*compilation.sources),
            describeGraph(*compilation.graph, compilation.schedule.get()),
            describeSchedule(*compilation.schedule, compilation.loops.get()),
            describeLoops(*compilation.loops),
            describeLowered(*compilation.lowered),
            describeCode(*compilation.lowered, *compilation.code),
            describeMachine(*compilation.lowered, *compilation.code, compiler.machineListings(compilation))};
}

// The program lines that an item leads to; they include 0 if a source item has no place in the program.
std::set<std::uint32_t> programLines(const DocumentItem &item, const SourceMap &sources)
{
    std::set<std::uint32_t> lines;
    for (const std::uint32_t source : item.sources) {
        const SourceRange range = sources.programRange(SourceId(source));
        const bool isInProgram = range.file == sources.file(SourceMap::programFile()).name;
        lines.insert(isInProgram ? range.line : 0);
    }
    return lines;
}

TEST_P(Provenance, everyItemLeadsToAProgramLine)
{
    std::string missing;
    for (const char *device : kDevices) {
        SCOPED_TRACE(device);
        if (const std::string reason = whyUnavailable(device); !reason.empty()) {
            missing += reason;
            continue;
        }
        const Compilation compilation = compiled(device);
        ASSERT_TRUE(compilation.succeeded) << toText(compilation.diagnostics);
        for (const StageDocumentPtr &document : documentsOf(m_compiler, compilation)) {
            SCOPED_TRACE(document->title);
            // The interpreter has no machine code for what it interprets.
            EXPECT_FALSE(document->items.empty() && document->kind != StageKind::Machine);
            for (const DocumentItem &item : document->items) {
                const std::set<std::uint32_t> lines = programLines(item, *compilation.sources);
                EXPECT_FALSE(lines.empty()) << item.label;
                EXPECT_FALSE(lines.contains(0)) << item.label;
            }
        }
    }
    if (!missing.empty())
        GTEST_SKIP() << "not on all devices: " << missing;
}

// The loops, instructions, lines and machine code of a kernel belong to no other kernel.
TEST_P(Provenance, everyKernelIsInEveryStage)
{
    const Compilation compilation = compiled("llvm");
    ASSERT_TRUE(compilation.succeeded) << toText(compilation.diagnostics);
    const std::size_t kernels = compilation.schedule->kernels.size();
    for (const StageDocumentPtr &document : documentsOf(m_compiler, compilation)) {
        if (document->kind == StageKind::Program || document->kind == StageKind::Graph)
            continue;
        SCOPED_TRACE(document->title);
        std::set<std::uint32_t> found;
        for (const DocumentItem &item : document->items)
            found.insert(item.kernel);
        found.erase(kNoIndex);
        EXPECT_EQ(found.size(), kernels);
    }
}

TEST_P(Provenance, everyNodeIsInOneKernelOrAViewOrALeaf)
{
    for (const char *device : kDevices) {
        SCOPED_TRACE(device);
        if (!whyUnavailable(device).empty())
            continue; // everyItemLeadsToAProgramLine reports it
        const Compilation compilation = compiled(device);
        ASSERT_TRUE(compilation.succeeded) << toText(compilation.diagnostics);
        const Graph &graph = *compilation.graph;
        std::vector<std::size_t> kernels(graph.size());
        for (const ScheduledKernel &kernel : compilation.schedule->kernels) {
            EXPECT_FALSE(kernel.members.empty()) << kernel.name;
            for (const NodeId member : kernel.members)
                ++kernels[member.value];
        }
        for (std::size_t i = 0; i < graph.size(); ++i) {
            const NodeFamily family = familyOf(graph.node(NodeId(i)).kind);
            const bool isTransfer = sw::isTransfer(graph.node(NodeId(i)).kind);
            const bool mayBeOutside =
                family == NodeFamily::Leaf || family == NodeFamily::Movement || family == NodeFamily::Root || isTransfer;
            EXPECT_LE(kernels[i], 1U) << "%" << i;
            EXPECT_TRUE(kernels[i] == 1 || mayBeOutside) << "%" << i << " " << operationText(graph.node(NodeId(i)));
        }
    }
}

// Lines and machine instructions that belong to one lowered instruction, or are known to be the frame of the kernel, a spill, or
// address arithmetic. The rest is other work of the compiler and has only the kernel as its origin. The line of an
// instruction comes from the compiler, or, if it gave none, is inferred: it is the line of the first reader of the register
// (constant_lines.h).
struct Located {
    std::size_t known = 0;
    std::size_t inferred = 0; // how many of those were inferred
    std::size_t all = 0;

    void add(const std::vector<std::string> &tags)
    {
        ++all;
        known += std::ranges::find(tags, nameOf(CodeTag::Compiler)) == tags.end() && !tags.empty() ? 1 : 0;
        inferred += std::ranges::find(tags, kInferredTag) != tags.end() ? 1 : 0;
    }
    [[nodiscard]] double givenShare() const
    {
        return all == 0 ? 1 : static_cast<double>(known - inferred) / static_cast<double>(all);
    }
    [[nodiscard]] double share() const { return all == 0 ? 1 : static_cast<double>(known) / static_cast<double>(all); }
};

class ProvenanceShare : public ProgramTest {};

TEST_F(ProvenanceShare, mostGeneratedCodeIsLocated)
{
    for (const char *device : kDevices) {
        if (!whyUnavailable(device).empty())
            continue;
        Located code;
        Located machine;
        ProgramCompiler compiler(m_registry);
        for (const std::filesystem::path &file : exampleFiles()) {
            const Compilation compilation = compiler.compile(requestFor(file, device), {});
            ASSERT_TRUE(compilation.succeeded) << toText(compilation.diagnostics);
            const auto sources = describeCode(*compilation.lowered, *compilation.code);
            for (const DocumentLine &line : sources->lines)
                if (line.item != kNoIndex)
                    code.add(line.tags);
            // The interpreter has no machine code, but other devices named by the program do.
            if (std::string_view(device) == "interpreter" && compilation.schedule->devices.size() > 1)
                continue;
            const auto document = describeMachine(*compilation.lowered, *compilation.code, compiler.machineListings(compilation));
            for (const DocumentItem &item : document->items)
                machine.add(item.tags);
        }
        EXPECT_GT(code.all, 0U);
        EXPECT_EQ(machine.all == 0, std::string_view(device) == "interpreter"); // it runs instructions, not machine code
        EXPECT_GE(code.share(), kLocatedShare) << device << ": " << code.known << " of " << code.all << " lines";
        EXPECT_GE(machine.share(), kLocatedShare) << device << ": " << machine.known << " of " << machine.all << " instructions";
        RecordProperty(std::string(device) + "_code", format("{:.4f}", code.share()));
        EXPECT_GE(machine.givenShare(), kGivenShare)
            << device << ": " << machine.known << " of " << machine.all << " instructions, " << machine.inferred << " inferred";
        RecordProperty(std::string(device) + "_machine", format("{:.4f}", machine.share()));
        RecordProperty(std::string(device) + "_machine_given", format("{:.4f}", machine.givenShare()));
        std::cout << format("{}: {:.1f} % of {} machine instructions located, {:.1f} % by the compiler itself\n", device,
                            100 * machine.share(), machine.all, 100 * machine.givenShare());
    }
}

INSTANTIATE_TEST_SUITE_P(All, Provenance, testing::ValuesIn(exampleFiles()),
                         [](const auto &test) { return parameterName(test.param); });

} // namespace
} // namespace sw::test
