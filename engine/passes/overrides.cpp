#include "engine/passes/overrides.h"

#include "engine/base/line_alignment.h"
#include "engine/base/text_scanner.h"

#include <algorithm>
#include <array>
#include <optional>

namespace sw {

namespace {

constexpr std::string_view kFirstLine = "stepwell overrides 1";
constexpr std::string_view kExpected = "fuse, apart, store, loops, order or code";
constexpr std::array kKinds = {OverrideKind::Fuse,  OverrideKind::Apart, OverrideKind::Store,
                               OverrideKind::Loops, OverrideKind::Order, OverrideKind::Code};
constexpr std::string_view kBar = "  | "; // before each line of code

bool isPlain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_./#-%").find(c) != std::string_view::npos;
}

std::string pathText(const std::string &path)
{
    const bool isWord = !path.empty() && path.front() != '#' && std::ranges::all_of(path, isPlain);
    return isWord ? path : quoted(path);
}

class LineReader {
public:
    LineReader(std::string_view line, std::string_view file, std::uint32_t number)
        : m_scanner(line, file, number), m_number(number)
    {
    }

    Result<Override> read()
    {
        Override item;
        item.line = m_number;
        item.isOn = !m_scanner.accept("off ");
        SW_TRY(item.kind, readKind());
        SW_TRY(item.value, readPath("the path of a value"));
        switch (item.kind) {
        case OverrideKind::Fuse:
        case OverrideKind::Apart:
        case OverrideKind::Order: {
            SW_CHECK(m_scanner.expect("->"));
            SW_TRY(item.reader, readPath(item.kind == OverrideKind::Order ? "the path of a value of the later kernel"
                                                                          : "the path of the value that reads it"));
            break;
        }
        case OverrideKind::Loops: {
            SW_CHECK(m_scanner.expect(":"));
            SW_TRY(item.transforms, readTransforms());
            break;
        }
        case OverrideKind::Code: {
            SW_TRY(item.code, readCode());
            break;
        }
        case OverrideKind::Store:
            break;
        }
        if (m_scanner.accept("#"))
            item.note = trimmed(m_scanner.until(""));
        SW_CHECK(m_scanner.expectEnd());
        return item;
    }

private:
    Result<OverrideKind> readKind()
    {
        const std::uint32_t column = m_scanner.nextColumn();
        SW_TRY(const std::string_view word, m_scanner.word(kExpected));
        for (const OverrideKind kind : kKinds)
            if (nameOf(kind) == word)
                return kind;
        return Diagnostic::error(Code::Syntax, placeOf(column, word.size()), "unknown override {}; expected {}", quoted(word),
                                 kExpected);
    }

    // Separated by semicolons; there may be none, which asks for plain loops.
    Result<std::vector<Transform>> readTransforms()
    {
        std::vector<Transform> transforms;
        while (!m_scanner.isAtEnd() && !m_scanner.startsWith("#")) {
            const std::uint32_t column = m_scanner.nextColumn();
            const std::string_view text = m_scanner.until(";#");
            Result<Transform> transform = parseTransform(text);
            if (!transform) {
                Diagnostics errors = transform.error();
                errors.front().where = placeOf(column, text.size());
                return Failure(std::move(errors));
            }
            transforms.push_back(std::move(*transform));
            if (!m_scanner.accept(";"))
                break;
        }
        return transforms;
    }

