#pragma once
// Reads the values of attributes from the text form of a graph.

#include "engine/base/text_scanner.h"
#include "engine/graph/graph.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sw {

template <class T, class ReadOne>
Result<std::vector<T>> readList(TextScanner &scanner, ReadOne readOne)
{
    std::vector<T> out;
    SW_CHECK(scanner.expect("["));
    if (scanner.accept("]"))
        return out;
    do {
        SW_TRY(T element, readOne(scanner));
        out.push_back(std::move(element));
    } while (scanner.accept(","));
    SW_CHECK(scanner.expect("]"));
    return out;
}

// The dimensions that the text has named so far.
using SymbolicScope = std::map<std::string, SymbolicVariable, std::less<>>;

// "4*n + 2"
[[nodiscard]] Result<SymbolicExpr> readSymbolic(TextScanner &scanner, const SymbolicScope &scope);
// "[n, 784]"
[[nodiscard]] Result<Shape> readShape(TextScanner &scanner, const SymbolicScope &scope);

template <class Choice>
Result<Choice> readChoice(TextScanner &scanner, std::optional<Choice> (*named)(std::string_view), std::string_view what)
{
    const std::uint32_t start = scanner.nextColumn();
    SW_TRY(const std::string_view name, scanner.word(what));
    const auto choice = named(name);
    if (!choice)
        return Diagnostic::error(Code::UnknownName, scanner.rangeFrom(start), "{} is not {}", sw::quoted(std::string(name)),
                                 what);
    return *choice;
}

[[nodiscard]] Result<PlaceholderRole> readRole(TextScanner &scanner);
[[nodiscard]] Result<UniformForm> readForm(TextScanner &scanner);

using MaskRange = std::pair<std::int64_t, std::int64_t>;

[[nodiscard]] Result<std::vector<std::int64_t>> readIntegers(TextScanner &scanner);
[[nodiscard]] Result<std::size_t> readAxis(TextScanner &scanner);
[[nodiscard]] Result<Scalar> readScalar(TextScanner &scanner, DType dtype);
// Reads the elements of the node's type and shape: a list, fill(value), hex(bytes) or load("file.npy").
[[nodiscard]] Result<HostTensor> readTensor(TextScanner &scanner, const Node &node, std::string_view name);
[[nodiscard]] Result<MaskRange> readRange(TextScanner &scanner); // [first, last]

} // namespace sw
