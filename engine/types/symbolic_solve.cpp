// Finds the values of dimensions from the values of extents.

#include "engine/types/symbolic.h"

#include <algorithm>

namespace sw {

namespace {

// What remains of an equation when the known variables have their values: factor * unknown == value.
struct Remainder {
    const SymbolicVariable *unknown = nullptr; // null: nothing is unknown
    std::int64_t factor = 0;
    std::int64_t value = 0;
    bool isSolvable = true; // one unknown, occurring once, and not inside a function
};

bool isKnown(const SymbolicAtom &atom, const SymbolicBindings &bindings)
{
    if (!atom.function)
        return bindings.contains(atom.variable.name);
    const auto known = [&](const SymbolicExpr &expr) {
        return std::ranges::all_of(expr.variables(), [&](const SymbolicVariable &v) { return bindings.contains(v.name); });
    };
    return known(*atom.left) && known(*atom.right);
}

Remainder remainderOf(const SymbolicEquation &equation, const SymbolicBindings &bindings)
{
    Remainder left;
    left.value = equation.value;
    for (const SymbolicTerm &term : equation.expr.terms()) {
        const SymbolicAtom *unknown = nullptr;
        SymbolicExpr known(term.coefficient);
        for (const SymbolicAtom &atom : term.atoms) {
            if (!isKnown(atom, bindings)) {
                left.isSolvable = left.isSolvable && unknown == nullptr && !atom.function;
                unknown = &atom;
                continue;
            }
            // A function of known variables is not evaluated here, so the equation counts as unsolvable.
            const auto product = atom.function ? std::nullopt : std::optional(bindings.find(atom.variable.name)->second);
            const auto times = product ? multiply(known, SymbolicExpr(*product)) : Result<SymbolicExpr>(known);
            left.isSolvable = left.isSolvable && product.has_value() && times.has_value();
            if (times)
                known = *times;
        }
        const std::int64_t factor = known.constant().value_or(0);
        if (unknown == nullptr) {
            left.isSolvable = left.isSolvable && !__builtin_sub_overflow(left.value, factor, &left.value);
            continue;
        }
        left.isSolvable = left.isSolvable && left.unknown == nullptr;
        left.unknown = &unknown->variable;
        left.factor = factor;
    }
    return left;
}

Diagnostic contradiction(const SymbolicEquation &equation, std::int64_t found)
{
    return Diagnostic::error(Code::ShapeMismatch, {}, "{} is {}, but {} was given", toText(equation.expr), found, equation.value);
}

Result<Done> bind(const SymbolicEquation &equation, const Remainder &left, SymbolicBindings &bindings)
{
    if (left.factor == 0 || left.value % left.factor != 0)
        return Diagnostic::error(Code::ShapeMismatch, {}, "{} cannot be {}: {} would not be an integer", toText(equation.expr),
                                 equation.value, left.unknown->name);
    const std::int64_t value = left.factor == -1 ? 0 - left.value : left.value / left.factor;
    if (value < left.unknown->low || value > left.unknown->high)
        return Diagnostic::error(Code::ShapeMismatch, {}, "{} is {} where {} is {}, but its bounds are {} and {}",
                                 left.unknown->name, value, toText(equation.expr), equation.value, left.unknown->low,
                                 left.unknown->high);
    bindings.emplace(left.unknown->name, value);
    return Done{};
}

// Whether every variable of the equation has a value; if so, checks the equation.
Result<bool> isDone(const SymbolicEquation &equation, const SymbolicBindings &bindings)
{
    const auto variables = equation.expr.variables();
    if (!std::ranges::all_of(variables, [&](const SymbolicVariable &v) { return bindings.contains(v.name); }))
        return false;
    const auto value = equation.expr.evaluate(bindings);
    if (!value)
        return Diagnostic::error(Code::Limit, {}, "{} has no value for these dimensions", toText(equation.expr));
    if (*value != equation.value)
        return contradiction(equation, *value);
    return true;
}

} // namespace

Result<SymbolicBindings> solve(std::span<const SymbolicEquation> equations)
{
    SymbolicBindings bindings;
    std::vector<const SymbolicEquation *> open;
    for (const SymbolicEquation &equation : equations)
        open.push_back(&equation);
    while (!open.empty()) {
        std::vector<const SymbolicEquation *> later;
        for (const SymbolicEquation *equation : open) {
            SW_TRY(const bool isChecked, isDone(*equation, bindings));
            if (isChecked)
                continue;
            const Remainder left = remainderOf(*equation, bindings);
            if (left.isSolvable && left.unknown != nullptr)
                SW_CHECK(bind(*equation, left, bindings));
            later.push_back(equation);
        }
        // Nothing new was learnt, so the open equations stay open.
        if (later.size() == open.size() && std::ranges::none_of(later, [&](const SymbolicEquation *equation) {
                const Remainder left = remainderOf(*equation, bindings);
                return left.unknown == nullptr || left.isSolvable;
            }))
            return Diagnostic::error(Code::ShapeMismatch, {}, "the dimensions of {} cannot be found from its value {} alone",
                                     toText(open.front()->expr), open.front()->value);
        open = std::move(later);
    }
    return bindings;
}

} // namespace sw
