#pragma once
// Subscripts: x[1:3, ::2, -1, None, ...] of tensors, and [i] and [a:b] of lists.

#include "engine/language/tracer.h"

#include <optional>
#include <span>

namespace sw::language {

struct SubscriptItem {
    ExprId expr = {};
    Value value = {}; // of an item that is not a slice
    bool isSlice = false;
    std::optional<std::int64_t> begin = {};
    std::optional<std::int64_t> end = {};
    std::optional<std::int64_t> step = {};
};

Result<Value> subscript(Tracer &tracer, const Value &object, std::span<const SubscriptItem> items, const Place &item);

} // namespace sw::language
