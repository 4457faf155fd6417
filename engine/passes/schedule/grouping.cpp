#include "engine/passes/schedule/grouping.h"

#include "engine/graph/cat_lane.h"
#include "engine/ops/tensor_instructions.h"
#include "engine/passes/graph/narrow_products.h"
#include "engine/passes/schedule/asked_kernels.h"
#include "engine/passes/schedule/fusion_overrides.h"
#include "engine/passes/schedule/kernel_search.h"

#include <algorithm>
#include <unordered_set>

namespace sw {

namespace {

// A kernel while it grows.
struct GrowingKernel {
    KernelGroup group;
    KernelLoops loops;
    std::unordered_set<NodeId> operands; // that members read and that are not members (yet): each may become a buffer
    std::size_t results = 1;
    double points = 1; // of its largest loop nest
    NodeId contraction;
    std::int64_t contractionBytes = 0;
    NodeId otherReduction;
    std::uint32_t firstMember = 0;
};

// A producer as seen by one kernel that reads it.
struct Candidate {
    std::uint32_t kernel = kNoGroup;
    std::vector<const Read *> reads;
    std::vector<Place> places;              // distinct
    std::vector<std::vector<Place>> byRead; // those of each read
    std::vector<FusionVerdict> verdicts;    // of each read
    bool isAccepted = false;
    bool isAskedFor = false; // the kernel should compute it (fuse() in each read, or it costs nothing) and can
};

class Grower {
public:
    Grower(const Graph &graph, const PlacedFlow &placed, PassContext &context, GrowthPurpose purpose)
        : m_graph(graph),
          m_flow(placed.flow),
          m_slots(placed.slots),
          m_context(context),
          m_purpose(purpose),
          m_overrides(graph, placed.flow, context.options().overrides),
          m_facts(placed.facts),
          m_joins(placed.joins),
          m_places(graph.size()),
          m_reduceLoops(graph.size()),
          m_isInside(graph.size(), false),
          m_isNarrowFactor(castsOfNarrowFactors(graph, usableTensorInstructions(context)))
    {
        m_result.groupOf.assign(graph.size(), kNoGroup);
        m_result.evaluations.assign(graph.size(), 0);
    }

    Result<Grouping> grow() &&
    {
        for (std::size_t i = m_graph.size(); i-- > 0;) {
            if (m_context.isCancelled())
                return Diagnostic::error(Code::Cancelled, {}, "grouping was cancelled");
            if (m_flow.isComputed[i])
                place(NodeId(i));
        }
        if (!m_errors.empty())
            return Failure(std::move(m_errors));
        for (GrowingKernel &kernel : m_kernels) {
            std::reverse(kernel.group.members.begin(), kernel.group.members.end());
            std::reverse(kernel.group.results.begin(), kernel.group.results.end());
            m_result.groups.push_back(std::move(kernel.group));
        }
        std::stable_sort(m_result.decisions.begin(), m_result.decisions.end(),
                         [](const FusionDecision &a, const FusionDecision &b) {
                             return std::pair(a.consumer, a.producer) < std::pair(b.consumer, b.producer);
                         });
        m_result.overrides = std::move(m_overrides).outcomes(m_result);
        return std::move(m_result);
    }

private:
    void place(NodeId id)
    {
        std::vector<Candidate> candidates = candidatesOf(id);
        m_isStoredAnyway = m_flow.isOutput[id.value] || candidates.size() > 1;
        for (Candidate &candidate : candidates)
            judge(id, candidate);
        const Candidate *chosen = choose(id, candidates);
        if (m_flow.kernels[id.value].isValid() && m_graph.node(id).kind != NodeKind::Kernel)
            checkIsAsAskedFor(id, candidates, chosen);
        noteRepeats(id, candidates, chosen);
        if (chosen != nullptr)
            join(id, *chosen, candidates);
        else
            startKernel(id, candidates);
        decide(id, candidates, chosen);
        m_result.evaluations[id.value] = evaluationsOf(id);
        const auto isAsked = [this](const Read &read) { return isFuseAsked(read); };
        const std::vector<Read> &readers = m_flow.readers[id.value];
        m_isInside[id.value] = familyOf(m_graph.node(id).kind) == NodeFamily::Elementwise && !m_flow.isOutput[id.value] &&
                               !readers.empty() && std::ranges::all_of(readers, isAsked);
    }

