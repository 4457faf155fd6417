// What runs where: a program for each kind of node on every device, as on a GPU too, compared with what it means; and the
// instructions that these programs become. resources/docs/support.md is the table that comes of it; SW_UPDATE_GOLDEN=1 in the
// environment writes it, where every device is there.

#include "tests/golden/gpu_in_name.h"
#include "tests/golden/node_samples.h"
#include "tests/golden/program_fixture.h"

#include "engine/execute/compare.h"
#include "engine/execute/input_values.h"
#include "tests/support/meaning.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

namespace sw::test {
namespace {

struct SupportColumn {
    const char *title;
    const char *device;
    bool isAsGpu;
};

constexpr SupportColumn kColumns[] = {{"interpreter", "interpreter", false},
                                      {"llvm", "llvm", false},
                                      {"c", "c", false},
                                      {"opencl", "opencl", false},
                                      {"opencl, groups as on a GPU", "opencl", true}};

// By kind, then column: the first sample whose kernels have the instruction there.
using Reached = std::map<InstructionKind, std::map<std::string, NodeKind>>;

// Instructions that every finished kernel of these programs lacks, and why. All can be written in lowered text.
const std::map<InstructionKind, const char *> kNotInKernels = {
    {InstructionKind::Local, "no kernel shares memory among the items of a group yet"},
    {InstructionKind::Barrier, "as local"},
    {InstructionKind::If, "what is not wanted is masked, not jumped over"},
    {InstructionKind::EndIf, "as if"},
    {InstructionKind::Noop, "left by a pass where an instruction went away; the pass remove-dead-instructions takes it away"},
};

std::filesystem::path tableFile()
{
    return sourceFolder() / "resources/docs/support.md";
}

class Support : public ProgramTest {
protected:
    Support() { m_gpus.add(std::make_unique<GpuInName>()); }

    static CompileRequest requestOf(const NodeSample &sample, const SupportColumn &column, CompileUntil until)
    {
        CompileRequest request;
        request.program.fileName = format("{}.sw", nameOf(sample.kind));
        request.program.isText = true;
        request.program.text = format("{}\n", sample.text);
        request.program.resourceFolder = (sourceFolder() / "resources").string();
        request.device = column.device;
        request.until = until;
        return request;
    }

    // Nothing is wrong when this is empty.
    std::string faultOf(const NodeSample &sample, const SupportColumn &column)
    {
        ProgramCompiler compiler(column.isAsGpu ? m_gpus : m_registry);
        const Compilation compilation = compiler.compile(requestOf(sample, column, CompileUntil::Machine), {});
        if (!compilation.succeeded)
            return toText(compilation.diagnostics);
        note(sample, column, compilation);
        const GraphPtr program = std::get<GraphPtr>(compilation.pipeline.steps.front().before);
        const auto values = placeholderValues(*program, {}, 1);
        if (!values)
            return toText(values.error());
        const auto expected = meaningOf(*program, *values);
        const auto result = run(compiler, requestOf(sample, column, CompileUntil::Machine));
        if (!expected || !result)
            return toText(expected ? result.error() : expected.error());
        for (std::size_t i = 0; i < expected->size(); ++i) {
            const HostTensor &actual = result->outputs[i].value;
            if (!compareTensors((*expected)[i], actual, toleranceOf(actual.dtype())).equal)
                return format("output {} differs", i);
        }
        return result->faults.empty() ? std::string() : toText(result->faults);
    }

    // The pass that takes the last node of the kind away, and the instructions of the kernels.
    void note(const NodeSample &sample, const SupportColumn &column, const Compilation &compilation)
    {
        const auto has = [&](const Stage &stage) {
            const auto *graph = std::get_if<GraphPtr>(&stage);
            return graph != nullptr &&
                   std::ranges::any_of((*graph)->nodes(), [&](const Node &n) { return n.kind == sample.kind; });
        };
        EXPECT_TRUE(has(compilation.pipeline.steps.front().before)) << "no " << nameOf(sample.kind) << " in its program";
        std::string &pass = m_passes[sample.kind][column.title];
        for (const PassStep &step : compilation.pipeline.steps)
            if (has(step.before) && std::holds_alternative<GraphPtr>(step.after) && !has(step.after))
                pass = format("`{}`", step.pass->id);
        for (const LoweredKernel &kernel : compilation.lowered->kernels)
            for (const Instruction &instruction : kernel.instructions)
                m_reached[instruction.kind].try_emplace(column.title, sample.kind);
    }

