#include "engine/tune/tensor_edits.h"

#include "engine/loops/queries.h"
#include "engine/passes/loops/factors.h"
#include "engine/tune/edits.h"

#include <algorithm>

namespace sw {

namespace {

class TensorEditor {
public:
    TensorEditor(const LoopNest &nest, const DeviceInfo &device, const TensorProduct &product, TensorInstruction instruction,
                 Dice &dice)
        : m_plain(nest),
          m_device(device),
          m_product(product),
          m_instruction(instruction),
          m_info(infoOf(instruction)),
          m_dice(dice)
    {
    }

    TransformList edited(TransformList list)
    {
        const std::size_t edits = 1 + m_dice.below(2);
        for (std::size_t i = 0; i < edits; ++i) {
            const std::size_t kind = m_dice.below(100);
            if (kind < 45)
                list = withOtherSplit(list);
            else if (kind < 65)
                list = withOtherOrder(std::move(list));
            else if (kind < 85)
                list = withOtherCopy(std::move(list));
            else
                list = withOtherDetail(m_plain, std::move(list), m_dice.below(kDetails), m_dice);
        }
        return list;
    }

private:
    // One split has another factor; others that left no rest leave none again. The same list, where that cannot be.
    TransformList withOtherSplit(const TransformList &list)
    {
        const LoopNest nest = builtFrom(list).nest();
        std::vector<std::size_t> places;
        for (const std::size_t place : placesOf(list, TransformKind::Split))
            if (unitOf(nest, list[place]) > 0)
                places.push_back(place);
        if (places.empty())
            return list;
        const std::size_t changed = m_dice.oneOf(places);
        ListBuilder builder(m_plain);
        for (std::size_t i = 0; i < list.size(); ++i) {
            Transform transform = list[i];
            const std::optional<AxisId> before = axisOf(nest, transform);
            const std::optional<AxisId> now = axisOf(builder.nest(), transform);
            if (transform.kind == TransformKind::Split && before && now) {
                const std::int64_t extent = builder.axis(*now).extent;
                if (i == changed)
                    transform.factor = otherFactor(extent, transform.factor, unitOf(nest, transform));
                else if (nest.axes[before->value].extent % transform.factor == 0 && unitOf(nest, transform) == 1)
                    transform.factor = largestDivisor(extent, transform.factor);
            }
            if (!addOrMove(builder, transform))
                return list;
        }
        return builder.take();
    }

    // What the factor of a split is a multiple of, so that tiles keep the shape of the instruction. 0: it stays as it is.
    [[nodiscard]] std::int64_t unitOf(const LoopNest &nest, const Transform &split) const
    {
        const std::optional<AxisId> inner = axisNamed(nest, split.axes.front() + ".i");
        if (!inner)
            return 0;
        const AxisId whole = unsplitAxis(nest, *inner);
        const AxisId tile = tileOf(nest, whole);
        const std::vector<AxisId> own = leavesOf(nest, *inner);
        const std::vector<AxisId> ofTile = tile.isValid() ? leavesOf(nest, tile) : std::vector<AxisId>{};
        if (std::ranges::find(ofTile, own.back()) == ofTile.end())
            return 1; // loops only
        if (own.size() > ofTile.size())
            return nest.axes[tile.value].extent;
        if (nest.axes[whole.value].isReduce || nest.axes[own.front().value].type == AxisType::Vector)
            return 0;
        return whole == m_product.factors.axes.columns ? m_info.columns : m_info.rows;
    }

    // Mostly another one that leaves no rest.
    std::int64_t otherFactor(std::int64_t extent, std::int64_t factor, std::int64_t unit)
    {
        std::vector<std::int64_t> even;
        for (std::int64_t one = unit; one <= std::min(extent, 4 * factor); one += unit)
            if (extent % one == 0 && one != factor && 4 * one >= factor)
                even.push_back(one);
        if (!even.empty() && m_dice.percent(85))
            return m_dice.oneOf(even);
        return std::clamp<std::int64_t>(changedFactor(factor / unit, m_dice), 1, extent / unit) * unit;
    }