    // True for the value that fuse() is called with, and for the elementwise work that only this value needs.
    [[nodiscard]] bool isFuseAsked(const Read &read) const
    {
        return read.isAskedFor || (m_isInside[read.consumer.value] && m_graph.node(read.producer).kind != NodeKind::ReduceAxis);
    }

    // Checks that a kernel() request is all in one kernel, with nothing else there.
    void checkIsAsAskedFor(NodeId id, const std::vector<Candidate> &candidates, const Candidate *chosen)
    {
        const NodeId asking = m_flow.kernels[id.value];
        const bool isShared = std::ranges::any_of(
            m_flow.readers[id.value], [&](const Read &read) { return m_flow.kernels[read.consumer.value] != asking; });
        if ((chosen != nullptr && !isShared) || !m_refusedKernels.insert(asking).second)
            return;
        const FusionVerdict *refusal = firstRefusal(candidates);
        const std::string reason = isShared || refusal == nullptr ? "its value is needed outside too" : refusal->reason;
        m_errors.push_back(notOneKernel(m_graph, asking, id, reason));
    }

    // Notes the kernels that should compute the value for themselves: all that may, except one that has it anyway.
    void noteRepeats(NodeId id, const std::vector<Candidate> &candidates, const Candidate *chosen)
    {
        const auto asked = std::ranges::count_if(candidates, &Candidate::isAskedFor);
        const bool isElsewhere = m_flow.isOutput[id.value] || asked < std::ssize(candidates);
        const Candidate *keeper = chosen;
        if (!isElsewhere && (chosen == nullptr || !chosen->isAskedFor) && !candidates.empty())
            keeper = &candidates.front();
        for (const Candidate &candidate : candidates) {
            if (!candidate.isAskedFor || &candidate == keeper)
                continue;
            AskedRepeat repeat{id, {}};
            for (const Read *read : candidate.reads)
                repeat.consumers.push_back(read->consumer);
            m_result.repeats.push_back(std::move(repeat));
        }
    }

    // The kernels that read a node, by ascending root.
    std::vector<Candidate> candidatesOf(NodeId id) const
    {
        std::vector<Candidate> candidates;
        for (const Read &read : m_flow.readers[id.value]) {
            const std::uint32_t kernel = m_result.groupOf[read.consumer.value];
            auto found =
                std::find_if(candidates.begin(), candidates.end(), [kernel](const Candidate &c) { return c.kernel == kernel; });
            if (found == candidates.end()) {
                candidates.push_back({kernel, {}, {}, {}, {}, false, false});
                found = std::prev(candidates.end());
            }
            found->reads.push_back(&read);
        }
        std::sort(candidates.begin(), candidates.end(), [this](const Candidate &a, const Candidate &b) {
            return m_kernels[a.kernel].group.root < m_kernels[b.kernel].group.root;
        });
        return candidates;
    }

    // The loops that a reduction runs at each of its places, made when first asked for.
    const std::vector<std::vector<std::uint32_t>> &reduceLoopsOf(NodeId reduction, GrowingKernel &kernel)
    {
        auto &loops = m_reduceLoops[reduction.value];
        const Node &node = m_graph.node(reduction);
        const Shape &input = m_graph.node(node.inputs[0]).shape;
        while (loops.size() < m_places[reduction.value].size())
            loops.push_back(kernel.loops.addReduceLoops(input, attributesOf<AxesAttributes>(node).axes));
        return loops;
    }

    std::vector<Place> placesThrough(const Read &read, GrowingKernel &kernel)
    {
        std::vector<Place> places;
        const Node &reader = m_graph.node(read.consumer);
        const std::vector<Place> &readerPlaces = m_places[read.consumer.value];
        const bool isOfParts = isCatOfParts(m_graph, reader);
        for (std::size_t i = 0; i < readerPlaces.size(); ++i) {
            if (read.kind != ReadKind::Reduced) {
                places.push_back(isOfParts ? kernel.loops.throughParts(readerPlaces[i], reader.shape, read.access)
                                           : kernel.loops.throughElements(readerPlaces[i], reader.shape, read.access));
                continue;
            }
            const std::vector<std::uint32_t> &loops = reduceLoopsOf(read.consumer, kernel)[i];
            const KernelLoops::Reduction reduction{m_graph.node(reader.inputs[0]).shape,
                                                   attributesOf<AxesAttributes>(reader).axes, loops};
            places.push_back(kernel.loops.throughReduction(readerPlaces[i], reduction, read.access));
        }
        return places;
    }

