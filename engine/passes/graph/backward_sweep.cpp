#include "engine/passes/graph/backward_sweep.h"

#include "engine/base/call_notes.h"
#include "engine/graph/builder_scans.h"
#include "engine/passes/graph/gradients_scan.h"

#include <algorithm>
#include <array>
#include <utility>

namespace sw {

namespace {

std::string nameFor(const GraphBuilder &builder, NodeId id)
{
    const Node &node = builder.node(id);
    return node.name.empty() ? format("%{} {}", id.value, operationText(node)) : node.name;
}

bool carriesOp(NodeKind kind)
{
    return kind == NodeKind::Unary || kind == NodeKind::Binary || kind == NodeKind::Ternary;
}

const GradientRule *gradientOf(NodeKind kind)
{
    for (const std::span<const GradientRule> rows : {movementGradients(), structuralGradients(), indexingGradients()})
        for (const GradientRule &row : rows)
            if (row.kind == kind)
                return &row;
    return nullptr;
}

bool hasRule(const Node &node)
{
    if (carriesOp(node.kind))
        return gradientOf(node.op) != nullptr;
    return node.kind == NodeKind::ReduceAxis ? reductionGradientOf(node.op) != nullptr : gradientOf(node.kind) != nullptr;
}

// What has to hold so that the loss, or what the walk begins with, needs a node.
BranchMap branchesBefore(const GraphBuilder &builder, const SweepRequest &request)
{
    std::vector<Node> nodes;
    bool isAnyChoice = false;
    for (std::size_t i = 0; i <= request.loss.value; ++i)
        isAnyChoice = isAnyChoice || builder.node(NodeId(i)).kind == NodeKind::Choose;
    if (!isAnyChoice)
        return {};
    for (std::size_t i = 0; i <= request.loss.value; ++i)
        nodes.push_back(builder.node(NodeId(i)));
    std::vector<NodeId> roots{request.loss};
    if (!request.seeds.empty()) {
        roots.clear();
        for (const AdjointSeed &seed : request.seeds)
            roots.push_back(seed.id);
    }
    Node sink = nodes.back();
    sink.kind = NodeKind::Sink;
    sink.inputs = roots;
    nodes.push_back(std::move(sink));
    const Graph graph(std::move(nodes), std::make_shared<const SourceMap>()); // nothing is told about its nodes
    return branchesOf(graph, scansOf(graph), roots);
}

} // namespace

BackwardSweep::BackwardSweep(GraphBuilder &builder, BackwardScopes &scopes, const std::vector<std::uint32_t> &originals,
                             PassContext &context, SweepRequest request)
    : m_builder(builder),
      m_scopes(scopes),
      m_originals(originals),
      m_context(context),
      m_request(std::move(request)),
      m_scans(scansOf(builder)),
      m_first(builder.size()),
      m_branches(branchesBefore(builder, m_request)),
      m_isActive(dependentsOf(m_request.wanted)),
      m_adjoints(m_request.loss.value + 1)
{
}

// Marks, up to the loss, the roots and everything computed from them. Nothing is marked through a Detach.
std::vector<bool> BackwardSweep::dependentsOf(const std::vector<NodeId> &roots) const
{
    std::vector<bool> depends(m_request.loss.value + 1, false);
    for (const NodeId root : roots)
        depends[root.value] = true;
    for (bool isChanged = true; isChanged;) {
        isChanged = false; // what a step hands on may mark a node before it
        for (std::size_t i = 0; i < depends.size(); ++i) {
            const Node &node = m_builder.node(NodeId(i));
            if (node.kind == NodeKind::Detach || depends[i])
                continue;
            depends[i] = std::ranges::any_of(node.inputs, [&depends](NodeId input) { return depends[input.value]; }) ||
                         (node.kind == NodeKind::ScanCarry && handsOnActive(NodeId(i), depends));
            isChanged = isChanged || (depends[i] && !m_scans.scans.empty());
        }
    }
    return depends;
}

// Whether the step before hands on something marked as this carried value. Within a step there is no step before.
bool BackwardSweep::handsOnActive(NodeId carry, const std::vector<bool> &depends) const
{
    const std::uint32_t scan = m_scans.bodyOf(carry);
    const auto index = static_cast<std::size_t>(scanAttributesOf(m_builder.node(carry)).index);
    const std::vector<NodeId> &nexts = m_scans.scans[scan].nexts;
    const bool isWithin = m_scans.bodyOf(m_request.loss) == scan;
    return !isWithin && index < nexts.size() && nexts[index].value < depends.size() && depends[nexts[index].value];
}

Result<std::vector<std::optional<NodeId>>> BackwardSweep::run()
{
    SW_CHECK(start());
    std::size_t next = m_adjoints.size(); // the first node that has not been visited, plus one
    for (; next > m_request.first.value && (isWithinStep() || m_context.mayRewrite()); --next) {
        if (m_context.isCancelled())
            return Diagnostic::error(Code::Cancelled, {}, "the compilation was cancelled");
        const NodeId id(next - 1);
        if (const std::uint32_t scan = scanGivenBy(id); scan != kNoScan)
            SW_CHECK(visitScan(scan, id));
        else if (m_adjoints[id.value].isValid() && isActive(id))
            SW_CHECK(visit(id));
    }
    std::vector<std::optional<NodeId>> results;
    for (const NodeId wanted : m_request.wanted) {
        SW_TRY(const std::optional<NodeId> result, resultFor(wanted, NodeId(next)));
        results.push_back(result);
    }
    return results;
}

Result<Done> BackwardSweep::start()
{
    for (const AdjointSeed &seed : m_request.seeds)
        SW_CHECK(accumulate(seed.id, seed.adjoint, m_request.origin));
    if (isWithinStep())
        return Done{};
    const Node &loss = m_builder.node(m_request.loss);
    m_builder.setScope(m_scopes.gradientScope());
    const std::string name = nameFor(m_builder, m_request.loss);
    if (m_request.weights) {
        m_adjoints.back() = *m_request.weights;
    } else {
        const Scalar one = Scalar::of(loss.dtype, std::int64_t{1});
        const Shape shape = loss.shape;
        m_adjoints.back() = m_builder.full(m_request.origin, one, shape).value();
    }
    m_context.record("start-gradient", [&] {
        return RewriteDetail{format("of {} with respect to {}", name,
                                    join(m_request.wanted, ", ", [this](NodeId id) { return nameFor(m_builder, id); })),
                             {m_request.gradient},
                             {m_adjoints.back().value}};
    });
    return Done{};
}

// The scan that the node is a result of, or kNoScan.
std::uint32_t BackwardSweep::scanGivenBy(NodeId id) const
{
    const Node &node = m_builder.node(id);
    const bool isResult = node.kind == NodeKind::ScanLast || node.kind == NodeKind::ScanRows;
    return isResult ? m_scans.numbered(scanAttributesOf(node).scan) : kNoScan;
}

// All results of a scan are visited together, as the first of them: only then all of their readers have been.
Result<Done> BackwardSweep::visitScan(std::uint32_t scan, NodeId id)
{
    const Scan &of = m_scans.scans[scan];
    std::vector<NodeId> results = of.lasts;
    results.insert(results.end(), of.rows.begin(), of.rows.end());
    std::erase_if(results, [&](NodeId result) { return result.value >= m_adjoints.size(); });
    if (id != std::ranges::min(results))
        return Done{};
    std::erase_if(results, [&](NodeId result) { return !m_adjoints[result.value].isValid() || !isActive(result); });
    if (results.empty())
        return Done{};
    std::vector<AdjointSeed> given;
    Origin origin = m_request.origin;
    for (const NodeId result : results) {
        nameAdjoint(result);
        given.push_back({result, m_adjoints[result.value]});
        origin = Origin::merged(m_builder.node(result).origin, origin);
    }
    SW_TRY(
        const std::vector<AdjointSeed> made,
        reverseScan({m_builder, m_scopes, m_originals, m_context, m_scans, m_isActive, m_request.wanted}, scan, given, origin));
    for (const AdjointSeed &contribution : made) {
        SW_TRY(const NodeId value,
               elsewhereZero(contribution.adjoint, m_branches.of(id), m_branches.of(contribution.id), origin));
        SW_CHECK(accumulate(contribution.id, value, origin));
    }
    if (isWithinStep())
        return Done{};
    m_context.record(format("gradient-of-{}", nameOf(m_builder.node(id).kind)), [&] {
        RewriteDetail detail;
        std::string targets;
        for (const AdjointSeed &contribution : made) {
            detail.after.push_back(contribution.adjoint.value);
            targets += (targets.empty() ? "" : ", ") + nameFor(m_builder, contribution.id);
        }
        for (const NodeId result : results)
            detail.before.push_back(m_originals[result.value]);
        detail.before.push_back(m_request.gradient);
        std::ranges::sort(detail.before);
        const auto repeated = std::ranges::unique(detail.before);
        detail.before.erase(repeated.begin(), repeated.end());
        detail.text = format("all steps of scan {} -> {}", m_scans.scans[scan].number, targets.empty() ? "nothing" : targets);
        return detail;
    });
    return Done{};
}

Result<Done> BackwardSweep::visit(NodeId id)
{
    nameAdjoint(id);
    const Node &node = m_builder.node(id);
    std::vector<bool> isWanted;
    for (const NodeId input : node.inputs)
        isWanted.push_back(isActive(input) && isFloat(m_builder.node(input).dtype));
    const bool isAnyActive = std::ranges::any_of(node.inputs, [this](NodeId input) { return isActive(input); });
    // With integer and bool inputs only, a value changes only in steps; this need not hold without a rule (bits as a float).
    if (!isAnyActive || (std::ranges::find(isWanted, true) == isWanted.end() && hasRule(node)))
        return Done{};
    m_builder.setScope(m_scopes.backwardOf(node.scope));
    BackwardStep step(m_builder, id, m_adjoints[id.value], Origin::merged(node.origin, m_request.origin), std::move(isWanted),
                      m_context.options().strict);
    SW_CHECK(applyRule(step));
    for (const BackwardStep::Contribution &contribution : step.contributions()) {
        Requirements where = m_branches.of(id);
        if (step.node().kind == NodeKind::Choose)
            where.push_back({step.inputId(0), contribution.input == 1});
        const NodeId to = step.inputId(contribution.input);
        SW_TRY(const NodeId value, elsewhereZero(contribution.value, where, m_branches.of(to), step.origin()));
        SW_CHECK(accumulate(to, value, step.origin()));
    }
    if (!isWithinStep())
        record(step);
    return Done{};
}

Result<Done> BackwardSweep::applyRule(BackwardStep &step) const
{
    const Node &node = step.node();
    if (carriesOp(node.kind)) {
        if (const OperationGradient *row = gradientOf(node.op))
            return applyOperationGradient(*row, step);
    } else if (node.kind == NodeKind::ReduceAxis) {
        if (const ReductionGradient *row = reductionGradientOf(node.op))
            return row->apply(step);
    } else if (const GradientRule *row = gradientOf(node.kind)) {
        return row->apply(step);
    }
    const SourceMap &sources = m_scopes.sources();
    Diagnostic found =
        toldAt(sources, node.origin,
               Diagnostic::error(Code::Unsupported, {}, "{} has no gradient, and the loss depends on it", operationText(node)));
    found.notes.push_back(
        {Severity::Note, Code::Unsupported, "the gradient is asked for here", sources.programRange(m_request.origin), {}, {}});
    return std::move(found).withHint("detach(x) lets its value count as a constant");
}

// A contribution that there is only where more holds than what its target requires counts as 0 elsewhere. What makes it is then
// needed only where the branch is chosen, as what it is the gradient of.
Result<NodeId> BackwardSweep::elsewhereZero(NodeId contribution, const Requirements &where, const Requirements &target,
                                            const Origin &origin)
{
    NodeId value = contribution;
    for (auto one = where.rbegin(); one != where.rend(); ++one) { // the innermost first
        if (std::ranges::find(target, *one) != target.end())
            continue;
        const Node &made = m_builder.node(value);
        const Scalar zero = Scalar::of(made.dtype, std::int64_t{0});
        const Shape shape = made.shape;
        SW_TRY(const NodeId zeros, m_builder.full(origin, zero, shape));
        SW_TRY(value, m_builder.choose(origin, one->condition, one->wanted ? value : zeros, one->wanted ? zeros : value));
    }
    return value;
}

Result<Done> BackwardSweep::accumulate(NodeId id, NodeId contribution, const Origin &origin)
{
    const Node &made = m_builder.node(contribution);
    const Node &target = m_builder.node(id);
    SW_ASSERT(made.dtype == target.dtype && made.shape == target.shape, "a contribution of the type and shape of the value");
    // An adjoint that is passed on unchanged also stands for the node that it came through.
    if (contribution.value >= m_first)
        m_builder.mergeOrigin(contribution, origin);
    NodeId &adjoint = m_adjoints[id.value];
    if (!adjoint.isValid()) {
        adjoint = contribution;
        return Done{};
    }
    SW_TRY(adjoint, m_builder.elementwise(origin, Op::Add, std::array{adjoint, contribution}));
    return Done{};
}

void BackwardSweep::nameAdjoint(NodeId id)
{
    const NodeId adjoint = m_adjoints[id.value];
    const std::string name = m_builder.node(id).name;
    if (adjoint.value >= m_first && !name.empty() && m_builder.node(adjoint).name.empty())
        m_builder.setName(adjoint, name + "_grad");
}

void BackwardSweep::record(const BackwardStep &step)
{
    const Node &node = step.node();
    const bool isOperation = carriesOp(node.kind) || node.kind == NodeKind::ReduceAxis;
    m_context.record(format("gradient-of-{}", isOperation ? nameOf(node.op) : nameOf(node.kind)), [&] {
        std::vector<std::uint32_t> after;
        std::string targets;
        for (const BackwardStep::Contribution &contribution : step.contributions()) {
            after.push_back(contribution.value.value);
            targets += (targets.empty() ? "" : ", ") + nameFor(m_builder, step.inputId(contribution.input));
        }
        std::vector<std::uint32_t> before{m_originals[step.id().value], m_request.gradient};
        std::ranges::sort(before);
        const auto repeated = std::ranges::unique(before);
        before.erase(repeated.begin(), repeated.end());
        return RewriteDetail{format("{} -> {}", nameFor(m_builder, step.id()), targets.empty() ? "nothing" : targets),
                             std::move(before), std::move(after)};
    });
}

// Whether the result of a scan waits for the first of them to be visited.
bool BackwardSweep::isPending(NodeId id, NodeId next) const
{
    const std::uint32_t scan = scanGivenBy(id);
    if (scan == kNoScan)
        return false;
    const Scan &of = m_scans.scans[scan];
    const auto isAhead = [next](NodeId result) { return result < next; };
    return std::ranges::any_of(of.lasts, isAhead) || std::ranges::any_of(of.rows, isAhead);
}

// The adjoint collected so far, plus, if the walk ended early, what the nodes before `next` would still contribute.
Result<std::optional<NodeId>> BackwardSweep::resultFor(NodeId wanted, NodeId next)
{
    std::optional<NodeId> result;
    if (m_adjoints[wanted.value].isValid()) {
        nameAdjoint(wanted);
        SW_TRY(result, elsewhereZero(m_adjoints[wanted.value], m_branches.of(wanted), {}, m_request.origin));
    }
    if (next <= m_request.first)
        return result;
    m_builder.setScope(m_scopes.gradientScope());
    const std::vector<bool> depends = dependentsOf({wanted});
    for (NodeId id(0U); id.value < m_adjoints.size(); ++id.value) {
        const bool isOpen = id < next || isPending(id, next);
        if (!isOpen || id == wanted || !depends[id.value] || !m_adjoints[id.value].isValid())
            continue;
        SW_TRY(const NodeId weights, elsewhereZero(m_adjoints[id.value], m_branches.of(id), {}, m_request.origin));
        SW_TRY(const NodeId rest, m_builder.gradient(m_request.origin, id, wanted, weights));
        if (!result) {
            result = rest;
            continue;
        }
        SW_TRY(result, m_builder.elementwise(m_request.origin, Op::Add, std::array{*result, rest}));
    }
    return result;
}

} // namespace sw
