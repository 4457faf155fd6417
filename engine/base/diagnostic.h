#pragma once
// A message to the user: a code, the place in the user's program, what was found and what was expected. Lower case, no final
// period. A failed Result carries at least one of these.

#include "engine/base/text.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sw {

enum class Code : std::uint8_t {
#define SW_DIAGNOSTIC(code, name, exitClass) code,
#include "engine/base/diagnostic_codes.def"
#undef SW_DIAGNOSTIC
};

enum class ExitClass : std::uint8_t { Program, Unsupported };
enum class Severity : std::uint8_t { Error, Warning, Note };

[[nodiscard]] std::string_view nameOf(Code code);
[[nodiscard]] ExitClass exitClassOf(Code code);

// Lines and columns count from 1; columns count bytes; the end is one past the last character. Line 0: the place is unknown.
struct SourceRange {
    std::string file;
    std::uint32_t line = 0;
    std::uint32_t column = 0;
    std::uint32_t endLine = 0;
    std::uint32_t endColumn = 0;

    bool operator==(const SourceRange &) const = default;
    [[nodiscard]] bool isKnown() const { return line != 0; }
};

struct Diagnostic {
    Severity severity = Severity::Error;
    Code code = Code::Internal;
    std::string message;
    SourceRange where;
    std::string hint;              // what to do about it; may be empty
    std::vector<Diagnostic> notes; // "called from here", "defined here"

    template <class... Args>
    [[nodiscard]] static Diagnostic error(Code code, SourceRange where, fmt::format_string<Args...> pattern, Args &&...args)
    {
        return {Severity::Error, code, fmt::format(pattern, std::forward<Args>(args)...), std::move(where), {}, {}};
    }

    template <class... Args>
    [[nodiscard]] static Diagnostic warning(Code code, SourceRange where, fmt::format_string<Args...> pattern, Args &&...args)
    {
        return {Severity::Warning, code, fmt::format(pattern, std::forward<Args>(args)...), std::move(where), {}, {}};
    }

    [[nodiscard]] Diagnostic withHint(std::string text) &&
    {
        hint = std::move(text);
        return std::move(*this);
    }
};

using Diagnostics = std::vector<Diagnostic>;

// "file:line:column: error: message [code]", then notes and the hint, one per line.
[[nodiscard]] std::string toText(const Diagnostic &diagnostic);
[[nodiscard]] std::string toText(const Diagnostics &diagnostics);

} // namespace sw
