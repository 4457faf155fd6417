// How a text view draws its visible rows.

#include "ui/session/counted.h"
#include "ui/text_view/row_marks.h"
#include "ui/text_view/text_view.h"

#include <QPaintEvent>
#include <QPainter>
#include <QScrollBar>

#include <algorithm>
#include <array>

namespace stepwell::ui {

namespace {

constexpr int kStripeWidth = 4;
constexpr int kGutterGap = 8;
constexpr double kInferredOpacity = 0.7;
constexpr double kNextOpacity = 0.28;
constexpr double kLastOpacity = 0.1;
constexpr int kNoteGap = 24;
constexpr double kChangedOpacity = 0.13;
constexpr double kWordOpacity = 0.38;

} // namespace

void TextView::paintEvent(QPaintEvent *event)
{
    QPainter painter(viewport());
    painter.fillRect(event->rect(), m_appearance.color(Role::Base));
    if (m_rows.isEmpty()) {
        painter.setPen(m_appearance.color(Role::Muted));
        painter.drawText(viewport()->rect().adjusted(16, 8, -16, -8), Qt::AlignCenter | Qt::TextWordWrap, m_hint);
        return;
    }
    painter.setFont(m_font);
    const int first = firstVisibleRow() + std::max(0, event->rect().top()) / m_lineHeight;
    const int last = std::min(m_rows.count() - 1, firstVisibleRow() + event->rect().bottom() / m_lineHeight);
    for (int row = first; row <= last; ++row)
        drawRow(painter, row, (row - firstVisibleRow()) * m_lineHeight);
    for (int row = first; row <= last; ++row)
        drawGutter(painter, row, (row - firstVisibleRow()) * m_lineHeight);
    if (hasFocus()) {
        painter.setPen(m_appearance.color(Role::Accent));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(viewport()->rect().adjusted(0, 0, -1, -1));
    }
}

QColor TextView::backgroundOf(int row) const
{
    const QColor base = m_appearance.color(Role::Base);
    if (row == m_run.next)
        return Theme::blend(base, m_appearance.color(Role::Halo), kNextOpacity);
    if (row == m_run.last)
        return Theme::blend(base, m_appearance.color(Role::Halo), kLastOpacity);
    const std::uint32_t line = m_rows.lineAt(row);
    if (stage() && line != sw::kNoIndex) {
        const PartnerSet &hovered = selectionAt(row).hovered(*stage());
        const PartnerSet &selected = selectionAt(row).selected(*stage());
        if (hovered.hasLine(line))
            return m_appearance.color(Role::Hover);
        if (selected.hasLine(line))
            return m_appearance.color(Role::Selection);
        if (hovered.hasNearLine(line))
            return m_appearance.theme().fainter(Role::Hover);
        if (selected.hasNearLine(line) && !m_showsRun) // where it stands is to be seen first
            return m_appearance.theme().fainter(Role::Selection);
    }
    switch (markOf(row)) {
    case RowMark::Added:
        return m_appearance.color(Role::AddedFill);
    case RowMark::Removed:
        return m_appearance.color(Role::RemovedFill);
    case RowMark::ChangedFrom:
    case RowMark::ChangedTo:
        return Theme::blend(base, m_appearance.color(Role::Warning), kChangedOpacity);
    case RowMark::MovedFrom:
    case RowMark::MovedTo:
        return Theme::blend(base, m_appearance.color(Role::Note), kChangedOpacity);
    case RowMark::Gap:
    case RowMark::Folded:
        return m_appearance.color(Role::Alternate);
    case RowMark::Renamed:
    case RowMark::None:
        break;
    }
    const bool isCursor = row == m_cursorRow && (hasFocus() || !stage());
    return isCursor ? m_appearance.color(Role::CurrentLine) : m_appearance.color(Role::Base);
}

void TextView::drawRow(QPainter &painter, int row, int y)
{
    const QColor background = backgroundOf(row);
    painter.fillRect(0, y, viewport()->width(), m_lineHeight, background);
    if (m_rows.markAt(row) == RowMark::Folded)
        return drawFold(painter, row, y);
    drawWords(painter, row, y, background);
    const QString text = m_rows.textAt(row);
    const int x = m_gutterWidth - horizontalScrollBar()->value();
    if (!m_found.empty() && std::ranges::binary_search(m_found, row)) {
        const bool isCurrent = m_foundAt >= 0 && m_found[static_cast<std::size_t>(m_foundAt)] == row;
        auto matches = m_pattern.globalMatch(text);
        while (matches.hasNext()) {
            const auto match = matches.next();
            const QRectF area(x + static_cast<double>(match.capturedStart()) * m_charWidth, y,
                              static_cast<double>(match.capturedLength()) * m_charWidth, m_lineHeight);
            painter.fillRect(area, Theme::blend(background, m_appearance.color(Role::Warning), isCurrent ? 0.55 : 0.3));
        }
    }
    // Inferred lines are fainter than known ones.
    painter.setOpacity(m_rows.hasTag(row, sw::kInferredTag) ? kInferredOpacity : 1);
    drawText(painter, row, QPointF(x, y + m_ascent + 1), background);
    painter.setOpacity(1);
    drawNote(painter, row, y);
}

// "12 lines are the same": a click shows them.
void TextView::drawFold(QPainter &painter, int row, int y)
{
    const auto folded = static_cast<qint64>(m_rows.comparedAt(row).folded);
    const QColor background = backgroundOf(row);
    painter.setPen(Theme::legible(m_appearance.color(row == m_cursorRow ? Role::Accent : Role::Muted), background));
    painter.drawText(QPointF(m_gutterWidth, y + m_ascent + 1),
                     QStringLiteral("\u22ef  ") + counted(folded, tr("%1 line is the same"), tr("%1 lines are the same")));
}

// Marks the words of the line that differ.
void TextView::drawWords(QPainter &painter, int row, int y, const QColor &background)
{
    const std::span<const sw::TextSpan> words = m_rows.wordsAt(row);
    if (words.empty())
        return;
    const RowMark mark = m_rows.markAt(row);
    const bool isRenamed = mark == RowMark::Renamed;
    const Role role = isRenamed ? Role::Muted : mark == RowMark::ChangedFrom ? Role::Removed : Role::Added;
    const std::string &line = m_rows.documentAt(row)->lines[m_rows.lineAt(row)].text;
    const auto column = [&](std::uint32_t bytes) {
        return static_cast<double>(QString::fromUtf8(line.data(), static_cast<qsizetype>(bytes)).size()) * m_charWidth;
    };
    const double left = m_gutterWidth - horizontalScrollBar()->value();
    for (const sw::TextSpan &word : words)
        painter.fillRect(QRectF(left + column(word.begin), y, column(word.end) - column(word.begin), m_lineHeight),
                         Theme::blend(background, m_appearance.color(role), isRenamed ? kChangedOpacity : kWordOpacity));
}

// The value that the line made, behind its text.
void TextView::drawNote(QPainter &painter, int row, int y)
{
    const auto note = m_run.notes.find(row);
    if (note == m_run.notes.end())
        return;
    const double x =
        m_gutterWidth - horizontalScrollBar()->value() + static_cast<double>(m_rows.textAt(row).size()) * m_charWidth;
    const QColor background = backgroundOf(row);
    painter.setPen(Theme::legible(m_appearance.color(note->second.isNew ? Role::Halo : Role::Muted), background));
    painter.drawText(QPointF(x + kNoteGap, y + m_ascent + 1), note->second.text);
}

// An arrow at the next instruction, a hollow one at the last, a dot for a breakpoint.
void TextView::drawSigns(QPainter &painter, int row, int y)
{
    const QRectF place(m_tagWidth + 1, y, m_signWidth, m_lineHeight);
    const double half = m_lineHeight * 0.28;
    const QPointF center = place.center();
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    if (const auto stop = m_run.stops.find(row); stop != m_run.stops.end()) {
        const QColor color = m_appearance.color(Role::Error);
        painter.setPen(QPen(color, 1.5));
        painter.setBrush(stop->second == RunSigns::Stop::Off ? QBrush(Qt::NoBrush) : QBrush(color));
        painter.drawEllipse(center, half * 1.2, half * 1.2);
        if (stop->second == RunSigns::Stop::Checked) {
            painter.setPen(QPen(m_appearance.color(Role::Base), 1.8));
            painter.drawLine(center - QPointF(half * 0.6, 0), center + QPointF(half * 0.6, 0));
        }
    }
    if (row == m_run.next || row == m_run.last) {
        const QColor color = Theme::legible(m_appearance.color(Role::Halo), m_appearance.color(Role::Base));
        painter.setPen(QPen(row == m_run.next ? m_appearance.color(Role::Base) : color, 1.2));
        painter.setBrush(row == m_run.next ? QBrush(color) : QBrush(Qt::NoBrush));
        painter.drawPolygon(
            QPolygonF{center + QPointF(-half, -half), center + QPointF(half * 1.2, 0), center + QPointF(-half, half)});
    }
    painter.restore();
}

// Out-of-date text is grey throughout.
void TextView::drawText(QPainter &painter, int row, const QPointF &origin, const QColor &background)
{
    const QString text = m_rows.textAt(row);
    const bool isComment = m_rows.hasTag(row, "comment");
    const bool isOnBase = background == m_appearance.color(Role::Base);
    std::array<QColor, kSyntaxCount> colors; // of this row, once they are known: to find a legible one takes long
    const auto colorOf = [&](Syntax style) {
        QColor &color = colors[static_cast<std::size_t>(style)];
        if (!color.isValid()) {
            color =
                m_isDimmed ? m_appearance.color(Role::Muted) : m_appearance.theme().color(isComment ? Syntax::Comment : style);
            color = isOnBase ? color : Theme::legible(color, background);
        }
        return color;
    };
    const auto draw = [&](int start, int length, Syntax style) {
        painter.setPen(colorOf(style));
        painter.drawText(origin + QPointF(start * m_charWidth, 0), text.mid(start, length));
    };
    int at = 0;
    for (const SyntaxSpan &span : tokenize(text, m_language)) {
        if (span.start > at)
            draw(at, span.start - at, Syntax::Plain);
        draw(span.start, span.length, span.style);
        at = span.start + span.length;
    }
    if (at < text.size())
        draw(at, static_cast<int>(text.size()) - at, Syntax::Plain);
}

void TextView::drawGutter(QPainter &painter, int row, int y)
{
    const std::uint32_t line = m_rows.lineAt(row);
    const bool isSelected = stage() && line != sw::kNoIndex && selectionAt(row).selected(*stage()).hasLine(line);
    painter.fillRect(0, y, m_gutterWidth - kGutterGap / 2, m_lineHeight,
                     isSelected ? m_appearance.color(Role::Selection) : m_appearance.color(Role::Base));
    const std::uint32_t kernel = m_rows.kernelAt(row);
    const std::vector<KernelIdentity> &kernels = m_rows.isBefore(row) ? m_kernelsBefore : m_kernels;
    if (m_tagWidth > 0 && kernel < kernels.size()) {
        const QColor color =
            m_isDimmed ? m_appearance.color(Role::Muted) : m_appearance.theme().identityColor(kernels[kernel].color);
        painter.fillRect(0, y, kStripeWidth, m_lineHeight, color);
        const bool isFirst = row == firstVisibleRow() || m_rows.kernelAt(row - 1) != kernel;
        if (isFirst) {
            painter.setPen(Theme::legible(color, m_appearance.color(isSelected ? Role::Selection : Role::Base)));
            painter.drawText(QPointF(kStripeWidth + 4, y + m_ascent + 1), kernels[kernel].tag);
        }
    }
    if (m_rows.hasBothSides())
        return drawSides(painter, row, y);
    const RowMark mark = markOf(row);
    QString number = signOf(mark);
    painter.setPen(m_appearance.color(roleOf(mark).value_or(Role::Muted)));
    if (mark == RowMark::None) {
        number = QString::number(m_showsRun ? row + 1 : static_cast<int>(line) + 1);
        painter.setPen(m_appearance.color(isSelected ? Role::Text : Role::Muted));
    }
    if (m_showsRun)
        drawSigns(painter, row, y);
    painter.drawText(QRect(m_tagWidth + m_signWidth, y, m_gutterWidth - m_marginWidth - m_tagWidth - m_signWidth - kGutterGap - 2,
                           m_lineHeight),
                     Qt::AlignRight | Qt::AlignVCenter, number);
    if (m_margin != nullptr)
        m_margin->paint(painter, m_rows, row, marginRect(row), metrics());
}

// The numbers of the line in both documents, and the sign of what differs.
void TextView::drawSides(QPainter &painter, int row, int y)
{
    const ComparedRow &compared = m_rows.comparedAt(row);
    if (compared.mark == RowMark::Folded)
        return;
    painter.setPen(m_appearance.color(Role::Muted));
    const auto drawNumber = [&](int column, std::uint32_t line) {
        if (line != sw::kNoIndex)
            painter.drawText(QRect(m_tagWidth + column * m_numberWidth, y, m_numberWidth, m_lineHeight),
                             Qt::AlignRight | Qt::AlignVCenter, QString::number(line + 1));
    };
    const bool isOneSided = isDifference(compared.mark);
    if (!isOneSided || compared.isBefore)
        drawNumber(0, compared.before);
    if (!isOneSided || !compared.isBefore)
        drawNumber(1, compared.after);
    painter.setPen(Theme::legible(m_appearance.color(roleOf(compared.mark).value_or(Role::Muted)), backgroundOf(row)));
    painter.drawText(QPointF(m_tagWidth + 2 * m_numberWidth + kGutterGap, y + m_ascent + 1), signOf(compared.mark));
}

} // namespace stepwell::ui