    void judge(NodeId id, Candidate &candidate)
    {
        GrowingKernel &kernel = m_kernels[candidate.kernel];
        for (const Read *read : candidate.reads) {
            std::vector<Place> places = placesThrough(*read, kernel);
            for (const Place &place : places)
                if (std::find(candidate.places.begin(), candidate.places.end(), place) == candidate.places.end())
                    candidate.places.push_back(place);
            candidate.byRead.push_back(std::move(places));
        }
        candidate.isAccepted = true;
        for (std::size_t i = 0; i < candidate.reads.size(); ++i) {
            candidate.verdicts.push_back(verdictOn(questionOf(id, candidate, i), id, candidate.reads[i]->consumer));
            candidate.isAccepted &= candidate.verdicts.back().isFused;
        }
        const bool isAsked = m_facts[id.value].isOfPlaces || isNarrowFactor(id) ||
                             std::ranges::all_of(candidate.reads, [this](const Read *read) { return isFuseAsked(*read); });
        candidate.isAskedFor = candidate.isAccepted && isAsked;
    }

    FusionVerdict verdictOn(FusionQuestion question, NodeId producer, NodeId consumer)
    {
        const FusionWish wish = m_overrides.wishFor(producer, consumer);
        FusionVerdict byRules = decideFusion(question);
        if (wish == FusionWish::None)
            return byRules;
        question.wish = wish;
        FusionVerdict verdict = decideFusion(question);
        if (verdict.isFused != byRules.isFused || m_joins.isDeclined(producer) || m_joins.isDeclined(consumer))
            m_overrides.noteDifference(producer, consumer);
        return verdict;
    }

    FusionQuestion questionOf(NodeId id, const Candidate &candidate, std::size_t index) const
    {
        const GrowingKernel &kernel = m_kernels[candidate.kernel];
        const Read &read = *candidate.reads[index];
        const Node &node = m_graph.node(id);
        const std::int64_t elements = node.shape.elements();
        FusionQuestion question{node, m_graph.node(read.consumer), m_facts[id.value]};
        question.kind = read.kind;
        question.storedView = m_flow.storedViews[id.value];
        question.isJoinedPart = m_joins.isPartOf(id, read.consumer);
        question.isJoinedWhole = m_joins.isWhole(id);
        question.isForPart = m_flow.storedViews[read.consumer.value] == StoredView::JoinedPart;
        question.isFuseAsked = isFuseAsked(read);
        addKernelWishes(m_graph, m_flow, read, question);
        question.isAcrossScan = m_flow.scans.bodyOf(id) != m_flow.scans.bodyOf(read.consumer);
        question.isAcrossBranch = m_flow.branches.of(id) != m_flow.branches.of(read.consumer);
        question.isAcrossLoad = m_flow.isOfLoad[id.value] && !m_flow.isOfLoad[read.consumer.value];
        question.isFusionOn = m_context.options().fuse;
        question.isWithinRewriteLimit = m_purpose == GrowthPurpose::Trial || m_context.mayRewrite();
        for (const Place &place : candidate.byRead[index]) {
            question.hasWholeAxis &= !m_facts[id.value].carriesContraction || hasWholeAxis(place.access, node.shape);
            question.place = std::max(question.place, kernel.loops.kindOf(place, elements));
            question.isMasked |= place.access.isMasked;
        }
        question.rows = elements;
        question.domainPoints = static_cast<std::int64_t>(std::min(kernel.points, 1e18));
        question.evaluations = 0;
        for (const Place &place : candidate.places) {
            const double evaluations = kernel.loops.evaluations(place);
            question.evaluations += evaluations;
            question.maximumRepeats =
                std::max(question.maximumRepeats, evaluations / static_cast<double>(std::max<std::int64_t>(1, elements)));
        }
        question.places = candidate.places.size();
        question.members = kernel.group.members.size() + 1;
        question.buffers = buffersWith(id, kernel);
        question.hasRival = hasRival(id, kernel);
        question.contractionBytes =
            kernel.contraction.isValid() ? kernel.contractionBytes + m_facts[id.value].contractionBytes : 0;
        const DeviceInfo &device = m_context.device(m_slots[id.value]);
        question.cacheBytes = device.cacheBytesPerCore;
        question.threads = device.threads;
        question.mayWiden = device.kind == DeviceKind::Cpu && m_context.options().optimize &&
                            m_context.language(m_slots[id.value]) != TargetLanguage::OpenCl && node.kind == NodeKind::Cast &&
                            !multipliesType(device.tensorInstructions, m_graph.node(node.inputs[0]).dtype);
        question.isNarrowFactor = isNarrowFactor(id);
        return question;
    }

