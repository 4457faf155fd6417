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

// The number of its last line.
std::uint32_t endOf(const Override &item)
{
    return item.line + static_cast<std::uint32_t>(std::ranges::count(item.code.text, '\n'));
}

bool isFor(const Override &item, const KernelCode &kernel)
{
    return item.kind == OverrideKind::Code && item.value == kernel.value && item.code.device == kernel.device &&
           nameOf(item.code.form) == kernel.form;
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
    // Between the overrides are comments and empty lines; the text of a kernel belongs to its override.
    std::vector<std::string> between(1);
    std::uint32_t number = 0;
    for (std::size_t at = 0; at < text.size(); ++number) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        if (!file.lines.empty() && number < endOf(read->items[file.lines.size() - 1])) {
            at = end + 1;
            continue;
        }
        const bool isOverride = file.lines.size() < read->items.size() && read->items[file.lines.size()].line == number + 1;
        if (isOverride) {
            file.lines.push_back(lineOf(read->items[file.lines.size()]));
            between.emplace_back();
        } else if (number > 0) {
            between.back() += std::string(text.substr(at, end - at)) + "\n";
        }
        at = end + 1;
    }
    for (std::size_t i = 0; i < file.lines.size(); ++i)
        file.lines[i].above = std::move(between[i]);
    if (!file.lines.empty())
        file.lines.back().below = std::move(between.back());
    return file;
}

std::string overridesText(const std::vector<OverrideLine> &lines)
{
    std::string text = printOverrides({});
    for (const OverrideLine &line : lines) {
        const std::size_t head = std::min(line.text.find('\n'), line.text.size());
        text += format("{}{}{}{}{}\n{}", line.above, line.isOn ? "" : "off ", line.text.substr(0, head),
                       line.note.empty() ? "" : "  # " + line.note, line.text.substr(head), line.below);
    }
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

std::string overrideTitle(const std::string &override)
{
    const Result<Override> read = readOne(override);
    return read ? titleOf(*read) : override;
}

std::vector<CodeVariant> codeVariants(const std::vector<OverrideLine> &lines, const KernelCode &kernel)
{
    std::vector<CodeVariant> variants;
    for (std::size_t i = 0; i < lines.size(); ++i)
        if (Result<Override> item = readOne(lines[i].text); item && isFor(*item, kernel))
            variants.push_back({i, item->code.name, item->code.text, lines[i].isOn});
    return variants;
}

std::vector<OverrideLine> withVariantOn(std::vector<OverrideLine> lines, const KernelCode &kernel,
                                        std::optional<std::size_t> index)
{
    for (const CodeVariant &variant : codeVariants(lines, kernel))
        lines[variant.index].isOn = variant.index == index;
    return lines;
}

OverridesWith withOverride(std::vector<OverrideLine> lines, const std::string &override)
{
    const Result<Override> wanted = readOne(override);
    std::size_t index = lines.size();
    for (std::size_t i = 0; wanted && i < lines.size(); ++i)
        if (const Result<Override> other = readOne(lines[i].text); other && areAboutTheSame(*other, *wanted))
            index = std::min(index, i);
    if (index == lines.size())
        lines.emplace_back();
    lines[index].text = canonicalOverride(override);
    lines[index].isOn = true;
    return {std::move(lines), index};
}

} // namespace sw
