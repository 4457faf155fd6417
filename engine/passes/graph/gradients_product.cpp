// The gradient of a product along axes. Dividing the product by each element would fail at zeros, and so would its derivative. So
// the product is computed again as a tree: halves of the elements are multiplied with each other until one is left. For x * y
// with adjoint g, x gets g * y and y gets g * x; going back down the tree leaves each element with the product of all the others.

#include "engine/passes/graph/gradient_rules.h"

#include <algorithm>
#include <array>

namespace sw {

namespace {

// The input with the reduced axes merged into one last axis: [.., elements].
struct Lined {
    std::vector<std::size_t> order; // the permutation that puts them last
    Shape permuted;                 // the input's shape after it
    Shape shape;
};

Lined linedUp(const Shape &input, const std::vector<std::size_t> &reduced)
{
    Lined lined;
    std::int64_t count = 1;
    std::vector<std::int64_t> extents;
    for (std::size_t axis = 0; axis < input.rank(); ++axis) {
        if (std::ranges::find(reduced, axis) != reduced.end())
            continue;
        lined.order.push_back(axis);
        extents.push_back(input[axis]);
    }
    std::vector<std::int64_t> permuted = extents;
    for (const std::size_t axis : reduced) {
        lined.order.push_back(axis);
        permuted.push_back(input[axis]);
        count *= input[axis];
    }
    extents.push_back(count);
    lined.permuted = Shape(std::move(permuted));
    lined.shape = Shape(std::move(extents));
    return lined;
}

// One level of the tree: the first half of the elements, and the second half, filled up with a one to the same length.
struct Level {
    NodeId first;
    NodeId second;
    std::int64_t count = 0; // of elements, before filling up
};

class ProductTree {
public:
    explicit ProductTree(BackwardStep &step) : m_step(step), m_builder(step.builder()) {}

    // The adjoints of the elements [.., n], from `adjoint` [.., 1], the adjoint of their product.
    Result<NodeId> run(NodeId elements, NodeId adjoint)
    {
        SW_CHECK(build(elements));
        for (std::size_t i = m_levels.size(); i-- > 0;) {
            const Level &level = m_levels[i];
            SW_TRY(const NodeId first, multiply(adjoint, level.second));
            SW_TRY(const NodeId second, multiply(adjoint, level.first));
            SW_TRY(const NodeId both, m_builder.cat(m_step.origin(), std::array{first, second}, last()));
            SW_TRY(adjoint, piece(both, 0, level.count));
        }
        return adjoint;
    }

private:
    Result<Done> build(NodeId elements)
    {
        m_rank = m_builder.node(elements).shape.rank();
        for (std::int64_t count = extent(elements); count > 1; count = extent(elements)) {
            const std::int64_t half = (count + 1) / 2;
            SW_TRY(const NodeId first, piece(elements, 0, half));
            SW_TRY(NodeId second, piece(elements, half, count));
            if (count - half < half) {
                SW_TRY(second, filledUp(second));
            }
            m_levels.push_back({first, second, count});
            SW_TRY(elements, multiply(first, second));
        }
        return Done{};
    }

    [[nodiscard]] std::size_t last() const { return m_rank - 1; }
    [[nodiscard]] std::int64_t extent(NodeId id) const { return m_builder.node(id).shape[last()]; }

    Result<NodeId> multiply(NodeId x, NodeId y) { return m_builder.elementwise(m_step.origin(), Op::Mul, std::array{x, y}); }

    Result<NodeId> piece(NodeId id, std::int64_t begin, std::int64_t end)
    {
        const Shape shape = m_builder.node(id).shape;
        if (begin == 0 && end == shape[last()])
            return id;
        ShrinkAttributes range{std::vector<std::int64_t>(m_rank, 0), std::vector<std::int64_t>(shape.begin(), shape.end())};
        range.begin[last()] = begin;
        range.end[last()] = end;
        return m_builder.shrink(m_step.origin(), id, std::move(range));
    }

    Result<NodeId> filledUp(NodeId id)
    {
        PadAttributes pad{std::vector<std::int64_t>(m_rank, 0), std::vector<std::int64_t>(m_rank, 0),
                          Scalar::of(m_builder.node(id).dtype, std::int64_t{1})};
        pad.after[last()] = 1;
        return m_builder.pad(m_step.origin(), id, std::move(pad));
    }

    BackwardStep &m_step;
    GraphBuilder &m_builder;
    std::size_t m_rank = 0;
    std::vector<Level> m_levels;
};

} // namespace

Result<Done> productGradient(BackwardStep &step)
{
    GraphBuilder &builder = step.builder();
    const Origin &origin = step.origin();
    const Shape input = step.input(0).shape;
    const Lined lined = linedUp(input, attributesOf<AxesAttributes>(step.node()).axes);
    if (input.isEmpty()) { // there are no elements, so there is nothing to give
        SW_TRY(const NodeId none, builder.expand(origin, step.adjoint(), input));
        step.contribute(0, none);
        return Done{};
    }
    std::vector<std::int64_t> kept(lined.shape.begin(), lined.shape.end());
    kept.back() = 1;
    SW_TRY(const NodeId permuted, builder.permute(origin, step.inputId(0), lined.order));
    SW_TRY(const NodeId elements, builder.reshape(origin, permuted, lined.shape));
    SW_TRY(const NodeId adjoint, builder.reshape(origin, step.adjoint(), Shape(std::move(kept))));
    SW_TRY(const NodeId adjoints, ProductTree(step).run(elements, adjoint));
    SW_TRY(const NodeId unlined, builder.reshape(origin, adjoints, lined.permuted));
    std::vector<std::size_t> inverse(lined.order.size());
    for (std::size_t i = 0; i < lined.order.size(); ++i)
        inverse[lined.order[i]] = i;
    SW_TRY(const NodeId back, builder.permute(origin, unlined, std::move(inverse)));
    step.contribute(0, back);
    return Done{};
}

} // namespace sw