    [[nodiscard]] bool isNarrowFactor(NodeId id) const
    {
        return m_isNarrowFactor[id.value] && multipliesType(usableTensorInstructions(m_context, m_slots[id.value]),
                                                            m_graph.node(m_graph.node(id).inputs[0]).dtype);
    }

    [[nodiscard]] bool isBufferedOperand(NodeId id) const { return !isLiteral(m_graph.node(id)); }

    [[nodiscard]] std::size_t buffersWith(NodeId id, const GrowingKernel &kernel) const
    {
        std::unordered_set<NodeId> added;
        for (const Read &read : m_flow.reads[id.value])
            if (isBufferedOperand(read.producer) && !kernel.operands.contains(read.producer))
                added.insert(read.producer);
        return kernel.operands.size() - 1 + added.size() + kernel.results + (m_isStoredAnyway ? 1 : 0);
    }

    // A contraction shares a kernel only with reductions over the same loops.
    [[nodiscard]] bool hasRival(NodeId id, const GrowingKernel &kernel) const
    {
        if (m_graph.node(id).kind != NodeKind::ReduceAxis)
            return false;
        if (!m_facts[id.value].isContraction)
            return kernel.contraction.isValid() && !hasSameLoops(id, kernel.contraction);
        return kernel.otherReduction.isValid() || (kernel.contraction.isValid() && !hasSameLoops(id, kernel.contraction));
    }

    [[nodiscard]] bool hasSameLoops(NodeId a, NodeId b) const
    {
        const Node &first = m_graph.node(a);
        const Node &second = m_graph.node(b);
        return m_graph.node(first.inputs[0]).shape == m_graph.node(second.inputs[0]).shape &&
               attributesOf<AxesAttributes>(first) == attributesOf<AxesAttributes>(second);
    }

    // The first kernel whose rules all agree and that can also store the value for its other readers.
    const Candidate *choose(NodeId id, std::vector<Candidate> &candidates)
    {
        for (Candidate &candidate : candidates) {
            if (!candidate.isAccepted)
                continue;
            if (!m_isStoredAnyway)
                return &candidate;
            const std::string obstacle = obstacleToStoring(id, candidate, candidates);
            if (obstacle.empty())
                return &candidate;
            candidate.isAccepted = false;
            for (FusionVerdict &verdict : candidate.verdicts)
                verdict = {false, m_obstacleRule, obstacle, {}};
        }
        return nullptr;
    }

    std::string obstacleToStoring(NodeId id, const Candidate &candidate, const std::vector<Candidate> &candidates)
    {
        const GrowingKernel &kernel = m_kernels[candidate.kernel];
        const std::int64_t elements = m_graph.node(id).shape.elements();
        m_obstacleRule = kLoadRule;
        if (m_flow.isOfLoad[id.value] && !m_flow.isOfLoad[kernel.group.root.value])
            return "it is the same in all runs and stored anyway, so it is computed once, when the program is loaded";
        m_obstacleRule = kSeveralReadersRule;
        bool isStorable = false;
        for (const Place &place : candidate.places) {
            const PlaceKind kind = kernel.loops.kindOf(place, elements);
            isStorable |= kind == PlaceKind::Domain || kind == PlaceKind::Row;
            isStorable &= kind != PlaceKind::Scattered; // which of the places to store from would be unclear
            if (kind == PlaceKind::Scattered)
                break;
        }
        if (!isStorable)
            return "it is needed elsewhere too, and the kernel's loops do not pass each of its elements once";
        m_obstacleRule = kCycleRule;
        for (const Candidate &other : candidates)
            if (other.kernel != candidate.kernel && reaches(other.kernel, candidate.kernel))
                return format("another kernel must read it before this one can run (through %{})",
                              other.reads.front()->consumer.value);
        return {};
    }

