// The gradient of a movement moves the adjoints back: repeated elements add up, and elements that were left out get zeros.

#include "engine/graph/placement.h"
#include "engine/passes/graph/gradient_rules.h"

#include <array>

namespace sw {

namespace {

std::vector<std::int64_t> extentsOf(const Shape &shape)
{
    return {shape.begin(), shape.end()};
}

Result<Done> give(BackwardStep &step, Result<NodeId> value)
{
    SW_TRY(const NodeId id, std::move(value));
    step.contribute(0, id);
    return Done{};
}

Result<Done> reshapeGradient(BackwardStep &step)
{
    return give(step, step.builder().reshape(step.origin(), step.adjoint(), Shape(step.input(0).shape)));
}

Result<Done> permuteGradient(BackwardStep &step)
{
    const auto &axes = attributesOf<AxesAttributes>(step.node()).axes;
    std::vector<std::size_t> inverse(axes.size());
    for (std::size_t i = 0; i < axes.size(); ++i)
        inverse[axes[i]] = i;
    return give(step, step.builder().permute(step.origin(), step.adjoint(), std::move(inverse)));
}

Result<Done> expandGradient(BackwardStep &step)
{
    std::vector<std::size_t> repeated;
    for (std::size_t axis = 0; axis < step.node().shape.rank(); ++axis)
        if (step.input(0).shape.extent(axis) != step.node().shape.extent(axis))
            repeated.push_back(axis);
    return give(step, step.builder().reduce(step.origin(), Op::Add, step.adjoint(), std::move(repeated)));
}

Result<Done> padGradient(BackwardStep &step)
{
    const auto &pad = attributesOf<PadAttributes>(step.node());
    ShrinkAttributes inner{pad.before, pad.before};
    const Shape shape = step.input(0).shape;
    for (std::size_t axis = 0; axis < inner.end.size(); ++axis)
        inner.end[axis] += shape[axis];
    return give(step, step.builder().shrink(step.origin(), step.adjoint(), std::move(inner), shape));
}

Diagnostic notConstant(const BackwardStep &step, const SymbolicExpr &place)
{
    return Diagnostic::error(Code::Unsupported, {}, "the gradient of {} {} needs zeros up to {}, which is known only at run time",
                             operationText(step.node()), typeText(step.node().dtype, step.node().shape), toText(place));
}

Result<Done> shrinkGradient(BackwardStep &step)
{
    const auto &kept = attributesOf<ShrinkAttributes>(step.node());
    PadAttributes around{kept.begin, {}, Scalar::of(step.node().dtype, std::int64_t{0})};
    for (std::size_t axis = 0; axis < kept.end.size(); ++axis) {
        SW_TRY(const SymbolicExpr end, add(step.node().shape.extent(axis), kept.begin[axis]));
        SW_TRY(const SymbolicExpr rest, subtract(step.input(0).shape.extent(axis), end));
        if (!rest.isConstant())
            return notConstant(step, step.input(0).shape.extent(axis));
        around.after.push_back(*rest.constant());
    }
    return give(step, step.builder().pad(step.origin(), step.adjoint(), std::move(around)));
}

Result<Done> flipGradient(BackwardStep &step)
{
    return give(step, step.builder().flip(step.origin(), step.adjoint(), attributesOf<AxesAttributes>(step.node()).axes));
}

Result<Done> castGradient(BackwardStep &step)
{
    return give(step, step.builder().cast(step.origin(), step.adjoint(), step.input(0).dtype));
}

Result<Done> passOn(BackwardStep &step)
{
    return give(step, step.adjoint());
}

Result<Done> storeGradient(BackwardStep &step)
{
    return give(step, step.builder().contiguous(step.origin(), step.adjoint()));
}

Result<Done> customGradient(BackwardStep &step)
{
    const auto &attributes = attributesOf<CustomAttributes>(step.node());
    if (!attributes.hasReference)
        return Diagnostic::error(Code::Unsupported, {}, "custom {} has no reference to take the gradient of",
                                 quoted(attributes.name))
            .withHint("give it one: custom(..., reference = an expression of the same value)");
    const std::size_t reference = step.node().inputs.size() - 1;
    if (step.isWanted(reference))
        step.contribute(reference, step.adjoint());
    return Done{};
}

Result<Done> stop(BackwardStep & /*step*/)
{
    return Done{};
}

// Each input gets its part of the joined axis.
Result<Done> catGradient(BackwardStep &step)
{
    const std::size_t axis = attributesOf<AxisAttributes>(step.node()).axis;
    ShrinkAttributes part{std::vector<std::int64_t>(step.node().shape.rank(), 0), extentsOf(step.node().shape)};
    SymbolicExpr begin;
    for (std::size_t i = 0; i < step.node().inputs.size(); ++i) {
        const Shape shape = step.input(i).shape;
        const SymbolicExpr at = begin;
        SW_TRY(begin, add(begin, shape.extent(axis)));
        if (!step.isWanted(i))
            continue;
        if (!at.isConstant())
            return notConstant(step, at);
        part.begin[axis] = *at.constant();
        part.end[axis] = part.begin[axis] + shape[axis];
        SW_TRY(const NodeId value, step.builder().shrink(step.origin(), step.adjoint(), part, shape));
        step.contribute(i, value);
    }
    return Done{};
}

// The device of a value, as far as the nodes that it is computed from tell; parameters and inputs are at home.
std::string deviceOf(const GraphBuilder &builder, NodeId id)
{
    constexpr std::size_t kMostNodes = 64;
    std::vector<NodeId> pending{id};
    for (std::size_t visited = 0; visited < kMostNodes && !pending.empty(); ++visited) {
        const Node &node = builder.node(pending.back());
        pending.pop_back();
        if (const std::string_view name = deviceNamedBy(node); !name.empty())
            return std::string(name);
        pending.insert(pending.end(), node.inputs.rbegin(), node.inputs.rend());
    }
    return std::string(kDefaultDevice);
}

Result<Done> copyGradient(BackwardStep &step)
{
    const std::string device = deviceOf(step.builder(), step.inputId(0));
    return give(step, step.builder().copy(step.origin(), step.adjoint(), {device}));
}

// Each shard gets its part. If each input is the whole value, the first real one gets the adjoint for all.
Result<Done> multiGradient(BackwardStep &step)
{
    const auto multi = attributesOf<MultiAttributes>(step.node());
    ShrinkAttributes part{std::vector<std::int64_t>(step.node().shape.rank(), 0), extentsOf(step.node().shape)};
    if (multi.axis)
        part.end[*multi.axis] = 0;
    for (std::size_t i = 0; i < step.node().inputs.size(); ++i) {
        if (!isReal(multi, i))
            continue;
        if (!multi.axis) {
            if (step.isWanted(i))
                step.contribute(i, step.adjoint());
            return Done{};
        }
        part.begin[*multi.axis] = part.end[*multi.axis];
        part.end[*multi.axis] += step.input(i).shape[*multi.axis];
        if (!step.isWanted(i))
            continue;
        const Shape shape = step.input(i).shape;
        SW_TRY(const NodeId value, step.builder().shrink(step.origin(), step.adjoint(), part, shape));
        step.contribute(i, value);
    }
    return Done{};
}

constexpr std::array kMovement = {
    GradientRule{NodeKind::View, "The way back through the strides; where several elements read one, their adjoints add up.",
                 viewGradient},
    GradientRule{NodeKind::Reshape, "The adjoint, reshaped back.", reshapeGradient},
    GradientRule{NodeKind::Permute, "The adjoint, permuted back.", permuteGradient},
    GradientRule{NodeKind::Expand, "The sum of the adjoint over the repeated axes.", expandGradient},
    GradientRule{NodeKind::Pad, "The adjoint without the border.", padGradient},
    GradientRule{NodeKind::Shrink, "The adjoint with zeros around it.", shrinkGradient},
    GradientRule{NodeKind::Flip, "The adjoint, flipped back.", flipGradient},
    GradientRule{NodeKind::Detach, "Nothing: the value counts as a constant.", stop},
    GradientRule{NodeKind::ContiguousBackward, "The adjoint, made contiguous.", storeGradient},
};

// The walk makes it 0 where the other input was chosen.
Result<Done> chooseGradient(BackwardStep &step)
{
    for (const std::size_t input : {1U, 2U})
        if (step.isWanted(input))
            step.contribute(input, step.adjoint());
    return Done{};
}

constexpr std::array kStructural = {
    GradientRule{NodeKind::Cast, "The adjoint, converted back; integers and bool have none.", castGradient},
    GradientRule{NodeKind::Custom, "The adjoint to the reference, through which it goes on.", customGradient},
    GradientRule{NodeKind::Contiguous, "The adjoint.", passOn},
    GradientRule{NodeKind::Threefry, "Nothing: bits have no gradient.", stop},
    GradientRule{NodeKind::Uniform, "Nothing: bits have no gradient.", stop},
    GradientRule{NodeKind::Fuse, "The adjoint.", passOn},
    GradientRule{NodeKind::Unroll, "The adjoint.", passOn},
    GradientRule{NodeKind::Kernel, "The adjoint, to the value.", passOn},
    GradientRule{NodeKind::Unique, "The adjoint.", passOn},
    GradientRule{NodeKind::Noop, "The adjoint.", passOn},
    GradientRule{NodeKind::Device, "The adjoint.", passOn},
    GradientRule{NodeKind::Copy, "The adjoint, copied to where the input is.", copyGradient},
    GradientRule{NodeKind::Multi, "To each shard its part of the adjoint; of copies, all of it to the first.", multiGradient},
    GradientRule{NodeKind::Cat, "To each input its part of the adjoint.", catGradient},
    GradientRule{NodeKind::Choose, "The adjoint, to the input that was chosen.", chooseGradient},
};

} // namespace

std::span<const GradientRule> movementGradients()
{
    return kMovement;
}

std::span<const GradientRule> structuralGradients()
{
    return kStructural;
}

} // namespace sw
