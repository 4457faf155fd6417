// Why lowered instructions are as they are: every form has its row, every number is computed again, and the transformation that a
// card names is what made the instruction so.

#include "engine/api/device_figures.h"
#include "engine/api/explorer.h"
#include "engine/api/instruction_card.h"
#include "engine/api/kernel_trace.h"
#include "engine/api/resources.h"
#include "engine/backend/native_backends.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace sw {
namespace {

class InstructionCards : public testing::Test {
protected:
    InstructionCards() { addNativeBackends(m_registry); }

    Compilation compiled(const ProgramInput &program)
    {
        CompileRequest request;
        request.program = program;
        request.program.resourceFolder = findResourceFolder();
        request.until = CompileUntil::Lowered;
        Compilation compilation = m_compiler.compile(request, {});
        EXPECT_TRUE(compilation.succeeded) << toText(compilation.diagnostics);
        return compilation;
    }
    Compilation example(const std::string &name)
    {
        ProgramInput program;
        program.fileName = findResourceFolder() + "/examples/" + name + ".sw";
        return compiled(program);
    }
    template <class Check>
    static void forEach(const Compilation &compilation, const Check &check)
    {
        const ValuePaths paths(*compilation.schedule->graph);
        const Explained of{*compilation.schedule, paths, compilation.loops.get(), {}};
        for (const LoweredKernel &kernel : compilation.lowered->kernels)
            for (std::uint32_t i = 0; i < kernel.instructions.size(); ++i)
                check(kernel, InstructionId(i), instructionCard(of, kernel, InstructionId(i)));
    }

