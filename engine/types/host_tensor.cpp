#include "engine/types/host_tensor.h"

#include "engine/types/stored_bytes.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

namespace sw {

namespace {

constexpr std::align_val_t kAlignment{64};

std::shared_ptr<std::byte[]> zeroedBytes(std::size_t size)
{
    auto *bytes = static_cast<std::byte *>(::operator new(std::max<std::size_t>(size, 1), kAlignment));
    std::memset(bytes, 0, size);
    return {bytes, [](std::byte *p) { ::operator delete(p, kAlignment); }};
}

} // namespace

HostTensor::HostTensor(DType dtype, Shape shape) : m_shape(std::move(shape)), m_elements(m_shape.elements()), m_dtype(dtype)
{
    m_bytes = zeroedBytes(byteSize());
}

HostTensor HostTensor::ofScalar(const Scalar &value)
{
    return filled(value, Shape());
}

HostTensor HostTensor::ofValues(DType dtype, Shape shape, std::span<const double> values)
{
    HostTensor out(dtype, std::move(shape));
    SW_ASSERT(static_cast<std::int64_t>(values.size()) == out.elements(), "as many values as the shape has elements");
    for (std::size_t i = 0; i < values.size(); ++i)
        out.set(static_cast<std::int64_t>(i), Scalar::of(dtype, values[i]));
    return out;
}

HostTensor HostTensor::filled(const Scalar &value, Shape shape)
{
    HostTensor out(value.dtype(), std::move(shape));
    if (out.elements() == 0)
        return out;
    out.set(0, value);
    const std::span<std::byte> bytes = out.mutableBytes();
    for (std::size_t done = bytesOf(value.dtype()); done < bytes.size(); done *= 2) // what is there is repeated
        std::ranges::copy(bytes.first(std::min(done, bytes.size() - done)), bytes.begin() + static_cast<std::ptrdiff_t>(done));
    return out;
}

HostTensor HostTensor::stored(DType dtype, Shape shape, std::shared_ptr<const StoredBytes> bytes)
{
    HostTensor out;
    out.m_bytes = nullptr;
    out.m_stored = std::move(bytes);
    out.m_shape = std::move(shape);
    out.m_elements = out.m_shape.elements();
    out.m_dtype = dtype;
    SW_ASSERT(out.m_stored->size() == out.byteSize(), "as many bytes as the type and the shape want");
    return out;
}

const std::byte *HostTensor::alignedStored() const
{
    return m_stored->aligned(bytesOf(m_dtype)).data();
}

std::span<const std::byte> HostTensor::unalignedBytes() const
{
    return m_stored == nullptr ? bytes() : m_stored->unaligned();
}

Result<Done> HostTensor::checkUnchanged() const
{
    return m_stored == nullptr ? Result<Done>(Done{}) : m_stored->checkUnchanged();
}

std::span<std::byte> HostTensor::mutableBytes()
{
    SW_ASSERT(m_stored == nullptr, "a tensor in memory");
    SW_ASSERT(m_bytes.use_count() <= 1, "a tensor that nobody else holds");
    return {m_bytes.get(), byteSize()};
}

Scalar HostTensor::at(std::int64_t flatIndex) const
{
    const auto index = static_cast<std::size_t>(flatIndex);
    const std::size_t bytes = bytesOf(m_dtype);
    return Scalar::load(m_dtype, m_stored == nullptr ? m_bytes.get() + index * bytes : m_stored->element(index, bytes));
}

void HostTensor::set(std::int64_t flatIndex, const Scalar &value)
{
    SW_ASSERT(m_stored == nullptr, "a tensor in memory");
    SW_ASSERT(value.dtype() == m_dtype, "a value of the tensor's type");
    value.store(m_bytes.get() + static_cast<std::size_t>(flatIndex) * bytesOf(m_dtype));
}

HostTensor HostTensor::reshaped(Shape shape) const
{
    SW_ASSERT(shape.elements() == m_elements, "a shape of as many elements");
    HostTensor out = *this;
    out.m_shape = std::move(shape);
    return out;
}

HostTensor HostTensor::reinterpreted(DType dtype, Shape shape) const
{
    HostTensor out = *this;
    out.m_dtype = dtype;
    out.m_elements = shape.elements();
    out.m_shape = std::move(shape);
    SW_ASSERT(out.byteSize() == byteSize(), "a type and a shape of as many bytes");
    return out;
}

bool HostTensor::isIdenticalTo(const HostTensor &other) const
{
    if (m_dtype != other.m_dtype || m_shape != other.m_shape)
        return false;
    if (m_stored != nullptr && other.m_stored != nullptr && m_stored->areKnownEqual(*other.m_stored))
        return true;
    return std::memcmp(unalignedBytes().data(), other.unalignedBytes().data(), byteSize()) == 0;
}

} // namespace sw
