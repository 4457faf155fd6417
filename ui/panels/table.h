#pragma once
// The common look of all tables.

#include "ui/panels/cut_text.h"

#include <QHeaderView>
#include <QLabel>
#include <QStackedWidget>
#include <QTableView>

namespace stepwell::ui {

inline constexpr int kRowHeight = 22;

inline void styleTable(QTableView &table)
{
    table.setShowGrid(false);
    table.setWordWrap(false);
    table.setSelectionBehavior(QAbstractItemView::SelectRows);
    table.setSelectionMode(QAbstractItemView::SingleSelection);
    table.setEditTriggers(QAbstractItemView::NoEditTriggers);
    table.setTabKeyNavigation(false);
    table.setCornerButtonEnabled(false);
    table.setFrameShape(QFrame::NoFrame);
    table.verticalHeader()->hide();
    table.verticalHeader()->setDefaultSectionSize(kRowHeight);
    table.verticalHeader()->setMinimumSectionSize(kRowHeight);
    table.horizontalHeader()->setHighlightSections(false);
    table.setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    tellWhatIsCut(table);
}

// A table, replaced by a sentence while it is empty.
inline QStackedWidget *tableWithHint(QWidget *table, const QString &hint, QWidget *parent)
{
    auto *stack = new QStackedWidget(parent);
    auto *label = new QLabel(hint, stack);
    label->setObjectName(QStringLiteral("emptyHint"));
    label->setAlignment(Qt::AlignCenter);
    label->setWordWrap(true);
    label->setMargin(12);
    label->setFocusPolicy(Qt::StrongFocus); // replaces the table for the keyboard too
    stack->addWidget(label);
    stack->addWidget(table);
    return stack;
}

inline void showTable(QStackedWidget &stack, bool hasRows)
{
    stack.setCurrentIndex(hasRows ? 1 : 0);
}
inline void setTableHint(QStackedWidget &stack, const QString &hint)
{
    static_cast<QLabel *>(stack.widget(0))->setText(hint);
}

} // namespace stepwell::ui
