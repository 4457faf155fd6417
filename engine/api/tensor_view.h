#pragma once
// A tensor as a viewer sees it: immutable, shared, and never copied. Opening one costs nothing; statistics are computed once,
// when they are asked for.

#include "engine/types/host_tensor.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace sw {

// Hexadecimal, Bits: the element's bits as it is stored. The bits of a float stand in three groups: sign, exponent, fraction.
enum class ValueFormat : std::uint8_t { Decimal, Hexadecimal, Bits };

// Ordinary: a number that is in none of the other classes. Words (u32x4) are always ordinary.
enum class ValueClass : std::uint8_t { Ordinary, Zero, Subnormal, Infinity, NotANumber };

inline constexpr std::size_t kHistogramBins = 64;

struct TensorStatistics {
    std::int64_t elements = 0;
    std::int64_t zeros = 0;
    std::int64_t subnormals = 0;
    std::int64_t infinities = 0;
    std::int64_t nans = 0;
    // Of the finite elements. The places of the first smallest and the first largest one; nothing: no element is finite.
    std::optional<std::int64_t> minimumAt;
    std::optional<std::int64_t> maximumAt;
    double minimum = 0;
    double maximum = 0;
    double mean = 0;
    double deviation = 0; // the standard deviation of all of them (not of a sample)
    // How many of them are in each of kHistogramBins intervals of equal width from minimum to maximum; the last one includes its
    // end. Empty: no element is finite. When all are equal, the first interval has them.
    std::vector<std::int64_t> histogram;

    [[nodiscard]] std::int64_t finite() const { return elements - infinities - nans; }
};
using TensorStatisticsPtr = std::shared_ptr<const TensorStatistics>;

class TensorView {
public:
    TensorView(std::string name, HostTensor tensor);
    TensorView(const TensorView &) = delete;
    TensorView &operator=(const TensorView &) = delete;

    [[nodiscard]] const std::string &name() const { return m_name; }
    [[nodiscard]] std::string type() const; // "f32[64, 10]"
    [[nodiscard]] std::string_view elementType() const { return nameOf(m_tensor.dtype()); }
    [[nodiscard]] std::span<const std::int64_t> shape() const { return m_tensor.shape().extents(); }
    [[nodiscard]] std::int64_t elements() const { return m_tensor.elements(); }
    [[nodiscard]] std::int64_t bytes() const { return static_cast<std::int64_t>(m_tensor.byteSize()); }
    [[nodiscard]] const HostTensor &tensor() const { return m_tensor; }
    [[nodiscard]] bool hasNumbers() const { return m_tensor.dtype() != DType::U32x4; }
    [[nodiscard]] bool isFloat() const { return sw::isFloat(m_tensor.dtype()); }

    // ---- elements, by their row-major index

    [[nodiscard]] std::string text(std::int64_t index, ValueFormat format) const;
    // Of at most `count` elements beginning at `first`; fewer at the end.
    [[nodiscard]] std::vector<std::string> texts(std::int64_t first, std::int64_t count, ValueFormat format) const;
    [[nodiscard]] double number(std::int64_t index) const; // 0 for words
    [[nodiscard]] ValueClass classOf(std::int64_t index) const;

    [[nodiscard]] std::vector<std::int64_t> coordinatesOf(std::int64_t index) const;
    // Nothing: there is no such element.
    [[nodiscard]] std::optional<std::int64_t> indexOf(std::span<const std::int64_t> coordinates) const;
    // The coordinates as text, and back: "3, 0, 17". An index is accepted in their place.
    [[nodiscard]] std::string placeText(std::int64_t index) const;
    [[nodiscard]] Result<std::int64_t> parsePlace(std::string_view text) const;

    // ---- all of it

    // Computes the statistics, unless they are known. Null: stopped. Callable from any thread.
    [[nodiscard]] TensorStatisticsPtr statistics(const std::stop_token &stop) const;
    // Null: nobody has computed them yet. Returns at once, also while somebody does.
    [[nodiscard]] TensorStatisticsPtr knownStatistics() const;

private:
    std::string m_name;
    HostTensor m_tensor;
    mutable std::mutex m_computing;
    mutable std::mutex m_access;
    mutable TensorStatisticsPtr m_statistics;
};

using TensorViewPtr = std::shared_ptr<const TensorView>;

// A step of a scan, from 0 on.
struct ScanStep {
    std::int64_t step = 0;
    std::int64_t steps = 1; // of the scan; kUnboundedSteps: its condition ends it, and the step is not known to be the last one
    bool operator==(const ScanStep &) const = default;
};

// A value, or why there is none. Both are empty when the request was stopped.
struct ValueOpening {
    TensorViewPtr value;
    std::string error;
    std::optional<ScanStep> step = {}; // the one whose value it is, of a scan's body
};

} // namespace sw
