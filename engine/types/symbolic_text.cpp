// Symbolic expressions as text.

#include "engine/types/symbolic.h"

namespace sw {

namespace {

// For a factor of a product or an operand of a division: a sum needs brackets there.
std::string factorText(const SymbolicExpr &expr)
{
    const bool isPlain = expr.terms().size() <= 1 && (expr.isConstant() || expr.terms().front().coefficient == 1) &&
                         (expr.isConstant() || expr.terms().front().atoms.size() == 1);
    const bool isNegative = expr.isConstant() && *expr.constant() < 0;
    return isPlain && !isNegative ? toText(expr) : format("({})", toText(expr));
}

std::string atomText(const SymbolicAtom &atom)
{
    if (!atom.function)
        return atom.variable.name;
    switch (*atom.function) {
    case SymbolicFunction::Divide:
        return format("({} // {})", factorText(*atom.left), factorText(*atom.right));
    case SymbolicFunction::Modulo:
        return format("({} % {})", factorText(*atom.left), factorText(*atom.right));
    case SymbolicFunction::Min:
        return format("min({}, {})", toText(*atom.left), toText(*atom.right));
    case SymbolicFunction::Max:
        return format("max({}, {})", toText(*atom.left), toText(*atom.right));
    }
    SW_UNREACHABLE();
}

// The term without its sign.
std::string termText(const SymbolicTerm &term)
{
    const std::string atoms = join(term.atoms, "*", atomText);
    const std::uint64_t size =
        term.coefficient < 0 ? 0 - static_cast<std::uint64_t>(term.coefficient) : static_cast<std::uint64_t>(term.coefficient);
    if (atoms.empty())
        return format("{}", size);
    return size == 1 ? atoms : format("{}*{}", size, atoms);
}

} // namespace

std::string toText(const SymbolicExpr &expr)
{
    if (expr.terms().empty())
        return "0";
    std::string text;
    const auto append = [&text](const SymbolicTerm &term) {
        if (!text.empty())
            text += term.coefficient < 0 ? " - " : " + ";
        else if (term.coefficient < 0)
            text += '-';
        text += termText(term);
    };
    // The constant comes first in order but reads better at the end.
    for (const SymbolicTerm &term : expr.terms())
        if (!term.atoms.empty())
            append(term);
    if (expr.terms().front().atoms.empty())
        append(expr.terms().front());
    return text;
}

} // namespace sw
