#pragma once
// A dense row-major tensor in host memory, or in a file that is read when it is used. It is cheap to copy: the bytes are shared,
// and immutable once the tensor is handed on. Code that makes a tensor fills it through mutableBytes() first.

#include "engine/base/result.h"
#include "engine/types/scalar.h"
#include "engine/types/shape.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace sw {

class StoredBytes;

class HostTensor {
public:
    HostTensor() = default;               // a rank-0 bool, false
    HostTensor(DType dtype, Shape shape); // zero-filled, 64-byte aligned

    [[nodiscard]] static HostTensor ofScalar(const Scalar &value);
    // values.size() must be shape.elements().
    [[nodiscard]] static HostTensor ofValues(DType dtype, Shape shape, std::span<const double> values);
    [[nodiscard]] static HostTensor filled(const Scalar &value, Shape shape);
    // There must be as many bytes as the type and the shape want (asserts).
    [[nodiscard]] static HostTensor stored(DType dtype, Shape shape, std::shared_ptr<const StoredBytes> bytes);

    [[nodiscard]] DType dtype() const { return m_dtype; }
    [[nodiscard]] const Shape &shape() const { return m_shape; }
    [[nodiscard]] std::int64_t elements() const { return m_elements; }
    [[nodiscard]] std::size_t byteSize() const { return static_cast<std::size_t>(m_elements) * bytesOf(m_dtype); }

    // They begin at a multiple of the size of an element.
    [[nodiscard]] std::span<const std::byte> bytes() const
    {
        return {m_stored == nullptr ? m_bytes.get() : alignedStored(), byteSize()};
    }
    // The same for somebody who only copies them: they begin anywhere, so that those of a file need no copy in memory.
    [[nodiscard]] std::span<const std::byte> unalignedBytes() const;
    // Only while this is the sole owner, and of no file's bytes (asserts).
    [[nodiscard]] std::span<std::byte> mutableBytes();
    // Error (Code::File): the tensor lies in a file that was written to since it was opened, so its bytes may be others.
    [[nodiscard]] Result<Done> checkUnchanged() const;

    [[nodiscard]] Scalar at(std::int64_t flatIndex) const;
    void set(std::int64_t flatIndex, const Scalar &value); // value.dtype() must be dtype()

    // The same bytes in another shape with the same number of elements.
    [[nodiscard]] HostTensor reshaped(Shape shape) const;

    // The same bytes in another type and shape with the same number of bytes.
    [[nodiscard]] HostTensor reinterpreted(DType dtype, Shape shape) const;

    // Same type, shape and bits.
    [[nodiscard]] bool isIdenticalTo(const HostTensor &other) const;

private:
    [[nodiscard]] const std::byte *alignedStored() const;

    std::shared_ptr<std::byte[]> m_bytes;        // null if they are stored
    std::shared_ptr<const StoredBytes> m_stored; // null if they are in memory
    Shape m_shape;
    std::int64_t m_elements = 0;
    DType m_dtype = DType::Bool;
};

} // namespace sw
