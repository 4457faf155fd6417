#include "tests/fuzz/loops_under_test.h"

#include "engine/accuracy/error_bounds.h"
#include "engine/accuracy/first_difference.h"
#include "engine/api/explanation.h"
#include "engine/api/front_end.h"
#include "engine/api/resources.h"
#include "engine/execute/input_values.h"
#include "engine/execute/reference_graph.h"
#include "engine/loops/join.h"
#include "engine/loops/queries.h"
#include "engine/loops/transform.h"
#include "engine/loops/verifier.h"
#include "engine/pipeline/pipeline.h"

#include <algorithm>
#include <exception>
#include <utility>

namespace sw {

namespace {

constexpr std::size_t kMostInstructions = 20000;
constexpr std::uint64_t kInputSeed = 3;

struct Lowered {
    LoopProgramPtr plain; // before anything is chosen
    LoopProgramPtr loops;
    LoweredProgramPtr program;
};

Result<Lowered> lowered(const GraphPtr &graph, const CompileTarget &target)
{
    const PipelineRun run = runPipeline(graph, standardPipeline(), target, {});
    if (!run.succeeded)
        return Failure(run.diagnostics);
    Lowered made;
    for (const PassStep &step : run.steps)
        if (step.pass->id == "choose-transforms") {
            made.plain = std::get<LoopProgramPtr>(step.before);
            made.loops = std::get<LoopProgramPtr>(step.after);
        }
    made.program = std::get<LoweredProgramPtr>(run.last);
    return made;
}

bool saysBeyond(const Diagnostics &errors)
{
    return !errors.empty() && std::ranges::all_of(errors, [](const Diagnostic &error) {
        return error.code == Code::Limit || exitClassOf(error.code) == ExitClass::Unsupported;
    });
}

bool isEqual(const HostTensor &a, const HostTensor &b)
{
    return a.dtype() == b.dtype() && a.shape() == b.shape() && std::ranges::equal(a.bytes(), b.bytes());
}

// Whether all sums that are rounded at each step are added up in the order in which the plain loops do it, in one accumulator.
bool keepsOrder(const LoopNest &plain, const LoopNest &nest)
{
    for (std::size_t i = 0; i < nest.stages.size(); ++i)
        if (!keepsOrder(plain.stages[i], nest.stages[i]))
            return false;
    for (std::size_t i = 0; i < nest.reductions.size(); ++i) {
        const Reduction &before = plain.reductions[i];
        const Reduction &reduction = nest.reductions[i];
        if (!roundsEachStep(reduction.op, reduction.dtype))
            continue;
        if (reduction.joined || !joinedTo(nest, ReductionId(i)).empty())
            return false; // perhaps to distances; the loops are the leader's
        std::vector<AxisId> inOrder;
        for (const AxisId axis : reduction.axes)
            for (const AxisId leaf : leavesOf(nest, axis))
                inOrder.push_back(leaf);
        // A loop that is written out may be brought to another place.
        const auto isStepByStep = [&](AxisId leaf) {
            return nest.axes[leaf.value].type == AxisType::Reduce && nest.axes[leaf.value].copies == 1;
        };
        if (before.order != before.axes || reduction.axes != before.axes || reduction.order != inOrder || reduction.isTiled ||
            blockLoopOf(nest) || !std::ranges::all_of(inOrder, isStepByStep))
            return false;
    }
    return true;
}

} // namespace

Result<LoopsUnderTest> LoopsUnderTest::prepare(DeviceUnderTest &device, const SmallProgram &program, MultiplyAdd multiplyAdd)
{
    LoopsUnderTest made(device, program);
    made.m_options.contract = multiplyAdd == MultiplyAdd::Fused;
    SW_CHECK(made.readProgram());
    if (program.isInStages)
        SW_CHECK(made.askForStages());
    SW_TRY(const Lowered chosen, lowered(made.m_graph, device.target(made.m_options)));
    made.m_plain = chosen.plain;
    SW_CHECK(made.runPlain());
    return made;
}

Result<Done> LoopsUnderTest::readProgram()
{
    ProgramInput input;
    input.fileName = m_program.name + ".sw";
    input.text = m_program.text;
    input.isText = true;
    input.resourceFolder = findResourceFolder();
    const FrontEndResult opened = openProgram(input, {});
    if (!opened.stage)
        return Failure(opened.diagnostics);
    m_graph = std::get<GraphPtr>(*opened.stage);
    for (const SymbolicBindings &dimensions : m_program.runs) {
        Run run;
        SW_TRY(run.inputs, placeholderValues(*m_graph, {}, kInputSeed, dimensions));
        SW_TRY(const GraphPtr reference, referenceGraphOf(m_graph, dimensions));
        SW_TRY(BoundedOutputs expected, interpretWithBounds(*reference, run.inputs));
        run.expected = std::move(expected.values);
        run.bounds = std::move(expected.bounds);
        m_runs.push_back(std::move(run));
    }
    return Done{};
}

Result<Done> LoopsUnderTest::askForStages()
{
    SW_TRY(const Lowered apart, lowered(m_graph, m_device.target(m_options)));
    const Schedule &schedule = *apart.plain->schedule;
    const auto stored = std::ranges::find_if(schedule.decisions, [](const FusionDecision &decision) {
        return !decision.isFused && decision.rule == "reduction-into-reduction";
    });
    if (stored == schedule.decisions.end())
        return Diagnostic::error(Code::Internal, {}, "{} stores no sum for another one", m_program.name);
    m_options.overrides.items = {oppositeOf(*stored, ValuePaths(*schedule.graph))};
    SW_TRY(const Lowered together, lowered(m_graph, m_device.target(m_options)));
    if (std::ranges::all_of(together.plain->nests, [](const auto &nest) { return nest->stages.empty(); }))
        return Diagnostic::error(Code::Internal, {}, "{} has no kernel in stages", m_program.name);
    return Done{};
}

Result<Done> LoopsUnderTest::runPlain()
{
    std::vector<LoopNest> nests;
    for (const auto &nest : m_plain->nests)
        nests.push_back(*nest);
    SW_TRY(const CompileOptions options, optionsWith(nests));
    SW_TRY(const Lowered made, lowered(m_graph, m_device.target(options)));
    for (Run &run : m_runs) {
        SW_TRY(const std::vector<NamedTensor> outputs, m_device.runProgram(made.program, run.inputs));
        for (const NamedTensor &output : outputs)
            run.plain.push_back(output.value);
        if (const std::string fault = faultOf(run, outputs, false); !fault.empty())
            return Diagnostic::error(Code::Internal, {}, "{} with plain loops: {}", m_program.name, fault);
        if (m_program.isExact && !m_options.contract && !std::ranges::equal(run.plain, run.expected, isEqual))
            return Diagnostic::error(Code::Internal, {}, "{} with plain loops is not the reference to the last bit",
                                     m_program.name);
    }
    return Done{};
}

Result<CompileOptions> LoopsUnderTest::optionsWith(std::span<const LoopNest> nests) const
{
    CompileOptions options = m_options;
    const ValuePaths paths(*schedule().graph);
    for (const LoopNest &nest : nests)
        options.overrides.items.push_back(loopsOf(nest, schedule(), paths));
    SW_TRY(options.overrides, parseOverrides(printOverrides(options.overrides), m_program.name + ".overrides"));
    return options;
}

ListTrial LoopsUnderTest::tried(std::span<const LoopNest> nests) const
{
    const Result<CompileOptions> options = optionsWith(nests);
    if (!options)
        return {.verdict = ListVerdict::Wrong, .told = toText(options.error())};
    ListTrial trial = tried(*options);
    // A legal list that is not used would prove nothing.
    for (std::size_t i = m_options.overrides.items.size(); trial.loops != nullptr && i < trial.loops->overrides.size(); ++i)
        if (const OverrideOutcome &outcome = trial.loops->overrides[i]; outcome.state != OverrideState::Applied)
            return {.verdict = ListVerdict::Wrong,
                    .told = format("{} is {}: {}", toText(options->overrides.items[i]), nameOf(outcome.state), outcome.reason)};
    return trial;
}

ListTrial LoopsUnderTest::tried(const CompileOptions &options) const
{
    try {
        const Result<Lowered> made = lowered(m_graph, m_device.target(options));
        if (!made)
            return {.verdict = ListVerdict::Wrong, .told = toText(made.error())};
        return judged(made->loops, made->program);
    } catch (const std::exception &exception) {
        return {.verdict = ListVerdict::Wrong, .told = toText(diagnosticOf(exception))};
    }
}

ListTrial LoopsUnderTest::judged(const LoopProgramPtr &loops, const LoweredProgramPtr &program) const
{
    ListTrial trial{.loops = loops, .isExact = mustBeExact(*loops)};
    std::size_t instructions = 0;
    for (const LoweredKernel &kernel : program->kernels)
        instructions += kernel.instructions.size();
    if (instructions > kMostInstructions) {
        trial.verdict = ListVerdict::TooLarge;
        return trial;
    }
    for (const Run &run : m_runs) {
        const auto outputs = m_device.runProgram(program, run.inputs);
        trial.told = outputs ? faultOf(run, *outputs, trial.isExact) : toText(outputs.error());
        if (!trial.told.empty()) {
            trial.verdict = !outputs && saysBeyond(outputs.error()) ? ListVerdict::Beyond : ListVerdict::Wrong;
            return trial;
        }
    }
    return trial;
}

std::string LoopsUnderTest::faultOf(const Run &run, const std::vector<NamedTensor> &outputs, bool isExact) const
{
    if (outputs.size() != run.expected.size())
        return format("{} outputs, not {}", outputs.size(), run.expected.size());
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        const HostTensor &value = outputs[i].value;
        if (const auto difference = firstDifference(run.expected[i], value, run.bounds[i]))
            return format("output {}: {}", outputs[i].name, *difference);
        if (isExact && !isEqual(run.plain[i], value))
            return format("output {} differs from that of plain loops, though all is computed in the same order: {}",
                          outputs[i].name,
                          firstDifference(run.plain[i], value, HostTensor(DType::F64, value.shape()), {.zeroSigns = true})
                              .value_or("in bits that are no number"));
    }
    return {};
}

