#include "tests/fuzz/random_symbolic.h"

#include "engine/graph/dimension_nodes.h"
#include "engine/graph/verify.h"
#include "engine/types/random_fill.h"
#include "tests/fuzz/random_source.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace sw {

namespace {

using Made = Result<std::optional<NodeId>>;

constexpr std::int64_t kMostElements = 600;

class SymbolicGenerator {
public:
    explicit SymbolicGenerator(std::uint64_t seed) : m_random(seed), m_sources(oneLine()), m_builder(m_sources)
    {
        const std::int64_t low = m_random.between(0, 2);
        addDimension("n", low, m_random.between(4, 9));
        addDimension("m", 1, m_random.between(2, 6));
    }

    SymbolicGraph run(std::uint64_t seed, std::uint64_t run)
    {
        for (const SymbolicVariable &variable : m_variables)
            addInput(Shape::checkedSymbolic({SymbolicExpr(variable)}).value());
        addInput(Shape::checkedSymbolic({SymbolicExpr(m_variables[0]), SymbolicExpr(3)}).value());
        const std::int64_t steps = m_random.between(4, 12);
        for (std::int64_t i = 0; i < steps; ++i)
            step();
        return finish(seed, run);
    }

private:
    static std::shared_ptr<SourceMap> oneLine()
    {
        auto sources = std::make_shared<SourceMap>();
        const FileId file = sources->addFile({"random.sw", {}});
        sources->addItem({file, {"random.sw", 1, 1, 1, 2}, SourceMap::rootScope(), {}, "program"});
        return sources;
    }
    [[nodiscard]] static Origin origin() { return Origin(SourceId(0U)); }
    [[nodiscard]] const Node &node(NodeId id) const { return m_builder.node(id); }

    void addDimension(const std::string &name, std::int64_t low, std::int64_t high)
    {
        m_variables.push_back({name, low, high});
        m_dimensions.emplace(name, m_builder.dimension(origin(), m_variables.back()).value());
    }

    NodeId addInput(const Shape &shape)
    {
        const DType dtype = m_random.pick(std::array{DType::F32, DType::I32, DType::F64});
        PlaceholderAttributes attributes;
        attributes.name = format("x{}", m_inputs.size());
        m_inputs.push_back(m_builder.placeholder(origin(), dtype, shape, std::move(attributes)));
        m_values.push_back(m_inputs.back());
        return m_inputs.back();
    }

    [[nodiscard]] NodeId any() { return m_random.pick(m_values); }
    [[nodiscard]] std::size_t anyAxis(const Shape &shape)
    {
        return static_cast<std::size_t>(m_random.between(0, static_cast<std::int64_t>(shape.rank()) - 1));
    }

    // What cannot be made of the values that there are is left out.
    void step()
    {
        const std::size_t size = m_builder.size();
        const Made made = makeOne();
        if (!made || !*made || node(**made).shape.elements() > kMostElements) {
            m_builder.takeBack(size);
            return;
        }
        m_values.push_back(**made);
    }

    Made makeOne()
    {
        switch (m_random.between(0, 16)) {
        case 0:
            return chosen(m_builder.elementwise(origin(), m_random.pick(std::array{Op::Neg, Op::Abs, Op::Relu, Op::Sign}),
                                                std::array{any()}));
        case 1:
        case 2:
            return combined();
        case 3:
        case 4:
            return reduced();
        case 5:
            return moved();
        case 6:
            return padded();
        case 7:
            return cut();
        case 8:
            return joined();
        case 9:
            return reshaped();
        case 10:
            return scaled();
        case 11:
            return looked();
        case 12:
            return contracted();
        case 13:
            return packed();
        case 14:
            return scattered();
        case 15:
            return assigned();
        case 16:
            return viewed();
        }
        SW_UNREACHABLE();
    }

    static Made chosen(Result<NodeId> made) { return made ? Made(std::optional(*made)) : Made(std::optional<NodeId>()); }

    Made combined()
    {
        const Op op = m_random.pick(std::array{Op::Add, Op::Sub, Op::Mul, Op::Max, Op::Min});
        return chosen(m_builder.broadcasted(origin(), op, std::array{any(), any()}));
    }

    Made reduced()
    {
        const NodeId input = any();
        if (node(input).shape.rank() == 0)
            return std::optional<NodeId>();
        const Op op = m_random.pick(std::array{Op::Add, Op::Max, Op::Min, Op::Mul});
        SW_TRY(const NodeId result, m_builder.reduce(origin(), op, input, {anyAxis(node(input).shape)}));
        m_values.push_back(result);
        const Shape shape = node(input).shape;
        return chosen(m_builder.expand(origin(), result, shape)); // as softmax does
    }