    BackendRegistry m_registry;
    ProgramCompiler m_compiler{m_registry};
};

double amountOf(const WhyCard &card, std::string_view name)
{
    const auto found = std::ranges::find(card.numbers, name, &WhyNumber::name);
    return found == card.numbers.end() ? -1 : found->amount;
}

TEST_F(InstructionCards, everyFormAndEveryNumberHasItsRow)
{
    const Result<std::string> docs = readTextFile(findResourceFolder() + "/docs/instructions.md");
    ASSERT_TRUE(docs);
    for (const InstructionForm &form : instructionForms())
        EXPECT_NE(docs->find(format("| `{}` |", form.id)), std::string::npos) << form.id;
    std::set<std::string> forms;
    for (const char *name : {"softmax", "matmul", "mlp", "attention", "layer_norm", "conv", "reductions", "views", "gelu"})
        forEach(example(name), [&](const LoweredKernel &, InstructionId, const WhyCard &card) {
            forms.insert(card.rule);
            EXPECT_FALSE(card.ruleDoc.empty() || card.decision.empty());
            for (const WhyNumber &number : card.numbers)
                EXPECT_NE(docs->find(format("| {} |", number.name)), std::string::npos) << number.name;
        });
    for (const char *form : {"vector-access", "scalar-access", "fused-multiply-add", "accumulator", "loop", "work-item", "vector",
                             "index", "scalar", "structure"})
        EXPECT_TRUE(forms.contains(form)) << form;
}

TEST_F(InstructionCards, whatIsFetchedAheadNamesItsTransformation)
{
    // More rows, and more panels of weights, than the cache of a core holds.
    const std::array<std::pair<const char *, const char *>, 2> programs{
        {{"input x: f32[4096, 4096]\noutput softmax(x)\n", "prefetch"},
         {"input x: f32[56, 256]\nparam w: f32[256, 16384] = random(9)\noutput x @ w\n", "stream"}}};
    for (const auto &[text, transformation] : programs) {
        SCOPED_TRACE(text);
        ProgramInput program;
        program.fileName = "rows.sw";
        program.text = text;
        program.isText = true;
        std::size_t fetched = 0;
        forEach(compiled(program), [&](const LoweredKernel &kernel, InstructionId id, const WhyCard &card) {
            EXPECT_EQ(card.rule == "fetched-ahead", kernel.instruction(id).kind == InstructionKind::Prefetch);
            if (card.rule != "fetched-ahead")
                return;
            ++fetched;
            EXPECT_NE(toText(card).find(format("{} v", transformation)), std::string::npos) << toText(card);
            ASSERT_FALSE(card.tries.empty());
            EXPECT_EQ(card.tries.front().override.find(transformation), std::string::npos) << card.tries.front().override;
        });
        EXPECT_GT(fetched, 0U);
    }
}

TEST_F(InstructionCards, numbersFollowFromTheInstruction)
{
    for (const char *name : {"softmax", "matmul", "attention", "views"}) {
        const Compilation compilation = example(name);
        forEach(compilation, [&](const LoweredKernel &kernel, InstructionId id, const WhyCard &card) {
            SCOPED_TRACE(toText(card));
            const Instruction &instruction = kernel.instruction(id);
            EXPECT_EQ(amountOf(card, "work items"),
                      static_cast<double>(kernel.globalSize[0] * kernel.globalSize[1] * kernel.globalSize[2]));
            if (amountOf(card, "at once") >= 0) {
                EXPECT_EQ(amountOf(card, "lanes"), instruction.lanes);
                EXPECT_EQ(amountOf(card, "at once"), instruction.lanes * static_cast<double>(bytesOf(instruction.dtype)));
                EXPECT_EQ(amountOf(card, "the device's vectors"),
                          static_cast<double>(compilation.schedule->device(kernel.device).vectorBytes));
            }
            int copies = 0;
            for (const Instruction &other : kernel.instructions)
                copies += other.kind == instruction.kind && other.op == instruction.op && other.dtype == instruction.dtype &&
                          other.lanes == instruction.lanes && other.origin == instruction.origin &&
                          other.name == instruction.name;
            EXPECT_EQ(amountOf(card, "copies"), copies);
        });
    }
}

// What the cards say of loads and stores, added up, is what a run does.
TEST_F(InstructionCards, runsAreCountedByTheRun)
{
    Explorer explorer(m_registry, findResourceFolder());
    int compared = 0;
    for (const char *name : {"softmax", "matmul", "layer_norm", "gelu"}) {
        const Compilation compilation = example(name);
        ExploreRequest request;
        request.fileName = findResourceFolder() + "/examples/" + name + ".sw";
        request.isFile = true;
        request.compileMachineCode = false;
        ASSERT_TRUE(explorer.compile(request, {}, {})->succeeded);
        std::vector<std::pair<double, double>> sums(compilation.lowered->kernels.size());
        std::vector<bool> isSure(sums.size(), true);
        forEach(compilation, [&](const LoweredKernel &kernel, InstructionId id, const WhyCard &card) {
            const Instruction &instruction = kernel.instruction(id);
            const bool isLoad = instruction.kind == InstructionKind::Load;
            if (instruction.kind == InstructionKind::If || instruction.kind == InstructionKind::MaskedLoad)
                isSure[kernel.kernel.value] = false;
            if ((!isLoad && instruction.kind != InstructionKind::Store) ||
                kernel.instruction(instruction.operands[0]).kind != InstructionKind::DefineGlobal)
                return;
            (isLoad ? sums[kernel.kernel.value].first : sums[kernel.kernel.value].second) += amountOf(card, "runs");
        });
        for (std::uint32_t kernel = 0; kernel < sums.size(); ++kernel) {
            if (!isSure[kernel])
                continue;
            const TraceOpening opening = explorer.openKernel(kernel, {});
            ASSERT_TRUE(opening.trace) << opening.error;
            const Result<LineCounts> counts = opening.trace->countLines({}, {});
            ASSERT_TRUE(counts && counts->isWhole);
            EXPECT_EQ(sums[kernel].first, static_cast<double>(counts->reads)) << name << kernel;
            EXPECT_EQ(sums[kernel].second, static_cast<double>(counts->writes)) << name << kernel;
            ++compared;
        }
    }
    EXPECT_GE(compared, 4);
}

// Without the transformation that the card names, no instruction of its kind has so many lanes.
TEST_F(InstructionCards, theNamedTransformationMadeItSo)
{
    ProgramInput program;
    program.fileName = "rows.sw";
    program.text = "input x: f32[64, 64]\noutput y = exp(x) * 2\n";
    program.isText = true;
    const Compilation compilation = compiled(program);
    const std::vector<DeviceFigures> figures = figuresOf(compilation.target, nullptr);
    int seen = 0;
    forEach(compilation, [&](const LoweredKernel &kernel, InstructionId id, const WhyCard &card) {
        if (card.rule != "vector-access")
            return;
        ++seen;
        ASSERT_EQ(card.parts.size(), 1U);
        EXPECT_EQ(card.parts.front().heading, "made so by");
        EXPECT_EQ(card.parts.front().rule, "set_type");
        ASSERT_FALSE(card.tries.empty());
        const Result<Overrides> read = parseOverrides("stepwell overrides 1\n" + card.tries.front().override, {});
        ASSERT_TRUE(read) << toText(read.error());
        CompileRequest request;
        request.program = program;
        request.program.resourceFolder = findResourceFolder();
        request.until = CompileUntil::Lowered;
        request.options.overrides = *read;
        const Compilation without = m_compiler.compile(request, {});
        ASSERT_TRUE(without.succeeded) << toText(without.diagnostics);
        const InstructionKind kind = kernel.instruction(id).kind;
        for (const Instruction &other : without.lowered->kernels[0].instructions)
            EXPECT_FALSE(other.kind == kind && other.lanes == kernel.instruction(id).lanes);
    });
    EXPECT_EQ(seen, 2);
}

TEST_F(InstructionCards, theExplorerAnswersForLoweredLinesAndWhatWasMadeFromThem)
{
    Explorer explorer(m_registry, findResourceFolder());
    ExploreRequest request;
    request.fileName = "rows.sw";
    request.text = "input x: f32[64, 64]\noutput y = exp(x) * x\n"; // read twice, so that the load is an instruction of its own
    const ReportPtr report = explorer.compile(request, {}, {});
    ASSERT_TRUE(report && report->succeeded);
    const ReportPtr read = explorer.readMachineCode({0}, {});
    ASSERT_TRUE(read);
    for (const StageKind stage : {StageKind::Lowered, StageKind::Code, StageKind::Machine}) {
        const StageDocumentPtr document = stage == StageKind::Lowered ? read->lowered
                                          : stage == StageKind::Code  ? read->code
                                                                      : read->machine;
        ASSERT_TRUE(document);
        int cards = 0;
        for (ItemIndex i = 0; i < document->items.size() && cards < 3; ++i) {
            const ItemIndex instruction = document->items[i].instruction;
            if (instruction == kNoIndex || read->lowered->items[instruction].tags.front() != "load")
                continue;
            const std::optional<WhyCard> card = explorer.why(stage, i, {});
            ASSERT_TRUE(card.has_value());
            SCOPED_TRACE(toText(*card));
            EXPECT_EQ(card->subject, WhySubject::Instruction);
            EXPECT_EQ(card->rule, "vector-access");
            EXPECT_FALSE(card->alternative.empty());
            EXPECT_TRUE(!card->changes.empty() || !card->obstacles.empty());
            EXPECT_NE(std::ranges::find(card->facts, "made by", &DocumentField::name), card->facts.end());
            ++cards;
        }
        EXPECT_GT(cards, 0) << static_cast<int>(stage);
    }
}

} // namespace
} // namespace sw
