// Functions that say on which device values are. Names are checked when the program is compiled for a device, because only then
// the existing devices are known.

#include "engine/graph/placement.h"
#include "engine/language/builtins.h"

#include <algorithm>
#include <array>
#include <utility>

namespace sw::language {

namespace {

Result<std::string> deviceName(const BuiltinCall &call, std::size_t index)
{
    const std::string *name = call.value(index).as<std::string>();
    if (name == nullptr || name->empty())
        return call.wrongArgument(index, "the name of a device, such as \"llvm\" or \"opencl:1\"");
    return canonicalDevice(*name);
}

// There must be at least one name and no duplicates.
Result<std::vector<std::string>> deviceNames(const BuiltinCall &call, std::size_t index)
{
    const ListValue *list = call.value(index).as<ListValue>();
    if (list == nullptr || list->items->empty())
        return call.wrongArgument(index, "a list of devices, such as [\"llvm\", \"c\"]");
    std::vector<std::string> names;
    for (const Value &item : *list->items) {
        const std::string *name = item.as<std::string>();
        if (name == nullptr || name->empty())
            return call.wrongArgument(index, "names of devices");
        names.push_back(canonicalDevice(*name));
        if (std::ranges::count(names, names.back()) > 1)
            return call.fail(Code::Argument, "{}: {} is listed twice; a device holds one shard", call.function(),
                             quoted(names.back()));
    }
    return names;
}

Result<Value> device(const BuiltinCall &call)
{
    SW_TRY(const NodeId input, call.tensor(0));
    SW_TRY(std::string name, deviceName(call, 1));
    return call.made(call.builder().onDevice(call.origin(), input, std::move(name)));
}

Result<Value> copy(const BuiltinCall &call)
{
    SW_TRY(const NodeId input, call.tensor(0));
    SW_TRY(std::string name, deviceName(call, 1));
    SW_TRY(const bool isClone, call.flag(2, false));
    return call.made(call.builder().copy(call.origin(), input, {std::move(name), isClone}));
}

// Keeps the extents of the other axes, known or symbolic.
Shape partOf(const Shape &shape, std::size_t axis, const ShrinkAttributes &part)
{
    std::vector<SymbolicExpr> extents = shape.symbolicExtents();
    extents[axis] = SymbolicExpr(part.end[axis] - part.begin[axis]);
    return Shape::checkedSymbolic(std::move(extents)).value();
}

// The extents of the shards differ by at most one; the longer shards come first.
Result<NodeId> shards(const BuiltinCall &call, NodeId input, std::span<const std::string> devices, std::size_t axis)
{
    GraphBuilder &builder = call.builder();
    const Shape shape = builder.node(input).shape;
    const auto count = static_cast<std::int64_t>(devices.size());
    ShrinkAttributes part{std::vector<std::int64_t>(shape.rank(), 0), std::vector<std::int64_t>(shape.begin(), shape.end())};
    part.end[axis] = 0;
    std::vector<NodeId> parts;
    for (std::int64_t i = 0; i < count; ++i) {
        part.begin[axis] = part.end[axis];
        part.end[axis] += shape[axis] / count + (i < shape[axis] % count ? 1 : 0);
        SW_TRY(const NodeId slice, builder.shrink(call.origin(), input, part, partOf(shape, axis, part)));
        SW_TRY(const NodeId there, builder.copy(call.origin(), slice, {devices[static_cast<std::size_t>(i)]}));
        parts.push_back(there);
    }
    return builder.multi(call.origin(), parts, {axis, {}});
}

Result<Value> shard(const BuiltinCall &call)
{
    SW_TRY(const NodeId input, call.tensor(0));
    SW_TRY(const std::vector<std::string> devices, deviceNames(call, 1));
    const Shape shape = call.tracer().node(input).shape;
    if (shape.rank() == 0)
        return call.fail(Code::ShapeMismatch, "one element cannot be shared among {} devices", devices.size());
    std::size_t axis = 0;
    if (call.has(2)) {
        SW_TRY(axis, call.axis(2, shape.rank()));
    }
    if (shape.isSymbolic(axis))
        return call.fail(Code::Unsupported, "axis {} of {} cannot be shared among devices: its extent is known only at run time",
                         axis, call.tracer().describe(call.value(0)));
    if (shape[axis] < static_cast<std::int64_t>(devices.size()))
        return call.fail(Code::ShapeMismatch, "axis {} of {} is too short to be shared among {} devices", axis,
                         call.tracer().describe(call.value(0)), devices.size());
    return call.madeInScope([&] { return shards(call, input, devices, axis); });
}

Result<Value> replicate(const BuiltinCall &call)
{
    SW_TRY(const NodeId input, call.tensor(0));
    SW_TRY(const std::vector<std::string> devices, deviceNames(call, 1));
    return call.madeInScope([&]() -> Result<NodeId> {
        std::vector<NodeId> copies;
        for (const std::string &name : devices) {
            SW_TRY(const NodeId there, call.builder().copy(call.origin(), input, {name}));
            copies.push_back(there);
        }
        return call.builder().multi(call.origin(), copies, {});
    });
}

Result<Value> multi(const BuiltinCall &call)
{
    const ListValue *list = call.value(0).as<ListValue>();
    if (list == nullptr || list->items->empty())
        return call.wrongArgument(0, "a list of tensors");
    std::vector<NodeId> shards;
    for (const Value &item : *list->items) {
        SW_TRY(const NodeId node, call.tracer().tensorOf({item, call.operand(0).expr}));
        shards.push_back(node);
    }
    MultiAttributes attributes;
    if (call.has(1)) {
        SW_TRY(attributes.axis, call.axis(1, call.tracer().node(shards.front()).shape.rank()));
    }
    if (call.has(2)) {
        const ListValue *real = call.value(2).as<ListValue>();
        if (real == nullptr || real->items->size() != shards.size())
            return call.wrongArgument(2, "true or false for each tensor");
        for (const Value &item : *real->items) {
            if (!item.isA<bool>())
                return call.wrongArgument(2, "true or false for each tensor");
            attributes.real.push_back(*item.as<bool>());
        }
    }
    return call.made(call.builder().multi(call.origin(), shards, std::move(attributes)));
}

constexpr std::array<Builtin, 5> kTable = {{
    {"device", "x, device", device, "x, computed on the named device together with what only it needs."},
    {"copy", "x, device, clone = false", copy,
     "x in the memory of the named device; a clone has memory of its own even where x is already."},
    {"shard", "x, devices, axis = 0", shard,
     "x in parts along an axis, one on each device; their extents differ by at most one."},
    {"replicate", "x, devices", replicate, "x as a whole on each of the devices."},
    {"multi", "shards, axis = None, real = None", multi,
     "One value made of tensors that are where they are: parts along an axis, or copies of the whole."},
}};

} // namespace

std::span<const Builtin> placementBuiltins()
{
    return kTable;
}

} // namespace sw::language
