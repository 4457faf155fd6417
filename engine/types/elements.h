#pragma once
// The elements of a tensor as the C++ type that they are stored in, for loops that go through many of them: `at` makes a scalar
// of each.

#include "engine/types/host_tensor.h"

#include <cstdint>
#include <span>

namespace sw {

// The type whose elements are stored as a T.
template <class T>
inline constexpr DType kStoredAs = DType::Unit;
template <>
inline constexpr DType kStoredAs<float> = DType::F32;
template <>
inline constexpr DType kStoredAs<double> = DType::F64;
template <>
inline constexpr DType kStoredAs<std::int32_t> = DType::I32;
template <>
inline constexpr DType kStoredAs<std::int64_t> = DType::I64;

// The tensor's type must be the one that is stored as a T (asserts).
template <class T>
[[nodiscard]] std::span<const T> elementsOf(const HostTensor &tensor)
{
    SW_ASSERT(tensor.dtype() == kStoredAs<T>, "a tensor of this type");
    return {reinterpret_cast<const T *>(tensor.bytes().data()), static_cast<std::size_t>(tensor.elements())};
}

// Likewise, of a tensor that nobody else holds.
template <class T>
[[nodiscard]] std::span<T> mutableElementsOf(HostTensor &tensor)
{
    SW_ASSERT(tensor.dtype() == kStoredAs<T>, "a tensor of this type");
    return {reinterpret_cast<T *>(tensor.mutableBytes().data()), static_cast<std::size_t>(tensor.elements())};
}

} // namespace sw
