#include "engine/api/tensor_change.h"

#include "engine/api/tensor_numbers.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace sw {

namespace {

void compareNumbers(TensorChange &change, std::int64_t at, double before, double after)
{
    if (std::isfinite(before) != std::isfinite(after)) {
        ++change.notComparable;
        return;
    }
    const double distance = std::fabs(after - before);
    if (!std::isfinite(before) || distance <= change.largest)
        return;
    change.largest = distance;
    change.at = at;
}

} // namespace

std::optional<TensorChange> changeOf(const TensorView &before, const TensorView &after, const std::stop_token &stop)
{
    if (before.tensor().dtype() != after.tensor().dtype() || before.tensor().shape() != after.tensor().shape())
        return std::nullopt;
    TensorChange change;
    const std::size_t width = bytesOf(after.tensor().dtype());
    const std::byte *old = before.tensor().bytes().data();
    const std::byte *now = after.tensor().bytes().data();
    const bool isWhole = inPieces(0, after.elements(), stop, [&](std::int64_t begin, std::int64_t end) {
        const auto offset = static_cast<std::size_t>(begin) * width;
        if (std::memcmp(old + offset, now + offset, static_cast<std::size_t>(end - begin) * width) == 0)
            return;
        for (std::int64_t i = begin; i < end; ++i) {
            const auto place = static_cast<std::size_t>(i) * width;
            if (std::memcmp(old + place, now + place, width) == 0)
                continue;
            ++change.changed;
            if (after.hasNumbers())
                compareNumbers(change, i, before.number(i), after.number(i));
        }
    });
    return isWhole ? std::optional(change) : std::nullopt;
}

} // namespace sw
