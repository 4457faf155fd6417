#include "engine/api/tensor_search.h"

#include "engine/api/tensor_numbers.h"

#include <algorithm>

namespace sw {

namespace {

// `matches` decides by index.
template <class Matches>
std::optional<std::int64_t> findBy(std::int64_t elements, std::int64_t from, FindDirection direction, const std::stop_token &stop,
                                   Matches &&matches)
{
    const std::int64_t step = direction == FindDirection::Forward ? 1 : -1;
    std::int64_t at = std::clamp<std::int64_t>(from, -1, elements) + step;
    for (std::int64_t done = 0; at >= 0 && at < elements; at += step, ++done) {
        if (done % kElementsPerCheck == 0 && stop.stop_requested())
            return std::nullopt;
        if (matches(at))
            return at;
    }
    return std::nullopt;
}

ValueClass classNamed(FindWhat what)
{
    switch (what) {
    case FindWhat::NotANumber:
        return ValueClass::NotANumber;
    case FindWhat::Infinity:
        return ValueClass::Infinity;
    case FindWhat::Subnormal:
        return ValueClass::Subnormal;
    }
    SW_UNREACHABLE();
}

// Whether the first of two elements comes before the second. A strict weak order, NaNs included.
template <class Number>
bool comesBefore(SortOrder order, Number a, Number b)
{
    if constexpr (std::is_floating_point_v<Number>) {
        if (std::isnan(a) || std::isnan(b))
            return !std::isnan(a) && std::isnan(b);
        if (order == SortOrder::Magnitude)
            return std::fabs(a) > std::fabs(b);
    } else if (order == SortOrder::Magnitude) {
        const auto size = [](Number x) {
            return x < Number{0} ? std::uint64_t{0} - static_cast<std::uint64_t>(x) : static_cast<std::uint64_t>(x);
        };
        return size(a) > size(b);
    }
    return order == SortOrder::Ascending ? a < b : a > b;
}

} // namespace

std::optional<std::int64_t> findElement(const TensorView &view, FindWhat what, std::int64_t from, FindDirection direction,
                                        const std::stop_token &stop)
{
    if (!view.isFloat())
        return std::nullopt;
    const ValueClass wanted = classNamed(what);
    return visitNumbers(view.tensor(), [&](const auto &reader) {
        return findBy(view.elements(), from, direction, stop,
                      [&](std::int64_t i) { return reader.classOf(reader.at(i)) == wanted; });
    });
}

Result<std::optional<std::int64_t>> findValue(const TensorView &view, std::string_view value, std::int64_t from,
                                              FindDirection direction, const std::stop_token &stop)
{
    SW_TRY(const Scalar wanted, parseScalar(view.tensor().dtype(), value));
    const bool isZero = view.hasNumbers() && !wanted.isNan() && wanted.asDouble() == 0;
    const bool isAnyNan = view.isFloat() && wanted.isNan();
    return findBy(view.elements(), from, direction, stop, [&](std::int64_t i) {
        const Scalar element = view.tensor().at(i);
        if (isZero)
            return view.classOf(i) == ValueClass::Zero; // both zeros
        return isAnyNan ? element.isNan() : element == wanted;
    });
}

std::optional<std::vector<std::int64_t>> firstInOrder(const TensorView &view, SortOrder order, std::int64_t count,
                                                      const std::stop_token &stop)
{
    std::vector<std::int64_t> kept; // a heap: its top comes last
    if (count <= 0 || !view.hasNumbers())
        return kept;
    const bool isWhole = visitNumbers(view.tensor(), [&](const auto &reader) {
        const auto before = [&](std::int64_t a, std::int64_t b) {
            const auto x = reader.at(a);
            const auto y = reader.at(b);
            return comesBefore(order, x, y) || (!comesBefore(order, y, x) && a < b);
        };
        const bool isSeen = inPieces(0, view.elements(), stop, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t i = begin; i < end; ++i) {
                if (static_cast<std::int64_t>(kept.size()) == count) {
                    if (!before(i, kept.front()))
                        continue;
                    std::ranges::pop_heap(kept, before);
                    kept.pop_back();
                }
                kept.push_back(i);
                std::ranges::push_heap(kept, before);
            }
        });
        std::ranges::sort_heap(kept, before);
        return isSeen;
    });
    return isWhole ? std::optional(std::move(kept)) : std::nullopt;
}

} // namespace sw
