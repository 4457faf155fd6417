#include "engine/api/compare/tensor_difference.h"

#include "engine/api/tensor_numbers.h"
#include "engine/base/assert.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace sw {

namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr std::uint64_t kNoSteps = std::numeric_limits<std::uint64_t>::max();

// Two bit patterns of floats as places in their order: neighbours differ by one, -0 and +0 are equal.
template <class Bits>
std::int64_t orderOf(Bits bits)
{
    constexpr Bits kSign = static_cast<Bits>(Bits{1} << (sizeof(Bits) * 8 - 1));
    const auto magnitude = static_cast<std::int64_t>(bits & static_cast<Bits>(kSign - 1));
    return (bits & kSign) != 0 ? -magnitude : magnitude;
}

template <class Integer>
std::uint64_t stepsBetween(Integer a, Integer b)
{
    return a > b ? static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b)
                 : static_cast<std::uint64_t>(b) - static_cast<std::uint64_t>(a);
}

template <std::size_t kSize>
struct BitsOf;
template <>
struct BitsOf<1> {
    using Type = std::uint8_t;
};
template <>
struct BitsOf<2> {
    using Type = std::uint16_t;
};
template <>
struct BitsOf<4> {
    using Type = std::uint32_t;
};
template <>
struct BitsOf<8> {
    using Type = std::uint64_t;
};

// Keeps the worst elements that it is given.
class Worst {
public:
    Worst(std::size_t most, DifferenceMeasure by) : m_most(most), m_by(by) {}

    void add(const ElementDifference &element)
    {
        if (m_most == 0 || (m_heap.size() == m_most && !isWorse(element, m_heap.front())))
            return;
        const auto worse = [this](const auto &a, const auto &b) { return isWorse(a, b); };
        if (m_heap.size() == m_most) {
            std::ranges::pop_heap(m_heap, worse);
            m_heap.pop_back();
        }
        m_heap.push_back(element);
        std::ranges::push_heap(m_heap, worse);
    }
    std::vector<ElementDifference> sorted()
    {
        std::ranges::sort(m_heap, [this](const auto &a, const auto &b) { return isWorse(a, b); });
        return std::move(m_heap);
    }

private:
    [[nodiscard]] double sizeOf(const ElementDifference &element) const
    {
        switch (m_by) {
        case DifferenceMeasure::Absolute:
            return element.absolute;
        case DifferenceMeasure::Relative:
            return element.relative;
        case DifferenceMeasure::Ulp:
            return static_cast<double>(element.ulp);
        }
        SW_UNREACHABLE();
    }
    // Of two that are equally bad, the first one is worse.
    [[nodiscard]] bool isWorse(const ElementDifference &a, const ElementDifference &b) const
    {
        if ((a.ulp == kNoSteps) != (b.ulp == kNoSteps))
            return a.ulp == kNoSteps;
        const double left = sizeOf(a);
        const double right = sizeOf(b);
        return left != right ? left > right : a.index < b.index;
    }

    std::size_t m_most;
    DifferenceMeasure m_by;
    std::vector<ElementDifference> m_heap; // the least bad in front
};

class Comparer {
public:
    Comparer(const HostTensor &before, const HostTensor &after, const TensorDifferenceOptions &options)
        : m_before(before), m_after(after), m_worst(options.worst, options.by)
    {
        m_made.elements = before.elements();
        const auto extents = before.shape().extents();
        m_columns = extents.empty() ? 1 : std::max<std::int64_t>(1, extents.back());
        const std::int64_t rows = std::max<std::int64_t>(1, m_made.elements / m_columns);
        m_made.map.rows = static_cast<std::uint32_t>(std::clamp<std::int64_t>(rows, 1, std::max(1U, options.mapRows)));
        m_made.map.columns = static_cast<std::uint32_t>(std::clamp<std::int64_t>(m_columns, 1, std::max(1U, options.mapColumns)));
        m_rows = rows;
        m_made.map.largest.assign(std::size_t{m_made.map.rows} * m_made.map.columns, 0);
        m_made.map.different.assign(m_made.map.largest.size(), 0);
    }

    // False: stopped.
    bool compare(const std::stop_token &stop)
    {
        if (m_before.dtype() == DType::U32x4 || m_before.dtype() == DType::Unit)
            return compareWords(stop);
        return visitNumbers(m_before, [&](const auto &reader) { return compareNumbers(reader, stop); });
    }

    TensorDifference finished()
    {
        m_made.ulpHistogram[0] = m_made.elements - m_made.different;
        m_made.worst = m_worst.sorted();
        return std::move(m_made);
    }

private:
    template <class Stored, class Value, auto kConvert>
    bool compareNumbers(const ElementReader<Stored, Value, kConvert> &before, const std::stop_token &stop)
    {
        using Bits = typename BitsOf<sizeof(Stored)>::Type;
        auto after = before;
        after.bytes = m_after.bytes().data();
        return inPieces(0, m_made.elements, stop, [&](std::int64_t first, std::int64_t last) {
            // Most pieces of tensors that should be equal are.
            const auto offset = static_cast<std::size_t>(first) * sizeof(Stored);
            if (std::memcmp(before.bytes + offset, after.bytes + offset,
                            static_cast<std::size_t>(last - first) * sizeof(Stored)) == 0)
                return;
            for (std::int64_t i = first; i < last; ++i) {
                Bits of;
                Bits to;
                std::memcpy(&of, before.bytes + static_cast<std::size_t>(i) * sizeof(Stored), sizeof(Stored));
                std::memcpy(&to, after.bytes + static_cast<std::size_t>(i) * sizeof(Stored), sizeof(Stored));
                if (of == to)
                    continue;
                const Value a = before.at(i);
                const Value b = after.at(i);
                if constexpr (std::is_floating_point_v<Value>)
                    addFloats(i, static_cast<double>(a), static_cast<double>(b), stepsBetween(orderOf(of), orderOf(to)));
                else
                    addIntegers(i, a, b);
            }
        });
    }

