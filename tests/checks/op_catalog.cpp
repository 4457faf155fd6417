// Prints every operation, element type and node kind from their tables, and what each operation makes of special values: a change
// of meaning shows in review as a change of op_catalog.txt.

#include "engine/base/text.h"
#include "engine/graph/graph.h"
#include "engine/ops/op.h"
#include "engine/passes/graph/gradient_rules.h"
#include "engine/passes/graph/gradients_scan.h"

#include <array>
#include <limits>
#include <unistd.h>

namespace {

using namespace sw;

std::string_view textOf(OpIdentity identity)
{
    switch (identity) {
    case OpIdentity::None:
        return "none";
    case OpIdentity::Zero:
        return "zero";
    case OpIdentity::One:
        return "one";
    case OpIdentity::Half:
        return "half";
    case OpIdentity::IntegerOne:
        return "one of integers";
    case OpIdentity::Lowest:
        return "lowest";
    case OpIdentity::Highest:
        return "highest";
    case OpIdentity::AllOnes:
        return "all ones";
    }
    SW_UNREACHABLE();
}

std::string traitsText(Trait traits)
{
    struct Row {
        Trait trait;
        std::string_view name;
    };
    static constexpr std::array<Row, 6> kRows = {{{Trait::Commutative, "commutative"},
                                                  {Trait::Associative, "associative"},
                                                  {Trait::Idempotent, "idempotent"},
                                                  {Trait::ReduceOp, "reduces"},
                                                  {Trait::Transcendental, "transcendental"},
                                                  {Trait::FloatOnlyResult, "float result"}}};
    std::vector<std::string_view> names;
    for (const Row &row : kRows) {
        if (has(traits, row.trait))
            names.push_back(row.name);
    }
    return names.empty() ? "none" : join(names, ", ");
}

std::vector<Scalar> specialValues(DType dtype)
{
    if (dtype == DType::Bool)
        return {Scalar::ofBool(false), Scalar::ofBool(true)};
    if (isFloat(dtype)) {
        const double infinity = std::numeric_limits<double>::infinity();
        std::vector<Scalar> values;
        for (const double value : {0.0, -0.0, 1.0, -2.5, infinity, -infinity, std::numeric_limits<double>::quiet_NaN()})
            values.push_back(Scalar::of(dtype, value));
        return values;
    }
    std::vector<Scalar> values = {lowestOf(dtype), highestOf(dtype)};
    for (const std::int64_t value : {0, 1, 5, -3}) {
        if (value >= 0 || isSigned(dtype))
            values.push_back(Scalar::of(dtype, value));
    }
    return values;
}

std::string evaluationText(Op op, DType dtype, const std::vector<Scalar> &operands)
{
    return format("  {}({}) = {}\n", nameOf(op), join(operands, ", ", [](const Scalar &value) { return toText(value); }),
                  toText(evaluate(op, dtype, operands)));
}

// The transcendentals come from the C library here, whose last bit is not ours to fix.
std::string evaluationsText(Op op, DType dtype)
{
    if (!accepts(op, dtype) || has(infoOf(op).traits, Trait::Transcendental))
        return {};
    std::string out = format("  {}:\n", nameOf(dtype));
    const std::vector<Scalar> values = specialValues(dtype);
    for (const Scalar &a : values) {
        if (arityOf(op) == 1)
            out += evaluationText(op, dtype, {a});
        for (const Scalar &b : values) {
            if (arityOf(op) == 2)
                out += evaluationText(op, dtype, {a, b});
        }
    }
    return out;
}

std::string operationsText()
{
    std::string out = "operations\n";
    for (const Op op : allOps()) {
        const OpInfo &info = infoOf(op);
        out += format("\n{}/{}{}\n", info.name, info.arity, info.symbol.empty() ? "" : format(" '{}'", info.symbol));
        out += format("  {}\n  result {}; identity {}; neutral left {}, right {}; {}\n", info.doc,
                      info.result == OpResult::Bool ? "bool" : "as operands", textOf(info.identity), textOf(info.leftNeutral),
                      textOf(info.rightNeutral), traitsText(info.traits));
        if (info.arity > 2)
            continue;
        for (const DType dtype : {DType::Bool, DType::U8, DType::I32, DType::F32})
            out += evaluationsText(op, dtype);
    }
    return out;
}

std::string typesText()
{
    std::string out = "element types, in the order of promotion\n\n";
    for (const DType dtype : scalarDTypes())
        out += format("{} ({} bytes): {}\n", nameOf(dtype), bytesOf(dtype), infoOf(dtype).doc);
    return out;
}

std::string kindsText()
{
    std::string out = "node kinds\n\n";
    for (const NodeKind kind : allNodeKinds())
        out += format("{}: {}\n", nameOf(kind), infoOf(kind).doc);
    return out;
}

// x, y, z: the operands; r: the result; g: its adjoint.
std::string gradientsText()
{
    std::string out = "gradients\n\n";
    for (const OperationGradient &row : operationGradients())
        out += format("{}: {}\n", nameOf(row.op), row.doc);
    for (const ReductionGradient &row : reductionGradients())
        out += format("reduce_axis {}: {}\n", nameOf(row.op), row.doc);
    for (const std::span<const GradientRule> rows :
         {movementGradients(), structuralGradients(), indexingGradients(), scanGradients()})
        for (const GradientRule &row : rows)
            out += format("{}: {}\n", nameOf(row.kind), row.doc);
    return out;
}

bool writeAll(std::string_view text)
{
    while (!text.empty()) {
        const ssize_t written = ::write(STDOUT_FILENO, text.data(), text.size());
        if (written <= 0)
            return false;
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}

} // namespace

int main()
{
    return writeAll(typesText() + "\n" + kindsText() + "\n" + gradientsText() + "\n" + operationsText()) ? 0 : 1;
}
