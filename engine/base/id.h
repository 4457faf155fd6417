#pragma once
// Strong four-byte handles. An id is an index into the arena of the stage that made it; it is stable in text forms and
// goldens, and ids of different kinds do not mix.

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>

namespace sw {

template <class Tag>
struct Id {
    static constexpr std::uint32_t kInvalid = std::numeric_limits<std::uint32_t>::max();

    std::uint32_t value = kInvalid;

    constexpr Id() = default;
    constexpr explicit Id(std::uint32_t v) : value(v) {}
    constexpr explicit Id(std::size_t v) : value(static_cast<std::uint32_t>(v)) {}

    [[nodiscard]] constexpr bool isValid() const { return value != kInvalid; }
    constexpr auto operator<=>(const Id &) const = default;
};

// One item of the program as the user wrote it: an expression in its call context, or a node of an imported model.
using SourceId = Id<struct SourceTag>;
using FileId = Id<struct FileTag>;
using ScopeId = Id<struct ScopeTag>;
using NodeId = Id<struct NodeTag>;               // graph
using BufferId = Id<struct BufferTag>;           // schedule
using KernelId = Id<struct KernelTag>;           // schedule, loops, lowered, code, machine
using AxisId = Id<struct AxisTag>;               // loops
using ValueId = Id<struct ValueTag>;             // loops: a scalar expression of a kernel's body
using InstructionId = Id<struct InstructionTag>; // lowered

} // namespace sw

template <class Tag>
struct std::hash<sw::Id<Tag>> {
    std::size_t operator()(const sw::Id<Tag> &id) const noexcept { return std::hash<std::uint32_t>{}(id.value); }
};
