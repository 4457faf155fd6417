#include "engine/language/suggest.h"

#include "engine/base/text.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace sw::language {

namespace {

// The Levenshtein distance, where swapping two neighbours counts as one step.
std::size_t distance(std::string_view a, std::string_view b)
{
    std::vector<std::size_t> beforePrevious(b.size() + 1);
    std::vector<std::size_t> previous(b.size() + 1);
    std::vector<std::size_t> current(b.size() + 1);
    std::iota(previous.begin(), previous.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        current[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replaced = previous[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            current[j] = std::min({replaced, previous[j] + 1, current[j - 1] + 1});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                current[j] = std::min(current[j], beforePrevious[j - 2] + 1);
        }
        beforePrevious.swap(previous);
        previous.swap(current);
    }
    return previous[b.size()];
}

} // namespace

std::string suggestion(std::string_view wrong, std::span<const std::string> known)
{
    constexpr std::size_t kLongestCompared = 64;
    if (wrong.size() > kLongestCompared)
        return {};
    const std::size_t limit = wrong.size() <= 2 ? 0 : wrong.size() <= 5 ? 1 : 2;
    std::size_t best = limit + 1;
    const std::string *nearest = nullptr;
    for (const std::string &name : known) {
        if (name.size() > wrong.size() + limit || name.size() + limit < wrong.size())
            continue;
        const std::size_t found = distance(wrong, name);
        if (found < best || (found == best && nearest != nullptr && name < *nearest)) {
            best = found;
            nearest = &name;
        }
    }
    return nearest == nullptr ? std::string() : format("did you mean {}?", *nearest);
}

} // namespace sw::language
