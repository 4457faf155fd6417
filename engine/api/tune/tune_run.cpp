#include "engine/api/tune/tune_run.h"

#include "engine/api/explanation.h"
#include "engine/api/kernel_variant.h"
#include "engine/api/override_notes.h"
#include "engine/api/sweep.h"
#include "engine/api/tune/kernel_bench.h"
#include "engine/passes/loops/contraction_price.h"
#include "engine/passes/loops/tuning_key.h"
#include "engine/schedule/item_walk.h"

#include <algorithm>
#include <map>

namespace sw {

namespace {

using Clock = std::chrono::steady_clock;

constexpr double kLeastShare = 0.03;      // of the time: what takes less does not matter
constexpr std::uint32_t kShareRounds = 5; // that the shares are measured in

class TuneRun {
public:
    TuneRun(ProgramCompiler &compiler, const TunePlan &plan, const CompileRequest &request,
            const std::function<RunInputs(const Compilation &)> &inputs, std::vector<KernelTuning> &tunings,
            const std::stop_token &stop, const TuneObserver &observer)
        : m_compiler(compiler),
          m_plan(plan),
          m_request(request),
          m_inputs(inputs),
          m_tunings(tunings),
          m_stop(stop),
          m_observer(observer)
    {
    }

    Result<Done> run()
    {
        SW_CHECK(compile());
        SW_TRY(const std::vector<Chosen> chosen, choose());
        for (std::size_t i = 0; i < chosen.size() && !m_stop.stop_requested(); ++i) {
            double left = 0; // of the shares
            for (std::size_t j = i; j < chosen.size(); ++j)
                left += chosen[j].share;
            m_tunings.push_back(begun(chosen[i]));
            SW_CHECK(tune(chosen[i].kernel, left > 0 ? chosen[i].share / left : 1));
        }
        if (m_stop.stop_requested())
            return Diagnostic::error(Code::Cancelled, {}, "the tuning was stopped");
        return Done{};
    }

private:
    struct Chosen {
        KernelId kernel;
        double share = 1;
    };

    Result<Done> compile()
    {
        CompileRequest request = m_request;
        request.until = CompileUntil::Machine;
        request.options.tunings.reset(); // candidates are compared with the compiler's own choice
        m_compilation = m_compiler.compile(request, m_stop);
        if (m_compilation.cancelled)
            return Diagnostic::error(Code::Cancelled, {}, "the tuning was stopped");
        if (!m_compilation.succeeded)
            return Failure(m_compilation.diagnostics);
        if (m_compilation.loops == nullptr)
            return Diagnostic::error(Code::Unsupported, {}, "the kernels of this text are lowered already: there are no loops");
        m_runInputs = m_inputs(m_compilation);
        return Done{};
    }

    Result<std::vector<Chosen>> choose()
    {
        const std::vector<ScheduledKernel> &kernels = m_compilation.schedule->kernels;
        std::vector<Chosen> chosen;
        if (!m_plan.kernel.empty()) {
            const auto found = std::ranges::find(kernels, m_plan.kernel, &ScheduledKernel::name);
            if (found == kernels.end())
                return Diagnostic::error(Code::Argument, {}, "there is no kernel {}; there are {}", sw::quoted(m_plan.kernel),
                                         join(kernels, ", ", [](const ScheduledKernel &known) { return known.name; }));
            chosen.push_back({KernelId(static_cast<std::size_t>(found - kernels.begin()))});
            return chosen;
        }
        SW_TRY(const std::vector<double> shares, measuredShares());
        for (std::size_t i = 0; i < kernels.size(); ++i)
            chosen.push_back({KernelId(i), shares[i]});
        mergeLikes(chosen);
        std::ranges::stable_sort(chosen, std::ranges::greater(), &Chosen::share);
        std::erase_if(chosen, [](const Chosen &one) { return one.share < kLeastShare; });
        return chosen;
    }

    // Kernels of one structure count together.
    void mergeLikes(std::vector<Chosen> &chosen) const
    {
        std::map<std::string, std::size_t> first;
        std::vector<Chosen> merged;
        for (const Chosen &one : chosen) {
            const auto [at, isNew] = first.emplace(keyOf(one.kernel), merged.size());
            if (isNew)
                merged.push_back(one);
            else
                merged[at->second].share += one.share;
        }
        chosen = std::move(merged);
    }

