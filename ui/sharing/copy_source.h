#pragma once
// What of the window can be copied in other formats: a table, or a text.

#include "engine/api/table_text.h"
#include "ui/sharing/copied_table.h"

#include <QString>

#include <optional>
#include <variant>

class QAbstractItemView;
class QLabel;
class QPlainTextEdit;
class QTextEdit;
class QWidget;

namespace stepwell::ui {

class TextView;

using CopySource = std::variant<QAbstractItemView *, TextView *, QPlainTextEdit *, QTextEdit *, QLabel *>;

// The widget itself or the nearest one around it, within root; nothing: neither a table nor a text.
[[nodiscard]] std::optional<CopySource> copySourceAt(QWidget *widget, const QWidget &root);
// The first visible table within root, or else the first visible text.
[[nodiscard]] std::optional<CopySource> copySourceIn(const QWidget &root);
[[nodiscard]] bool hasSelection(const CopySource &source);

struct Copied {
    QString text;
    QString problem = {}; // why there is none
};

// Selection: all, where nothing is selected.
[[nodiscard]] Copied copiedFrom(const CopySource &source, CopyExtent extent, sw::TextFormat format);
// "LaTeX"
[[nodiscard]] QString titleOf(sw::TextFormat format);

} // namespace stepwell::ui
