#pragma once
// Finds elements of a tensor.

#include "engine/api/tensor_view.h"

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string_view>
#include <vector>

namespace sw {

enum class FindWhat : std::uint8_t { NotANumber, Infinity, Subnormal };
enum class FindDirection : std::uint8_t { Forward, Backward };

// The next such element after (or before) the index `from`, which itself does not count; -1 and elements() begin at the ends.
// Nothing: there is none, or it was stopped.
[[nodiscard]] std::optional<std::int64_t> findElement(const TensorView &view, FindWhat what, std::int64_t from,
                                                      FindDirection direction, const std::stop_token &stop);
// Likewise an element of this value, as a program writes it: "0.5", "nan", "-inf", "true". Errors: not a value of the type.
[[nodiscard]] Result<std::optional<std::int64_t>> findValue(const TensorView &view, std::string_view value, std::int64_t from,
                                                            FindDirection direction, const std::stop_token &stop);

enum class SortOrder : std::uint8_t { Ascending, Descending, Magnitude };

// The indices of the first `count` elements in that order: the smallest, the largest, or those farthest from zero. NaNs come
// last, equal elements by index. Takes memory for `count` indices, not for the tensor's. Nothing: stopped.
[[nodiscard]] std::optional<std::vector<std::int64_t>> firstInOrder(const TensorView &view, SortOrder order, std::int64_t count,
                                                                    const std::stop_token &stop);

} // namespace sw
