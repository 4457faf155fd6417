#pragma once
// A table of the window as plain cells, as it is shown: its visible columns in their order, its rows as they are sorted.

#include "engine/api/table_text.h"

#include <QtGlobal>

class QAbstractItemView;

namespace stepwell::ui {

enum class CopyExtent : unsigned char { Selection, All };

// More cells are not copied: nobody pastes them.
inline constexpr qint64 kMostCopiedCells = 1'000'000;

// Rows or cells are chosen, so that Selection is something else than All.
[[nodiscard]] bool hasSelection(const QAbstractItemView &view);
[[nodiscard]] qint64 cellsOf(const QAbstractItemView &view, CopyExtent extent);
// Row titles become the first column where the table shows them. Selection: the rows and columns with a chosen cell.
[[nodiscard]] sw::TextTable copiedTable(const QAbstractItemView &view, CopyExtent extent);

} // namespace stepwell::ui