    // Some order of the loops, with one of them at another place. What is repeated in registers stays inside of them. The same
    // list, where that cannot be.
    TransformList withOtherOrder(TransformList list)
    {
        const LoopNest nest = builtFrom(list).nest();
        const auto isLoop = [&](const std::string &name) {
            const std::optional<AxisId> axis = axisNamed(nest, name);
            return axis && !isRepeated(nest.axes[axis->value].type);
        };
        std::vector<std::size_t> orders = placesOf(list, TransformKind::Reorder);
        std::erase_if(orders, [&](std::size_t place) { return std::ranges::count_if(list[place].axes, isLoop) < 2; });
        if (orders.empty())
            return list;
        const TransformList before = list;
        std::vector<std::string> &names = list[m_dice.oneOf(orders)].axes;
        const auto loops = std::ranges::stable_partition(names, isLoop);
        const auto count = static_cast<std::size_t>(loops.begin() - names.begin());
        std::string moved = names[m_dice.below(count)];
        std::erase(names, moved);
        names.insert(names.begin() + static_cast<std::ptrdiff_t>(m_dice.below(count)), std::move(moved));
        ListBuilder builder(m_plain);
        for (const Transform &transform : list)
            if (!addOrMove(builder, transform))
                return before;
        return builder.take();
    }

    // One factor is copied elsewhere, or for once not at all.
    TransformList withOtherCopy(TransformList list)
    {
        std::vector<ValueId> factors{m_product.factors.b};
        if (m_plain.values[m_product.factors.a.value].kind == ValueKind::Load)
            factors.push_back(m_product.factors.a);
        const ValueId factor = m_dice.oneOf(factors);
        const auto isOwn = [&](const Transform &one) { return one.kind == TransformKind::Pack && one.value == factor; };
        const bool hadCopy = std::erase_if(list, isOwn) > 0;
        ListBuilder builder = builtFrom(list);
        if (!hadCopy || m_dice.percent(90))
            copyAnywhere(builder, factor);
        return builder.take();
    }

    // A copy that does not apply any more is made at another loop, or at none. False: what else does not apply.
    bool addOrMove(ListBuilder &builder, const Transform &transform)
    {
        if (transform.kind != TransformKind::Pack)
            return builder.add(transform);
        if (!addCopy(builder, transform, m_device.scratchBytes))
            copyAnywhere(builder, transform.value);
        return true;
    }

    void copyAnywhere(ListBuilder &builder, ValueId load)
    {
        copyTilesAnywhere(builder, m_product, m_instruction, load, m_device.scratchBytes, m_dice);
    }

    [[nodiscard]] ListBuilder builtFrom(const TransformList &list) const
    {
        ListBuilder builder(m_plain);
        for (const Transform &transform : list)
            builder.add(transform);
        return builder;
    }

    // Its first one, if the nest has it.
    [[nodiscard]] static std::optional<AxisId> axisOf(const LoopNest &nest, const Transform &transform)
    {
        return transform.axes.empty() ? std::nullopt : axisNamed(nest, transform.axes.front());
    }

    const LoopNest &m_plain;
    const DeviceInfo &m_device;
    const TensorProduct &m_product;
    TensorInstruction m_instruction;
    const TensorInstructionInfo &m_info;
    Dice &m_dice;
};

} // namespace

TransformList editedTensorList(const LoopNest &nest, const DeviceInfo &device, const TensorProduct &product,
                               const TransformList &list, Dice &dice)
{
    const std::optional<TensorInstruction> instruction = instructionOf(product, list);
    return instruction ? TensorEditor(nest, device, product, *instruction, dice).edited(list) : list;
}

std::optional<TensorInstruction> instructionOf(const TensorProduct &product, const TransformList &list)
{
    for (const Transform &transform : list)
        if (transform.instruction &&
            std::ranges::find(product.instructions, *transform.instruction) != product.instructions.end())
            return transform.instruction;
    return std::nullopt;
}

} // namespace sw
