#pragma once
// Boxes of elements: the first ones along every axis of a tensor, as many as a smaller shape says.

#include "engine/types/host_tensor.h"

namespace sw {

// Copies the elements of `box`, the smaller shape, which starts at index 0 of every axis in both tensors.
void copyBox(const HostTensor &from, HostTensor &to, const Shape &box);

// The value with zeros in place of all but the first elements along every axis, which `shape` counts.
[[nodiscard]] HostTensor onlyFirst(const HostTensor &value, const Shape &shape);

// The first elements along every axis.
[[nodiscard]] HostTensor cropped(const HostTensor &value, const Shape &shape);

} // namespace sw
