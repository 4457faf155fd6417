#include "engine/passes/overrides.h"

#include "engine/base/text_scanner.h"

#include <algorithm>
#include <array>

namespace sw {

namespace {

constexpr std::string_view kFirstLine = "stepwell overrides 1";
constexpr std::string_view kExpected = "fuse, apart, store, loops or order";
constexpr std::array kKinds = {OverrideKind::Fuse, OverrideKind::Apart, OverrideKind::Store, OverrideKind::Loops,
                               OverrideKind::Order};

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
    }
    SW_UNREACHABLE();
}

std::string toText(const Override &item)
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
    }
    SW_UNREACHABLE();
}

std::string printOverrides(const Overrides &overrides)
{
    std::string text = std::string(kFirstLine) + "\n";
    for (const Override &item : overrides.items)
        text += format("{}{}{}\n", item.isOn ? "" : "off ", toText(item), item.note.empty() ? "" : "  # " + item.note);
    return text;
}

Result<Overrides> parseOverrides(std::string_view text, std::string_view file)
{
    Overrides overrides{std::string(file)};
    Diagnostics errors;
    std::uint32_t number = 0;
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
            return Diagnostic::error(Code::Syntax, {std::string(file), 1, 1, 1, static_cast<std::uint32_t>(line.size() + 1)},
                                     "not a text of overrides: its first line is not {}", quoted(kFirstLine));
        const std::size_t first = line.find_first_not_of(" \t");
        if (first == std::string_view::npos || line[first] == '#')
            continue;
        if (Result<Override> item = LineReader(line, file, number).read())
            overrides.items.push_back(std::move(*item));
        else
            errors.insert(errors.end(), item.error().begin(), item.error().end());
    }
    if (number == 0)
        return Diagnostic::error(Code::Syntax, {std::string(file), 1, 1, 1, 1},
                                 "an empty text of overrides; expected {} in its first line", quoted(kFirstLine));
    if (!errors.empty())
        return Failure(std::move(errors));
    return overrides;
}

} // namespace sw
