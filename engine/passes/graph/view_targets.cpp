#include "engine/passes/graph/view_targets.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

namespace sw {

namespace {

// The order in which axes are laid decides what overlaps, and so how many elements are added. The cheapest order is found over
// all sets of axes, because the length of a laid set depends only on the set.
class LayingOrder {
public:
    explicit LayingOrder(const std::vector<LaidAxis> &axes) : m_axes(axes), m_steps(std::size_t{1} << axes.size()) {}

    [[nodiscard]] std::vector<LaidAxis> find()
    {
        m_steps[0].cost = 0;
        for (std::size_t set = 0; set < m_steps.size(); ++set)
            for (std::size_t axis = 0; axis < m_axes.size(); ++axis)
                if (((set >> axis) & 1) == 0)
                    tryAxis(set, axis);
        std::vector<LaidAxis> order;
        for (std::size_t set = m_steps.size() - 1; set != 0;) {
            const std::size_t last = m_steps[set].last;
            order.push_back(m_axes[last]);
            set &= ~(std::size_t{1} << last);
        }
        std::ranges::reverse(order);
        return order;
    }

private:
    struct Step {
        double cost = std::numeric_limits<double>::infinity(); // elements that are added in the cheapest order of the set
        std::size_t last = 0;
    };

    void tryAxis(std::size_t set, std::size_t axis)
    {
        double length = 1;
        double remaining = 1;
        for (std::size_t i = 0; i < m_axes.size(); ++i) {
            const auto extent = static_cast<double>(m_axes[i].extent);
            if (((set >> i) & 1) != 0)
                length += (extent - 1) * static_cast<double>(m_axes[i].stride);
            else
                remaining *= extent;
        }
        const auto stride = static_cast<double>(m_axes[axis].stride);
        const double laid = length + (static_cast<double>(m_axes[axis].extent) - 1) * stride;
        const double cost = m_steps[set].cost + (stride >= length ? 0 : remaining * laid);
        Step &next = m_steps[set | (std::size_t{1} << axis)];
        if (cost < next.cost)
            next = {cost, axis};
    }

    const std::vector<LaidAxis> &m_axes;
    std::vector<Step> m_steps; // by set
};

// One target per axis of the input; nothing when the view does not stay within the axes.
std::optional<std::vector<ViewTarget>> targetsByAxis(const Shape &input, std::int64_t offset, const std::vector<LaidAxis> &axes)
{
    std::vector<ViewTarget> targets;
    std::vector<std::int64_t> steps; // in the flat input
    const std::vector<std::int64_t> strides = rowMajorStrides(input);
    for (std::size_t i = 0; i < input.rank(); ++i) {
        if (input[i] == 1)
            continue;
        targets.push_back({input[i], offset / strides[i], {}});
        offset %= strides[i];
        steps.push_back(strides[i]);
    }
    for (LaidAxis axis : axes) {
        // The outermost axis that the stride is a multiple of.
        const auto step = std::ranges::find_if(steps, [&axis](std::int64_t s) { return axis.stride % s == 0; });
        if (step == steps.end())
            return std::nullopt;
        axis.stride /= *step;
        targets[static_cast<std::size_t>(step - steps.begin())].axes.push_back(axis);
    }
    for (const ViewTarget &target : targets) {
        std::int64_t last = target.offset;
        for (const LaidAxis &axis : target.axes)
            last += (axis.extent - 1) * axis.stride;
        if (last >= target.extent)
            return std::nullopt;
    }
    return targets;
}

} // namespace

std::vector<ViewTarget> viewTargets(const Shape &input, std::int64_t offset, const std::vector<LaidAxis> &axes)
{
    std::vector<ViewTarget> targets =
        targetsByAxis(input, offset, axes).value_or(std::vector{ViewTarget{input.elements(), offset, axes}});
    for (ViewTarget &target : targets)
        target.axes = LayingOrder(target.axes).find();
    return targets;
}

} // namespace sw
