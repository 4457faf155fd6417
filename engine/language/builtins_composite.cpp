// Functions whose nodes a pass expands into simpler ones, and functions that only mark their operand.

#include "engine/language/builtins.h"

#include <array>

namespace sw::language {

namespace {

Result<Value> scatter(const BuiltinCall &call)
{
    SW_TRY(const NodeId base, call.tensor(0));
    const DType type = call.tracer().node(base).dtype;
    SW_TRY(const NodeId indices, call.tensor(1));
    SW_TRY(const NodeId given, call.tensor(2, type));
    SW_TRY(const std::size_t axis, call.axis(3, call.tracer().node(base).shape.rank()));
    ScatterMode mode = ScatterMode::Set;
    if (call.has(4)) {
        SW_TRY(const std::string name, call.text(4));
        const auto named = scatterModeNamed(name);
        if (!named)
            return call.wrongArgument(4, "\"set\", \"add\", \"min\" or \"max\"");
        mode = *named;
    }
    return call.madeInScope([&] { return call.builder().scatter(call.origin(), base, indices, given, {axis, mode}); });
}

// Converts the operands to one type, and broadcasts operands and reference to one shape.
Result<Value> custom(const BuiltinCall &call)
{
    CustomAttributes attributes;
    SW_TRY(attributes.name, call.text(0));
    const ListValue *list = call.value(1).as<ListValue>();
    const std::vector<Value> given = list == nullptr ? std::vector{call.value(1)} : *list->items;
    std::vector<NodeId> inputs;
    for (const Value &value : given) {
        SW_TRY(const NodeId input, call.tracer().tensorOf({value, call.operand(1).expr}));
        inputs.push_back(input);
    }
    if (inputs.empty())
        return call.wrongArgument(1, "a tensor, or a list of tensors");
    for (std::size_t i = 0; i < std::size(kSourceLanguages); ++i) {
        if (!call.has(2 + i))
            continue;
        SW_TRY(std::string source, call.text(2 + i));
        attributes.sources.emplace_back(std::string(nameOf(kSourceLanguages[i])), std::move(source));
    }
    DType type = call.tracer().node(inputs.front()).dtype;
    if (call.has(5)) {
        SW_TRY(type, call.dtype(5));
    }
    attributes.hasReference = call.has(6);
    if (attributes.hasReference) {
        SW_TRY(const NodeId reference, call.tensor(6, type));
        inputs.push_back(reference);
    }
    return call.madeInScope([&]() -> Result<NodeId> {
        Shape shape;
        for (const NodeId input : inputs) {
            SW_TRY(shape, broadcast(shape, call.tracer().node(input).shape));
        }
        for (NodeId &input : inputs) {
            SW_TRY(input, call.builder().broadcastTo(call.origin(), input, shape));
        }
        return call.builder().custom(call.origin(), inputs, type, std::move(attributes));
    });
}

// Reads a list with a pair per axis, where None is a whole axis; None alone is the whole target.
Result<std::vector<std::pair<std::int64_t, std::int64_t>>> rangesOf(const BuiltinCall &call, const Value &value,
                                                                    const Shape &target)
{
    std::vector<std::pair<std::int64_t, std::int64_t>> ranges;
    const ListValue *list = value.as<ListValue>();
    if (list == nullptr && !value.isA<Nothing>())
        return call.wrongArgument(2, "a list of pairs, one per axis, or None for the whole");
    for (std::size_t axis = 0; list != nullptr && axis < list->items->size(); ++axis) {
        const ListValue *pair = (*list->items)[axis].as<ListValue>();
        if ((*list->items)[axis].isA<Nothing>() && axis < target.rank()) {
            ranges.emplace_back(0, target[axis]);
            continue;
        }
        if (pair == nullptr || pair->items->size() != 2 || !(*pair->items)[0].isA<std::int64_t>() ||
            !(*pair->items)[1].isA<std::int64_t>())
            return call.wrongArgument(2, "a list of pairs of integers, first and end, or None for a whole axis");
        ranges.emplace_back((*pair->items)[0].asInt(), (*pair->items)[1].asInt());
    }
    return ranges;
}

// Takes one update, or a list of updates with a list of their ranges.
Result<Value> assign(const BuiltinCall &call)
{
    SW_TRY(const NodeId target, call.tensor(0));
    const DType type = call.tracer().node(target).dtype;
    const ListValue *several = call.value(1).as<ListValue>();
    const bool areSeveral = several != nullptr && !several->items->empty() && several->items->front().isA<TensorValue>();
    const std::vector<Value> updates = areSeveral ? *several->items : std::vector{call.value(1)};
    std::vector<Value> ranges(updates.size());
    if (call.has(2)) {
        const ListValue *list = call.value(2).as<ListValue>();
        if (areSeveral && (list == nullptr || list->items->size() != updates.size()))
            return call.wrongArgument(2, format("a list of {} ranges, one per update", updates.size()));
        ranges = areSeveral ? *list->items : std::vector{call.value(2)};
    }
    std::vector<NodeId> nodes;
    AssignAttributes attributes;
    for (std::size_t i = 0; i < updates.size(); ++i) {
        SW_TRY(const NodeId given, call.tracer().tensorOf({updates[i], call.operand(1).expr}, type));
        SW_TRY(const NodeId update, call.tracer().placed(call.item(), call.builder().cast(call.origin(), given, type)));
        nodes.push_back(update);
        const Shape whole = call.tracer().node(target).shape;
        SW_TRY(auto range, rangesOf(call, ranges[i], whole));
        attributes.ranges.push_back(std::move(range));
    }
    return call.madeInScope([&] { return call.builder().assign(call.origin(), target, nodes, std::move(attributes)); });
}

Result<Value> bufferView(const BuiltinCall &call)
{
    SW_TRY(const NodeId input, call.tensor(0));
    SW_TRY(const std::int64_t size, call.integer(1));
    std::int64_t offset = 0;
    if (call.has(2)) {
        SW_TRY(offset, call.integer(2));
    }
    return call.made(call.builder().bufferView(call.origin(), input, offset, size));
}

Result<Value> valid(const BuiltinCall &call)
{
    SW_TRY(Shape shape, call.shape(0));
    const ListValue *list = call.value(1).as<ListValue>();
    if (list == nullptr || list->items->size() != shape.rank())
        return call.wrongArgument(1, format("a list of {} pairs, one per axis of shape {}", shape.rank(), toText(shape)));
    ViewAttributes view{rowMajorStrides(shape), 0, {}};
    for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
        const Value &item = (*list->items)[axis];
        const ListValue *pair = item.as<ListValue>();
        if (item.isA<Nothing>()) {
            view.mask.emplace_back(0, shape[axis]);
            continue;
        }
        if (pair == nullptr || pair->items->size() != 2 || !(*pair->items)[0].isA<std::int64_t>() ||
            !(*pair->items)[1].isA<std::int64_t>())
            return call.wrongArgument(1, "pairs of integers, or None for a whole axis");
        view.mask.emplace_back((*pair->items)[0].asInt(), (*pair->items)[1].asInt());
    }
    return call.made(call.builder().valid(call.origin(), std::move(shape), std::move(view)));
}

Result<Value> gep(const BuiltinCall &call)
{
    SW_TRY(const NodeId input, call.tensor(0));
    SW_TRY(std::vector<std::int64_t> lanes, call.integers(1));
    return call.made(call.builder().gep(call.origin(), input, std::move(lanes)));
}

// Converts a tensor, or the tensors of a list, to the type that they promote to.
Result<std::vector<NodeId>> promotedTensors(const BuiltinCall &call, std::size_t index)
{
    const ListValue *list = call.value(index).as<ListValue>();
    const bool isOne = call.value(index).isA<TensorValue>();
    if (!isOne && (list == nullptr || list->items->empty()))
        return call.wrongArgument(index, "a list of tensors");
    std::vector<NodeId> nodes;
    DType type = DType::Unit;
    for (const Value &item : isOne ? std::vector{call.value(index)} : *list->items) {
        SW_TRY(const NodeId node, call.tracer().tensorOf({item, call.operand(index).expr}));
        type = promote(type, call.tracer().node(node).dtype);
        nodes.push_back(node);
    }
    for (NodeId &node : nodes) {
        SW_TRY(node, call.tracer().placed(call.item(), call.builder().cast(call.origin(), node, type)));
    }
    return nodes;
}

Result<Value> vectorize(const BuiltinCall &call)
{
    SW_TRY(const std::vector<NodeId> nodes, promotedTensors(call, 0));
    return call.made(call.builder().vectorize(call.origin(), nodes));
}

Result<Value> wmma(const BuiltinCall &call)
{
    SW_TRY(const NodeId a, call.tensor(0));
    SW_TRY(const NodeId b, call.tensor(1));
    SW_TRY(const NodeId c, call.tensor(2));
    return call.madeInScope([&] { return call.builder().wmma(call.origin(), a, b, c); });
}

Result<Value> contract(const BuiltinCall &call)
{
    SW_TRY(std::string subscripts, call.text(0));
    SW_TRY(const std::vector<NodeId> nodes, promotedTensors(call, 1));
    return call.madeInScope([&] { return call.builder().contract(call.origin(), nodes, std::move(subscripts)); });
}

Result<Value> marked(const BuiltinCall &call, NodeKind kind, NodeAttributes attributes)
{
    SW_TRY(const NodeId input, call.tensor(0));
    return call.made(call.builder().marker(call.origin(), kind, input, std::move(attributes)));
}

Result<Value> fuse(const BuiltinCall &call)
{
    return marked(call, NodeKind::Fuse, NoAttributes{});
}

Result<Value> noop(const BuiltinCall &call)
{
    return marked(call, NodeKind::Noop, NoAttributes{});
}

Result<Value> unroll(const BuiltinCall &call)
{
    SW_TRY(const std::int64_t factor, call.integer(1));
    return marked(call, NodeKind::Unroll, UnrollAttributes{factor});
}

Result<Value> kernel(const BuiltinCall &call)
{
    SW_TRY(const NodeId value, call.tensor(0));
    std::vector<NodeId> inputs;
    if (call.has(1)) {
        const ListValue *list = call.value(1).as<ListValue>();
        const std::vector<Value> given = list == nullptr ? std::vector{call.value(1)} : *list->items;
        for (const Value &item : given) {
            if (!item.isA<TensorValue>())
                return call.wrongArgument(1, "a tensor, or a list of tensors");
            inputs.push_back(item.as<TensorValue>()->node);
        }
    }
    std::string name;
    if (call.has(2)) {
        SW_TRY(name, call.text(2));
    }
    return call.made(call.builder().kernel(call.origin(), value, inputs, std::move(name)));
}

Result<Value> crop(const BuiltinCall &call)
{
    SW_TRY(const NodeId value, call.tensor(0));
    SW_TRY(const NodeId count, call.tensor(1));
    std::size_t axis = 0;
    if (call.has(2)) {
        SW_TRY(axis, call.axis(2, call.tracer().node(value).shape.rank()));
    }
    return call.made(call.builder().crop(call.origin(), value, count, axis));
}

Result<Value> unique(const BuiltinCall &call)
{
    SW_TRY(const std::int64_t id, call.integer(1));
    return marked(call, NodeKind::Unique, UniqueAttributes{id});
}

constexpr std::array<Builtin, 15> kTable = {{
    {"scatter", "base, indices, updates, axis, mode = \"set\"", scatter,
     "base with updates at out[.., indices[.., i, ..], ..] on one axis: set (the last wins), \"add\", \"min\" or \"max\"."},
    {"custom", "name, operands, c = None, opencl = None, llvm = None, dtype = None, reference = None", custom,
     "An expression for each element in the languages of devices, {0} {1} ... for the operands; the reference has the value "
     "elsewhere."},
    {"assign", "target, source, ranges = None", assign,
     "The target with the source stored over all of it, or over [first, end) of each axis; several, one after the other, as "
     "lists."},
    {"buffer_view", "x, size, offset = 0", bufferView, "A range of elements of x, taken as a flat row-major sequence."},
    {"valid", "shape, mask", valid, "A bool tensor: true in the mask, a [begin, end] for each axis; None is a whole axis."},
    {"gep", "x, lanes", gep, "The listed lanes of the last axis."},
    {"vectorize", "tensors", vectorize, "Packs tensors of one shape along a new last axis."},
    {"wmma", "a, b, c", wmma, "The product of tiles [.., m, k] and [.., k, n] added to c, computed in c's type."},
    {"contract", "subscripts, *tensors", contract,
     "einsum: contract(\"ij,jk->ik\", a, b); what the result leaves out is summed."},
    {"crop", "x, count, axis = 0", crop,
     "For an output: x, of which the run keeps the first elements along the axis, as many as the count, an integer."},
    {"kernel", "x, inputs = None, name = None", kernel,
     "x itself, computed from the inputs, which are stored before, by one kernel of this name: no more and no less."},
    {"fuse", "x", fuse, "x itself: it, and what only it needs, is computed in each kernel that reads it, where that can be."},
    {"unroll", "x, factor", unroll, "x itself; the body of the loop that computes it is written out so many times per round."},
    {"unique", "x, id", unique, "x itself under a number of its own: equal values of different numbers are not merged."},
    {"noop", "x", noop, "x itself."},
}};

} // namespace

std::span<const Builtin> compositeBuiltins()
{
    return kTable;
}

} // namespace sw::language
