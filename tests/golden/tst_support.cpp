// What runs where: a program for each kind of node on every device, as on a GPU too, compared with its meaning; and the
// instructions that these programs become. The result is the table resources/docs/support.md; SW_UPDATE_GOLDEN=1 in the
// environment writes it, if every device is available.

#include "tests/golden/node_samples.h"
#include "tests/golden/program_fixture.h"
#include "tests/support/gpu_in_name.h"

#include "engine/execute/input_values.h"
#include "tests/support/meaning.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

namespace sw::test {
namespace {

constexpr const char *kDevices[] = {"interpreter", "llvm", "c", "opencl"};

// How a program is compiled: for the device as it is, or for groups of work items.
enum class ItemLayout { Own, Groups };

// Where an instruction of a kind occurs on a device; the first of these that exists.
struct Met {
    std::string kernels;  // the node whose program has it in its kernels
    std::string groups;   // the same, in groups
    std::string passedBy; // the pass that replaces it by others
};

// Every kind of instruction except Custom, whose text is in one language; in groups of four items.
constexpr std::string_view kEveryInstruction =
    R"(kernel "every" symbol "every" id 0 global [8, 1, 1] local [4, 1, 1] arguments [0, 1, 2]
  %out = define_global f32[32] argument 0 written
  %in = define_global f32[32] argument 1
  %sizes = define_global i64[1] argument 2
  %shared = local f32[4]
  %scratch = buffer f32[4]
  %gx = special global_x
  %lx = special local_x
  %zero = const i64 0
  %one = const i64 1
  %two = const i64 2
  %four = const i64 4
  %n = define_var i64 %sizes[%zero] from 0 to 8
  %base = mul i64 %gx, %four
  %row = load f32x4 %in[%base]
  %half = const f32 0.5
  %sum = acc f32
  assign f32 %sum, %half
  block name "steps"
    %u = unroll %four by 2
      %at = add i64 %base, %u
      %x = load f32 %in[%at]
      %more = add f32 %sum, %x
      assign f32 %sum, %more
    end_range %u
    %r = range %two
      store f32 %scratch[%r], %sum
    end_range %r
  end_block
  noop
  %own = load f32 %scratch[%one]
  store f32 %shared[%lx], %own
  barrier
  %isFirst = cmpeq bool %lx, %zero
  if %isFirst
    %a = load f32 %shared[%one]
    store f32 %shared[%zero], %a
  end_if
  barrier
  %given = load f32 %shared[%zero]
  %inside = index_check bool %lx bound 4 axis 0
  %isKnown = cmplt bool %gx, %n
  %isWanted = and bool %inside, %isKnown
  prefetch f32 %in[%gx]
  %masked = masked_load f32 %in[%gx], %isWanted, %half
  %i0 = add i64 %base, %two
  %i1 = add i64 %base, %one
  %places = ptrcat f32x2 %in[%i0, %i1]
  %pair = load f32x2 %places[%one]
  %left = gep f32 %pair[1]
  %identity = vconst f32x4 [1.0, 0.0, 0.0, 1.0]
  %same = shuffle f32x4 %row, %row [4, 1, 6, 3]
  %tile = wmma f32x4 %same, %identity, %row rows 2
  %bits = bitcast i32 %left
  %back = bitcast f32 %bits
  %whole = cast i32 %given
  %rounded = cast f32 %whole
  %all = vectorize f32x4 %masked, %back, %rounded, %given
  %result = add f32x4 %tile, %all
  store f32x4 %out[%base], %result
end
)";

std::filesystem::path tableFile()
{
    return sourceFolder() / "resources/docs/support.md";
}

class Support : public ProgramTest {
protected:
    Support() { addGpusInName(m_gpus); }

    static CompileRequest requestOf(const NodeSample &sample, const std::string &device)
    {
        CompileRequest request;
        request.program.fileName = format("{}.sw", nameOf(sample.kind));
        request.program.isText = true;
        request.program.text = format("{}\n", sample.text);
        request.program.resourceFolder = (sourceFolder() / "resources").string();
        request.device = device;
        request.until = CompileUntil::Machine;
        return request;
    }