    Result<std::vector<double>> measuredShares()
    {
        SW_TRY(std::vector<OpenedDevice *> devices, m_compiler.openedDevices(m_compilation));
        SW_TRY(const auto values, inputValues(*m_compilation.graph, m_runInputs));
        SW_TRY(const auto executor,
               Executor::prepare(std::move(devices), m_compilation.program, values, {}, m_runInputs.dimensions));
        SW_TRY(const ExecutionResult result, executor->run({.warmup = 1, .repeats = kShareRounds}, m_stop));
        std::vector<double> shares;
        double all = 0;
        const std::vector<bool> isOfLoad = loadKernelsOf(*m_compilation.schedule); // what takes no time of a run
        for (std::size_t kernel = 0; kernel < result.kernels.size(); ++kernel) {
            shares.push_back(isOfLoad[kernel] ? 0 : static_cast<double>(result.kernels[kernel].median.count()));
            all += shares.back();
        }
        for (double &share : shares)
            share = all > 0 ? share / all : 0;
        return shares;
    }

    [[nodiscard]] std::string keyOf(KernelId kernel) const
    {
        const LoopNest *plain = plainNest(m_compilation, kernel);
        return plain == nullptr ? format("kernel {}", kernel.value)
                                : tuningKeyOf(*m_compilation.schedule, *plain, deviceOf(m_compilation, kernel));
    }

    [[nodiscard]] KernelTuning begun(const Chosen &chosen) const
    {
        KernelTuning tuning;
        tuning.kernel = m_compilation.schedule->kernel(chosen.kernel).name;
        tuning.id = chosen.kernel.value;
        tuning.device = deviceOf(m_compilation, chosen.kernel).id;
        tuning.key = keyOf(chosen.kernel);
        tuning.share = chosen.share;
        return tuning;
    }

    // Why a kernel has no loops to search for; empty: it has.
    [[nodiscard]] std::string obstacleOf(KernelId kernel) const
    {
        const LoopNest *plain = plainNest(m_compilation, kernel);
        if (plain == nullptr || !m_compilation.target.options.optimize)
            return "its loops are not transformed";
        if (deviceOf(m_compilation, kernel).kind != DeviceKind::Cpu)
            return format("{} is no CPU: the search shares the loops out among threads", deviceOf(m_compilation, kernel).id);
        if (!plain->unrolls.empty())
            return "the program says how its loops are written out";
        if (m_compilation.target.options.strict && mayReassociate(*plain))
            return "the option strict keeps the order of its reductions";
        const std::vector<OverrideOutcome> outcomes = outcomesOf(m_compilation);
        const ValuePaths paths(*m_compilation.graph);
        const std::vector<Override> &items = m_compilation.target.options.overrides.items;
        for (std::size_t i = 0; i < std::min(items.size(), outcomes.size()); ++i)
            if (items[i].kind == OverrideKind::Loops && outcomes[i].state == OverrideState::Applied &&
                m_compilation.schedule->kernelOf(paths.find(items[i].value)) == kernel)
                return format("the override {} gives its loops", sw::quoted(titleOf(items[i])));
        if (m_compilation.hasEditedCode())
            return "the program has kernels with edited code";
        return {};
    }

    // part: of what is left of the budget.
    Result<Done> tune(KernelId kernel, double part)
    {
        KernelTuning &tuning = m_tunings.back();
        tuning.problem = obstacleOf(kernel);
        if (!tuning.problem.empty()) {
            tell();
            return Done{};
        }
        const LoopNest &plain = *plainNest(m_compilation, kernel);
        const std::vector<Transform> &whole = m_compilation.loops->nests.at(kernel.value)->transforms;
        tuning.first = plain.transforms;
        tuning.value = loopsOf(plain, *m_compilation.schedule, ValuePaths(*m_compilation.schedule->graph)).value;
        const TransformList model(whole.begin() + static_cast<std::ptrdiff_t>(plain.transforms.size()), whole.end());
        Result<std::unique_ptr<KernelBench>> bench = KernelBench::prepare(m_compiler, m_compilation, kernel, m_runInputs, m_stop);
        if (!bench) {
            tuning.problem = bench.error().front().message;
            if (bench.error().front().code == Code::Run) { // it does not run with these inputs: others can be tuned
                tell();
                return Done{};
            }
            return m_stop.stop_requested() ? Result<Done>(Done{}) : Result<Done>(bench.failure());
        }
        tuning.values = (*bench)->ruleOfValues();
        search(kernel, plain, model, **bench, part);
        return finish();
    }