    [[nodiscard]] bool isHere(const SupportColumn &column) const { return whyUnavailable(column.device).empty(); }

    [[nodiscard]] std::string table() const
    {
        std::string header;
        std::string rule;
        for (const SupportColumn &column : kColumns) {
            header += format(" {} |", column.title);
            rule += " --- |";
        }
        std::string text =
            "# What runs where\n\nThis table is made by running a program for every kind of node on every device and "
            "comparing the results with what the graph\nmeans. `tests/golden/node_samples.cpp` has the programs.\n\n"
            "## Nodes\n\nA node is computed in kernels, or the pass named here writes it with others before.\n\n";
        text += format("| node |{}\n| --- |{}\n", header, rule);
        for (const NodeSample &sample : nodeSamples()) {
            text += format("| `{}` |", nameOf(sample.kind));
            for (const SupportColumn &column : kColumns) {
                const auto &passes = m_passes.at(sample.kind);
                const auto pass = passes.find(column.title);
                text += pass == passes.end() ? " ? |" : pass->second.empty() ? " kernels |" : format(" {} |", pass->second);
            }
            text += "\n";
        }
        text += "\n## Instructions\n\nThe node whose program first has the instruction in its kernels. A dash says that no "
                "program here needs it there.\n\n";
        text += format("| instruction |{}\n| --- |{}\n", header, rule);
        for (const InstructionKind kind : allInstructionKinds()) {
            text += format("| `{}` |", nameOf(kind));
            const auto found = m_reached.find(kind);
            for (const SupportColumn &column : kColumns) {
                const bool isReached = found != m_reached.end() && found->second.contains(column.title);
                text += isReached ? format(" `{}` |", nameOf(found->second.at(column.title))) : isHere(column) ? " - |" : " ? |";
            }
            text += "\n";
        }
        return text;
    }

    BackendRegistry m_gpus;
    std::map<NodeKind, std::map<std::string, std::string>> m_passes; // by kind, then column; empty: none
    Reached m_reached;
};

// Cells of devices that are not here are as they may be.
void expectSameTable(const std::string &expected, const std::string &found)
{
    std::istringstream wanted(expected);
    std::istringstream made(found);
    std::string left;
    std::string right;
    while (std::getline(made, right)) {
        ASSERT_TRUE(std::getline(wanted, left)) << "more than the table has: " << right;
        if (right.find(" ? |") == std::string::npos) {
            EXPECT_EQ(left, right);
        }
    }
    EXPECT_FALSE(std::getline(wanted, left)) << "not found any more: " << left;
}

TEST_F(Support, everyNodeGivesItsMeaningOnEveryDevice)
{
    std::set<NodeKind> shown;
    bool areAllHere = true;
    for (const NodeSample &sample : nodeSamples()) {
        EXPECT_TRUE(shown.insert(sample.kind).second) << nameOf(sample.kind);
        for (const SupportColumn &column : kColumns) {
            areAllHere = areAllHere && isHere(column);
            if (isHere(column)) {
                EXPECT_EQ(faultOf(sample, column), "") << nameOf(sample.kind) << " on " << column.title;
            }
        }
    }
    for (const NodeKind kind : allNodeKinds())
        EXPECT_TRUE(shown.contains(kind)) << "no program for " << nameOf(kind);
    for (const InstructionKind kind : allInstructionKinds())
        if (areAllHere) {
            EXPECT_NE(m_reached.contains(kind), kNotInKernels.contains(kind)) << nameOf(kind);
        }
    if (areAllHere && std::getenv("SW_UPDATE_GOLDEN") != nullptr) {
        std::ofstream(tableFile()) << table();
        return;
    }
    std::stringstream stored;
    stored << std::ifstream(tableFile()).rdbuf();
    expectSameTable(stored.str(), table());
}

} // namespace
} // namespace sw::test