    // Empty if nothing is wrong.
    std::string faultOf(const NodeSample &sample, const std::string &device, ItemLayout layout)
    {
        ProgramCompiler compiler(layout == ItemLayout::Groups ? m_gpus : m_registry);
        const Compilation compilation = compiler.compile(requestOf(sample, device), {});
        if (!compilation.succeeded)
            return toText(compilation.diagnostics);
        note(sample, device, layout, compilation);
        const GraphPtr program = std::get<GraphPtr>(compilation.pipeline.steps.front().before);
        const auto values = placeholderValues(*program, {}, 1);
        if (!values)
            return toText(values.error());
        const auto expected = meaningAndLimitsOf(program, *values);
        const auto result = run(compiler, requestOf(sample, device));
        if (!expected || !result)
            return toText(expected ? result.error() : expected.error());
        for (std::size_t i = 0; i < expected->values.size(); ++i) {
            const HostTensor &actual = result->outputs[i].value;
            if (!expected->compared(i, actual).equal)
                return format("output {} differs", i);
        }
        return result->faults.empty() ? std::string() : toText(result->faults);
    }

    // Records the passes that remove the last node or instruction of a kind, and the instructions of the kernels.
    void note(const NodeSample &sample, const std::string &device, ItemLayout layout, const Compilation &compilation)
    {
        const auto has = [&](const Stage &stage) {
            const auto *graph = std::get_if<GraphPtr>(&stage);
            return graph != nullptr &&
                   std::ranges::any_of((*graph)->nodes(), [&](const Node &n) { return n.kind == sample.kind; });
        };
        EXPECT_TRUE(has(compilation.pipeline.steps.front().before)) << "no " << nameOf(sample.kind) << " in its program";
        std::string &pass = m_passes[sample.kind][device];
        for (const PassStep &step : compilation.pipeline.steps) {
            if (has(step.before) && std::holds_alternative<GraphPtr>(step.after) && !has(step.after))
                pass = format("`{}`", step.pass->id);
            noteInstructions(step, device);
        }
        for (const LoweredKernel &kernel : compilation.lowered->kernels) {
            for (const Instruction &instruction : kernel.instructions) {
                Met &met = m_met[instruction.kind][device];
                std::string &place = layout == ItemLayout::Groups ? met.groups : met.kernels;
                if (place.empty())
                    place = format("`{}`", nameOf(sample.kind));
            }
        }
    }

    void noteInstructions(const PassStep &step, const std::string &device)
    {
        const auto kindsOf = [](const Stage &stage) {
            std::set<InstructionKind> kinds;
            if (const auto *program = std::get_if<LoweredProgramPtr>(&stage))
                for (const LoweredKernel &kernel : (*program)->kernels)
                    for (const Instruction &instruction : kernel.instructions)
                        kinds.insert(instruction.kind);
            return kinds;
        };
        const std::set<InstructionKind> after = kindsOf(step.after);
        for (const InstructionKind kind : kindsOf(step.before))
            if (!after.contains(kind))
                m_met[kind][device].passedBy = format("`{}`", step.pass->id);
    }

    [[nodiscard]] bool isHere(const std::string &device) const { return whyUnavailable(device).empty(); }

    [[nodiscard]] std::string instructionCell(InstructionKind kind, const std::string &device) const
    {
        if (!isHere(device))
            return "?";
        const auto found = m_met.find(kind);
        const Met met = found != m_met.end() && found->second.contains(device) ? found->second.at(device) : Met();
        if (!met.kernels.empty())
            return met.kernels;
        if (!met.groups.empty())
            return met.groups + ", in groups";
        if (!met.passedBy.empty())
            return met.passedBy;
        if (kind == InstructionKind::Custom) // no program of the interpreter is in a language of its own
            return m_passes.at(NodeKind::Custom).at(device);
        const bool isInText = std::ranges::any_of(std::string_view(" \n"), [&](char end) {
            return kEveryInstruction.find(format(" {}{}", nameOf(kind), end)) != std::string_view::npos;
        });
        return isInText ? "text" : "";
    }

    [[nodiscard]] std::string nodeCell(NodeKind kind, const std::string &device) const
    {
        const auto pass = m_passes.at(kind).find(device);
        return pass == m_passes.at(kind).end() ? "?" : pass->second.empty() ? "kernels" : pass->second;
    }

