#include "engine/onnx/formula.h"
#include "engine/onnx/handlers.h"
#include "engine/onnx/onnx_types.h"

#include <limits>
#include <numbers>

namespace sw::onnx {

namespace {

// Computes the whole activation of 16-bit floats in f32 and rounds once.
template <class Formula>
Result<Outputs> activation(NodeCall &call, Formula formula)
{
    const DType dtype = call.dtype(0);
    const Term x = Term(call, call.input(0)).castTo(computeType(dtype));
    SW_TRY(const NodeId result, formula(x).castTo(dtype).result());
    return Outputs{result};
}

Result<Outputs> clamp(NodeCall &call, std::optional<Term> least, std::optional<Term> greatest)
{
    Term x(call, call.input(0));
    if (least)
        x = maximum(x, *least);
    if (greatest)
        x = minimum(x, *greatest);
    SW_TRY(const NodeId result, x.result());
    return Outputs{result};
}

} // namespace

Result<Outputs> importCast(NodeCall &call)
{
    const std::int64_t number = call.integer("to", 0);
    SW_TRY(const DType dtype, dtypeOfOnnx(static_cast<std::int32_t>(std::clamp<std::int64_t>(number, -1, 1000)), {}));
    SW_TRY(const NodeId result, call.cast(call.input(0), dtype));
    return Outputs{result};
}

Result<Outputs> importCastLike(NodeCall &call)
{
    SW_TRY(const NodeId result, call.cast(call.input(0), call.dtype(1)));
    return Outputs{result};
}

Result<Outputs> importClip(NodeCall &call)
{
    const auto bound = [&](std::size_t index) {
        return call.has(index) ? std::optional(Term(call, call.input(index))) : std::nullopt;
    };
    return clamp(call, bound(1), bound(2));
}

Result<Outputs> importClipByAttributes(NodeCall &call)
{
    const auto bound = [&](std::string_view name) {
        return call.hasAttribute(name) ? std::optional(Term(call, call.scalar(call.dtype(0), call.number(name, 0))))
                                       : std::nullopt;
    };
    return clamp(call, bound("min"), bound("max"));
}

Result<Outputs> importCelu(NodeCall &call)
{
    const double alpha = call.number("alpha", 1.0);
    return activation(
        call, [&](Term x) { return maximum(x, x.number(0)) + minimum((exponential(x / alpha) - 1.0) * alpha, x.number(0)); });
}

Result<Outputs> importElu(NodeCall &call)
{
    const double alpha = call.number("alpha", 1.0);
    return activation(call, [&](Term x) { return choose(isLess(x, 0.0), (exponential(x) - 1.0) * alpha, x); });
}

Result<Outputs> importGelu(NodeCall &call)
{
    if (call.text("approximate", "none") == "tanh") {
        const double scale = std::numbers::sqrt2 * std::numbers::inv_sqrtpi; // sqrt(2 / pi)
        return activation(call, [&](Term x) { return x * 0.5 * (hyperbolicTangent((x + x * x * x * 0.044715) * scale) + 1.0); });
    }
    return activation(call, [](Term x) { return x * 0.5 * (Term::apply(Op::Erf, {x / std::numbers::sqrt2}) + 1.0); });
}

Result<Outputs> importHardSigmoid(NodeCall &call)
{
    const double alpha = call.number("alpha", 0.2);
    const double beta = call.number("beta", 0.5);
    return activation(call, [&](Term x) { return maximum(x.number(0), minimum(x.number(1), x * alpha + beta)); });
}

Result<Outputs> importHardSwish(NodeCall &call)
{
    return activation(call, [](Term x) { return x * maximum(x.number(0), minimum(x.number(1), x / 6.0 + 0.5)); });
}

Result<Outputs> importIsInf(NodeCall &call)
{
    const bool positive = call.integer("detect_positive", 1) != 0;
    const bool negative = call.integer("detect_negative", 1) != 0;
    const Term x(call, call.input(0));
    const Term infinity = x.number(std::numeric_limits<double>::infinity());
    const Term sought = positive && negative ? magnitude(x) : x;
    Term found = Term::apply(Op::Cmpeq, {sought, positive ? infinity : -infinity});
    if (!positive && !negative)
        found = Term::apply(Op::And, {found, found.number(0)});
    SW_TRY(const NodeId result, found.result());
    return Outputs{result};
}

Result<Outputs> importIsNaN(NodeCall &call)
{
    SW_TRY(const NodeId result, call.apply(Op::Cmpne, {call.input(0), call.input(0)}));
    return Outputs{result};
}

Result<Outputs> importLeakyRelu(NodeCall &call)
{
    const double alpha = call.number("alpha", 0.01);
    return activation(call, [&](Term x) { return choose(isLess(x, 0.0), x * alpha, x); });
}

Result<Outputs> importMean(NodeCall &call)
{
    const auto count = static_cast<double>(call.operandCount());
    SW_TRY(const Outputs sum, applyVariadic<Op::Add>(call));
    SW_TRY(const NodeId result, (Term(call, sum.front().node) / count).result());
    return Outputs{result};
}

Result<Outputs> importMish(NodeCall &call)
{
    return activation(call, [](Term x) {
        const Term softplus = maximum(x, x.number(0)) + logarithm(exponential(-magnitude(x)) + 1.0);
        return x * hyperbolicTangent(softplus);
    });
}

Result<Outputs> importMod(NodeCall &call)
{
    const bool isTruncating = call.isOn("fmod");
    if (!isTruncating && isFloat(call.dtype(0)))
        return call.error(Code::Type, "fmod must be 1 for {}", nameOf(call.dtype(0)));
    return isTruncating ? applyElementwise<Op::Mod>(call) : applyElementwise<Op::FloorMod>(call);
}

// The result has the type of the base, whatever type the exponent has.
Result<Outputs> importPow(NodeCall &call)
{
    SW_TRY(const NodeId power, call.apply(Op::Pow, {call.input(0), call.input(1)}));
    SW_TRY(const NodeId result, call.cast(power, call.dtype(0)));
    return Outputs{result};
}

Result<Outputs> importPRelu(NodeCall &call)
{
    const Term x(call, call.input(0));
    SW_TRY(const NodeId result, choose(isLess(x, 0.0), x * Term(call, call.input(1)), x).result());
    return Outputs{result};
}

Result<Outputs> importRelu(NodeCall &call)
{
    const Term x(call, call.input(0));
    SW_TRY(const NodeId result, maximum(x, x.number(0)).result());
    return Outputs{result};
}

Result<Outputs> importSelu(NodeCall &call)
{
    const double alpha = call.number("alpha", 1.67326319217681884765625);
    const double gamma = call.number("gamma", 1.05070102214813232421875);
    return activation(call, [&](Term x) { return choose(isLess(x, 0.0), exponential(x) * alpha - alpha, x) * gamma; });
}

Result<Outputs> importShrink(NodeCall &call)
{
    const double bias = call.number("bias", 0.0);
    const double lambda = call.number("lambd", 0.5);
    const Term x(call, call.input(0));
    SW_TRY(const NodeId result, choose(isLess(x, -lambda), x + bias, choose(isLess(lambda, x), x - bias, 0.0)).result());
    return Outputs{result};
}

Result<Outputs> importSigmoid(NodeCall &call)
{
    return activation(call, [](Term x) { return logistic(x); });
}

Result<Outputs> importSoftplus(NodeCall &call)
{
    // log(1 + exp(x)) without overflow.
    return activation(call, [](Term x) { return maximum(x, x.number(0)) + logarithm(exponential(-magnitude(x)) + 1.0); });
}

Result<Outputs> importSoftsign(NodeCall &call)
{
    return activation(call, [](Term x) { return x / (magnitude(x) + 1.0); });
}

Result<Outputs> importSwish(NodeCall &call)
{
    const double alpha = call.number("alpha", 1.0);
    return activation(call, [&](Term x) { return x * logistic(x * alpha); });
}

Result<Outputs> importThresholdedRelu(NodeCall &call)
{
    const double alpha = call.number("alpha", 1.0);
    return activation(call, [&](Term x) { return choose(isLess(alpha, x), x, 0.0); });
}

} // namespace sw::onnx