    bool reaches(std::uint32_t from, std::uint32_t to)
    {
        return m_search.reaches(from, to, m_kernels.size(), m_withSeveralResults, [this](std::uint32_t number) {
            const GrowingKernel &kernel = m_kernels[number];
            return SearchedKernel{NodeId(kernel.firstMember), kernel.group.root, kernel.group.readers};
        });
    }

    void addMember(NodeId id, std::uint32_t index)
    {
        GrowingKernel &kernel = m_kernels[index];
        kernel.group.members.push_back(id);
        kernel.firstMember = id.value;
        kernel.operands.erase(id);
        for (const Read &read : m_flow.reads[id.value])
            if (isBufferedOperand(read.producer))
                kernel.operands.insert(read.producer);
        m_result.groupOf[id.value] = index;
        if (m_graph.node(id).kind != NodeKind::ReduceAxis)
            return;
        kernel.contractionBytes += m_facts[id.value].contractionBytes;
        NodeId &reduction = m_facts[id.value].isContraction ? kernel.contraction : kernel.otherReduction;
        if (!reduction.isValid())
            reduction = id;
    }

    void addReaders(std::uint32_t index, const std::vector<Candidate> &candidates)
    {
        std::vector<std::uint32_t> &readers = m_kernels[index].group.readers;
        for (const Candidate &candidate : candidates)
            if (candidate.kernel != index && std::find(readers.begin(), readers.end(), candidate.kernel) == readers.end())
                readers.push_back(candidate.kernel);
    }

    void join(NodeId id, const Candidate &chosen, const std::vector<Candidate> &candidates)
    {
        m_places[id.value] = chosen.places;
        addMember(id, chosen.kernel);
        GrowingKernel &kernel = m_kernels[chosen.kernel];
        if (m_isStoredAnyway) {
            kernel.group.results.push_back(id);
            if (++kernel.results == 2)
                m_withSeveralResults.push_back(chosen.kernel);
            addReaders(chosen.kernel, candidates);
        }
        m_context.record(chosen.verdicts.front().rule, [&] {
            RewriteDetail detail{
                format("%{} {} joins the kernel of %{}", id.value, operationText(m_graph.node(id)), kernel.group.root.value),
                {id.value},
                {kernel.group.root.value}};
            for (const Read *read : chosen.reads)
                detail.before.push_back(read->consumer.value);
            return detail;
        });
    }

    void startKernel(NodeId id, const std::vector<Candidate> &candidates)
    {
        const Shape &shape = m_graph.node(id).shape;
        GrowingKernel kernel{{id, {}, {id}, {}}, KernelLoops(shape), {}, 1, 1, {}, 0, {}, id.value};
        m_places[id.value] = {kernel.loops.rootPlace(shape)};
        m_kernels.push_back(std::move(kernel));
        const auto index = static_cast<std::uint32_t>(m_kernels.size() - 1);
        addMember(id, index);
        addReaders(index, candidates);
        addResultsOfScan(id, index);
    }

    // What a scan gives is there only after all of its body: a kernel that reads it cannot compute something for the body too.
    void addResultsOfScan(NodeId id, std::uint32_t index)
    {
        const std::uint32_t scan = m_flow.scans.bodyOf(id);
        if (scan == kNoScan)
            return;
        std::vector<std::uint32_t> &readers = m_kernels[index].group.readers;
        for (const auto *results : {&m_flow.scans.scans[scan].lasts, &m_flow.scans.scans[scan].rows})
            for (const NodeId result : *results)
                if (const std::uint32_t group = m_result.groupOf[result.value];
                    group != kNoGroup && std::ranges::find(readers, group) == readers.end())
                    readers.push_back(group);
    }

    // How often the node is evaluated; for a reduction, the number of its steps.
    double evaluationsOf(NodeId id)
    {
        GrowingKernel &kernel = m_kernels[m_result.groupOf[id.value]];
        double evaluations = 0;
        for (const Place &place : m_places[id.value])
            evaluations += kernel.loops.evaluations(place);
        const Node &node = m_graph.node(id);
        if (node.kind == NodeKind::ReduceAxis)
            for (const std::size_t axis : attributesOf<AxesAttributes>(node).axes)
                evaluations *= static_cast<double>(m_graph.node(node.inputs[0]).shape[axis]);
        kernel.points = std::max(kernel.points, evaluations);
        return evaluations;
    }