// With multiply-adds, which products are fused depends on how often a kernel computes them.
bool LoopsUnderTest::mustBeExact(const LoopProgram &loops) const
{
    if (m_options.contract)
        return false;
    for (std::size_t i = 0; i < loops.nests.size(); ++i)
        if (!keepsOrder(*m_plain->nests.at(i), *loops.nests[i]))
            return false;
    return true;
}

std::string LoopsUnderTest::replayOf(std::vector<LoopNest> nests) const
{
    for (std::size_t i = 0; i < nests.size(); ++i) {
        const std::vector<Transform> all = nests[i].transforms;
        const LoopNest &plain = *m_plain->nests[i];
        for (std::size_t count = plain.transforms.size(); count < all.size(); ++count) {
            std::vector<LoopNest> shorter = nests;
            shorter[i] = withFirstTransforms(plain, all, count);
            if (!verifyLoops(shorter[i], schedule()) || tried(shorter).verdict != ListVerdict::Wrong)
                continue;
            nests = std::move(shorter);
            break;
        }
    }
    const Result<CompileOptions> options = optionsWith(nests);
    return format("{}with the inputs of seed {}{}:\n{}", m_program.text, kInputSeed,
                  m_options.contract ? "" : ", products and sums rounded apart",
                  options ? printOverrides(options->overrides) : toText(options.error()));
}

} // namespace sw
