#pragma once
// Where two compilations first go different ways: the first pass whose results differ, the first of its rewrites that differ, and
// the first kernel and line that show it. When no pass parts them, the first line of the generated code.

#include "engine/api/stage_document.h"

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>

namespace sw {

struct Compilation;

// One compilation's side of it.
struct PartingSide {
    std::optional<std::uint32_t> pass;    // MomentPlace::pass
    std::optional<std::uint32_t> rewrite; // MomentPlace::rewrites: after the first rewrite that the other one does not do here
    std::string rule;
    std::string detail;
    std::string kernel; // that the line belongs to; empty: none
    std::string line;   // that only this one has, or has so; empty: none
};

struct PartingPoint {
    StageKind stage = StageKind::Graph; // in which they differ first
    std::string passId;                 // empty: the programs differ before any pass, or no pass parts them
    PartingSide before;
    PartingSide after;

    [[nodiscard]] std::string text() const; // in words
};

// Nothing: they are the same down to the code (but for names that shifted, see text_difference.h), or it was stopped.
[[nodiscard]] std::optional<PartingPoint> partingPointOf(const Compilation &before, const Compilation &after,
                                                         const std::stop_token &stop);

} // namespace sw
