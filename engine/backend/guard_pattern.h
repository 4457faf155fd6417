#pragma once
// What lies beside a guarded buffer, and what is said when a kernel wrote there.

#include "engine/base/result.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace sw {

inline constexpr std::byte kGuardPattern{0xA5};

// Where the pattern was changed first, from the beginning of the bytes. Nothing: nowhere.
[[nodiscard]] inline std::optional<std::size_t> changedPattern(std::span<const std::byte> bytes)
{
    const auto changed = std::ranges::find_if(bytes, [](std::byte byte) { return byte != kGuardPattern; });
    return changed == bytes.end() ? std::nullopt : std::optional(static_cast<std::size_t>(changed - bytes.begin()));
}

// place: of the byte, from the beginning of the argument's buffer: negative, or at least its size.
[[nodiscard]] inline Diagnostic wroteBeside(std::int64_t place, std::size_t argument, std::size_t bytes)
{
    if (place < 0)
        return Diagnostic::error(Code::Run, {}, "it wrote {} bytes before the beginning of argument {}, which has {} bytes",
                                 -place, argument, bytes);
    return Diagnostic::error(Code::Run, {}, "it wrote {} bytes behind the end of argument {}, which has {} bytes",
                             place - static_cast<std::int64_t>(bytes), argument, bytes);
}

} // namespace sw
