#include "engine/api/health.h"

#include "engine/api/tensor_view.h"
#include "engine/graph/interpreter.h"
#include "engine/graph/wide_values.h"

#include <algorithm>
#include <cmath>

namespace sw {

namespace {

struct FloatFormat {
    int precision = 0;        // bits, the hidden one included
    int smallestExponent = 0; // of a normal number
};

FloatFormat formatOf(DType dtype)
{
    switch (dtype) {
    case DType::F8E5M2:
        return {3, -14};
    case DType::F8E4M3:
        return {4, -6};
    case DType::F16:
        return {11, -14};
    case DType::BF16:
        return {8, -126};
    case DType::F32:
        return {24, -126};
    case DType::F64:
        return {53, -1022};
    case DType::Unit:
    case DType::Bool:
    case DType::U8:
    case DType::I8:
    case DType::U16:
    case DType::I16:
    case DType::I32:
    case DType::U32:
    case DType::I64:
    case DType::U64:
    case DType::U32x4:
        break;
    }
    SW_UNREACHABLE();
}

void count(NodeHealth &health, const TensorView &view)
{
    const auto note = [](std::int64_t &number, std::optional<std::int64_t> &first, std::int64_t at) {
        ++number;
        if (!first)
            first = at;
    };
    for (std::int64_t i = 0; i < view.elements(); ++i) {
        switch (view.classOf(i)) {
        case ValueClass::NotANumber:
            note(health.nans, health.nanAt, i);
            break;
        case ValueClass::Infinity:
            note(health.infinities, health.infinityAt, i);
            break;
        case ValueClass::Subnormal:
            note(health.subnormals, health.subnormalAt, i);
            break;
        case ValueClass::Ordinary:
        case ValueClass::Zero:
            break;
        }
    }
}

void compare(NodeHealth &health, const HostTensor &own, const HostTensor &wide)
{
    health.bits = formatOf(own.dtype()).precision;
    for (std::int64_t i = 0; i < own.elements(); ++i) {
        const double lost = bitsLost(own.dtype(), own.at(i).asDouble(), wide.at(i).asDouble());
        if (lost <= health.bitsLost)
            continue;
        health.bitsLost = lost;
        health.worstAt = i;
    }
    if (health.worstAt) {
        health.worst = toText(own.at(*health.worstAt));
        health.worstWide = toText(wide.at(*health.worstAt));
    }
}

NodeHealth aboutNode(const Graph &graph, NodeId id)
{
    const Node &node = graph.node(id);
    NodeHealth health;
    health.node = id.value;
    const auto *placeholder = std::get_if<PlaceholderAttributes>(&node.attributes);
    health.label = placeholder != nullptr ? placeholder->name : operationText(node);
    health.type = typeText(node.dtype, node.shape);
    health.line = graph.sources().programRange(node.origin).line;
    health.elements = node.shape.elements();
    health.shape.assign(node.shape.begin(), node.shape.end());
    return health;
}

// "3 of 32 elements are NaN, the first at [1, 2]"
std::string countText(const NodeHealth &health, std::int64_t number, std::int64_t first, std::string_view what)
{
    std::vector<std::int64_t> coordinates(health.shape.size());
    unravel(first, Shape(health.shape), coordinates);
    return format("{} of {} elements {} {}, {}at [{}]", number, health.elements, number == 1 ? "is" : "are", what,
                  number == 1 ? "" : "the first ", join(coordinates, ", "));
}

std::string lossText(const NodeHealth &health)
{
    std::vector<std::int64_t> coordinates(health.shape.size());
    unravel(*health.worstAt, Shape(health.shape), coordinates);
    return format("{:.1f} of {:.0f} bits lost, {:.1f} before: {} instead of {} at [{}]", health.bitsLost, health.bits,
                  health.bitsLostBefore, health.worst, health.worstWide, join(coordinates, ", "));
}

} // namespace

std::string_view nameOf(HealthKind kind)
{
    switch (kind) {
    case HealthKind::NotANumber:
        return "NaN";
    case HealthKind::Infinity:
        return "infinite";
    case HealthKind::Subnormal:
        return "subnormal";
    case HealthKind::LostBits:
        return "lost bits";
    }
    SW_UNREACHABLE();
}

double bitsLost(DType dtype, double own, double wide)
{
    const FloatFormat format = formatOf(dtype);
    if (own == wide || (std::isnan(own) && std::isnan(wide)))
        return 0;
    if (!std::isfinite(own) || !std::isfinite(wide))
        return format.precision;
    const int exponent = wide == 0 ? format.smallestExponent : std::max(format.smallestExponent, std::ilogb(wide));
    const double place = std::ldexp(1.0, exponent - (format.precision - 1));
    // The difference itself may be above the largest f64.
    const double places = std::fabs(own / 2 - wide / 2) / place * 2;
    return std::clamp(std::log2(2 * places), 0.0, static_cast<double>(format.precision));
}

Result<std::vector<NodeHealth>> healthOf(const Graph &graph, std::span<const HostTensor> values, const std::stop_token &stop,
                                         const std::function<void(std::size_t done, std::size_t all)> &onProgress)
{
    std::vector<NodeHealth> made;
    std::vector<std::size_t> places(graph.size(), 0); // in `made`, from 1; 0: no float
    std::vector<HostTensor> wide(graph.size());
    const std::vector<NodeId> last = lastReaders(graph);
    std::optional<Failure> failure;
    // The interpreter is stopped when the f64 values cannot go on.
    std::stop_source ended;
    const std::stop_callback forward(stop, [&] { ended.request_stop(); });
    InterpretOptions options;
    options.stop = ended.get_token();
    options.onValue = [&](NodeId id, const HostTensor &own) {
        const Node &node = graph.node(id);
        std::vector<HostTensor> inputs;
        for (const NodeId input : node.inputs)
            inputs.push_back(wide[input.value]);
        Result<HostTensor> value = evaluateWide(node, own, inputs, ended.get_token());
        if (!value) {
            failure = value.failure();
            ended.request_stop();
            return;
        }
        wide[id.value] = std::move(*value);
        if (isFloat(own.dtype())) {
            NodeHealth health = aboutNode(graph, id);
            count(health, TensorView({}, own));
            compare(health, own, wide[id.value]);
            health.startsNan = health.nans > 0;
            health.startsInfinity = health.infinities > 0;
            health.startsSubnormal = health.subnormals > 0;
            for (const NodeId input : node.inputs) {
                if (places[input.value] == 0)
                    continue;
                const NodeHealth &before = made[places[input.value] - 1];
                health.startsNan = health.startsNan && before.nans == 0;
                health.startsInfinity = health.startsInfinity && before.infinities == 0;
                health.startsSubnormal = health.startsSubnormal && before.subnormals == 0;
                health.bitsLostBefore = std::max(health.bitsLostBefore, before.bitsLost);
            }
            made.push_back(std::move(health));
            places[id.value] = made.size();
        }
        for (const NodeId input : node.inputs)
            if (last[input.value] == id)
                wide[input.value] = HostTensor();
        if (onProgress)
            onProgress(id.value + 1, graph.size());
    };
    const Result<std::vector<HostTensor>> outputs = interpretGraph(graph, values, options);
    if (failure)
        return *failure;
    if (!outputs)
        return outputs.failure();
    return made;
}

std::vector<HealthFinding> findingsOf(std::span<const NodeHealth> nodes, double bits)
{
    std::vector<HealthFinding> findings;
    for (const NodeHealth &node : nodes) {
        if (node.startsNan)
            findings.push_back({node.node, HealthKind::NotANumber, countText(node, node.nans, *node.nanAt, "NaN")});
        if (node.startsInfinity)
            findings.push_back({node.node, HealthKind::Infinity, countText(node, node.infinities, *node.infinityAt, "infinite")});
        if (node.startsSubnormal)
            findings.push_back(
                {node.node, HealthKind::Subnormal, countText(node, node.subnormals, *node.subnormalAt, "subnormal")});
        if (node.bitsLost > bits && node.bitsLostBefore <= bits)
            findings.push_back({node.node, HealthKind::LostBits, lossText(node)});
    }
    return findings;
}

} // namespace sw