    // Its first line; the text follows.
    Result<EditedCode> readCode()
    {
        EditedCode code;
        const std::uint32_t device = m_scanner.nextColumn();
        code.device = std::string(m_scanner.until(" \t"));
        if (code.device.empty() || code.device.front() == '#')
            return Diagnostic::error(Code::Syntax, placeOf(device, code.device.size()), "expected the device of the kernel");
        const std::uint32_t column = m_scanner.nextColumn();
        SW_TRY(const std::string_view word, m_scanner.word("source or lowered"));
        if (word != nameOf(CodeForm::Source) && word != nameOf(CodeForm::Lowered))
            return Diagnostic::error(Code::Syntax, placeOf(column, word.size()), "expected source or lowered, found {}",
                                     quoted(word));
        code.form = word == nameOf(CodeForm::Source) ? CodeForm::Source : CodeForm::Lowered;
        if (m_scanner.startsWith("\"")) {
            SW_TRY(code.name, m_scanner.string());
        }
        if (m_scanner.accept("for ")) {
            SW_TRY(code.interface, m_scanner.string());
        }
        if (m_scanner.accept("of ")) {
            SW_TRY(code.original, m_scanner.word("the mark of a text"));
        }
        return code;
    }

    Result<std::string> readPath(std::string_view what)
    {
        const std::uint32_t column = m_scanner.nextColumn();
        if (m_scanner.startsWith("\""))
            return m_scanner.string();
        const std::string path(m_scanner.until(" \t:"));
        if (path.empty() || path.front() == '#' || !std::ranges::all_of(path, isPlain) || path == "->")
            return Diagnostic::error(Code::Syntax, placeOf(column, path.size()), "expected {}, found {}", what,
                                     path.empty() ? "the end of the line" : quoted(path));
        return path;
    }

    [[nodiscard]] SourceRange placeOf(std::uint32_t column, std::size_t length) const
    {
        const auto end = static_cast<std::uint32_t>(column + std::max<std::size_t>(length, 1));
        return {std::string(m_scanner.file()), m_number, column, m_number, end};
    }

    static std::string trimmed(std::string_view text)
    {
        const std::size_t first = text.find_first_not_of(" \t");
        return first == std::string_view::npos ? std::string() : std::string(text.substr(first));
    }

    TextScanner m_scanner;
    std::uint32_t m_number;
};

std::string firstLineOf(const Override &item)
{
    if (item.kind != OverrideKind::Code)
        return titleOf(item);
    return titleOf(item) + (item.code.interface.empty() ? "" : " for " + quoted(item.code.interface)) +
           (item.code.original.empty() ? "" : " of " + item.code.original);
}

// Each line of the code after a bar, behind the end of the line before it.
std::string bodyOf(const Override &item)
{
    std::string text;
    for (const std::string_view line : linesOf(item.code.text))
        text += format("\n{}{}", line.empty() ? kBar.substr(0, kBar.size() - 1) : kBar, line);
    return text;
}

// What stands after the bar; nothing: the line has none.
std::optional<std::string_view> afterBar(std::string_view line)
{
    const std::size_t bar = line.find_first_not_of(" \t");
    if (bar == std::string_view::npos || line[bar] != '|')
        return std::nullopt;
    line.remove_prefix(bar + 1);
    if (line.starts_with(' '))
        line.remove_prefix(1);
    return line;
}

// What the lines with a bar belong to.
enum class Above : std::uint8_t { Nothing, Code, Error };

} // namespace

std::string_view nameOf(OverrideKind kind)
{
    switch (kind) {
    case OverrideKind::Fuse:
        return "fuse";
    case OverrideKind::Apart:
        return "apart";
    case OverrideKind::Store:
        return "store";
    case OverrideKind::Loops:
        return "loops";
    case OverrideKind::Order:
        return "order";
    case OverrideKind::Code:
        return "code";
    }
    SW_UNREACHABLE();
}

std::string_view nameOf(CodeForm form)
{
    switch (form) {
    case CodeForm::Source:
        return "source";
    case CodeForm::Lowered:
        return "lowered";
    }
    SW_UNREACHABLE();
}

