#pragma once
// What the values panel shows: an output, an input, or what is selected in any pane, as it is at a moment.

#include "engine/api/moment.h"
#include "ui/session/input_choices.h"
#include "ui/session/selection.h"

#include <QString>

#include <cstdint>
#include <optional>
#include <vector>

namespace stepwell::ui {

// Node: of the final graph. Item: of a stage at a moment.
enum class ShownKind : unsigned char { Nothing, Output, Input, Node, Item };

struct ShownSource {
    ShownKind kind = ShownKind::Nothing;
    QString name = {};                 // of a node or item: its label
    std::uint32_t node = sw::kNoIndex; // or item
    sw::StageKind stage = sw::StageKind::Graph;
    sw::MomentPlace place = {sw::kNoIndex}; // a pass kNoIndex: the end
    bool operator==(const ShownSource &) const = default;
    // It came from the selection.
    [[nodiscard]] bool isChosen() const { return kind == ShownKind::Node || kind == ShownKind::Item; }
};

// The moment of the snapshot; a pass kNoIndex: the end.
[[nodiscard]] sw::MomentPlace placeOf(const Snapshot &snapshot);

// What the selection stands for in the snapshot; nothing: there is none, or no value can belong to it. At the end, what holds no
// tensor stands for nothing unless `shown` came from the selection: it takes nothing else off the screen.
[[nodiscard]] std::optional<ShownSource> sourceOf(const Selection &selection, const Snapshot &snapshot,
                                                  const InputChoices &inputs, const ShownSource &shown);

// "exp (%4)", "exp after simplify:3"
[[nodiscard]] QString titleOf(const ShownSource &source, const std::vector<sw::PassEntry> &passes);

} // namespace stepwell::ui
