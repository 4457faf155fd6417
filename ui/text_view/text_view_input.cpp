// What the user does to a text view.

#include "ui/text_view/text_view.h"

#include <QContextMenuEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QScrollBar>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>

namespace stepwell::ui {

namespace {

constexpr int kTipFields = 8;
constexpr int kTextGap = 4; // between the gutter and the text

QString toolTipOf(const sw::DocumentItem &item)
{
    QString text = QStringLiteral("<b>%1</b>").arg(QString::fromStdString(item.label).toHtmlEscaped());
    int shown = 0;
    for (const sw::DocumentField &field : item.fields) {
        if (++shown > kTipFields)
            break;
        text += QStringLiteral("<br>%1: %2")
                    .arg(QString::fromStdString(field.name).toHtmlEscaped(), QString::fromStdString(field.value).toHtmlEscaped());
    }
    return text;
}

} // namespace

void TextView::mouseMoveEvent(QMouseEvent *event)
{
    if (!stage())
        return;
    const int row = rowAt(event->position().toPoint().y());
    const sw::ItemIndex item = row < 0 ? sw::kNoIndex : m_rows.itemAt(row);
    if (m_before && item != sw::kNoIndex)
        (m_rows.isBefore(row) ? m_selection : *m_before).clearHover();
    if (item == sw::kNoIndex)
        m_selection.clearHover();
    else
        selectionAt(row).setHover(*stage(), {item});
}

void TextView::mousePressEvent(QMouseEvent *event)
{
    const QPoint at = event->position().toPoint();
    if (m_showsRun && at.x() < m_gutterWidth - kTextGap && rowAt(at.y()) >= 0) {
        emit gutterClicked(rowAt(at.y()), event->button());
        return;
    }
    if (const QRect margin = marginRect(rowAt(at.y())); m_margin != nullptr && rowAt(at.y()) >= 0 && margin.contains(at)) {
        emit marginClicked(rowAt(at.y()), at.x() - margin.left());
        return;
    }
    if (const int row = rowAt(at.y()); row >= 0 && m_rows.markAt(row) == RowMark::Folded) {
        emit foldClicked(row);
        return;
    }
    if (event->button() == Qt::LeftButton)
        selectRow(rowAt(event->position().toPoint().y()), event->modifiers());
}

void TextView::selectRow(int row, Qt::KeyboardModifiers modifiers)
{
    m_cursorRow = row;
    viewport()->update();
    if (!stage())
        return;
    const sw::ItemIndex item = row < 0 ? sw::kNoIndex : m_rows.itemAt(row);
    m_revealed = m_selection.number() + 1; // selections made here do not scroll the view
    if (m_before && item == sw::kNoIndex)
        m_before->clear();
    if (item == sw::kNoIndex)
        m_selection.clear();
    else
        selectionAt(row).select(*stage(), {item}, modifiers & Qt::ControlModifier ? SelectMode::Add : SelectMode::Replace);
}

void TextView::moveCursor(int rows)
{
    if (m_rows.isEmpty())
        return;
    const int from = m_cursorRow < 0 ? firstVisibleRow() : m_cursorRow;
    const int row = std::clamp(from + rows, 0, m_rows.count() - 1);
    if (row < firstVisibleRow())
        verticalScrollBar()->setValue(row);
    else if (row >= firstVisibleRow() + visibleRows())
        verticalScrollBar()->setValue(row - visibleRows() + 1);
    selectRow(row, Qt::NoModifier);
}

void TextView::wheelEvent(QWheelEvent *event)
{
    if (event->modifiers() & Qt::ControlModifier) {
        zoomBy(event->angleDelta().y() > 0 ? 1 : -1);
        event->accept();
        return;
    }
    QAbstractScrollArea::wheelEvent(event);
}

void TextView::keyPressEvent(QKeyEvent *event)
{
    if (event->matches(QKeySequence::Copy)) {
        copy();
        return;
    }
    switch (event->key()) {
    case Qt::Key_Up:
        moveCursor(-1);
        return;
    case Qt::Key_Down:
        moveCursor(1);
        return;
    case Qt::Key_PageUp:
        moveCursor(-visibleRows());
        return;
    case Qt::Key_PageDown:
        moveCursor(visibleRows());
        return;
    case Qt::Key_Home:
        moveCursor(-m_rows.count());
        return;
    case Qt::Key_End:
        moveCursor(m_rows.count());
        return;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (m_cursorRow >= 0 && m_rows.markAt(m_cursorRow) == RowMark::Folded)
            emit foldClicked(m_cursorRow);
        return;
    case Qt::Key_Escape:
        m_cursorRow = -1;
        m_selection.clear();
        return;
    default:
        QAbstractScrollArea::keyPressEvent(event);
    }
}

bool TextView::viewportEvent(QEvent *event)
{
    if (event->type() == QEvent::Leave && stage())
        m_selection.clearHover();
    if (event->type() == QEvent::ContextMenu && m_showsRun &&
        static_cast<QContextMenuEvent *>(event)->pos().x() < m_gutterWidth - kTextGap) {
        event->accept(); // the signs have a menu of their own
        return true;
    }
    if (event->type() != QEvent::ToolTip)
        return QAbstractScrollArea::viewportEvent(event);
    const auto *help = static_cast<QHelpEvent *>(event);
    const int row = rowAt(help->pos().y());
    if (const QRect margin = marginRect(row); m_margin != nullptr && row >= 0 && margin.contains(help->pos())) {
        if (const QString tip = m_margin->tip(m_rows, row, help->pos().x() - margin.left(), metrics()); !tip.isEmpty()) {
            QToolTip::showText(help->globalPos(), tip, this);
            return true;
        }
    }
    const sw::ItemIndex item = row < 0 ? sw::kNoIndex : m_rows.itemAt(row);
    if (item == sw::kNoIndex || m_rows.documentAt(row)->items[item].fields.empty())
        QToolTip::hideText();
    else
        QToolTip::showText(help->globalPos(), toolTipOf(m_rows.documentAt(row)->items[item]), this);
    return true;
}

} // namespace stepwell::ui
