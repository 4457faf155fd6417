// The transposed convolution: each element of the input adds the kernel to the result, a stride from where its neighbour does.
//
// An output reads those elements of the kernel that lie a multiple of the stride from its place. So the outputs fall into phases,
// as many as the stride has places, and each phase is a convolution of the input with its own part of the kernel, with a stride
// of 1 (Shi et al. 2016, sub-pixel convolution). The phases are channels of one convolution, whose results are interleaved.

#include "engine/onnx/convolution.h"
#include "engine/onnx/handlers.h"

#include <algorithm>
#include <numeric>

namespace sw::onnx {

namespace {

// Inserts strides[i] - 1 zeros between neighbours in [N, C, spatial...].
Result<NodeId> spread(NodeCall &call, NodeId input, const std::vector<std::int64_t> &strides)
{
    NodeId result = input;
    for (std::size_t i = 0; i < strides.size(); ++i) {
        if (strides[i] == 1)
            continue;
        const std::size_t axis = i + 2;
        std::vector<std::int64_t> extents(call.shapeOf(result).begin(), call.shapeOf(result).end());
        const std::int64_t extent = extents[axis];
        extents.insert(extents.begin() + static_cast<std::ptrdiff_t>(axis) + 1, 1);
        SW_TRY(const NodeId split, call.reshape(result, extents));
        PadAttributes pad{.before = std::vector<std::int64_t>(extents.size(), 0),
                          .after = std::vector<std::int64_t>(extents.size(), 0),
                          .fill = Scalar::of(call.dtypeOf(input), std::int64_t{0})};
        pad.after[axis + 1] = strides[i] - 1;
        SW_TRY(const NodeId padded, call.builder().pad(call.origin(), split, std::move(pad)));
        extents.erase(extents.begin() + static_cast<std::ptrdiff_t>(axis) + 1);
        extents[axis] = extent * strides[i];
        SW_TRY(const NodeId joined, call.reshape(padded, extents));
        ShrinkAttributes shrink{.begin = std::vector<std::int64_t>(extents.size(), 0), .end = extents};
        shrink.end[axis] = (extent - 1) * strides[i] + 1;
        SW_TRY(result, call.builder().shrink(call.origin(), joined, std::move(shrink)));
    }
    return result;
}

// Turns [C, O / groups, kernel...] into [O, C / groups, kernel...] and reverses the kernel; stored so, once for weights that the
// model has: where they stand in the file, neighbouring steps of a sum lie a multiple of 4 KiB apart.
Result<NodeId> transposedWeights(NodeCall &call, NodeId weights, std::int64_t groups)
{
    const Shape shape = call.shapeOf(weights);
    std::vector<std::int64_t> split = {groups, shape[0] / groups, shape[1]};
    split.insert(split.end(), shape.begin() + 2, shape.end());
    SW_TRY(const NodeId grouped, call.reshape(weights, split));
    std::vector<std::size_t> order(split.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::swap(order[1], order[2]);
    SW_TRY(const NodeId swapped, call.permute(grouped, order));
    std::vector<std::size_t> kernelAxes(order.begin() + 3, order.end());
    SW_TRY(const NodeId flipped, call.builder().flip(call.origin(), swapped, std::move(kernelAxes)));
    std::vector<std::int64_t> joined = {groups * shape[1], shape[0] / groups};
    joined.insert(joined.end(), shape.begin() + 2, shape.end());
    SW_TRY(const NodeId reversed, call.reshape(flipped, std::move(joined)));
    return call.builder().contiguous(call.origin(), reversed);
}

// The padding of the result as ONNX counts it: how much the full result has to lose at each end.
Result<Done> cropOfTransposed(NodeCall &call, const std::vector<std::int64_t> &full, const std::vector<std::int64_t> &input,
                              WindowPlan &plan)
{
    const std::size_t count = full.size();
    SW_TRY(const std::vector<std::int64_t> extra, boundedList(call, "output_padding", count, 0));
    SW_TRY(const std::vector<std::int64_t> pads, boundedList(call, "pads", 2 * count, 0));
    SW_TRY(const std::vector<std::int64_t> wanted, boundedList(call, "output_shape", count, 1));
    const bool hasShape = call.hasAttribute("output_shape");
    const std::string mode = call.text("auto_pad", "NOTSET");
    const bool isSame = mode == "SAME_UPPER" || mode == "SAME_LOWER";
    for (std::size_t i = 0; i < count; ++i) {
        plan.before.push_back(pads[i]);
        plan.after.push_back(pads[count + i]);
        plan.outputs.push_back(full[i] + extra[i] - pads[i] - pads[count + i]);
        if (!hasShape && !isSame)
            continue;
        const std::int64_t output = hasShape ? wanted[i] : input[i] * plan.strides[i];
        const std::int64_t total = std::max<std::int64_t>(0, full[i] + extra[i] - output);
        plan.before[i] = mode == "SAME_UPPER" ? total / 2 : total - total / 2;
        plan.after[i] = total - plan.before[i];
        plan.outputs[i] = output;
    }
    return Done{};
}

// Cuts off what negative padding takes away, and sets it to 0. The other end may have to be padded first.
Result<NodeId> cropped(NodeCall &call, NodeId input, WindowPlan &plan)
{
    const Shape shape = call.shapeOf(input);
    PadAttributes pad{.before = std::vector<std::int64_t>(shape.rank(), 0),
                      .after = std::vector<std::int64_t>(shape.rank(), 0),
                      .fill = Scalar::of(call.dtypeOf(input), std::int64_t{0})};
    ShrinkAttributes shrink{.begin = std::vector<std::int64_t>(shape.rank(), 0), .end = {shape.begin(), shape.end()}};
    bool isNeeded = false;
    for (std::size_t i = 0; i < plan.kernel.size(); ++i) {
        std::int64_t &before = plan.before[i];
        std::int64_t &after = plan.after[i];
        if (before >= 0 && after >= 0)
            continue;
        isNeeded = true;
        pad.before[i + 2] = std::max<std::int64_t>(0, before);
        pad.after[i + 2] = std::max<std::int64_t>(0, after);
        shrink.begin[i + 2] = std::max<std::int64_t>(0, -before);
        shrink.end[i + 2] += pad.before[i + 2] + after;
        before = 0;
        after = 0;
    }
    if (!isNeeded)
        return input;
    SW_TRY(const NodeId padded, call.builder().pad(call.origin(), input, std::move(pad)));
    return call.builder().shrink(call.origin(), padded, std::move(shrink));
}

// Which outputs read which part of the kernel, along one axis: of phases first to first + count - 1, that is of outputs that lie
// so many places behind a multiple of the stride, each reads `steps` elements.
struct Phases {
    std::int64_t first = 0;
    std::int64_t count = 0;
    std::int64_t steps = 0;
};

// The elements of the kernel that a phase meets are a stride apart, so the phases differ by at most one step.
std::vector<Phases> phasesOf(std::int64_t kernel, std::int64_t stride)
{
    const std::int64_t longer = kernel % stride;
    std::vector<Phases> all;
    if (longer > 0)
        all.push_back({0, longer, kernel / stride + 1});
    all.push_back({longer, stride - longer, kernel / stride});
    return all;
}

// How the kernels and the results of all phases lie.
class PhaseConvolution {
public:
    PhaseConvolution(NodeCall &call, NodeId input, const WindowPlan &plan, std::int64_t groups)
        : m_call(call), m_input(input), m_plan(plan), m_groups(groups), m_spatial(plan.kernel.size())
    {
        for (std::size_t i = 0; i < m_spatial; ++i) {
            m_mostSteps.push_back((plan.kernel[i] + plan.strides[i] - 1) / plan.strides[i]);
            m_rounds.push_back(call.shapeOf(input)[i + 2] + m_mostSteps[i] - 1);
        }
    }

    // [N, O, rounds * stride...], as far as the strides reach.
    Result<NodeId> whole(NodeId weights)
    {
        SW_TRY(const NodeId apart, kernelsApart(weights));
        SW_TRY(const NodeId phases, allPhases(apart, {}));
        std::vector<std::size_t> order = {0, 1};
        std::vector<std::int64_t> extents = {m_call.shapeOf(phases)[0], m_call.shapeOf(phases)[1]};
        for (std::size_t i = 0; i < m_spatial; ++i) {
            order.push_back(2 + m_spatial + i);
            order.push_back(2 + i);
            extents.push_back(m_rounds[i] * m_plan.strides[i]);
        }
        SW_TRY(const NodeId interleaved, m_call.permute(phases, std::move(order)));
        return m_call.reshape(interleaved, std::move(extents));
    }

private:
    // [C, O / groups, steps, stride, ...]: zeros fill the last step.
    Result<NodeId> kernelsApart(NodeId weights)
    {
        const Shape shape = m_call.shapeOf(weights);
        PadAttributes pad{.before = std::vector<std::int64_t>(shape.rank(), 0),
                          .after = std::vector<std::int64_t>(shape.rank(), 0),
                          .fill = Scalar::of(m_call.dtypeOf(weights), std::int64_t{0})};
        std::vector<std::int64_t> extents = {shape[0], shape[1]};
        for (std::size_t i = 0; i < m_spatial; ++i) {
            pad.after[i + 2] = m_mostSteps[i] * m_plan.strides[i] - shape[i + 2];
            extents.push_back(m_mostSteps[i]);
            extents.push_back(m_plan.strides[i]);
        }
        SW_TRY(const NodeId padded, m_call.builder().pad(m_call.origin(), weights, std::move(pad)));
        return m_call.reshape(padded, std::move(extents));
    }

    // Those of the axes behind the chosen ones are joined along their own axis: [N, O, phases..., rounds...].
    Result<NodeId> allPhases(NodeId kernels, std::vector<Phases> chosen)
    {
        if (chosen.size() == m_spatial)
            return somePhases(kernels, chosen);
        std::vector<NodeId> parts;
        const std::size_t axis = chosen.size();
        for (const Phases &phases : phasesOf(m_plan.kernel[axis], m_plan.strides[axis])) {
            std::vector<Phases> more = chosen;
            more.push_back(phases);
            SW_TRY(const NodeId part, allPhases(kernels, std::move(more)));
            parts.push_back(part);
        }
        return parts.size() == 1 ? parts.front() : m_call.builder().cat(m_call.origin(), parts, 2 + axis);
    }

    // A convolution with a stride of 1, whose channels are those of the result for each phase.
    Result<NodeId> somePhases(NodeId kernels, const std::vector<Phases> &phases)
    {
        const Shape shape = m_call.shapeOf(kernels);
        ShrinkAttributes shrink{.begin = std::vector<std::int64_t>(shape.rank(), 0), .end = {shape.begin(), shape.end()}};
        std::vector<std::size_t> order = {0, 1};
        std::vector<std::int64_t> ofKernels = {shape[0], shape[1]};
        std::vector<std::int64_t> result = {m_call.shapeOf(m_input)[0], shape[1] * m_groups};
        WindowPlan windows{.strides = std::vector<std::int64_t>(m_spatial, 1),
                           .dilations = std::vector<std::int64_t>(m_spatial, 1),
                           .overhang = std::vector<std::int64_t>(m_spatial, 0),
                           .outputs = m_rounds};
        bool isEmpty = false;
        for (std::size_t i = 0; i < m_spatial; ++i) {
            shrink.end[2 + 2 * i] = phases[i].steps;
            shrink.begin[3 + 2 * i] = phases[i].first;
            shrink.end[3 + 2 * i] = phases[i].first + phases[i].count;
            order.push_back(3 + 2 * i);
            ofKernels[1] *= phases[i].count;
            result.push_back(phases[i].count);
            windows.kernel.push_back(phases[i].steps);
            windows.before.push_back(phases[i].steps - 1);
            windows.after.push_back(m_mostSteps[i] - 1);
            isEmpty = isEmpty || phases[i].steps == 0;
        }
        for (std::size_t i = 0; i < m_spatial; ++i)
            order.push_back(2 + 2 * i);
        ofKernels.insert(ofKernels.end(), windows.kernel.begin(), windows.kernel.end());
        result.insert(result.end(), m_rounds.begin(), m_rounds.end());
        if (isEmpty) // a stride beyond the kernel leaves places that nothing reaches
            return m_call.broadcastTo(m_call.scalar(m_call.dtypeOf(m_input), 0), std::move(result));
        SW_TRY(const NodeId part, m_call.builder().shrink(m_call.origin(), kernels, std::move(shrink)));
        SW_TRY(const NodeId moved, m_call.permute(part, std::move(order)));
        SW_TRY(const NodeId joined, m_call.reshape(moved, std::move(ofKernels)));
        SW_TRY(const NodeId weights, transposedWeights(m_call, joined, m_groups));
        SW_TRY(const NodeId sum, convolve(m_call, m_input, weights, windows, m_groups));
        return m_call.reshape(sum, std::move(result));
    }

    NodeCall &m_call;
    NodeId m_input;
    const WindowPlan &m_plan;
    std::int64_t m_groups;
    std::size_t m_spatial;
    std::vector<std::int64_t> m_mostSteps = {};
    std::vector<std::int64_t> m_rounds = {}; // so many outputs has each phase
};

// From the whole result to what the pads leave of it; beyond its end there are zeros.
Result<NodeId> croppedResult(NodeCall &call, NodeId whole, const WindowPlan &plan)
{
    const Shape shape = call.shapeOf(whole);
    PadAttributes pad{.before = std::vector<std::int64_t>(shape.rank(), 0),
                      .after = std::vector<std::int64_t>(shape.rank(), 0),
                      .fill = Scalar::of(call.dtypeOf(whole), std::int64_t{0})};
    ShrinkAttributes shrink{.begin = std::vector<std::int64_t>(shape.rank(), 0), .end = {shape.begin(), shape.end()}};
    for (std::size_t i = 0; i < plan.kernel.size(); ++i) {
        shrink.begin[i + 2] = plan.before[i];
        shrink.end[i + 2] = plan.before[i] + plan.outputs[i];
        pad.after[i + 2] = std::max<std::int64_t>(0, shrink.end[i + 2] - shape[i + 2]);
    }
    SW_TRY(const NodeId padded, call.builder().pad(call.origin(), whole, std::move(pad)));
    return call.builder().shrink(call.origin(), padded, std::move(shrink));
}

// A convolution over the input with zeros between its elements, most of which are multiplied for nothing.
Result<NodeId> overSpreadInput(NodeCall &call, NodeId input, NodeId filters, const WindowPlan &plan, std::int64_t groups)
{
    // Output o reads elements o + before - reach + 1 to o + before of the spread input; zeros pad the ends, less the crop.
    const std::size_t count = plan.kernel.size();
    WindowPlan windows{.kernel = plan.kernel, .strides = std::vector<std::int64_t>(count, 1), .dilations = plan.dilations};
    windows.outputs = plan.outputs;
    windows.overhang.assign(count, 0);
    for (std::size_t i = 0; i < count; ++i) {
        const std::int64_t reach = plan.dilations[i] * (plan.kernel[i] - 1);
        windows.before.push_back(reach - plan.before[i]);
        windows.after.push_back(plan.outputs[i] + reach - windows.before[i] -
                                ((call.shapeOf(input)[i + 2] - 1) * plan.strides[i] + 1));
    }
    SW_TRY(const NodeId whole, spread(call, input, plan.strides));
    SW_TRY(const NodeId apart, cropped(call, whole, windows));
    SW_TRY(const NodeId weights, transposedWeights(call, filters, groups));
    return convolve(call, apart, weights, windows, groups);
}

} // namespace

Result<Outputs> importConvTranspose(NodeCall &call)
{
    SW_CHECK(checkRanks(call, call.shape(0), call.shape(1)));
    const std::vector<std::int64_t> spatial = spatialExtents(call.shape(0));
    SW_TRY(const std::int64_t groups, groupCount(call, call.shape(0)[1]));
    if (call.shape(1)[0] != call.shape(0)[1])
        return call.error(Code::ShapeMismatch, "weights {} do not fit {} input channels", toText(call.shape(1)),
                          call.shape(0)[1]);
    WindowPlan plan{.kernel = spatialExtents(call.shape(1))};
    SW_TRY(plan.strides, boundedList(call, "strides", spatial.size(), 1));
    SW_TRY(plan.dilations, boundedList(call, "dilations", spatial.size(), 1));
    std::vector<std::int64_t> full;
    for (std::size_t i = 0; i < spatial.size(); ++i)
        full.push_back((spatial[i] - 1) * plan.strides[i] + plan.dilations[i] * (plan.kernel[i] - 1) + 1);
    SW_CHECK(cropOfTransposed(call, full, spatial, plan));
    for (std::size_t i = 0; i < spatial.size(); ++i)
        if (plan.outputs[i] < 1)
            return call.error(Code::ShapeMismatch, "the pads leave nothing of spatial axis {}, which would have {} elements", i,
                              full[i]);
    SW_TRY(const NodeId input, widened(call, call.input(0)));
    SW_TRY(const NodeId filters, widened(call, call.input(1)));
    const auto isApart = [](std::int64_t step) { return step > 1; };
    const bool hasPhases = std::ranges::any_of(plan.strides, isApart) && std::ranges::none_of(plan.dilations, isApart);
    NodeId sum;
    if (hasPhases) {
        SW_TRY(const NodeId whole, PhaseConvolution(call, input, plan, groups).whole(filters));
        SW_TRY(sum, croppedResult(call, whole, plan));
    } else {
        SW_TRY(sum, overSpreadInput(call, input, filters, plan, groups));
    }
    SW_TRY(const NodeId biased, addBias(call, sum, 2));
    SW_TRY(const NodeId result, call.cast(biased, call.dtype(0)));
    return Outputs{result};
}

} // namespace sw::onnx
