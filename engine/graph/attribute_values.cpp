#include "engine/graph/attribute_values.h"

#include "engine/types/npy.h"

#include <charconv>
#include <filesystem>

namespace sw {

namespace {

// Keeps a fill(...) with a mistyped shape from taking all the memory.
constexpr std::int64_t kMaxFillBytes = std::int64_t{1} << 30;

Result<Done> readHex(TextScanner &scanner, std::span<std::byte> bytes)
{
    const std::uint32_t start = scanner.nextColumn();
    const std::string_view digits = scanner.until(")");
    if (digits.size() != 2 * bytes.size())
        return Diagnostic::error(Code::Syntax, scanner.rangeFrom(start), "expected {} hexadecimal digits, not {}",
                                 2 * bytes.size(), digits.size());
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        std::uint8_t value = 0;
        const char *pair = digits.data() + 2 * i;
        const auto [end, error] = std::from_chars(pair, pair + 2, value, 16);
        if (error != std::errc{} || end != pair + 2)
            return Diagnostic::error(Code::Syntax, scanner.rangeFrom(start), "{} at byte {} is not a pair of hexadecimal digits",
                                     quoted(std::string_view(pair, 2)), i);
        bytes[i] = std::byte{value};
    }
    return Done{};
}

Result<Done> checkFillSize(const Node &node, const TextScanner &scanner, std::uint32_t start)
{
    if (node.shape.elements() <= kMaxFillBytes / static_cast<std::int64_t>(bytesOf(node.dtype)))
        return Done{};
    return Diagnostic::error(Code::Limit, scanner.rangeFrom(start), "fill of {} would take more than {} bytes",
                             typeText(node.dtype, node.shape), kMaxFillBytes);
}

// Reads a value from a file beside the text.
Result<HostTensor> readTensorFile(TextScanner &scanner, const Node &node)
{
    const std::uint32_t start = scanner.nextColumn();
    SW_TRY(const std::string name, scanner.string());
    const SourceRange where = scanner.rangeFrom(start);
    SW_CHECK(scanner.expect(")"));
    auto stored = readNpyFile(std::filesystem::path(scanner.file()).parent_path() / name);
    if (!stored) {
        Diagnostics told = stored.error();
        for (Diagnostic &diagnostic : told)
            diagnostic.where = where;
        return Failure(std::move(told));
    }
    const HostTensor value = fromRawBits(*stored, node.dtype).value_or(*stored);
    if (value.dtype() != node.dtype || value.shape() != node.shape)
        return Diagnostic::error(Code::ShapeMismatch, where, "{} holds {}, not {}", name, typeText(value.dtype(), value.shape()),
                                 typeText(node.dtype, node.shape));
    return value;
}

} // namespace

Result<std::vector<std::int64_t>> readIntegers(TextScanner &scanner)
{
    return readList<std::int64_t>(scanner, [](TextScanner &s) { return s.integer(); });
}

Result<std::size_t> readAxis(TextScanner &scanner)
{
    SW_TRY(const std::uint64_t axis, scanner.unsignedInteger());
    return static_cast<std::size_t>(axis);
}

Result<Scalar> readScalar(TextScanner &scanner, DType dtype)
{
    const std::uint32_t start = scanner.nextColumn();
    auto value = parseScalar(dtype, scanner.until(",])}"));
    if (!value) {
        Diagnostic diagnostic = value.error().front();
        diagnostic.where = scanner.rangeFrom(start);
        return diagnostic;
    }
    return std::move(value).value();
}

Result<HostTensor> readTensor(TextScanner &scanner, const Node &node, std::string_view name)
{
    const std::uint32_t start = scanner.nextColumn();
    if (scanner.accept("fill(")) {
        SW_TRY(const Scalar value, readScalar(scanner, node.dtype));
        SW_CHECK(scanner.expect(")"));
        SW_CHECK(checkFillSize(node, scanner, start));
        return HostTensor::filled(value, node.shape);
    }
    if (scanner.accept("hex(")) {
        // The text must be as long as the tensor, so no other size check is needed.
        TextScanner ahead = scanner;
        const auto byteCount = static_cast<std::int64_t>(ahead.until(")").size() / 2);
        if (node.shape.elements() > byteCount)
            return Diagnostic::error(Code::Syntax, scanner.rangeFrom(start), "{} needs more than these {} bytes",
                                     typeText(node.dtype, node.shape), byteCount);
        HostTensor out(node.dtype, node.shape);
        SW_CHECK(readHex(scanner, out.mutableBytes()));
        SW_CHECK(scanner.expect(")"));
        return out;
    }
    if (scanner.accept("load("))
        return readTensorFile(scanner, node);
    if (scanner.accept("omitted("))
        return Diagnostic::error(Code::InvalidIr, scanner.rangeFrom(start), "the elements of {} are not in this text",
                                 name.empty() ? "the constant, " + typeText(node.dtype, node.shape)
                                              : format("{}, {}", quoted(name), typeText(node.dtype, node.shape)))
            .withHint("show --all-values prints a text that has them, and show -o writes them to files beside it");
    SW_TRY(const std::vector<Scalar> elements,
           readList<Scalar>(scanner, [&node](TextScanner &s) { return readScalar(s, node.dtype); }));
    if (static_cast<std::int64_t>(elements.size()) != node.shape.elements())
        return Diagnostic::error(Code::ShapeMismatch, scanner.rangeFrom(start), "{} has {} elements, not {}",
                                 typeText(node.dtype, node.shape), node.shape.elements(), elements.size());
    HostTensor out(node.dtype, node.shape);
    for (std::size_t i = 0; i < elements.size(); ++i)
        out.set(static_cast<std::int64_t>(i), elements[i]);
    return out;
}

Result<MaskRange> readRange(TextScanner &scanner)
{
    SW_CHECK(scanner.expect("["));
    SW_TRY(const std::int64_t first, scanner.integer());
    SW_CHECK(scanner.expect(","));
    SW_TRY(const std::int64_t last, scanner.integer());
    SW_CHECK(scanner.expect("]"));
    return MaskRange(first, last);
}

Result<PlaceholderRole> readRole(TextScanner &scanner)
{
    if (scanner.accept("input"))
        return PlaceholderRole::Input;
    if (scanner.accept("param"))
        return PlaceholderRole::Param;
    if (scanner.accept("dimension"))
        return PlaceholderRole::Dimension;
    return scanner.unexpected("input, param or dimension");
}

Result<UniformForm> readForm(TextScanner &scanner)
{
    if (scanner.accept("vector"))
        return UniformForm::Vector;
    if (scanner.accept("scalar"))
        return UniformForm::Scalar;
    return scanner.unexpected("vector or scalar");
}

} // namespace sw
