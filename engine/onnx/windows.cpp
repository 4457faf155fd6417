#include "engine/onnx/windows.h"

namespace sw::onnx {

namespace {

// Far beyond any model, yet the product of two still fits.
constexpr std::int64_t kMaxWindowNumber = std::int64_t{1} << 30U;

Result<Done> checkNumbers(NodeCall &call, std::string_view name, const std::vector<std::int64_t> &list, std::int64_t least)
{
    for (const std::int64_t value : list) {
        if (value < least || value > kMaxWindowNumber)
            return call.error(Code::Argument, "{} [{}]: {} is out of range, expected {} to {}", name, join(list, ", "), value,
                              least, kMaxWindowNumber);
    }
    return Done{};
}

std::int64_t reach(const WindowPlan &plan, std::size_t axis)
{
    return plan.dilations[axis] * (plan.kernel[axis] - 1) + 1;
}

// SAME: one window per stride, the last may be partial; the padding is split, an odd element goes to the end (UPPER) or start.
void padToSame(WindowPlan &plan, std::span<const std::int64_t> spatial, bool isUpper)
{
    for (std::size_t i = 0; i < spatial.size(); ++i) {
        const std::int64_t windows = (spatial[i] + plan.strides[i] - 1) / plan.strides[i];
        const std::int64_t total = std::max<std::int64_t>(0, (windows - 1) * plan.strides[i] + reach(plan, i) - spatial[i]);
        const std::int64_t smaller = total / 2;
        plan.before[i] = isUpper ? smaller : total - smaller;
        plan.after[i] = total - plan.before[i];
    }
}

Result<Done> readPads(NodeCall &call, WindowPlan &plan, std::span<const std::int64_t> spatial)
{
    const std::size_t count = spatial.size();
    plan.before.assign(count, 0);
    plan.after.assign(count, 0);
    const std::string mode = call.text("auto_pad", "NOTSET");
    if (mode == "SAME_UPPER" || mode == "SAME_LOWER") {
        padToSame(plan, spatial, mode == "SAME_UPPER");
        return Done{};
    }
    if (mode == "VALID")
        return Done{};
    if (mode != "NOTSET" && !mode.empty())
        return call.error(Code::Argument, "auto_pad is none of NOTSET, SAME_UPPER, SAME_LOWER, VALID");
    SW_TRY(const std::vector<std::int64_t> pads, boundedList(call, "pads", 2 * count, 0));
    const auto middle = pads.begin() + static_cast<std::ptrdiff_t>(count);
    plan.before.assign(pads.begin(), middle);
    plan.after.assign(middle, pads.end());
    return Done{};
}

Result<Done> countWindows(NodeCall &call, WindowPlan &plan, std::span<const std::int64_t> spatial)
{
    const bool isCeil = call.isOn("ceil_mode");
    for (std::size_t i = 0; i < spatial.size(); ++i) {
        const std::int64_t padded = spatial[i] + plan.before[i] + plan.after[i];
        const std::int64_t steps = padded - reach(plan, i);
        if (steps < 0)
            return call.error(Code::ShapeMismatch, "the window spans {} elements on spatial axis {}, the padded input has {}",
                              reach(plan, i), i, padded);
        std::int64_t windows = steps / plan.strides[i] + 1;
        std::int64_t overhang = 0;
        if (isCeil && steps % plan.strides[i] != 0 && windows * plan.strides[i] < spatial[i] + plan.before[i]) {
            ++windows; // unless this window would start in the padding at the end
            overhang = (windows - 1) * plan.strides[i] + reach(plan, i) - padded;
        }
        plan.outputs.push_back(windows);
        plan.overhang.push_back(overhang);
    }
    return Done{};
}

struct ViewShape {
    std::vector<std::int64_t> extents;
    std::vector<std::int64_t> strides;

    void add(std::int64_t extent, std::int64_t stride)
    {
        extents.push_back(extent);
        strides.push_back(stride);
    }
};

} // namespace

Result<std::vector<std::int64_t>> boundedList(NodeCall &call, std::string_view name, std::size_t count, std::int64_t least)
{
    std::vector<std::int64_t> list = call.integers(name).value_or(std::vector<std::int64_t>(count, least));
    if (list.size() != count)
        return call.error(Code::Argument, "{} [{}] has {} elements, expected {}", name, join(list, ", "), list.size(), count);
    SW_CHECK(checkNumbers(call, name, list, least));
    return list;
}

Result<WindowPlan> planWindows(NodeCall &call, std::span<const std::int64_t> spatial, std::vector<std::int64_t> kernel)
{
    WindowPlan plan;
    plan.kernel = std::move(kernel);
    if (plan.kernel.size() != spatial.size())
        return call.error(Code::ShapeMismatch, "the window has {} axes, the input {} spatial ones", plan.kernel.size(),
                          spatial.size());
    SW_CHECK(checkNumbers(call, "the window's extents", plan.kernel, 1));
    SW_CHECK(checkNumbers(call, "the input's extents", {spatial.begin(), spatial.end()}, 1));
    SW_TRY(plan.strides, boundedList(call, "strides", spatial.size(), 1));
    SW_TRY(plan.dilations, boundedList(call, "dilations", spatial.size(), 1));
    SW_CHECK(readPads(call, plan, spatial));
    SW_CHECK(countWindows(call, plan, spatial));
    return plan;
}

Result<NodeId> showWindows(NodeCall &call, NodeId input, const WindowPlan &plan, const Scalar &fill, WindowLayout layout)
{
    const std::size_t rank = call.rankOf(input);
    PadAttributes pad{.before = std::vector<std::int64_t>(rank, 0), .after = std::vector<std::int64_t>(rank, 0), .fill = fill};
    bool isPadded = false;
    for (std::size_t i = 0; i + 2 < rank; ++i) {
        pad.before[i + 2] = plan.before[i];
        pad.after[i + 2] = plan.after[i] + plan.overhang[i];
        isPadded = isPadded || pad.before[i + 2] != 0 || pad.after[i + 2] != 0;
    }
    NodeId padded = input;
    if (isPadded) {
        SW_TRY(padded, call.builder().pad(call.origin(), input, std::move(pad)));
    }

    const Shape &shape = call.shapeOf(padded);
    const std::vector<std::int64_t> from = rowMajorStrides(shape);
    ViewShape view;
    view.add(shape[0], from[0]);
    const std::int64_t perGroup = layout.groups == 0 ? 1 : shape[1] / layout.groups;
    if (layout.groups == 0) {
        view.add(shape[1], from[1]);
    } else {
        view.add(layout.groups, perGroup * from[1]);
        view.add(layout.repeats, 0);
    }
    for (std::size_t i = 0; i + 2 < rank; ++i)
        view.add(plan.outputs[i], plan.strides[i] * from[i + 2]);
    if (layout.groups != 0)
        view.add(perGroup, from[1]);
    for (std::size_t i = 0; i + 2 < rank; ++i)
        view.add(plan.kernel[i], plan.dilations[i] * from[i + 2]);
    SW_TRY(Shape viewShape, Shape::checked(std::move(view.extents)));
    return call.builder().view(call.origin(), padded, std::move(viewShape),
                               {.strides = std::move(view.strides), .offset = 0, .mask = {}});
}

} // namespace sw::onnx
