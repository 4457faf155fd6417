// Symbolic expressions and shapes in the text form of a graph.

#include "engine/graph/attribute_values.h"

namespace sw {

namespace {

constexpr std::size_t kMaximumNesting = 200;

// Reads sums of products of names, integers, brackets, min(a, b) and max(a, b).
class SymbolicReader {
public:
    SymbolicReader(TextScanner &scanner, const SymbolicScope &scope) : m_scanner(scanner), m_scope(scope) {}

    Result<SymbolicExpr> sum()
    {
        SW_TRY(SymbolicExpr left, product());
        while (true) {
            const bool isAdded = m_scanner.accept("+");
            if (!isAdded && !m_scanner.accept("-"))
                return left;
            SW_TRY(const SymbolicExpr right, product());
            SW_TRY(left, placed(isAdded ? add(left, right) : subtract(left, right)));
        }
    }

private:
    Result<SymbolicExpr> product()
    {
        SW_TRY(SymbolicExpr left, factor());
        while (true) {
            if (m_scanner.accept("*")) {
                SW_TRY(const SymbolicExpr right, factor());
                SW_TRY(left, placed(multiply(left, right)));
            } else if (m_scanner.accept("//")) {
                SW_TRY(const SymbolicExpr right, factor());
                SW_TRY(left, placed(divide(left, right)));
            } else if (m_scanner.accept("%")) {
                SW_TRY(const SymbolicExpr right, factor());
                SW_TRY(left, placed(modulo(left, right)));
            } else {
                return left;
            }
        }
    }

    Result<SymbolicExpr> factor()
    {
        m_start = m_scanner.nextColumn();
        if (m_depth == kMaximumNesting)
            return Diagnostic::error(Code::Limit, m_scanner.rangeFrom(m_start), "an extent nests deeper than {} levels",
                                     kMaximumNesting);
        ++m_depth;
        auto read = nestedFactor();
        --m_depth;
        return read;
    }

    Result<SymbolicExpr> nestedFactor()
    {
        if (m_scanner.accept("(")) {
            SW_TRY(SymbolicExpr inner, sum());
            SW_CHECK(m_scanner.expect(")"));
            return inner;
        }
        if (m_scanner.accept("min("))
            return ofTwo(minimum);
        if (m_scanner.accept("max("))
            return ofTwo(maximum);
        if (m_scanner.accept("-")) {
            SW_TRY(const SymbolicExpr negated, factor());
            return placed(subtract(SymbolicExpr(), negated));
        }
        TextScanner ahead = m_scanner;
        if (ahead.unsignedInteger()) {
            SW_TRY(const std::int64_t number, m_scanner.integer());
            return SymbolicExpr(number);
        }
        SW_TRY(const std::string_view name, m_scanner.word("an extent"));
        const auto found = m_scope.find(name);
        if (found == m_scope.end())
            return Diagnostic::error(Code::UnknownName, m_scanner.rangeFrom(m_start), "there is no dimension {}",
                                     quoted(std::string(name)));
        return SymbolicExpr(found->second);
    }

    Result<SymbolicExpr> ofTwo(Result<SymbolicExpr> (*combine)(const SymbolicExpr &, const SymbolicExpr &))
    {
        SW_TRY(const SymbolicExpr left, sum());
        SW_CHECK(m_scanner.expect(","));
        SW_TRY(const SymbolicExpr right, sum());
        SW_CHECK(m_scanner.expect(")"));
        return placed(combine(left, right));
    }

    Result<SymbolicExpr> placed(Result<SymbolicExpr> made) const
    {
        if (made)
            return made;
        Failure failure = made.failure();
        for (Diagnostic &diagnostic : failure.diagnostics)
            diagnostic.where = m_scanner.rangeFrom(m_start);
        return failure;
    }

    TextScanner &m_scanner;
    const SymbolicScope &m_scope;
    std::uint32_t m_start = 0;
    std::size_t m_depth = 0; // of brackets and functions
};

} // namespace

Result<SymbolicExpr> readSymbolic(TextScanner &scanner, const SymbolicScope &scope)
{
    return SymbolicReader(scanner, scope).sum();
}

Result<Shape> readShape(TextScanner &scanner, const SymbolicScope &scope)
{
    const std::uint32_t start = scanner.nextColumn();
    SW_TRY(std::vector<SymbolicExpr> extents,
           readList<SymbolicExpr>(scanner, [&](TextScanner &inner) { return readSymbolic(inner, scope); }));
    auto shape = Shape::checkedSymbolic(std::move(extents));
    if (shape)
        return shape;
    Failure failure = shape.failure();
    for (Diagnostic &diagnostic : failure.diagnostics)
        diagnostic.where = scanner.rangeFrom(start);
    return failure;
}

} // namespace sw