    void search(KernelId kernel, const LoopNest &plain, const TransformList &model, KernelBench &bench, double part)
    {
        KernelTuning &tuning = m_tunings.back();
        const Clock::time_point begin = Clock::now();
        SearchPlan plan{.seed = m_plan.seed, .candidates = m_plan.candidates};
        if (m_plan.budget.count() != 0) {
            const auto left = std::max(m_plan.budget - (begin - m_begin), Clock::duration(1));
            plan.budget = std::chrono::duration_cast<std::chrono::nanoseconds>(left * part);
        }
        if (m_plan.known != nullptr)
            if (const auto found = m_plan.known->byKey.find(tuning.key); found != m_plan.known->byKey.end())
                plan.kept.push_back(found->second.transforms);
        const PassContext context(m_compilation.target.device, m_compilation.target.language, m_compilation.target.options, {},
                                  kNoRewriteLimit, m_compilation.target.others);
        const SearchTools tools{
            .tryOut = [&](const Candidate &, const LoopNest &nest, const Candidate *) { return bench.tryOut(nest, m_stop); },
            .confirm = [&](const LoopNest &) { return bench.compareBestWithFirst(m_stop); },
            .predict = [&](const LoopNest &nest) { return contractionCycles(*m_compilation.schedule, plain, nest, context); },
            .elapsed = [begin] { return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin); }};
        DeviceInfo device = deviceOf(m_compilation, kernel);
        if (!m_compilation.target.options.tensorInstructions)
            device.tensorInstructions = 0;
        const SearchSpace space(*m_compilation.schedule, plain, device);
        tuning.search = searchTransforms(space, model, plan, tools, m_stop, [&](const SearchResult &soFar) {
            tuning.search = soFar;
            tuning.correlation = rankCorrelation(soFar.candidates);
            tell();
        });
        tuning.correlation = rankCorrelation(tuning.search.candidates);
    }

    Result<Done> finish()
    {
        KernelTuning &tuning = m_tunings.back();
        if (tuning.search.end == SearchEnd::Failed)
            tuning.problem = tuning.search.candidates.front().trial.told;
        if (tuning.search.candidates.empty() || tuning.search.end == SearchEnd::Failed) {
            tell();
            return Done{};
        }
        tell();
        return Done{};
    }

    void tell() const
    {
        if (m_observer)
            m_observer(m_tunings);
    }

    ProgramCompiler &m_compiler;
    const TunePlan &m_plan;
    const CompileRequest &m_request;
    const std::function<RunInputs(const Compilation &)> &m_inputs;
    std::vector<KernelTuning> &m_tunings;
    const std::stop_token &m_stop;
    const TuneObserver &m_observer;
    Compilation m_compilation;
    RunInputs m_runInputs;
    Clock::time_point m_begin = Clock::now();
};

} // namespace

double KernelTuning::gain() const
{
    if (search.candidates.empty() || search.candidates[search.best].time <= 0)
        return 1;
    return 1 / search.candidates[search.best].time;
}

std::string overrideOf(const KernelTuning &tuning, std::size_t candidate)
{
    Override loops{.kind = OverrideKind::Loops, .value = tuning.value, .transforms = tuning.first};
    const TransformList &own = tuning.search.candidates.at(candidate).transforms;
    loops.transforms.insert(loops.transforms.end(), own.begin(), own.end());
    return toText(loops);
}

Result<Done> runTuning(ProgramCompiler &compiler, const TunePlan &plan, const CompileRequest &request,
                       const std::function<RunInputs(const Compilation &)> &inputs, std::vector<KernelTuning> &tunings,
                       const std::stop_token &stop, const TuneObserver &observer)
{
    return TuneRun(compiler, plan, request, inputs, tunings, stop, observer).run();
}

std::string relativeTimeText(const Candidate &candidate)
{
    return candidate.time > 0 ? format("{:.2f}", candidate.time) : "-";
}

std::string verdictOf(const SearchResult &search, std::size_t candidate)
{
    const CandidateTrial &trial = search.candidates.at(candidate).trial;
    if (candidate == search.best)
        return candidate == 0 ? "the best, and the model's choice" : "the best";
    switch (trial.state) {
    case TrialState::Timed:
        if (candidate == 0)
            return "the model's choice";
        return trial.isFaster ? "the best for a while" : "no faster";
    case TrialState::Slower:
        return trial.told.empty() ? "slower" : "slower: " + trial.told;
    case TrialState::Wrong:
    case TrialState::Failed:
    case TrialState::TooLarge:
    case TrialState::Stopped:
        return trial.told.empty() ? std::string(nameOf(trial.state)) : format("{}: {}", nameOf(trial.state), trial.told);
    }
    SW_UNREACHABLE();
}

std::string changesOf(const TransformList &model, const TransformList &list)
{
    const auto linesOf = [](const TransformList &of) {
        std::vector<std::string> lines;
        for (const Transform &transform : of)
            lines.push_back(toText(transform));
        return lines;
    };
    const std::vector<KernelDecisions> before{{"", linesOf(model)}};
    const std::vector<KernelDecisions> after{{"", linesOf(list)}};
    const std::vector<std::string> changes = changedDecisions(before, after);
    if (changes.empty())
        return "the model's choice";
    const std::string &text = changes.front();
    return text.starts_with(": ") ? text.substr(2) : text;
}

} // namespace sw
