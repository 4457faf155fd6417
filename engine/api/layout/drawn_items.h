#pragma once
// Which items of a document become boxes of a drawing.

#include "engine/api/stage_document.h"

#include <vector>

namespace sw {

// By item: the constant that it stands for, if it is drawn inside of its readers: a constant, or a view of one. kNoIndex for all
// other items. In the document, operands come before their readers.
[[nodiscard]] std::vector<ItemIndex> constantsInsideReaders(const StageDocument &document);

// Decisions belong to edges. Steps have an order; they are no graph.
[[nodiscard]] bool isNeverDrawn(const DocumentItem &item);

} // namespace sw
