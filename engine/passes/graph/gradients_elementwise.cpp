#include "engine/passes/graph/gradient_term.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace sw {

namespace {

using Terms = OperationTerms;

// g where `larger` is larger, half of g where both are equal: the mean of the slopes on both sides.
NodeTerm toLarger(const Terms &t, NodeTerm smaller, NodeTerm larger)
{
    return choose(isLess(smaller, larger), t.g, choose(isEqual(smaller, larger), t.g * 0.5, 0));
}

NodeTerm ofAdjoint(const Terms &t)
{
    return t.g;
}

NodeTerm ofQuotientX(const Terms &t)
{
    return t.g / t.y;
}

NodeTerm ofQuotientY(const Terms &t)
{
    return -(t.g / t.y * t.r);
}

// y * x ** (y - 1), but 0 for x ** 0 also where x is 0 and the power is infinite.
NodeTerm ofPowerX(const Terms &t)
{
    const NodeTerm power = t.y * NodeTerm::apply(Op::Pow, {t.x, t.y - 1});
    return choose(isEqual(t.y, t.y.number(0)), t.g.number(0), t.g * power);
}

// r * log(x), but 0 for 0 ** y, whose logarithm is infinite.
NodeTerm ofPowerY(const Terms &t)
{
    const NodeTerm logarithm = NodeTerm::apply(Op::Log, {choose(isEqual(t.x, t.x.number(0)), t.x.number(1), t.x)});
    return t.g * t.r * logarithm;
}

NodeTerm ofTanh(const Terms &t)
{
    return t.g * (1.0 - t.r * t.r);
}

NodeTerm ofErf(const Terms &t)
{
    return t.g * NodeTerm::apply(Op::Exp, {-(t.x * t.x)}) * (2 * std::numbers::inv_sqrtpi);
}

NodeTerm timesX(const Terms &t)
{
    return t.g * t.x;
}

NodeTerm timesY(const Terms &t)
{
    return t.g * t.y;
}

constexpr std::string_view kSteps = "constant but for steps: zero";

// clang-format off
constexpr std::array kRows = {
    OperationGradient{.op = Op::Add, .doc = "x: g, y: g", .x = ofAdjoint, .y = ofAdjoint},
    OperationGradient{.op = Op::Sub, .doc = "x: g, y: -g", .x = ofAdjoint, .y = [](const Terms &t) { return -t.g; }},
    OperationGradient{.op = Op::Mul, .doc = "x: g * y, y: g * x", .x = timesY, .y = timesX},
    OperationGradient{.op = Op::Div, .doc = "x: g / y, y: -(g / y * r)", .x = ofQuotientX, .y = ofQuotientY},
    OperationGradient{.op = Op::Fdiv, .doc = "x: g / y, y: -(g / y * r)", .x = ofQuotientX, .y = ofQuotientY},
    OperationGradient{.op = Op::Mod, .doc = "x: g, y: -g * trunc(x / y)", .x = ofAdjoint,
                      .y = [](const Terms &t) { return -(t.g * NodeTerm::apply(Op::Trunc, {t.x / t.y})); }},
    OperationGradient{.op = Op::FloorDiv, .doc = kSteps},
    OperationGradient{.op = Op::FloorMod, .doc = "x: g, y: -g * floor_div(x, y)", .x = ofAdjoint,
                      .y = [](const Terms &t) { return -(t.g * NodeTerm::apply(Op::FloorDiv, {t.x, t.y})); }},
    OperationGradient{.op = Op::Pow, .doc = "x: g * y * x ** (y - 1), 0 where y is 0; y: g * r * log(x), 0 where x is 0",
                      .x = ofPowerX, .y = ofPowerY},
    OperationGradient{.op = Op::Max, .doc = "g to the larger operand, half to each where they are equal",
                      .x = [](const Terms &t) { return toLarger(t, t.y, t.x); },
                      .y = [](const Terms &t) { return toLarger(t, t.x, t.y); }},
    OperationGradient{.op = Op::Min, .doc = "g to the smaller operand, half to each where they are equal",
                      .x = [](const Terms &t) { return toLarger(t, t.x, t.y); },
                      .y = [](const Terms &t) { return toLarger(t, t.y, t.x); }},
    OperationGradient{.op = Op::Arg1, .doc = "x: g", .x = ofAdjoint},
    OperationGradient{.op = Op::Arg2, .doc = "y: g", .y = ofAdjoint},
    OperationGradient{.op = Op::ReluGate, .doc = "x: zero, y: relu_gate(x, g)",
                      .y = [](const Terms &t) { return NodeTerm::apply(Op::ReluGate, {t.x, t.g}); }},
    OperationGradient{.op = Op::Satur01Gate, .doc = "x: zero, y: satur01_gate(x, g)",
                      .y = [](const Terms &t) { return NodeTerm::apply(Op::Satur01Gate, {t.x, t.g}); }},
    OperationGradient{.op = Op::Neg, .doc = "x: -g", .x = [](const Terms &t) { return -t.g; }},
    OperationGradient{.op = Op::Abs, .doc = "x: g * sign(x), which is 0 at 0",
                      .x = [](const Terms &t) { return t.g * NodeTerm::apply(Op::Sign, {t.x}); }},
    OperationGradient{.op = Op::Sign, .doc = kSteps},
    OperationGradient{.op = Op::Relu, .doc = "x: relu_gate(x, g), which is 0 at 0",
                      .x = [](const Terms &t) { return NodeTerm::apply(Op::ReluGate, {t.x, t.g}); }},
    OperationGradient{.op = Op::Satur01, .doc = "x: satur01_gate(x, g), which is 0 at 0 and 1",
                      .x = [](const Terms &t) { return NodeTerm::apply(Op::Satur01Gate, {t.x, t.g}); }},
    OperationGradient{.op = Op::Floor, .doc = kSteps},
    OperationGradient{.op = Op::Ceil, .doc = kSteps},
    OperationGradient{.op = Op::Round, .doc = kSteps},
    OperationGradient{.op = Op::Trunc, .doc = kSteps},
    OperationGradient{.op = Op::Sqrt, .doc = "x: g * 0.5 / r", .x = [](const Terms &t) { return t.g * 0.5 / t.r; }},
    OperationGradient{.op = Op::Recip, .doc = "x: -(g * r * r)", .x = [](const Terms &t) { return -(t.g * t.r * t.r); }},
    OperationGradient{.op = Op::RecipSqrt, .doc = "x: g * -0.5 * r * r * r",
                      .x = [](const Terms &t) { return t.g * -0.5 * t.r * t.r * t.r; }},
    OperationGradient{.op = Op::Exp, .doc = "x: g * r", .x = [](const Terms &t) { return t.g * t.r; }},
    OperationGradient{.op = Op::Exp2, .doc = "x: g * r * log(2)",
                      .x = [](const Terms &t) { return t.g * t.r * std::numbers::ln2; }},
    OperationGradient{.op = Op::Log, .doc = "x: g / x", .x = [](const Terms &t) { return t.g / t.x; }},
    OperationGradient{.op = Op::Log2, .doc = "x: g / x / log(2)",
                      .x = [](const Terms &t) { return t.g / t.x * std::numbers::log2e; }},
    OperationGradient{.op = Op::Sin, .doc = "x: g * cos(x)",
                      .x = [](const Terms &t) { return t.g * NodeTerm::apply(Op::Cos, {t.x}); }},
    OperationGradient{.op = Op::Cos, .doc = "x: -(g * sin(x))",
                      .x = [](const Terms &t) { return -(t.g * NodeTerm::apply(Op::Sin, {t.x})); }},
    OperationGradient{.op = Op::Tanh, .doc = "x: g * (1 - r * r)", .x = ofTanh},
    OperationGradient{.op = Op::TanhApprox, .doc = "x: g * (1 - r * r)", .x = ofTanh},
    OperationGradient{.op = Op::Erf, .doc = "x: g * exp(-x * x) * 2 / sqrt(pi)", .x = ofErf},
    OperationGradient{.op = Op::Where, .doc = "y: where(x, g, 0), z: where(x, 0, g)",
                      .y = [](const Terms &t) { return choose(t.x, t.g, 0); },
                      .z = [](const Terms &t) { return choose(t.x, t.g.number(0), t.g); }},
    OperationGradient{.op = Op::Mulacc, .doc = "x: g * y, y: g * x, z: g", .x = timesY, .y = timesX, .z = ofAdjoint},
    OperationGradient{.op = Op::Fma, .doc = "x: g * y, y: g * x, z: g", .x = timesY, .y = timesX, .z = ofAdjoint},
    OperationGradient{.op = Op::Mul3, .doc = "x: g * y * z, y: g * x * z, z: g * x * y",
                      .x = [](const Terms &t) { return t.g * t.y * t.z; },
                      .y = [](const Terms &t) { return t.g * t.x * t.z; },
                      .z = [](const Terms &t) { return t.g * t.x * t.y; }},
};
// clang-format on

} // namespace

std::span<const OperationGradient> operationGradients()
{
    return kRows;
}

const OperationGradient *gradientOf(Op op)
{
    const auto *const found = std::ranges::find(kRows, op, &OperationGradient::op);
    return found == kRows.end() ? nullptr : found;
}

Result<Done> applyOperationGradient(const OperationGradient &row, BackwardStep &step)
{
    const auto operand = [&step](std::size_t i) { return NodeTerm(step, step.inputId(i < step.node().inputs.size() ? i : 0)); };
    const OperationTerms terms{operand(0), operand(1), operand(2), NodeTerm(step, step.id()), NodeTerm(step, step.adjoint())};
    const std::array<Partial, 3> partials{row.x, row.y, row.z};
    for (std::size_t i = 0; i < step.node().inputs.size(); ++i)
        if (partials[i] != nullptr && step.isWanted(i))
            step.contribute(i, partials[i](terms).id());
    return Done{};
}

} // namespace sw
