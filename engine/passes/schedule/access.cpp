#include "engine/passes/schedule/access.h"

#include "engine/base/hash.h"
#include "engine/graph/cat_lane.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>

namespace sw {

namespace {

std::uint64_t hashOf(const Access &access)
{
    Hasher hasher;
    hasher.add(access.token).add(static_cast<std::uint64_t>(access.offset)).add(static_cast<std::uint64_t>(access.isMasked));
    for (const AccessTerm &term : access.terms)
        hasher.add(std::uint64_t{term.axis}).add(static_cast<std::uint64_t>(term.stride));
    return hasher.value();
}

// A run of axes of the middle value over which the inner access is linear.
struct Segment {
    std::int64_t step = 1;   // how far one step of the run moves the middle value's flat position
    std::int64_t extent = 1; // number of steps
    std::int64_t stride = 0; // how far one step moves the inner position
    std::int64_t low = 0;    // the range of steps that the outer terms take
    std::int64_t high = 0;
};

using Segments = ShortList<Segment, 4>;

// Innermost first.
Segments segmentsOf(const Shape &shape, const Access &inner)
{
    Segments segments;
    std::int64_t step = 1;
    for (std::size_t axis = shape.rank(); axis-- > 0;) {
        const std::int64_t extent = shape[axis];
        if (extent == 1)
            continue;
        const auto term = std::ranges::find(inner.terms, axis, &AccessTerm::axis);
        const std::int64_t stride = term == inner.terms.end() ? 0 : term->stride;
        if (!segments.empty() && stride == segments.back().stride * segments.back().extent)
            segments.back().extent *= extent;
        else
            segments.push_back({step, extent, stride, 0, 0});
        step *= extent;
    }
    return segments;
}

// The inner stride of each outer term, or nothing when a term does not stay within one segment.
std::optional<AccessTerms> termsThrough(const Access &outer, Segments segments)
{
    AccessTerms terms;
    for (const AccessTerm &term : outer.terms) {
        const std::int64_t size = std::abs(term.stride);
        auto segment = segments.end(); // the outermost whose steps are no longer
        while (segment != segments.begin() && (segment - 1)->step > size)
            --segment;
        if (segment == segments.begin() || size % (--segment)->step != 0)
            return std::nullopt;
        const std::int64_t steps = term.stride / segment->step;
        (steps < 0 ? segment->low : segment->high) += steps * (term.extent - 1);
        if (segment->stride != 0)
            terms.push_back({term.axis, term.extent, steps * segment->stride});
    }
    // Where positions are masked, the offset may lie outside; the positions that count are inside.
    if (segments.size() <= 1 || outer.isMasked)
        return terms;
    for (const Segment &segment : segments) {
        const std::int64_t start = (outer.offset / segment.step) % segment.extent;
        if (start + segment.low < 0 || start + segment.high >= segment.extent)
            return std::nullopt;
    }
    return terms;
}

std::int64_t innerOffset(const Access &outer, const Segments &segments)
{
    std::int64_t offset = 0;
    for (const Segment &segment : segments)
        offset += (outer.offset / segment.step) % segment.extent * segment.stride;
    return offset;
}

Access padAccess(const Shape &input, const PadAttributes &attributes, const Shape &result)
{
    const std::vector<std::int64_t> strides = rowMajorStrides(input);
    std::int64_t offset = 0;
    for (std::size_t axis = 0; axis < input.rank(); ++axis)
        offset -= attributes.before[axis] * strides[axis];
    Access access = stridedAccess(result, strides, offset);
    access.isMasked = input != result;
    access.isBijection = input == result;
    return access;
}

Access permuteAccess(const Shape &input, const std::vector<std::size_t> &axes, const Shape &result)
{
    const std::vector<std::int64_t> strides = rowMajorStrides(input);
    std::vector<std::int64_t> permuted;
    for (const std::size_t axis : axes)
        permuted.push_back(strides[axis]);
    return stridedAccess(result, permuted, 0);
}

Access expandAccess(const Shape &input, const Shape &result)
{
    std::vector<std::int64_t> strides = rowMajorStrides(input);
    for (std::size_t axis = 0; axis < input.rank(); ++axis)
        if (input[axis] != result[axis])
            strides[axis] = 0;
    return stridedAccess(result, strides, 0);
}

Access shrinkAccess(const Shape &input, const ShrinkAttributes &attributes, const Shape &result)
{
    const std::vector<std::int64_t> strides = rowMajorStrides(input);
    return stridedAccess(result, strides, ravel(attributes.begin, strides));
}

Access flipAccess(const Shape &input, const std::vector<std::size_t> &axes)
{
    std::vector<std::int64_t> strides = rowMajorStrides(input);
    std::int64_t offset = 0;
    for (const std::size_t axis : axes) {
        offset += strides[axis] * (input[axis] - 1);
        strides[axis] = -strides[axis];
    }
    return stridedAccess(input, strides, offset);
}

bool masksAnything(const ViewAttributes &view, const Shape &result)
{
    for (std::size_t axis = 0; axis < view.mask.size(); ++axis)
        if (view.mask[axis].first > 0 || view.mask[axis].second < result[axis])
            return true;
    return false;
}

} // namespace

Access stridedAccess(const Shape &shape, std::span<const std::int64_t> strides, std::int64_t offset)
{
    Access access;
    access.offset = offset;
    for (std::size_t axis = 0; axis < shape.rank(); ++axis)
        if (shape[axis] != 1 && strides[axis] != 0)
            access.terms.push_back({static_cast<std::uint32_t>(axis), shape[axis], strides[axis]});
    return access;
}

Access identityAccess(const Shape &shape)
{
    std::array<std::int64_t, Shape::kMaxRank> strides{};
    std::int64_t step = 1;
    for (std::size_t axis = shape.rank(); axis-- > 0; step *= std::max<std::int64_t>(shape[axis], 1))
        strides[axis] = step;
    Access access = stridedAccess(shape, std::span(strides).first(shape.rank()), 0);
    access.isBijection = true;
    return access;
}

Access viewAccess(const Graph &graph, const Node &node)
{
    const Shape &input = graph.node(node.inputs.at(0)).shape;
    Access access;
    switch (infoOf(node.kind).movement) {
    case Movement::Identity:
    case Movement::Reshape:
        return identityAccess(node.shape);
    case Movement::Pad:
        return padAccess(input, attributesOf<PadAttributes>(node), node.shape);
    case Movement::Permute:
        access = permuteAccess(input, attributesOf<AxesAttributes>(node).axes, node.shape);
        break;
    case Movement::Expand:
        access = expandAccess(input, node.shape);
        break;
    case Movement::Shrink:
        access = shrinkAccess(input, attributesOf<ShrinkAttributes>(node), node.shape);
        break;
    case Movement::Flip:
        access = flipAccess(input, attributesOf<AxesAttributes>(node).axes);
        break;
    case Movement::View: {
        const auto &view = attributesOf<ViewAttributes>(node);
        access = stridedAccess(node.shape, view.strides, view.offset);
        access.isMasked = masksAnything(view, node.shape);
        break;
    }
    case Movement::None:
        SW_UNREACHABLE();
    }
    access.isBijection = node.shape.elements() == input.elements() && coversExactly(access, input.elements());
    return access;
}

Access catAccess(const Graph &graph, const Node &node, std::size_t input)
{
    const std::size_t axis = attributesOf<AxisAttributes>(node).axis;
    const Shape &shape = graph.node(node.inputs[input]).shape;
    std::vector<std::int64_t> strides = rowMajorStrides(shape);
    if (isCatLane(graph, node, input)) {
        strides[axis] = 0;
        return stridedAccess(node.shape, strides, 0);
    }
    std::int64_t before = 0;
    for (std::size_t i = 0; i < input; ++i)
        before += graph.node(node.inputs[i]).shape[axis];
    Access access = stridedAccess(node.shape, strides, -before * strides[axis]);
    access.isMasked = shape != node.shape;
    access.isBijection = !access.isMasked;
    return access;
}

Access composed(const Access &outer, const Shape &shape, const Access &inner)
{
    Access result;
    result.isMasked = outer.isMasked || inner.isMasked;
    result.isBijection = outer.isBijection && inner.isBijection;
    if (isPlain(inner, shape)) {
        result = outer;
        return result;
    }
    if (!shape.isEmpty() && outer.isStrided && inner.isStrided) {
        const Segments segments = segmentsOf(shape, inner);
        if (auto terms = termsThrough(outer, segments)) {
            result.terms = *terms;
            result.offset = inner.offset + innerOffset(outer, segments);
            return result;
        }
    }
    result.isStrided = false;
    result.token = Hasher().add(hashOf(outer)).add(hashOf(inner)).add(toText(shape)).value();
    return result;
}

bool coversExactly(const Access &access, std::int64_t elements)
{
    if (!access.isStrided || access.isMasked)
        return false;
    AccessTerms terms = access.terms;
    std::int64_t low = access.offset;
    for (AccessTerm &term : terms)
        if (term.stride < 0) {
            low += term.stride * (term.extent - 1);
            term.stride = -term.stride;
        }
    std::sort(terms.begin(), terms.end(), [](const AccessTerm &a, const AccessTerm &b) { return a.stride < b.stride; });
    std::int64_t covered = 1;
    for (const AccessTerm &term : terms) {
        if (term.stride != covered)
            return false;
        covered *= term.extent;
    }
    return low == 0 && covered == elements;
}

bool isPlain(const Access &access, const Shape &shape)
{
    return access.isStrided && !access.isMasked && access.isBijection && access == identityAccess(shape);
}

bool hasWholeAxis(const Access &access, const Shape &read)
{
    const std::vector<std::int64_t> strides = rowMajorStrides(read);
    return access.isStrided && std::ranges::any_of(access.terms, [&](const AccessTerm &term) {
               for (std::size_t axis = 0; axis < read.rank(); ++axis)
                   if (term.stride % strides[axis] == 0 && term.stride / strides[axis] * (term.extent - 1) < read[axis])
                       return true;
               return false;
           });
}

double repeats(const Access &access, std::int64_t readerElements, std::int64_t valueElements)
{
    double distinct = 1;
    if (access.isStrided)
        for (const AccessTerm &term : access.terms)
            distinct *= static_cast<double>(term.extent);
    else
        distinct = static_cast<double>(readerElements);
    distinct = std::max(1.0, std::min(distinct, static_cast<double>(valueElements)));
    return static_cast<double>(readerElements) / distinct;
}

} // namespace sw