    [[nodiscard]] std::string table() const
    {
        std::string header;
        std::string rule;
        for (const char *const device : kDevices) {
            header += format(" {} |", device);
            rule += " --- |";
        }
        std::string text =
            "# What runs where\n\nThis table is made by running a program for every kind of node on every device, as it is and "
            "in groups of work items as\non a GPU, and comparing the results with what the graph means. "
            "`tests/golden/node_samples.cpp` has the programs.\n\n"
            "## Nodes\n\nA node is computed in kernels, or the pass named here writes it with others before.\n\n";
        text += format("| node |{}\n| --- |{}\n", header, rule);
        for (const NodeSample &sample : nodeSamples()) {
            text += format("| `{}` |", nameOf(sample.kind));
            for (const char *const device : kDevices)
                text += format(" {} |", nodeCell(sample.kind, device));
            text += "\n";
        }
        text += "\n## Instructions\n\nThe node whose program first has the instruction in its finished kernels, or the pass that "
                "writes it with others where no\nkernel keeps it. `text`: no program needs it there; it is run from lowered "
                "text.\n\n";
        text += format("| instruction |{}\n| --- |{}\n", header, rule);
        for (const InstructionKind kind : allInstructionKinds()) {
            text += format("| `{}` |", nameOf(kind));
            for (const char *const device : kDevices)
                text += format(" {} |", instructionCell(kind, device));
            text += "\n";
        }
        return text;
    }

    BackendRegistry m_gpus;
    std::map<NodeKind, std::map<std::string, std::string>> m_passes; // by kind, then device; empty: none
    std::map<InstructionKind, std::map<std::string, Met>> m_met;     // by kind, then device
};

// Cells of devices that are not available may differ.
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
        for (const char *const device : kDevices) {
            areAllHere = areAllHere && isHere(device);
            for (const ItemLayout layout : {ItemLayout::Own, ItemLayout::Groups}) {
                if (isHere(device)) {
                    EXPECT_EQ(faultOf(sample, device, layout), "")
                        << nameOf(sample.kind) << " on " << device << (layout == ItemLayout::Groups ? " in groups" : "");
                }
            }
        }
    }
    for (const NodeKind kind : allNodeKinds())
        EXPECT_TRUE(shown.contains(kind)) << "no program for " << nameOf(kind);
    for (const InstructionKind kind : allInstructionKinds())
        for (const char *const device : kDevices)
            EXPECT_NE(instructionCell(kind, device), "") << nameOf(kind) << " is nowhere on " << device;
    if (areAllHere && std::getenv("SW_UPDATE_GOLDEN") != nullptr) {
        std::ofstream(tableFile()) << table();
        return;
    }
    std::stringstream stored;
    stored << std::ifstream(tableFile()).rdbuf();
    expectSameTable(stored.str(), table());
}

TEST_F(Support, loweredTextWithEveryInstructionGivesTheSameOnEveryDevice)
{
    std::vector<double> in;
    for (int i = 0; i < 32; ++i)
        in.push_back(static_cast<double>(i));
    std::vector<double> expected;
    for (int gx = 0; gx < 8; ++gx) {
        const int base = 4 * gx;
        const int first = 4 * (gx / 4 * 4 + 1); // in the row of the second item of the group
        const double given = 0.5 + static_cast<double>(4 * first + 6);
        const double left = static_cast<double>(base + 2);
        const double more[] = {gx < 5 ? static_cast<double>(gx) : 0.5, left, std::trunc(given), given};
        for (int lane = 0; lane < 4; ++lane)
            expected.push_back(2 * static_cast<double>(base + lane) + more[lane]);
    }
    CompileRequest request;
    request.program.fileName = "every.lowered";
    request.program.isText = true;
    request.program.text = kEveryInstruction;
    request.program.dimensions = {{"sizes", 5}};
    for (const char *const device : kDevices) {
        if (!isHere(device))
            continue;
        request.device = device;
        ProgramCompiler compiler(m_registry);
        const auto result = run(compiler, request, {{"in", HostTensor::ofValues(DType::F32, Shape{32}, in)}});
        ASSERT_TRUE(result) << device << toText(result.error());
        for (std::size_t i = 0; i < expected.size(); ++i)
            EXPECT_EQ(result->outputs.at(0).value.at(static_cast<std::int64_t>(i)).asDouble(), expected[i]) << device << " " << i;
    }
}

} // namespace
} // namespace sw::test
