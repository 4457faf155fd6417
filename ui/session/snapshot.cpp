#include "ui/session/snapshot.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <string_view>

namespace stepwell::ui {

namespace {

constexpr std::uint32_t kIdentityColors = 12;

std::uint32_t hashOf(std::string_view text)
{
    std::uint32_t hash = 2166136261U;
    for (const char c : text)
        hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
    return hash;
}

// The colour comes from the name; a colour used by another kernel is skipped while there are unused ones.
std::vector<KernelIdentity> identitiesOf(const std::vector<sw::KernelEntry> &kernels)
{
    std::vector<KernelIdentity> identities;
    std::array<std::uint32_t, kIdentityColors> uses{};
    for (std::size_t i = 0; i < kernels.size(); ++i) {
        const std::uint32_t fewest = *std::ranges::min_element(uses);
        std::uint32_t color = hashOf(withoutKernelNumber(kernels[i].name)) % kIdentityColors;
        while (uses[color] > fewest)
            color = (color + 1) % kIdentityColors;
        ++uses[color];
        identities.push_back({QStringLiteral("K%1").arg(i), color});
    }
    return identities;
}

// Kernels are the same if their names match without the number, and equally many of that name come before them.
std::vector<std::uint32_t> sameKernels(const std::vector<sw::KernelEntry> &of, const std::vector<sw::KernelEntry> &among)
{
    std::map<std::string_view, std::vector<std::uint32_t>> byName;
    for (std::uint32_t i = 0; i < among.size(); ++i)
        byName[withoutKernelNumber(among[i].name)].push_back(i);
    std::map<std::string_view, std::size_t> seen;
    std::vector<std::uint32_t> same;
    for (const sw::KernelEntry &kernel : of) {
        const std::string_view name = withoutKernelNumber(kernel.name);
        const std::size_t number = seen[name]++;
        const std::vector<std::uint32_t> &candidates = byName[name];
        same.push_back(number < candidates.size() ? candidates[number] : sw::kNoIndex);
    }
    return same;
}

// The identities of the kernels in a schedule, which contains their names.
std::vector<KernelIdentity> identitiesOf(const sw::StageDocument &schedule)
{
    std::vector<sw::KernelEntry> kernels;
    for (const sw::DocumentItem &item : schedule.items)
        if (std::ranges::find(item.tags, "kernel") != item.tags.end() && item.kernel == kernels.size())
            kernels.emplace_back().name = item.label;
    return identitiesOf(kernels);
}

} // namespace

std::string_view withoutKernelNumber(std::string_view name)
{
    const std::size_t underscore = name.find('_');
    if (underscore == std::string_view::npos || underscore < 2 || name[0] != 'k')
        return name;
    const auto number = name.substr(1, underscore - 1);
    const bool isNumber = std::ranges::all_of(number, [](char c) { return c >= '0' && c <= '9'; });
    return isNumber ? name.substr(underscore + 1) : name;
}

const sw::StageDocumentPtr &documentOf(const sw::Report &report, sw::StageKind kind)
{
    switch (kind) {
    case sw::StageKind::Program:
        return report.program;
    case sw::StageKind::Graph:
        return report.graph;
    case sw::StageKind::Schedule:
        return report.schedule;
    case sw::StageKind::Loops:
        return report.loops;
    case sw::StageKind::Lowered:
        return report.lowered;
    case sw::StageKind::Code:
        return report.code;
    case sw::StageKind::Machine:
        return report.machine;
    }
    Q_UNREACHABLE();
}

SnapshotPtr makeSnapshot(const SnapshotPtr &earlier, const sw::ReportPtr &report, std::uint64_t compilation, bool isFinal)
{
    auto snapshot = earlier ? std::make_shared<Snapshot>(*earlier) : std::make_shared<Snapshot>();
    snapshot->report = report;
    snapshot->compilation = compilation;
    snapshot->isFinal = isFinal;
    for (const sw::StageKind kind : kStages) {
        const sw::StageDocumentPtr &document = documentOf(*report, kind);
        if (!document)
            continue;
        StageView &view = snapshot->stages[indexOf(kind)];
        if (view.document != document)
            view.partners = std::make_shared<const PartnerIndex>(*document);
        view.document = document;
        view.compilation = compilation;
    }
    const StageView &graph = snapshot->stage(sw::StageKind::Graph);
    StageView &program = snapshot->stages[indexOf(sw::StageKind::Program)];
    const bool isNewGraph = report->graph && (!earlier || earlier->stage(sw::StageKind::Graph).document != report->graph);
    if (isNewGraph && program.document && program.compilation == graph.compilation)
        program.partners =
            std::make_shared<const PartnerIndex>(*program.document, kernelsOfItems(*program.document, *graph.document));
    if (!report->kernels.empty() || (isFinal && report->succeeded)) {
        snapshot->good = report;
        snapshot->goodCompilation = compilation;
        snapshot->kernels = identitiesOf(report->kernels);
    }
    if (report->totalMedianNanoseconds) {
        snapshot->measured = report;
        snapshot->measuredCompilation = compilation;
    }
    if (snapshot->measured && snapshot->good)
        snapshot->kernelsOfMeasured = sameKernels(snapshot->measured->kernels, snapshot->good->kernels);
    return snapshot;
}

MomentStagesPtr makeMomentStages(const Snapshot &end, const sw::MomentDocuments &documents, sw::MomentPlace place,
                                 std::uint64_t compilation)
{
    auto made = std::make_shared<MomentStages>();
    made->place = place;
    made->compilation = compilation;
    made->isEmpty = documents.isEmpty();
    made->rewrite = documents.rewrite;
    const std::pair<sw::StageKind, const sw::MomentStage *> stages[] = {{sw::StageKind::Graph, &documents.graph},
                                                                        {sw::StageKind::Schedule, &documents.schedule},
                                                                        {sw::StageKind::Loops, &documents.loops},
                                                                        {sw::StageKind::Lowered, &documents.lowered}};
    for (const auto &[kind, stage] : stages) {
        if (!stage->document)
            continue;
        const StageView &last = end.stage(kind);
        StageView &view = made->stages[indexOf(kind)];
        view = {stage->document,
                last.document == stage->document ? last.partners : std::make_shared<const PartnerIndex>(*stage->document),
                compilation, stage->marks};
    }
    StageView &program = made->stages[indexOf(sw::StageKind::Program)];
    program = end.stage(sw::StageKind::Program);
    if (program.document && documents.graph.document && documents.graph.document != end.stage(sw::StageKind::Graph).document)
        program.partners =
            std::make_shared<const PartnerIndex>(*program.document, kernelsOfItems(*program.document, *documents.graph.document));
    if (documents.schedule.document)
        made->kernels = identitiesOf(*documents.schedule.document);
    return made;
}

SnapshotPtr atMoment(const SnapshotPtr &end, const MomentStagesPtr &moment)
{
    auto snapshot = std::make_shared<Snapshot>(*end);
    snapshot->moment = moment;
    snapshot->kernels = moment->kernels;
    for (const sw::StageKind kind : {sw::StageKind::Graph, sw::StageKind::Schedule, sw::StageKind::Loops, sw::StageKind::Lowered})
        snapshot->stages[indexOf(kind)] = moment->stages[indexOf(kind)];
    // If the program was edited since, the newer one stays.
    if (end->stage(sw::StageKind::Program).compilation == moment->compilation)
        snapshot->stages[indexOf(sw::StageKind::Program)] = moment->stages[indexOf(sw::StageKind::Program)];
    return snapshot;
}

} // namespace stepwell::ui
