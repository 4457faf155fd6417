#include "engine/api/override_list.h"

#include "engine/api/report_parts.h"
#include "engine/api/trial.h"
#include "engine/passes/overrides.h"

#include <algorithm>

namespace sw {

namespace {

Result<Override> readOne(const std::string &text)
{
    SW_TRY(Overrides read, parseOverrides(printOverrides({}) + text + "\n", {}));
    if (read.items.size() != 1)
        return Diagnostic::error(Code::Syntax, {}, "expected one override, found {}", read.items.size());
    return std::move(read.items.front());
}

OverrideLine lineOf(const Override &item)
{
    return {toText(item), item.isOn, item.note};
}

} // namespace

OverrideFile readOverrides(std::string_view text, std::string_view name)
{
    OverrideFile file;
    const Result<Overrides> read = parseOverrides(text, name);
    if (!read) {
        file.messages = messagesOf(read.error(), {});
        return file;
    }
    for (const Override &item : read->items)
        file.lines.push_back(lineOf(item));
    return file;
}

std::string overridesText(const std::vector<OverrideLine> &lines)
{
    std::string text = printOverrides({});
    for (const OverrideLine &line : lines)
        text += format("{}{}{}\n", line.isOn ? "" : "off ", line.text, line.note.empty() ? "" : "  # " + line.note);
    return text;
}

std::optional<Message> problemOf(const std::string &override)
{
    const Result<Override> read = readOne(override);
    if (read)
        return std::nullopt;
    return messagesOf(read.error(), {}).front();
}

std::string canonicalOverride(const std::string &override)
{
    const Result<Override> read = readOne(override);
    return read ? toText(*read) : override;
}

OverridesWith withOverride(std::vector<OverrideLine> lines, const std::string &override)
{
    const Result<Override> wanted = readOne(override);
    std::size_t index = lines.size();
    for (std::size_t i = 0; wanted && i < lines.size(); ++i)
        if (const Result<Override> other = readOne(lines[i].text); other && areAboutTheSame(*other, *wanted))
            index = std::min(index, i);
    const std::string note = index < lines.size() ? lines[index].note : std::string();
    if (index == lines.size())
        lines.emplace_back();
    lines[index] = {canonicalOverride(override), true, note};
    return {std::move(lines), index};
}

} // namespace sw
