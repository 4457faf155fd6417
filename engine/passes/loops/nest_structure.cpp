#include "engine/passes/loops/nest_structure.h"

#include "engine/base/assert.h"
#include "engine/loops/transform.h"
#include "engine/passes/loops/padded_steps.h"

#include <algorithm>
#include <type_traits>

namespace sw {

namespace {

// The structured bindings below name every field, so a new field does not compile until somebody has decided whether it belongs
// to the structure.
class KeyWriter {
public:
    enum class Names : std::uint8_t { In, Out };
    KeyWriter(const Schedule &schedule, const LoopNest &nest, Names names)
        : m_schedule(schedule), m_kernel(schedule.kernel(nest.kernel)), m_arguments(argumentsOf(m_kernel))
    {
        if (names == Names::In) {
            add(m_kernel.symbol);
            add(m_kernel.device.value);
        }
        add(m_kernel.writes.size());
        for (const BufferId argument : m_arguments)
            addArgument(schedule.buffer(argument));
        addNest(nest);
    }
    [[nodiscard]] std::string take() { return std::move(m_key); }

    // What choosing asks besides: the device, what may be padded, and how the nest came to be.
    void addChoice(const LoopNest &nest)
    {
        add(m_kernel.device.value);
        for (std::size_t i = 0; i < nest.reductions.size(); ++i)
            addPaddingOf(nest, ReductionId(i));
        for (const Transform &transform : nest.transforms)
            add(toText(transform));
    }

private:
    void addNest(const LoopNest &nest)
    {
        const auto &[kernel, axes, arena, values, reductions, stores, domain, order, packs, prefetches, streams, unrolls,
                     transforms, stages, rowAxes, origin] = nest;
        addEach(axes);
        add(arena.size());
        for (std::size_t i = 0; i < arena.size(); ++i)
            add(arena.at(ExprId(i)));
        addEach(values);
        addEach(reductions);
        for (std::size_t i = 0; i < reductions.size(); ++i)
            addPadding(nest, ReductionId(i));
        addEach(stores);
        addEach(domain);
        addEach(order);
        addEach(packs);
        addEach(prefetches);
        addEach(streams);
        addEach(unrolls);
        add(rowAxes);
        add(stages.size());
        for (const LoopNest &stage : stages)
            addNest(stage);
    }
    // What is padded, how, and whether the other factor is finite is told by nodes and their values, not by the nest.
    void addPadding(const LoopNest &nest, ReductionId id)
    {
        const auto isWrittenOut = [&](AxisId axis) { return nest.axes[axis.value].copies > 1; };
        const auto isConditional = [](const Value &value) { return !value.conditions.empty(); };
        if (std::ranges::any_of(nest.reductions[id.value].axes, isWrittenOut) || std::ranges::any_of(nest.values, isConditional))
            addPaddingOf(nest, id);
    }
    void addPaddingOf(const LoopNest &nest, ReductionId id)
    {
        for (const auto &[terms, constant, low, high, reduced, domain, load, condition, isOfProducts, addsNothing] :
             paddedCoordinates(m_schedule, nest, id)) {
            addAll(terms.size(), constant, low, high, reduced, domain, load, condition.has_value(), isOfProducts, addsNothing);
            for (const auto &[factor, axis] : terms)
                addAll(factor, axis);
        }
    }
    template <class T>
        requires std::is_integral_v<T> || std::is_enum_v<T>
    void add(T word)
    {
        const auto wide = static_cast<std::uint64_t>(word);
        for (int i = 0; i < 8; ++i)
            m_key += static_cast<char>(wide >> (8 * i));
    }
    template <class Tag>
    void add(Id<Tag> id)
    {
        add(id.value);
    }
    void add(const std::string &text)
    {
        add(text.size());
        m_key += text;
    }
    void add(const Scalar &value)
    {
        add(value.dtype());
        add(value.bits());
    }
    template <class T>
    void addEach(const std::vector<T> &all)
    {
        add(all.size());
        for (const T &one : all)
            add(one);
    }
    template <class... Parts>
    void addAll(const Parts &...parts)
    {
        (add(parts), ...);
    }

    void addArgument(const ScheduledBuffer &buffer)
    {
        addAll(buffer.dtype, buffer.shape.elements());
        const auto *placeholder = std::get_if<PlaceholderAttributes>(&m_schedule.graph->node(buffer.node).attributes);
        const bool isDimension = placeholder != nullptr && placeholder->dimension;
        add(isDimension);
        if (!isDimension)
            return;
        const auto &[name, low, high] = *placeholder->dimension;
        addAll(name, low, high);
    }
    // Adds the buffer's position; a buffer that is not an argument is not used.
    // Without one, it is the memory for what a stage hands on.
    void addBuffer(BufferId buffer, NodeId node)
    {
        add(std::ranges::find(m_arguments, buffer) - m_arguments.begin());
        if (!buffer.isValid())
            add(std::ranges::find(m_kernel.stages, node) - m_kernel.stages.begin());
    }

