#include "engine/language/library_uses.h"

#include <algorithm>

namespace sw::language {

namespace {

// False: a tensor of it is not in the other graph.
bool renumber(Value &value, std::span<const NodeId> made)
{
    if (const auto *tensor = value.as<TensorValue>()) {
        const NodeId id = made[tensor->node.value];
        value = Value(TensorValue{id});
        return id.isValid();
    }
    if (const auto *list = value.as<ListValue>()) {
        std::vector<Value> items = *list->items;
        const bool isWhole = std::ranges::all_of(items, [&](Value &item) { return renumber(item, made); });
        value = listOf(std::move(items));
        return isWhole;
    }
    return true;
}

} // namespace

std::vector<LibraryUse> usesIn(std::span<const LibraryUse> uses, std::span<const NodeId> made)
{
    std::vector<LibraryUse> kept;
    for (LibraryUse use : uses) {
        if (use.first >= use.end || use.end > made.size())
            continue;
        bool isWhole = renumber(use.result, made);
        for (auto &[name, value] : use.arguments)
            isWhole = isWhole && renumber(value, made);
        for (std::size_t i = use.first; i < use.end; ++i)
            isWhole = isWhole && made[i].isValid() && made[i].value - made[use.first].value == i - use.first;
        if (!isWhole)
            continue;
        use.end = made[use.first].value + (use.end - use.first);
        use.first = made[use.first].value;
        kept.push_back(std::move(use));
    }
    return kept;
}

} // namespace sw::language