    // One decision for each pair of nodes, however often one reads the other.
    void decide(NodeId id, const std::vector<Candidate> &candidates, const Candidate *chosen)
    {
        const Node &node = m_graph.node(id);
        const std::int64_t bytes = node.shape.elements() * static_cast<std::int64_t>(bytesOf(node.dtype));
        const bool isKept = chosen != nullptr && !m_isStoredAnyway;
        const FusionVerdict *blocker = chosen != nullptr ? nullptr : firstRefusal(candidates);
        for (const Candidate &candidate : candidates)
            for (std::size_t i = 0; i < candidate.reads.size(); ++i) {
                FusionVerdict verdict = candidate.verdicts[i];
                if (verdict.isFused && &candidate != chosen)
                    verdict = blocker != nullptr
                                  ? FusionVerdict{false, kSeveralReadersRule, "it is stored anyway: " + blocker->reason,
                                                  blocker->numbers}
                                  : FusionVerdict{false, kSeveralReadersRule, "it is stored by another kernel that reads it", {}};
                const bool isInPlace = verdict.rule == kJoinRule && m_joins.isPartOf(id, candidate.reads[i]->consumer);
                addDecision(id, candidate.reads[i]->consumer, std::move(verdict), isInPlace ? 0 : isKept ? 2 * bytes : bytes);
            }
    }

    static const FusionVerdict *firstRefusal(const std::vector<Candidate> &candidates)
    {
        for (const Candidate &candidate : candidates)
            for (const FusionVerdict &verdict : candidate.verdicts)
                if (!verdict.isFused)
                    return &verdict;
        return nullptr;
    }

    void addDecision(NodeId producer, NodeId consumer, FusionVerdict verdict, std::int64_t bytes)
    {
        if (!m_result.decisions.empty() && m_result.decisions.back().producer == producer &&
            m_result.decisions.back().consumer == consumer)
            return;
        const std::string cost =
            verdict.isFused ? format("saves {} bytes of traffic: ", bytes) : format("costs {} bytes of traffic: ", bytes);
        m_result.decisions.push_back({producer, consumer, verdict.isFused, std::string(verdict.rule), cost + verdict.reason,
                                      bytes, Origin::merged(m_graph.node(producer).origin, m_graph.node(consumer).origin),
                                      std::move(verdict.numbers)});
    }

    const Graph &m_graph;
    const Dataflow &m_flow;
    std::span<const DeviceSlot> m_slots;
    PassContext &m_context;
    GrowthPurpose m_purpose;
    FusionOverrides m_overrides;
    std::span<const NodeFacts> m_facts;
    const Joins &m_joins;
    std::vector<std::vector<Place>> m_places;                           // by node, in its kernel
    std::vector<std::vector<std::vector<std::uint32_t>>> m_reduceLoops; // by reduction and place
    std::vector<GrowingKernel> m_kernels;
    std::vector<std::uint32_t> m_withSeveralResults;
    KernelSearch m_search;
    std::vector<bool> m_isInside;       // by node: elementwise work that is needed only for a value that fuse() is called with
    std::vector<bool> m_isNarrowFactor; // by node: see castsOfNarrowFactors
    std::unordered_set<NodeId> m_refusedKernels;
    Diagnostics m_errors;
    std::string_view m_obstacleRule;
    bool m_isStoredAnyway = false; // the current node is an output, or several kernels read it
    Grouping m_result;
};

} // namespace

void compactGroups(Grouping &grouping, const std::vector<bool> &isGone)
{
    std::vector<std::uint32_t> numbers(grouping.groups.size(), kNoGroup);
    std::vector<KernelGroup> groups;
    for (std::size_t i = 0; i < numbers.size(); ++i)
        if (!isGone[i]) {
            numbers[i] = static_cast<std::uint32_t>(groups.size());
            groups.push_back(std::move(grouping.groups[i]));
        }
    for (KernelGroup &group : groups)
        for (std::uint32_t &reader : group.readers)
            reader = numbers[reader];
    for (std::uint32_t &group : grouping.groupOf)
        if (group != kNoGroup)
            group = numbers[group];
    grouping.groups = std::move(groups);
}

Result<Grouping> growKernels(const Graph &graph, const PlacedFlow &placed, PassContext &context, GrowthPurpose purpose)
{
    return Grower(graph, placed, context, purpose).grow();
}

} // namespace sw