    Made moved()
    {
        const NodeId input = any();
        std::vector<std::size_t> axes;
        for (std::size_t axis = 0; axis < node(input).shape.rank(); ++axis)
            axes.insert(axes.begin() + static_cast<std::ptrdiff_t>(m_random.between(0, static_cast<std::int64_t>(axis))), axis);
        if (m_random.chance(50))
            return chosen(m_builder.permute(origin(), input, std::move(axes)));
        axes.resize(static_cast<std::size_t>(m_random.between(0, static_cast<std::int64_t>(axes.size()))));
        return chosen(m_builder.flip(origin(), input, std::move(axes)));
    }

    Made padded()
    {
        const NodeId input = any();
        PadAttributes border{{}, {}, Scalar::of(node(input).dtype, m_random.between(-2, 2))};
        for (std::size_t axis = 0; axis < node(input).shape.rank(); ++axis) {
            border.before.push_back(m_random.between(0, 2));
            border.after.push_back(m_random.between(0, 2));
        }
        return chosen(m_builder.pad(origin(), input, std::move(border)));
    }

    // Without some elements at the ends of each axis.
    Made cut()
    {
        const NodeId input = any();
        const Shape shape = node(input).shape;
        ShrinkAttributes range;
        std::vector<SymbolicExpr> extents;
        for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
            const std::int64_t begin = m_random.between(0, 1);
            SW_TRY(const SymbolicExpr extent, subtract(shape.extent(axis), begin + m_random.between(0, 1)));
            range.begin.push_back(begin);
            range.end.push_back(begin + extent.bounds().high);
            extents.push_back(extent);
        }
        SW_TRY(Shape result, Shape::checkedSymbolic(std::move(extents)));
        return chosen(m_builder.shrink(origin(), input, std::move(range), std::move(result)));
    }

    Made joined()
    {
        const NodeId first = any();
        if (node(first).shape.rank() == 0)
            return std::optional<NodeId>();
        const std::size_t axis = anyAxis(node(first).shape);
        const NodeId second = m_random.chance(50) ? first : any();
        SW_TRY(const NodeId same, m_builder.cast(origin(), second, node(first).dtype));
        return chosen(m_builder.cat(origin(), std::array{first, same, first}, axis));
    }

    // The first axes as one.
    Made reshaped()
    {
        const NodeId input = any();
        std::vector<SymbolicExpr> extents = node(input).shape.symbolicExtents();
        if (extents.size() < 2 || m_random.chance(30)) {
            extents.insert(extents.begin() + m_random.between(0, std::ssize(extents)), SymbolicExpr(1));
        } else {
            SW_TRY(extents[1], multiply(extents[0], extents[1]));
            extents.erase(extents.begin());
        }
        SW_TRY(Shape shape, Shape::checkedSymbolic(std::move(extents)));
        return chosen(m_builder.reshape(origin(), input, std::move(shape)));
    }

    // By a number made of the dimensions.
    Made scaled()
    {
        SW_TRY(const SymbolicExpr product, multiply(SymbolicExpr(m_variables[0]), SymbolicExpr(m_variables[1])));
        SW_TRY(const SymbolicExpr third, divide(product, 3));
        SW_TRY(const SymbolicExpr rest, modulo(SymbolicExpr(m_variables[0]), 4));
        SW_TRY(const SymbolicExpr least, minimum(third, rest));
        const NodeId input = any();
        SW_TRY(const NodeId value,
               dimensionValue(m_builder, origin(), m_random.pick(std::array{product, third, rest, least}), m_dimensions));
        SW_TRY(const NodeId same, m_builder.cast(origin(), value, node(input).dtype));
        return chosen(m_builder.broadcasted(origin(), Op::Add, std::array{input, same}));
    }

    // Through a table of numbers, at places that have a symbolic shape.
    Made looked()
    {
        const NodeId at = any();
        if (node(at).dtype != DType::I32 || node(at).shape.rank() != 1)
            return std::optional<NodeId>();
        HostTensor table(DType::F32, Shape{5});
        for (std::int64_t i = 0; i < 5; ++i)
            table.set(i, Scalar::of(DType::F32, static_cast<double>(i) / 4));
        const NodeId five = m_builder.constScalar(origin(), Scalar::of(DType::I32, std::int64_t{5}));
        SW_TRY(const NodeId inside, m_builder.broadcasted(origin(), Op::FloorMod, std::array{at, five}));
        return chosen(m_builder.gather(origin(), m_builder.vconst(origin(), std::move(table)), inside, 0));
    }

    // Over an axis that may be open, of values that are not zero beyond its end.
    Made contracted()
    {
        const NodeId input = any();
        const std::size_t rank = node(input).shape.rank();
        if (rank != 2)
            return rank != 1 ? std::optional<NodeId>()
                             : chosen(m_builder.contract(origin(), std::array{input, input},
                                                         m_random.chance(50) ? "i,i->" : "i,j->ij"));
        return chosen(m_builder.contract(origin(), std::array{input, input}, m_random.chance(50) ? "ij,kj->ik" : "ji,jk->ki"));
    }

