#pragma once
// Reads the elements of a tensor by its type, so that a loop over all of them takes no decision per element.

#include "engine/api/tensor_view.h"
#include "engine/types/float_formats.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

namespace sw {

template <class Stored, class Value, auto kConvert>
struct ElementReader {
    using Number = Value; // the type in which elements are compared: exact
    const std::byte *bytes;
    double smallestNormal = 0; // 0: the type has no subnormals

    [[nodiscard]] Value at(std::int64_t index) const
    {
        Stored stored;
        std::memcpy(&stored, bytes + static_cast<std::size_t>(index) * sizeof(Stored), sizeof(Stored));
        return kConvert(stored);
    }
    [[nodiscard]] ValueClass classOf(Value value) const
    {
        if constexpr (std::is_floating_point_v<Value>) {
            if (std::isnan(value))
                return ValueClass::NotANumber;
            if (std::isinf(value))
                return ValueClass::Infinity;
            if (value != 0 && std::fabs(static_cast<double>(value)) < smallestNormal)
                return ValueClass::Subnormal;
        }
        return value == Value{0} ? ValueClass::Zero : ValueClass::Ordinary;
    }
};

template <class Value>
struct SameValue {
    constexpr Value operator()(Value value) const { return value; }
};

// The type must have numbers (not u32x4).
template <class Visitor>
decltype(auto) visitNumbers(const HostTensor &tensor, Visitor &&visitor)
{
    const std::byte *bytes = tensor.bytes().data();
    const auto same = [&]<class Value>(Value, double smallestNormal) -> decltype(auto) {
        return visitor(ElementReader<Value, Value, SameValue<Value>{}>{bytes, smallestNormal});
    };
    switch (tensor.dtype()) {
    case DType::Bool:
    case DType::U8:
        return same(std::uint8_t{}, 0);
    case DType::I8:
        return same(std::int8_t{}, 0);
    case DType::U16:
        return same(std::uint16_t{}, 0);
    case DType::I16:
        return same(std::int16_t{}, 0);
    case DType::I32:
        return same(std::int32_t{}, 0);
    case DType::U32:
        return same(std::uint32_t{}, 0);
    case DType::I64:
        return same(std::int64_t{}, 0);
    case DType::U64:
        return same(std::uint64_t{}, 0);
    case DType::F8E5M2:
        return visitor(ElementReader<std::uint8_t, float, &f32FromF8e5m2>{bytes, 0x1p-14});
    case DType::F8E4M3:
        return visitor(ElementReader<std::uint8_t, float, &f32FromF8e4m3>{bytes, 0x1p-6});
    case DType::F16:
        return visitor(ElementReader<std::uint16_t, float, &f32FromF16>{bytes, 0x1p-14});
    case DType::BF16:
        return visitor(ElementReader<std::uint16_t, float, &f32FromBf16>{bytes, 0x1p-126});
    case DType::F32:
        return same(float{}, 0x1p-126);
    case DType::F64:
        return same(double{}, 0x1p-1022);
    case DType::Unit:
    case DType::U32x4:
        break;
    }
    SW_UNREACHABLE();
}

// The number of elements processed between two checks of the stop token.
inline constexpr std::int64_t kElementsPerCheck = std::int64_t{1} << 18;

// Calls body(begin, end) for pieces of [first, last). False: stopped, and the rest was skipped.
template <class Body>
[[nodiscard]] bool inPieces(std::int64_t first, std::int64_t last, const std::stop_token &stop, Body &&body)
{
    for (std::int64_t begin = first; begin < last; begin += kElementsPerCheck) {
        if (stop.stop_requested())
            return false;
        body(begin, std::min(last, begin + kElementsPerCheck));
    }
    return true;
}

} // namespace sw