    void add(const Axis &axis)
    {
        const auto &[name, extent, type, isReduce, source, factor, group, copies, isMasked, existing, end, origin] = axis;
        add(name);
        addAll(extent, type, isReduce, source, factor, group, copies, isMasked, existing, end);
    }
    void add(const Prefetch &prefetch)
    {
        const auto &[load, at, ahead] = prefetch;
        addAll(load, at, ahead);
    }
    void add(const Stream &stream)
    {
        const auto &[load, at] = stream;
        addAll(load, at);
    }
    void add(const IndexExpr &expr)
    {
        const auto &[kind, number, axis, a, b, low, high] = expr;
        addAll(kind, number, axis, a, b, low, high);
    }
    void add(const RangeCondition &condition)
    {
        const auto &[expr, low, high] = condition;
        addAll(expr, low, high);
    }
    void add(const Value &value)
    {
        const auto &[kind, op, dtype, operands, constant, buffer, index, conditions, reduction, scale, bound, boundAxis, node,
                     origin] = value;
        addAll(kind, op, dtype);
        addEach(operands);
        add(constant);
        addBuffer(buffer, node);
        add(index);
        addEach(conditions);
        addAll(reduction, scale, bound, boundAxis);
        if (kind != ValueKind::Custom)
            return;
        const auto &attributes = attributesOf<CustomAttributes>(m_schedule.graph->node(node));
        add(attributes.name);
        for (const auto &[language, source] : attributes.sources)
            addAll(language, source);
    }
    void add(const Reduction &reduction)
    {
        const auto &[op, dtype, body, axes, order, joined, isTiled, instruction, node, origin] = reduction;
        addAll(op, dtype, m_schedule.graph->node(node).dtype, body);
        addEach(axes);
        addEach(order);
        addAll(joined.has_value(), isTiled);
        if (joined)
            addAll(joined->leader, joined->rule, joined->isFromFinite);
        add(instruction.has_value());
        if (instruction)
            add(*instruction);
    }
    void add(const StoreStatement &store)
    {
        const auto &[buffer, index, value, policy, node, origin] = store;
        addBuffer(buffer, node);
        addAll(index, value, policy);
    }
    void add(const Pack &pack)
    {
        const auto &[load, at, order, isShared, apart] = pack;
        addAll(load, at, isShared, apart);
        addEach(order);
    }
    void add(const UnrollRequest &request)
    {
        const auto &[value, copies] = request;
        addAll(value, copies);
    }

    const Schedule &m_schedule;
    const ScheduledKernel &m_kernel;
    std::vector<BufferId> m_arguments;
    std::string m_key;
};

// Calls visit with each origin of the nest itself, in a fixed order.
template <class Nest, class Visit>
void forEachOrigin(Nest &nest, const Visit &visit)
{
    visit(nest.origin);
    for (auto &axis : nest.axes)
        visit(axis.origin);
    for (auto &value : nest.values)
        visit(value.origin);
    for (auto &reduction : nest.reductions)
        visit(reduction.origin);
    for (auto &store : nest.stores)
        visit(store.origin);
    for (auto &stage : nest.stages)
        forEachOrigin(stage, visit);
}

} // namespace

std::string structureOf(const Schedule &schedule, const LoopNest &nest)
{
    return KeyWriter(schedule, nest, KeyWriter::Names::In).take();
}

std::string namelessStructureOf(const Schedule &schedule, const LoopNest &nest)
{
    return KeyWriter(schedule, nest, KeyWriter::Names::Out).take();
}

std::optional<std::string> choiceKeyOf(const Schedule &schedule, const LoopNest &nest)
{
    if (!nest.stages.empty())
        return std::nullopt;
    KeyWriter writer(schedule, nest, KeyWriter::Names::Out);
    writer.addChoice(nest);
    return writer.take();
}

FrameOrigins frameOriginsOf(const Schedule &schedule, const LoopNest &nest)
{
    const ScheduledKernel &kernel = schedule.kernel(nest.kernel);
    FrameOrigins origins{kernel.origin, {}};
    for (const BufferId argument : argumentsOf(kernel))
        origins.arguments.push_back(schedule.buffer(argument).origin);
    return origins;
}

std::vector<Origin> originsOf(const Schedule &schedule, const LoopNest &nest)
{
    const FrameOrigins frame = frameOriginsOf(schedule, nest);
    std::vector<Origin> all{frame.kernel};
    all.insert(all.end(), frame.arguments.begin(), frame.arguments.end());
    forEachOrigin(nest, [&](const Origin &origin) { all.push_back(origin); });
    return all;
}

PlacedNest withPlaces(const Schedule &schedule, const LoopNest &nest)
{
    std::uint32_t place = 0;
    const auto next = [&place] { return Origin(SourceId(place++)); };
    PlacedNest placed{nest, {next(), {}}};
    for (std::size_t i = argumentsOf(schedule.kernel(nest.kernel)).size(); i > 0; --i)
        placed.frame.arguments.push_back(next());
    forEachOrigin(placed.nest, [&](Origin &origin) { origin = next(); });
    return placed;
}

} // namespace sw
