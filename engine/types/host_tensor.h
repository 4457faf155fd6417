#pragma once
// A dense row-major tensor in host memory. It is cheap to copy: the bytes are shared, and immutable once the tensor is handed on.
// Code that makes a tensor fills it through mutableBytes() first.

#include "engine/types/scalar.h"
#include "engine/types/shape.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace sw {

class HostTensor {
public:
    HostTensor() = default;               // a rank-0 bool, false
    HostTensor(DType dtype, Shape shape); // zero-filled, 64-byte aligned

    [[nodiscard]] static HostTensor ofScalar(const Scalar &value);
    // values.size() must be shape.elements().
    [[nodiscard]] static HostTensor ofValues(DType dtype, Shape shape, std::span<const double> values);
    [[nodiscard]] static HostTensor filled(const Scalar &value, Shape shape);

    [[nodiscard]] DType dtype() const { return m_dtype; }
    [[nodiscard]] const Shape &shape() const { return m_shape; }
    [[nodiscard]] std::int64_t elements() const { return m_elements; }
    [[nodiscard]] std::size_t byteSize() const { return static_cast<std::size_t>(m_elements) * bytesOf(m_dtype); }

    [[nodiscard]] std::span<const std::byte> bytes() const { return {m_bytes.get(), byteSize()}; }
    // Only while this is the sole owner (asserts).
    [[nodiscard]] std::span<std::byte> mutableBytes();

    [[nodiscard]] Scalar at(std::int64_t flatIndex) const;
    void set(std::int64_t flatIndex, const Scalar &value); // value.dtype() must be dtype()

    // The same bytes in another shape with the same number of elements.
    [[nodiscard]] HostTensor reshaped(Shape shape) const;

    // The same bytes in another type and shape with the same number of bytes.
    [[nodiscard]] HostTensor reinterpreted(DType dtype, Shape shape) const;

    // Same type, shape and bits.
    [[nodiscard]] bool isIdenticalTo(const HostTensor &other) const;

private:
    std::shared_ptr<std::byte[]> m_bytes;
    Shape m_shape;
    std::int64_t m_elements = 0;
    DType m_dtype = DType::Bool;
};

} // namespace sw
