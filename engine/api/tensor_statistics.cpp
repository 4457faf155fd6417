#include "engine/api/tensor_numbers.h"

#include <algorithm>

namespace sw {

namespace {

// Sums are long double: a sum of doubles does not overflow it.
template <class Reader>
bool countAndBound(const Reader &reader, TensorStatistics &made, const std::stop_token &stop)
{
    using Number = typename Reader::Number;
    Number low{};
    Number high{};
    long double sum = 0;
    std::int64_t finite = 0;
    const bool isWhole = inPieces(0, made.elements, stop, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            const Number value = reader.at(i);
            const ValueClass kind = reader.classOf(value);
            made.zeros += kind == ValueClass::Zero ? 1 : 0;
            made.subnormals += kind == ValueClass::Subnormal ? 1 : 0;
            made.infinities += kind == ValueClass::Infinity ? 1 : 0;
            made.nans += kind == ValueClass::NotANumber ? 1 : 0;
            if (kind == ValueClass::Infinity || kind == ValueClass::NotANumber)
                continue;
            if (finite == 0 || value < low) {
                low = value;
                made.minimumAt = i;
            }
            if (finite == 0 || value > high) {
                high = value;
                made.maximumAt = i;
            }
            sum += static_cast<long double>(value);
            ++finite;
        }
    });
    if (finite > 0) {
        made.minimum = static_cast<double>(low);
        made.maximum = static_cast<double>(high);
        made.mean = static_cast<double>(sum / static_cast<long double>(finite));
    }
    return isWhole;
}

template <class Reader>
bool spread(const Reader &reader, TensorStatistics &made, const std::stop_token &stop)
{
    made.histogram.assign(kHistogramBins, 0);
    // Halves: the range of f64 is larger than its largest number.
    const double from = made.minimum / 2;
    const double width = made.maximum / 2 - from;
    long double squares = 0;
    const bool isWhole = inPieces(0, made.elements, stop, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            const auto value = static_cast<double>(reader.at(i));
            if (!std::isfinite(value))
                continue;
            const long double away = static_cast<long double>(value) - static_cast<long double>(made.mean);
            squares += away * away;
            const double share = width > 0 ? (value / 2 - from) / width : 0;
            const auto bin = static_cast<std::size_t>(share * static_cast<double>(kHistogramBins));
            ++made.histogram[std::min(bin, kHistogramBins - 1)];
        }
    });
    made.deviation = static_cast<double>(std::sqrt(squares / static_cast<long double>(made.finite())));
    return isWhole;
}

TensorStatisticsPtr statisticsOf(const HostTensor &tensor, const std::stop_token &stop)
{
    auto made = std::make_shared<TensorStatistics>();
    made->elements = tensor.elements();
    if (tensor.dtype() == DType::U32x4)
        return made;
    const bool isWhole = visitNumbers(tensor, [&](const auto &reader) {
        return countAndBound(reader, *made, stop) && (!made->minimumAt || spread(reader, *made, stop));
    });
    return isWhole ? made : nullptr;
}

} // namespace

TensorStatisticsPtr TensorView::statistics(const std::stop_token &stop) const
{
    const std::lock_guard computing(m_computing); // one thread computes, others wait for its result
    if (TensorStatisticsPtr known = knownStatistics())
        return known;
    TensorStatisticsPtr made = statisticsOf(m_tensor, stop);
    const std::lock_guard access(m_access);
    m_statistics = made;
    return made;
}

TensorStatisticsPtr TensorView::knownStatistics() const
{
    const std::lock_guard access(m_access);
    return m_statistics;
}

} // namespace sw