    void addFloats(std::int64_t index, double before, double after, std::uint64_t steps)
    {
        if (before == after || (std::isnan(before) && std::isnan(after))) {
            ++m_made.otherBits;
            return;
        }
        if (std::isnan(before) || std::isnan(after))
            ++m_made.notNumbers;
        else if (std::isinf(before) || std::isinf(after))
            ++m_made.infinities;
        else
            return addFinite({index, before, after, std::fabs(after - before), 0, steps});
        add({index, before, after, kInfinite, kInfinite, kNoSteps});
    }

    template <class Integer>
    void addIntegers(std::int64_t index, Integer before, Integer after)
    {
        const std::uint64_t steps = stepsBetween(before, after);
        addFinite({index, static_cast<double>(before), static_cast<double>(after), static_cast<double>(steps), 0, steps});
    }

    void addFinite(ElementDifference element)
    {
        element.relative = element.before == 0 ? kInfinite : element.absolute / std::fabs(element.before);
        m_made.maxAbsolute = std::max(m_made.maxAbsolute, element.absolute);
        if (element.before != 0)
            m_made.maxRelative = std::max(m_made.maxRelative, element.relative);
        m_made.maxUlp = std::max(m_made.maxUlp, element.ulp);
        add(element);
    }

    void add(const ElementDifference &element)
    {
        ++m_made.different;
        if (!m_made.firstAt)
            m_made.firstAt = element.index;
        ++m_made.ulpHistogram[element.ulp == kNoSteps ? kUlpBins - 1 : static_cast<std::size_t>(std::bit_width(element.ulp))];
        DifferenceMap &map = m_made.map;
        const std::int64_t row = element.index / m_columns * map.rows / m_rows;
        const std::int64_t column = element.index % m_columns * map.columns / m_columns;
        const auto cell = static_cast<std::size_t>(row * map.columns + column);
        map.largest[cell] = std::max(map.largest[cell], element.absolute);
        ++map.different[cell];
        m_worst.add(element);
    }

    // Words have bits and no distance.
    bool compareWords(const std::stop_token &stop)
    {
        const std::size_t size = bytesOf(m_before.dtype());
        return inPieces(0, m_made.elements, stop, [&](std::int64_t first, std::int64_t last) {
            for (std::int64_t i = first; i < last; ++i) {
                const std::size_t offset = static_cast<std::size_t>(i) * size;
                if (std::memcmp(m_before.bytes().data() + offset, m_after.bytes().data() + offset, size) != 0)
                    add({i, 0, 0, kInfinite, kInfinite, kNoSteps});
            }
        });
    }

    const HostTensor &m_before;
    const HostTensor &m_after;
    Worst m_worst;
    TensorDifference m_made;
    std::int64_t m_columns = 1;
    std::int64_t m_rows = 1;
};

Diagnostic cancelled()
{
    return Diagnostic::error(Code::Cancelled, {}, "the comparison was cancelled");
}

} // namespace

std::string_view nameOf(DifferenceMeasure measure)
{
    switch (measure) {
    case DifferenceMeasure::Absolute:
        return "absolute";
    case DifferenceMeasure::Relative:
        return "relative";
    case DifferenceMeasure::Ulp:
        return "ulp";
    }
    SW_UNREACHABLE();
}

std::uint64_t contentHash(const HostTensor &tensor, const std::stop_token &stop)
{
    constexpr std::uint64_t kPrime = 0x9e3779b97f4a7c15ULL;
    std::uint64_t state = static_cast<std::uint64_t>(tensor.dtype()) + 1;
    const auto add = [&](std::uint64_t word) {
        state = (state ^ word) * kPrime;
        state ^= state >> 32U;
    };
    for (const std::int64_t extent : tensor.shape().extents())
        add(static_cast<std::uint64_t>(extent));
    const std::span<const std::byte> bytes = tensor.bytes();
    const auto words = static_cast<std::int64_t>((bytes.size() + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t));
    const bool isWhole = inPieces(0, words, stop, [&](std::int64_t first, std::int64_t last) {
        for (auto at = static_cast<std::size_t>(first) * sizeof(std::uint64_t); first < last;
             ++first, at += sizeof(std::uint64_t)) {
            std::uint64_t word = 0;
            std::memcpy(&word, bytes.data() + at, std::min(sizeof(word), bytes.size() - at));
            add(word);
        }
    });
    return isWhole ? state : 0;
}

Result<TensorDifference> differenceOf(const TensorView &before, const TensorView &after, const TensorDifferenceOptions &options,
                                      const std::stop_token &stop)
{
    if (before.tensor().dtype() != after.tensor().dtype() || before.tensor().shape() != after.tensor().shape())
        return Diagnostic::error(Code::Argument, {}, "{} and {} cannot be compared: both must have the same type and shape",
                                 before.type(), after.type());
    Comparer comparer(before.tensor(), after.tensor(), options);
    if (!comparer.compare(stop))
        return cancelled();
    TensorDifference made = comparer.finished();
    made.hashBefore = contentHash(before.tensor(), stop);
    made.hashAfter = made.different + made.otherBits == 0 ? made.hashBefore : contentHash(after.tensor(), stop);
    if (stop.stop_requested())
        return cancelled();
    return made;
}

} // namespace sw
