#include "engine/api/trial.h"

#include "engine/api/effect.h"
#include "engine/api/override_notes.h"
#include "engine/pipeline/pipeline.h"

#include <algorithm>

namespace sw {

namespace {

bool isOfEdge(const Override &item)
{
    return item.kind == OverrideKind::Fuse || item.kind == OverrideKind::Apart;
}

bool isSameVariant(const EditedCode &a, const EditedCode &b)
{
    return a.device == b.device && a.form == b.form && a.name == b.name;
}

} // namespace

bool areAboutTheSame(const Override &a, const Override &b)
{
    if (a.kind == OverrideKind::Code && b.kind == OverrideKind::Code && !isSameVariant(a.code, b.code))
        return false;
    return a.value == b.value && a.reader == b.reader && (a.kind == b.kind || (isOfEdge(a) && isOfEdge(b)));
}

Overrides withOverride(Overrides overrides, const Override &item)
{
    std::erase_if(overrides.items, [&](const Override &other) { return areAboutTheSame(other, item); });
    overrides.items.push_back(item);
    return overrides;
}

std::optional<Trial> tryOverride(const Compilation &compilation, const Override &item, std::span<const DeviceFigures> figures,
                                 const std::stop_token &stop)
{
    if (compilation.pipeline.steps.empty() || levelOf(compilation.pipeline.steps.front().before) != StageLevel::Graph)
        return std::nullopt;
    CompileTarget target = compilation.target;
    target.options.overrides = withOverride(target.options.overrides, item);
    const PipelineRun run = runPipeline(compilation.pipeline.steps.front().before, standardPipeline(), target, stop);
    if (run.cancelled || stop.stop_requested())
        return std::nullopt;
    if (!run.succeeded)
        return Trial{{OverrideState::Refused, run.diagnostics.empty() ? "" : run.diagnostics.front().message}, {}};
    const auto &lowered = std::get<LoweredProgramPtr>(run.last);
    const LoopProgram *loops = nullptr;
    for (const PassStep &step : run.steps)
        if (const auto *program = std::get_if<LoopProgramPtr>(&step.after))
            loops = program->get();
    const std::span<const OverrideOutcome> outcomes = outcomesOf(*lowered->schedule, loops);
    return Trial{outcomes.empty() ? OverrideOutcome() : outcomes.back(),
                 programFigures(*lowered->schedule, lowered.get(), figures)};
}

void addAlternative(WhyCard &card, const Compilation &compilation, std::span<const DeviceFigures> figures,
                    const std::stop_token &stop)
{
    const auto one = std::ranges::find(card.tries, false, &WhyTry::isRemoval);
    if (one == card.tries.end() || card.subject == WhySubject::Kernel)
        return;
    const Result<Overrides> read = parseOverrides(printOverrides({}) + one->override, {});
    SW_ASSERT(read.has_value(), "a card offers an override that can be read");
    const std::optional<Trial> trial = tryOverride(compilation, read->items.front(), figures, stop);
    if (!trial)
        return;
    card.alternative = format("with \"{}\"", one->override);
    if (trial->outcome.state == OverrideState::Applied && trial->figures)
        card.changes = changesBetween(programFigures(*compilation.schedule, compilation.lowered.get(), figures), *trial->figures);
    else
        card.obstacles = {trial->outcome.reason.empty() ? "it changes nothing" : trial->outcome.reason};
}

} // namespace sw
