#include "engine/passes/lowered/simplify_rules.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <vector>

namespace sw {

namespace {

using Made = std::optional<InstructionId>;

constexpr std::int64_t kHighest = std::numeric_limits<std::int64_t>::max();

bool isIntegerAlu(const Instruction &instruction, Op op)
{
    return instruction.kind == InstructionKind::Alu && instruction.op == op && isInteger(instruction.dtype);
}

// The constant second operand of `x op c`; c op x of commutative operations comes as x op c (see "constant-last").
std::optional<std::int64_t> secondConstant(Simplifier &simplifier, const Instruction &instruction)
{
    return integerConstant(simplifier.operand(instruction, 1));
}

Made moveConstantLast(Simplifier &simplifier, const Instruction &instruction)
{
    if (instruction.kind != InstructionKind::Alu || !isInteger(instruction.dtype) ||
        !has(infoOf(instruction.op).traits, Trait::Commutative))
        return std::nullopt;
    if (!integerConstant(simplifier.operand(instruction, 0)) || secondConstant(simplifier, instruction))
        return std::nullopt;
    return simplifier.alu(Instruction(instruction), instruction.op, instruction.operands[1], instruction.operands[0]);
}

Made dropProductWithZero(Simplifier &simplifier, const Instruction &instruction)
{
    if (!isIntegerAlu(instruction, Op::Mul) && !isIntegerAlu(instruction, Op::And))
        return std::nullopt;
    return secondConstant(simplifier, instruction) == 0 ? Made(simplifier.integer(instruction, 0)) : std::nullopt;
}

// (x + c) + d, (x * c) * d, (x + c) * d. All wrap alike.
Made reassociate(Simplifier &simplifier, const Instruction &given)
{
    const bool isSum = isIntegerAlu(given, Op::Add);
    if (!isSum && !isIntegerAlu(given, Op::Mul))
        return std::nullopt;
    const auto d = secondConstant(simplifier, given);
    if (!d)
        return std::nullopt;
    const Instruction outer = given;
    const Instruction inner = simplifier.operand(outer, 0);
    if (inner.kind != InstructionKind::Alu || inner.operands.size() != 2 || !simplifier.hasStableOperands(inner))
        return std::nullopt;
    const auto c = secondConstant(simplifier, inner);
    if (!c)
        return std::nullopt;
    const Scalar left = Scalar::of(outer.dtype, *c);
    const Scalar right = Scalar::of(outer.dtype, *d);
    const std::array operands{left, right};
    if (inner.op == outer.op)
        return simplifier.alu(outer, outer.op, inner.operands[0],
                              simplifier.constant(outer, evaluate(outer.op, outer.dtype, operands)));
    if (isSum || inner.op != Op::Add)
        return std::nullopt;
    const InstructionId product = simplifier.alu(outer, Op::Mul, inner.operands[0], outer.operands[1]);
    return simplifier.alu(outer, Op::Add, product, simplifier.constant(outer, evaluate(Op::Mul, outer.dtype, operands)));
}

struct Division {
    bool isRemainder = false;
    bool isFloor = false;
    std::int64_t divisor = 1;
};

std::optional<Division> divisionOf(Simplifier &simplifier, const Instruction &instruction)
{
    if (instruction.kind != InstructionKind::Alu || instruction.dtype != DType::I64 || instruction.operands.size() != 2)
        return std::nullopt;
    const auto divisor = secondConstant(simplifier, instruction);
    if (!divisor || *divisor <= 0)
        return std::nullopt;
    const Op op = instruction.op;
    if (op == Op::Idiv || op == Op::Div || op == Op::FloorDiv)
        return Division{false, op == Op::FloorDiv, *divisor};
    if (op == Op::Mod || op == Op::FloorMod)
        return Division{true, op == Op::FloorMod, *divisor};
    return std::nullopt;
}

Made divideWithinBounds(Simplifier &simplifier, const Instruction &instruction)
{
    const auto division = divisionOf(simplifier, instruction);
    if (!division)
        return std::nullopt;
    if (division->isRemainder && division->divisor == 1)
        return simplifier.integer(instruction, 0);
    if (!simplifier.bounds().isWithin(instruction.operands[0], 0, division->divisor - 1))
        return std::nullopt;
    return division->isRemainder ? simplifier.stable(instruction.operands[0]) : Made(simplifier.integer(instruction, 0));
}

constexpr std::size_t kMostTerms = 8;

// The terms of a sum of sums that nothing changes meanwhile; none of them is negative. Empty: it is no such sum.
std::vector<InstructionId> termsOf(Simplifier &simplifier, InstructionId id)
{
    std::vector<InstructionId> terms{id};
    for (std::size_t i = 0; i < terms.size() && terms.size() < kMostTerms;) {
        const Instruction &sum = simplifier.at(terms[i]);
        if (!isIntegerAlu(sum, Op::Add) || !simplifier.hasStableOperands(sum)) {
            ++i;
            continue;
        }
        const InstructionId second = sum.operands[1];
        terms[i] = sum.operands[0];
        terms.push_back(second);
    }
    const bool areKnown = std::ranges::all_of(
        terms, [&](InstructionId term) { return simplifier.isStable(term) && simplifier.bounds().isWithin(term, 0, kHighest); });
    return areKnown && terms.size() > 1 ? terms : std::vector<InstructionId>();
}

InstructionId sumOf(Simplifier &simplifier, const Instruction &like, const std::vector<InstructionId> &terms)
{
    InstructionId sum = terms.front();
    for (std::size_t i = 1; i < terms.size(); ++i)
        sum = simplifier.alu(like, Op::Add, sum, terms[i]);
    return sum;
}

// x * m: m, where x is not negative; 0: it is no such product.
std::int64_t factorOf(Simplifier &simplifier, InstructionId term)
{
    const Instruction &product = simplifier.at(term);
    if (!isIntegerAlu(product, Op::Mul) || !simplifier.hasStableOperands(product) ||
        !simplifier.bounds().isWithin(product.operands[0], 0, kHighest))
        return 0;
    return std::max<std::int64_t>(secondConstant(simplifier, product).value_or(0), 0);
}

// (x * m + y) / c and % c where c divides m and nothing is negative: x * (m / c) + y / c, and y % c.
Made divideSum(Simplifier &simplifier, const Instruction &given)
{
    const auto division = divisionOf(simplifier, given);
    if (!division || !simplifier.bounds().isWithin(given.operands[0], 0, kHighest))
        return std::nullopt;
    const Instruction outer = given;
    std::vector<InstructionId> rest = termsOf(simplifier, outer.operands[0]);
    const auto multiple = std::ranges::find_if(rest, [&](InstructionId term) {
        const std::int64_t factor = factorOf(simplifier, term);
        return factor > 0 && factor % division->divisor == 0;
    });
    if (multiple == rest.end())
        return std::nullopt;
    const std::int64_t scale = factorOf(simplifier, *multiple) / division->divisor;
    const InstructionId x = simplifier.at(*multiple).operands[0];
    rest.erase(multiple);
    const InstructionId part = simplifier.alu(outer, outer.op, sumOf(simplifier, outer, rest), outer.operands[1]);
    if (division->isRemainder)
        return part;
    return simplifier.alu(outer, Op::Add, simplifier.alu(outer, Op::Mul, x, simplifier.integer(outer, scale)), part);
}

// (x * m + y) / c and % c where m divides c and y is a place below m, so that it never carries into x: x / (c / m), and
// x % (c / m) * m + y.
Made divideBlocks(Simplifier &simplifier, const Instruction &given)
{
    const auto division = divisionOf(simplifier, given);
    if (!division || !simplifier.bounds().isWithin(given.operands[0], 0, kHighest))
        return std::nullopt;
    const Instruction outer = given;
    const std::vector<InstructionId> terms = termsOf(simplifier, outer.operands[0]);
    for (const InstructionId candidate : terms) {
        const std::int64_t block = factorOf(simplifier, candidate);
        if (block <= 1 || block >= division->divisor || division->divisor % block != 0)
            continue;
        std::vector<InstructionId> multiples;
        std::vector<InstructionId> places;
        std::int64_t highest = 0;
        for (const InstructionId term : terms) {
            const std::int64_t factor = factorOf(simplifier, term);
            const bool isMultiple = factor > 0 && factor % block == 0;
            (isMultiple ? multiples : places).push_back(term);
            if (!isMultiple)
                highest += std::min(simplifier.bounds().of(term)->high, block);
        }
        if (places.empty() || highest >= block)
            continue;
        for (InstructionId &term : multiples) {
            const std::int64_t scale = factorOf(simplifier, term) / block;
            const InstructionId x = simplifier.at(term).operands[0];
            term = scale == 1 ? x : simplifier.alu(outer, Op::Mul, x, simplifier.integer(outer, scale));
        }
        const InstructionId count = sumOf(simplifier, outer, multiples);
        const InstructionId part = simplifier.alu(outer, outer.op, count, simplifier.integer(outer, division->divisor / block));
        if (!division->isRemainder)
            return part;
        const InstructionId whole = simplifier.alu(outer, Op::Mul, part, simplifier.integer(outer, block));
        return simplifier.alu(outer, Op::Add, whole, sumOf(simplifier, outer, places));
    }
    return std::nullopt;
}

// x * m / c and x * m % c, where c divides m and x is not negative.
Made divideProduct(Simplifier &simplifier, const Instruction &given)
{
    const auto division = divisionOf(simplifier, given);
    if (!division)
        return std::nullopt;
    const Instruction outer = given;
    const Instruction product = simplifier.operand(outer, 0);
    if (!isIntegerAlu(product, Op::Mul) || !simplifier.hasStableOperands(product))
        return std::nullopt;
    const auto factor = secondConstant(simplifier, product);
    if (!factor || *factor <= 0 || *factor % division->divisor != 0 ||
        !simplifier.bounds().isWithin(outer.operands[0], 0, kHighest))
        return std::nullopt;
    if (division->isRemainder)
        return simplifier.integer(outer, 0);
    return simplifier.alu(outer, Op::Mul, product.operands[0], simplifier.integer(outer, *factor / division->divisor));
}

// x / c / d is x / (c d).
Made divideTwice(Simplifier &simplifier, const Instruction &given)
{
    const auto second = divisionOf(simplifier, given);
    if (!second || second->isRemainder)
        return std::nullopt;
    const Instruction outer = given;
    const Instruction inner = simplifier.operand(outer, 0);
    const auto first = divisionOf(simplifier, inner);
    if (!first || first->isRemainder || first->isFloor != second->isFloor || !simplifier.hasStableOperands(inner))
        return std::nullopt;
    std::int64_t divisor = 0;
    if (__builtin_mul_overflow(first->divisor, second->divisor, &divisor))
        return std::nullopt;
    return simplifier.alu(outer, outer.op, inner.operands[0], simplifier.integer(outer, divisor));
}

// Floor division by 2^k is a shift and its remainder a mask; so are the truncated ones if the dividend is not negative.
Made shiftPowersOfTwo(Simplifier &simplifier, const Instruction &given)
{
    const auto division = divisionOf(simplifier, given);
    if (!division || !std::has_single_bit(static_cast<std::uint64_t>(division->divisor)))
        return std::nullopt;
    const Instruction instruction = given;
    const InstructionId dividend = instruction.operands[0];
    if (!division->isFloor && !simplifier.bounds().isWithin(dividend, 0, kHighest))
        return std::nullopt;
    if (division->isRemainder)
        return simplifier.alu(instruction, Op::And, dividend, simplifier.integer(instruction, division->divisor - 1));
    const int shift = std::countr_zero(static_cast<std::uint64_t>(division->divisor));
    return simplifier.alu(instruction, Op::Shr, dividend, simplifier.integer(instruction, shift));
}

Made decideComparison(Simplifier &simplifier, const Instruction &instruction)
{
    if (instruction.kind != InstructionKind::Alu || infoOf(instruction.op).result != OpResult::Bool ||
        instruction.operands.size() != 2)
        return std::nullopt;
    const auto a = simplifier.bounds().of(instruction.operands[0]);
    const auto b = simplifier.bounds().of(instruction.operands[1]);
    if (!a || !b)
        return std::nullopt;
    const bool isBelow = a->high < b->low;
    const bool isAbove = a->low > b->high;
    std::optional<bool> result;
    if (instruction.op == Op::Cmplt && (isBelow || a->low >= b->high))
        result = isBelow;
    if (instruction.op == Op::Cmple && (isAbove || a->high <= b->low))
        result = !isAbove;
    if ((instruction.op == Op::Cmpeq || instruction.op == Op::Cmpne) && (isBelow || isAbove))
        result = instruction.op == Op::Cmpne;
    return result ? Made(simplifier.constant(instruction, Scalar::ofBool(*result))) : std::nullopt;
}

Made decideExtremum(Simplifier &simplifier, const Instruction &instruction)
{
    const bool isMax = isIntegerAlu(instruction, Op::Max);
    if (!isMax && !isIntegerAlu(instruction, Op::Min))
        return std::nullopt;
    const auto a = simplifier.bounds().of(instruction.operands[0]);
    const auto b = simplifier.bounds().of(instruction.operands[1]);
    if (!a || !b)
        return std::nullopt;
    if (isMax ? a->low >= b->high : a->high <= b->low)
        return simplifier.stable(instruction.operands[0]);
    if (isMax ? b->low >= a->high : b->high <= a->low)
        return simplifier.stable(instruction.operands[1]);
    return std::nullopt;
}

constexpr std::array kRules = {
    SimplificationRule{"constant-last", "Puts the constant of a commutative operation last.", &moveConstantLast},
    SimplificationRule{"product-with-zero", "x * 0 and x & 0 are 0.", &dropProductWithZero},
    SimplificationRule{"reassociate", "Gathers the constants of sums and products.", &reassociate},
    SimplificationRule{"divide-within-bounds", "x / c is 0 and x % c is x where 0 <= x < c.", &divideWithinBounds},
    SimplificationRule{"divide-sum", "Takes multiples of the divisor out of a sum.", &divideSum},
    SimplificationRule{"divide-blocks", "Leaves a place within a block of the dividend out of a division by whole blocks.",
                       &divideBlocks},
    SimplificationRule{"divide-product", "Divides a multiple of the divisor.", &divideProduct},
    SimplificationRule{"divide-twice", "x / c / d is x / (c d).", &divideTwice},
    SimplificationRule{"shift-powers-of-two", "Divides by powers of two with shifts and masks.", &shiftPowersOfTwo},
    SimplificationRule{"decide-extremum", "The larger or smaller of two values where the bounds tell which it is.",
                       &decideExtremum},
    SimplificationRule{"decide-comparison", "Comparisons that the bounds decide.", &decideComparison},
};

} // namespace

std::span<const SimplificationRule> integerRules()
{
    return kRules;
}

} // namespace sw
