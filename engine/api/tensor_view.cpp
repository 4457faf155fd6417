#include "engine/api/tensor_view.h"

#include "engine/api/tensor_numbers.h"
#include "engine/graph/graph.h"

#include <algorithm>
#include <charconv>

namespace sw {

namespace {

constexpr std::uint32_t kBitsPerDigit = 4;

// The widths of the groups that the bits of a type are written in.
std::vector<std::uint32_t> bitGroups(DType dtype)
{
    switch (dtype) {
    case DType::F8E5M2:
        return {1, 5, 2};
    case DType::F8E4M3:
        return {1, 4, 3};
    case DType::F16:
        return {1, 5, 10};
    case DType::BF16:
        return {1, 8, 7};
    case DType::F32:
        return {1, 8, 23};
    case DType::F64:
        return {1, 11, 52};
    case DType::Unit:
    case DType::Bool:
    case DType::U8:
    case DType::I8:
    case DType::U16:
    case DType::I16:
    case DType::I32:
    case DType::U32:
    case DType::I64:
    case DType::U64:
    case DType::U32x4:
        return {infoOf(dtype).bits};
    }
    SW_UNREACHABLE();
}

// The lowest `count` bits.
std::string binaryText(std::uint64_t bits, std::uint32_t count)
{
    std::string text;
    for (std::uint32_t i = count; i-- > 0;)
        text += (bits >> i & 1U) != 0 ? '1' : '0';
    return text;
}

std::string bitsText(const Scalar &value)
{
    if (value.dtype() == DType::U32x4)
        return join(value.words(), ":", [](std::uint32_t word) { return binaryText(word, 32); });
    std::string text;
    std::uint32_t left = infoOf(value.dtype()).bits;
    for (const std::uint32_t width : bitGroups(value.dtype())) {
        left -= width;
        text += (text.empty() ? "" : " ") + binaryText(value.bits() >> left, width);
    }
    return text;
}

std::string hexText(const Scalar &value)
{
    if (value.dtype() == DType::U32x4)
        return toText(value);
    const std::uint32_t digits = (infoOf(value.dtype()).bits + kBitsPerDigit - 1) / kBitsPerDigit;
    return format("0x{:0{}x}", value.bits(), digits);
}

} // namespace

TensorView::TensorView(std::string name, HostTensor tensor) : m_name(std::move(name)), m_tensor(std::move(tensor)) {}

std::string TensorView::type() const
{
    return typeText(m_tensor.dtype(), m_tensor.shape());
}

std::string TensorView::text(std::int64_t index, ValueFormat format) const
{
    const Scalar value = m_tensor.at(index);
    switch (format) {
    case ValueFormat::Decimal:
        return toText(value);
    case ValueFormat::Hexadecimal:
        return hexText(value);
    case ValueFormat::Bits:
        return bitsText(value);
    }
    SW_UNREACHABLE();
}

std::vector<std::string> TensorView::texts(std::int64_t first, std::int64_t count, ValueFormat format) const
{
    std::vector<std::string> made;
    const std::int64_t begin = std::clamp<std::int64_t>(first, 0, elements());
    const std::int64_t end = begin + std::clamp<std::int64_t>(count, 0, elements() - begin);
    for (std::int64_t i = begin; i < end; ++i)
        made.push_back(text(i, format));
    return made;
}

double TensorView::number(std::int64_t index) const
{
    return hasNumbers() ? m_tensor.at(index).asDouble() : 0;
}

ValueClass TensorView::classOf(std::int64_t index) const
{
    if (!hasNumbers())
        return ValueClass::Ordinary;
    return visitNumbers(m_tensor, [&](const auto &reader) { return reader.classOf(reader.at(index)); });
}

std::vector<std::int64_t> TensorView::coordinatesOf(std::int64_t index) const
{
    std::vector<std::int64_t> coordinates(shape().size());
    unravel(index, m_tensor.shape(), coordinates);
    return coordinates;
}

std::optional<std::int64_t> TensorView::indexOf(std::span<const std::int64_t> coordinates) const
{
    if (coordinates.size() != shape().size())
        return std::nullopt;
    std::int64_t index = 0;
    for (std::size_t axis = 0; axis < coordinates.size(); ++axis) {
        if (coordinates[axis] < 0 || coordinates[axis] >= shape()[axis])
            return std::nullopt;
        index = index * shape()[axis] + coordinates[axis];
    }
    return index;
}

std::string TensorView::placeText(std::int64_t index) const
{
    return join(coordinatesOf(index), ", ");
}

Result<std::int64_t> TensorView::parsePlace(std::string_view text) const
{
    std::vector<std::int64_t> numbers;
    const std::string_view whole = text;
    while (true) {
        text.remove_prefix(std::min(text.find_first_not_of(" ,[]()"), text.size()));
        if (text.empty())
            break;
        std::int64_t number = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (error != std::errc())
            return Diagnostic::error(Code::Argument, {}, "{} is not a place: numbers were expected, such as {}", quoted(whole),
                                     quoted(elements() == 0 ? "0" : placeText(elements() - 1)));
        numbers.push_back(number);
        text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    }
    if (const auto index = indexOf(numbers); index && *index < elements())
        return *index;
    if (numbers.size() == 1 && shape().size() != 1 && numbers[0] >= 0 && numbers[0] < elements())
        return numbers[0];
    return Diagnostic::error(Code::Argument, {}, "there is no element {} in {}", quoted(whole), type());
}

} // namespace sw