std::string titleOf(const Override &item)
{
    std::string text = format("{} {}", nameOf(item.kind), pathText(item.value));
    switch (item.kind) {
    case OverrideKind::Fuse:
    case OverrideKind::Apart:
    case OverrideKind::Order:
        return text + " -> " + pathText(item.reader);
    case OverrideKind::Store:
        return text;
    case OverrideKind::Loops:
        return text + ":" + (item.transforms.empty() ? "" : " ") +
               join(item.transforms, "; ", [](const Transform &transform) { return toText(transform); });
    case OverrideKind::Code:
        return text + format(" {} {}{}", item.code.device, nameOf(item.code.form),
                             item.code.name.empty() ? "" : " " + quoted(item.code.name));
    }
    SW_UNREACHABLE();
}

std::string toText(const Override &item)
{
    return firstLineOf(item) + bodyOf(item);
}

std::string withLineEnds(std::string_view text)
{
    std::string made;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        std::string_view line = text.substr(at, end - at);
        at = end + 1;
        while (line.ends_with('\r'))
            line.remove_suffix(1);
        made += std::string(line) + "\n";
    }
    return made;
}

SourceRange placeInFile(const Overrides &overrides, const Override &item, SourceRange inText)
{
    if (!inText.isKnown())
        return inText;
    if (!item.code.file.empty()) {
        inText.file = item.code.file;
        return inText;
    }
    if (item.line == 0)
        return {};
    const auto width = static_cast<std::uint32_t>(kBar.size());
    return {overrides.file, item.line + inText.line, inText.column + width, item.line + inText.endLine, inText.endColumn + width};
}

std::string printOverrides(const Overrides &overrides)
{
    std::string text = std::string(kFirstLine) + "\n";
    for (const Override &item : overrides.items)
        text += format("{}{}{}{}\n", item.isOn ? "" : "off ", firstLineOf(item), item.note.empty() ? "" : "  # " + item.note,
                       bodyOf(item));
    return text;
}

Result<Overrides> parseOverrides(std::string_view text, std::string_view file)
{
    Overrides overrides{std::string(file)};
    Diagnostics errors;
    std::uint32_t number = 0;
    Above above = Above::Nothing;
    const auto wholeLine = [&](std::string_view line) {
        return SourceRange{std::string(file), number, 1, number, static_cast<std::uint32_t>(line.size() + 1)};
    };
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        std::string_view line = text.substr(at, end - at);
        at = end + 1;
        ++number;
        if (line.ends_with('\r'))
            line.remove_suffix(1);
        if (number == 1 && line == kFirstLine)
            continue;
        if (number == 1)
            return Diagnostic::error(Code::Syntax, wholeLine(line), "not a text of overrides: its first line is not {}",
                                     quoted(kFirstLine));
        if (const std::optional<std::string_view> code = afterBar(line)) {
            if (above == Above::Code)
                overrides.items.back().code.text += std::string(*code) + "\n";
            else if (above == Above::Nothing)
                errors.push_back(Diagnostic::error(Code::Syntax, wholeLine(line), "a line of code below no override of code"));
            continue;
        }
        above = Above::Nothing;
        const std::size_t first = line.find_first_not_of(" \t");
        if (first == std::string_view::npos || line[first] == '#')
            continue;
        if (Result<Override> item = LineReader(line, file, number).read()) {
            above = item->kind == OverrideKind::Code ? Above::Code : Above::Nothing;
            overrides.items.push_back(std::move(*item));
        } else {
            above = Above::Error;
            errors.insert(errors.end(), item.error().begin(), item.error().end());
        }
    }
    for (const Override &item : overrides.items)
        if (item.kind == OverrideKind::Code && item.code.text.empty())
            errors.push_back(Diagnostic::error(Code::Syntax, {std::string(file), item.line, 1, item.line, 1},
                                               "no text follows; expected lines that begin with |"));
    if (number == 0)
        return Diagnostic::error(Code::Syntax, {std::string(file), 1, 1, 1, 1},
                                 "an empty text of overrides; expected {} in its first line", quoted(kFirstLine));
    if (!errors.empty())
        return Failure(std::move(errors));
    return overrides;
}

} // namespace sw