    Made packed()
    {
        const NodeId input = any();
        SW_TRY(const NodeId pair, m_builder.vectorize(origin(), std::array{input, input, input}));
        return m_random.chance(50) ? std::optional(pair) : chosen(m_builder.gep(origin(), pair, {2, 0}));
    }

    // Counts, sums or extremes by remainder.
    Made scattered()
    {
        const NodeId at = any();
        if (node(at).dtype != DType::I32 || node(at).shape.rank() != 1)
            return std::optional<NodeId>();
        const NodeId five = m_builder.constScalar(origin(), Scalar::of(DType::I32, std::int64_t{5}));
        SW_TRY(const NodeId inside, m_builder.broadcasted(origin(), Op::FloorMod, std::array{at, five}));
        SW_TRY(const NodeId base, m_builder.full(origin(), Scalar::of(DType::I32, std::int64_t{1}), Shape{5}));
        const ScatterMode mode = m_random.pick(std::array{ScatterMode::Add, ScatterMode::Min, ScatterMode::Max});
        return chosen(m_builder.scatter(origin(), base, inside, at, {0, mode}));
    }

    Made assigned()
    {
        const NodeId target = any();
        SW_TRY(const NodeId update, m_builder.elementwise(origin(), Op::Neg, std::array{target}));
        AssignAttributes whole;
        whole.ranges.emplace_back();
        if (m_random.chance(50))
            for (const std::int64_t extent : node(target).shape)
                whole.ranges.front().emplace_back(0, extent);
        return chosen(m_builder.assign(origin(), target, std::array{update}, std::move(whole)));
    }

    // Windows over the last axis, or every other row backwards.
    Made viewed()
    {
        const NodeId input = any();
        const Shape shape = node(input).shape;
        if (shape.rank() == 0 || shape.isEmpty())
            return std::optional<NodeId>();
        std::vector<SymbolicExpr> extents = shape.symbolicExtents();
        ViewAttributes view{.strides = rowMajorStrides(shape), .offset = 0, .mask = {}};
        if (m_random.chance(60)) {
            const std::int64_t width = m_random.between(1, 3);
            SW_TRY(extents.back(), subtract(extents.back(), width - 1));
            extents.emplace_back(width);
            view.strides.push_back(1);
        } else {
            view.offset = (shape[shape.rank() - 1] - 1) * view.strides.back();
            view.strides.back() *= -1;
        }
        SW_TRY(Shape seen, Shape::checkedSymbolic(std::move(extents)));
        if (m_random.chance(30))
            for (std::size_t axis = 0; axis < seen.rank(); ++axis)
                view.mask.emplace_back(0, seen[axis] - (seen.isSymbolic(axis) || seen[axis] < 2 ? 0 : 1));
        return chosen(m_builder.view(origin(), input, std::move(seen), std::move(view)));
    }

    SymbolicGraph finish(std::uint64_t seed, std::uint64_t run)
    {
        std::vector<std::string> names;
        const std::vector<NodeId> outputs(m_values.end() - std::min<std::ptrdiff_t>(3, std::ssize(m_values)), m_values.end());
        for (std::size_t i = 0; i < outputs.size(); ++i)
            names.push_back(format("y{}", i));
        auto graph = std::move(m_builder).finish(origin(), outputs, std::move(names));
        SW_ASSERT(graph.has_value() && verifyGraph(*graph), "a valid graph");
        SymbolicGraph made{std::move(*graph), {}, {}};
        RandomSource values(seed * 31 + run);
        for (const SymbolicVariable &variable : m_variables)
            made.bindings.emplace(variable.name, run == 0   ? variable.low
                                                 : run == 1 ? variable.high
                                                            : values.between(variable.low, variable.high));
        for (const NodeId input : m_inputs) {
            const Node &placeholder = made.graph.node(input);
            made.inputs.push_back(
                randomTensor(placeholder.dtype, placeholder.shape.bound(made.bindings).value(), seed + 1000 * run + input.value));
        }
        return made;
    }

    RandomSource m_random;
    std::shared_ptr<SourceMap> m_sources;
    GraphBuilder m_builder;
    std::vector<SymbolicVariable> m_variables;
    DimensionNodes m_dimensions;
    std::vector<NodeId> m_inputs;
    std::vector<NodeId> m_values;
};

} // namespace

SymbolicGraph randomSymbolicGraph(std::uint64_t seed, std::uint64_t run)
{
    return SymbolicGenerator(seed).run(seed, run);
}

} // namespace sw
