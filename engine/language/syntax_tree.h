#pragma once
// The program as written: expressions and statements in two arenas, referenced by ids. Text that could not be parsed becomes an
// Error expression or statement with a diagnostic; anything that needs its value is silently not computed.

#include "engine/base/id.h"
#include "engine/language/source_text.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sw::language {

using ExprId = Id<struct ExprTag>;
using StatementId = Id<struct StatementTag>;

enum class ExprKind : std::uint8_t {
    Error,
    Int,           // intValue
    Float,         // floatValue
    Bool,          // intValue
    None,          //
    String,        // stringValue
    Name,          // text
    List,          // operands; also "a, b" and "(a, b)"
    Unary,         // text is the operator: - + ~ not
    Binary,        // text is the operator, and "in", "not in", "is", "is not"
    Logical,       // text is and, or
    Conditional,   // operands: value, condition, otherwise
    Call,          // operands: callee, arguments; keywords: one per argument, empty for a positional one
    Attribute,     // operands: object; text is the name
    Subscript,     // operands: object, items
    Slice,         // operands: begin, end, step; invalid where left out
    Ellipsis,      //
    Comprehension, // operands: element, iterable, condition (may be invalid); keywords: the loop's names
};

struct Expr {
    ExprKind kind = ExprKind::Error;
    TextRange range = {};
    std::string_view text = {};
    std::uint64_t intValue = 0;
    double floatValue = 0;
    std::string stringValue = {};
    std::vector<ExprId> operands = {};
    std::vector<std::string_view> keywords = {};
};

// f32[2, n]
struct TypeSyntax {
    TextRange range;
    std::string_view dtype;
    TextRange dtypeRange;
    std::vector<ExprId> extents;
};

struct NameSyntax {
    std::string_view text;
    TextRange range;
};

struct ParameterSyntax {
    NameSyntax name;
    std::optional<TypeSyntax> type;
    ExprId defaultValue; // invalid: the argument is required
};

enum class StatementKind : std::uint8_t {
    Error,
    Assign,     // targets = value; type: the value must have it; text: the operator of "x += value"
    Expression, // value
    Input,      // targets[0]: type
    Param,      // targets[0]: type [= value]
    Const,      // targets[0]: type = value
    Output,     // [targets[0] =] value
    Dimension,  // targets[0]: dim[lowest, highest] [= value]
    Def,        // targets[0](parameters): body
    Return,     // value, invalid for None
    If,         // value; body; otherwise
    For,        // targets in value: body
    Scope,      // value is the name, a text: body
    Pass,
};

struct Statement {
    StatementKind kind = StatementKind::Error;
    TextRange range = {};  // for a statement with a block, the range of its header
    bool isBroken = false; // could not be parsed; this has been reported
    std::string_view text = {};
    std::vector<NameSyntax> targets = {};
    std::optional<TypeSyntax> type = {};
    ExprId value = {};
    std::vector<ParameterSyntax> parameters = {};
    std::vector<StatementId> body = {};
    std::vector<StatementId> otherwise = {};
};

struct SyntaxTree {
    std::vector<Expr> exprs;
    std::vector<Statement> statements;
    std::vector<StatementId> program; // the top level, in order

    [[nodiscard]] const Expr &expr(ExprId id) const { return exprs.at(id.value); }
    [[nodiscard]] const Statement &statement(StatementId id) const { return statements.at(id.value); }
};

} // namespace sw::language
