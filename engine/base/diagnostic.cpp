#include "engine/base/diagnostic.h"

#include "engine/base/assert.h"
#include "engine/base/readable_text.h"

namespace sw {

namespace {

std::string_view nameOf(Severity severity)
{
    switch (severity) {
    case Severity::Error:
        return "error";
    case Severity::Warning:
        return "warning";
    case Severity::Note:
        return "note";
    }
    SW_UNREACHABLE();
}

std::string placeText(const SourceRange &where)
{
    if (!where.isKnown())
        return where.file.empty() ? std::string() : format("{}: ", where.file);
    return format("{}:{}:{}: ", where.file, where.line, where.column);
}

} // namespace

std::string_view nameOf(Code code)
{
    switch (code) {
#define SW_DIAGNOSTIC(code, name, exitClass) \
    case Code::code:                         \
        return name;
#include "engine/base/diagnostic_codes.def"
#undef SW_DIAGNOSTIC
    }
    SW_UNREACHABLE();
}

ExitClass exitClassOf(Code code)
{
    switch (code) {
#define SW_DIAGNOSTIC(code, name, exitClass) \
    case Code::code:                         \
        return ExitClass::exitClass;
#include "engine/base/diagnostic_codes.def"
#undef SW_DIAGNOSTIC
    }
    SW_UNREACHABLE();
}

std::string toText(const Diagnostic &diagnostic)
{
    std::string out = format("{}{}: {} [{}]\n", placeText(diagnostic.where), nameOf(diagnostic.severity),
                             readableText(diagnostic.message), nameOf(diagnostic.code));
    for (const Diagnostic &note : diagnostic.notes)
        out += format("{}note: {}\n", placeText(note.where), readableText(note.message));
    if (!diagnostic.hint.empty())
        out += format("{}hint: {}\n", placeText(diagnostic.where), readableText(diagnostic.hint));
    return out;
}

std::string toText(const Diagnostics &diagnostics)
{
    std::string out;
    for (const Diagnostic &diagnostic : diagnostics)
        out += toText(diagnostic);
    return out;
}

} // namespace sw
