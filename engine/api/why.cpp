#include "engine/api/why.h"

#include "engine/base/text.h"

#include <algorithm>

namespace sw {

namespace {

// Names, values and changes stand in columns.
std::string numbersText(const WhyCard &card, const std::string &indent)
{
    std::size_t names = 0;
    std::size_t values = 0;
    for (const WhyNumber &number : card.numbers) {
        names = std::max(names, number.name.size());
        values = std::max(values, number.value.size());
    }
    std::string text;
    for (const WhyNumber &number : card.numbers)
        text += format("{}{:<{}}  {:>{}}  {}{}{}\n", indent, number.name, names, number.value, values, number.origin,
                       number.limit.empty() ? "" : "; ", number.limit);
    return text;
}

std::string alternativeText(const WhyCard &card, const std::string &indent)
{
    if (card.alternative.empty())
        return {};
    std::string text = format("{}{}\n", indent, card.alternative);
    for (const FigureChange &change : card.changes)
        text += format("{}  {}: {} -> {}, {}{}{}\n", indent, change.name, change.before, change.after, change.change,
                       change.note.empty() ? "" : ", ", change.note);
    for (const std::string &obstacle : card.obstacles)
        text += format("{}  in the way: {}\n", indent, obstacle);
    return text;
}

std::string textOf(const WhyCard &card, const std::string &indent)
{
    const std::string inner = indent + "  ";
    std::string text = format("{}{}", indent, card.title);
    if (!card.decision.empty())
        text += format(": {}", card.decision);
    if (!card.rule.empty())
        text += format(" by {}", card.rule);
    text += "\n";
    if (!card.reason.empty())
        text += format("{}{}\n", inner, card.reason);
    for (const DocumentField &fact : card.facts)
        text += format("{}{} {}\n", indent, fact.name, fact.value);
    if (!card.ruleDoc.empty())
        text += format("{}rule: {}\n", inner, card.ruleDoc);
    text += numbersText(card, inner) + alternativeText(card, inner);
    for (const WhyCard &part : card.parts) {
        if (!part.heading.empty())
            text += format("{}{}\n", indent, part.heading);
        text += textOf(part, inner);
    }
    for (const WhyTry &one : card.tries)
        text += format("{}{}: {}\n", inner, one.isRemoval ? "to undo, remove" : "to override", one.override);
    return text;
}

} // namespace

std::string toText(const WhyCard &card)
{
    return textOf(card, {});
}

} // namespace sw
