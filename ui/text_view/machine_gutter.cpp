#include "ui/text_view/machine_gutter.h"

#include "ui/text_view/text_rows.h"

#include <QCoreApplication>
#include <QPainter>

#include <algorithm>

namespace stepwell::ui {

namespace {

constexpr int kLaneWidth = 8;
constexpr int kHeadWidth = 8; // of an arrow, with the line that leads to it
constexpr int kFoldWidth = 14;
constexpr int kGap = 6;
constexpr double kFrameTint = 0.13;
constexpr double kInnerTint = 0.08; // more for each loop deeper
constexpr int kRegisterChars = 5;   // "12 28"

QString text(const char *source)
{
    return QCoreApplication::translate("MachineGutter", source);
}

} // namespace

void MachineGutter::setStructure(std::shared_ptr<const sw::MachineStructure> structure, std::function<bool(std::size_t)> isFolded)
{
    m_structure = std::move(structure);
    m_isFolded = std::move(isFolded);
    m_longestBytes = 0;
    if (!m_structure)
        return;
    for (const sw::MachineLineFacts &facts : m_structure->lines)
        m_longestBytes = std::max(m_longestBytes, static_cast<int>(facts.bytes.size()));
}

MachineGutter::Columns MachineGutter::columns(const LineMetrics &metrics) const
{
    Columns columns;
    if (!m_structure || m_structure->kernels.empty())
        return columns;
    columns.bytes = static_cast<int>(kRegisterChars * metrics.charWidth) + 2 * kGap;
    columns.fold = columns.bytes + (m_showsBytes ? static_cast<int>(m_longestBytes * metrics.charWidth) + kGap : 0);
    columns.arrows = columns.fold + (m_structure->copies.empty() ? 0 : kFoldWidth);
    const int lanes = static_cast<int>(m_structure->lanes);
    columns.end = columns.arrows + (lanes == 0 ? 0 : lanes * kLaneWidth + kHeadWidth + 2);
    return columns;
}

int MachineGutter::width(const LineMetrics &metrics) const
{
    return columns(metrics).end;
}

MachineGutter::Part MachineGutter::partAt(int x, const LineMetrics &metrics) const
{
    const Columns at = columns(metrics);
    if (x >= at.arrows)
        return Part::Arrows;
    if (x >= at.fold)
        return Part::Fold;
    return x >= at.bytes ? Part::Bytes : Part::Registers;
}

std::optional<std::uint32_t> MachineGutter::otherEnd(std::uint32_t line) const
{
    if (!m_structure)
        return std::nullopt;
    for (const sw::MachineJump &jump : m_structure->jumps)
        if (jump.from == line)
            return jump.to;
    for (const sw::MachineJump &jump : m_structure->jumps)
        if (jump.to == line)
            return jump.from;
    return std::nullopt;
}

QColor MachineGutter::colorOf(std::uint32_t loop) const
{
    return loop == sw::kNoIndex ? m_appearance.color(Role::Muted) : m_appearance.theme().identityColor(loop);
}

void MachineGutter::paint(QPainter &painter, const TextRows &rows, int row, const QRect &place, const LineMetrics &metrics) const
{
    const std::uint32_t line = rows.lineAt(row);
    if (!m_structure || line >= m_structure->lines.size() || place.width() == 0)
        return;
    const Columns at = columns(metrics);
    const sw::MachineLineFacts &facts = m_structure->lines[line];
    painter.save();
    if (!facts.bytes.empty())
        paintRegisters(painter, facts, {place.left(), place.top(), at.bytes, place.height()}, metrics);
    if (m_showsBytes) {
        painter.setPen(m_appearance.color(Role::Muted));
        painter.drawText(QPointF(place.left() + at.bytes, place.top() + metrics.ascent + 1), QString::fromStdString(facts.bytes));
    }
    const QRect arrows(place.left() + at.arrows, place.top(), at.end - at.arrows, place.height());
    paintLoops(painter, line, arrows);
    painter.setRenderHint(QPainter::Antialiasing);
    paintArrows(painter, line, arrows);
    paintFold(painter, line, {place.left() + at.fold, place.top(), kFoldWidth, place.height()});
    painter.restore();
}

// General registers, then vector registers.
void MachineGutter::paintRegisters(QPainter &painter, const sw::MachineLineFacts &facts, const QRect &place,
                                   const LineMetrics &metrics) const
{
    painter.setPen(Theme::legible(m_appearance.color(Role::Muted), m_appearance.color(Role::Base)));
    const QString text = QStringLiteral("%1 %2").arg(facts.live[0], 2).arg(facts.live[1], 2);
    painter.drawText(QPointF(place.left() + kGap, place.top() + metrics.ascent + 1), text);
}

// A tint for the loops around the line, deeper for inner ones, and the frame of each.
void MachineGutter::paintLoops(QPainter &painter, std::uint32_t line, const QRect &place) const
{
    for (std::uint32_t i = 0; i < m_structure->loops.size(); ++i) {
        const sw::MachineLoopLines &loop = m_structure->loops[i];
        if (line < loop.first || line > loop.last)
            continue;
        const int inset = std::min(static_cast<int>(loop.depth) * 2, place.width() / 2);
        const QRect area = place.adjusted(inset, line == loop.first ? 1 : 0, 0, line == loop.last ? -1 : 0);
        const double tint = kFrameTint + kInnerTint * loop.depth;
        painter.fillRect(area, Theme::blend(m_appearance.color(Role::Base), colorOf(i), std::min(tint, 0.4)));
        painter.fillRect(QRect(area.left(), area.top(), 1, area.height()), colorOf(i));
        if (line == loop.first)
            painter.fillRect(QRect(area.left(), area.top(), area.width(), 1), colorOf(i));
        if (line == loop.last)
            painter.fillRect(QRect(area.left(), area.bottom(), area.width(), 1), colorOf(i));
    }
}

void MachineGutter::paintArrows(QPainter &painter, std::uint32_t line, const QRect &place) const
{
    const double middle = place.center().y() + 0.5;
    const double right = place.right() - 1;
    for (const sw::MachineJump &jump : m_structure->jumps) {
        const std::uint32_t low = std::min(jump.from, jump.to);
        const std::uint32_t high = std::max(jump.from, jump.to);
        if (line < low || line > high)
            continue;
        const QColor color = Theme::legible(colorOf(jump.loop), m_appearance.color(Role::Base));
        painter.setPen(QPen(color, jump.loop == sw::kNoIndex ? 1.0 : 1.6));
        const double x = right - kHeadWidth - (jump.lane + 0.5) * kLaneWidth;
        painter.drawLine(QPointF(x, line == low ? middle : place.top()), QPointF(x, line == high ? middle : place.bottom() + 1));
        if (line == jump.from || line == jump.to)
            painter.drawLine(QPointF(x, middle), QPointF(right, middle));
        if (line == jump.to) {
            painter.setBrush(color);
            painter.drawPolygon(
                QPolygonF{QPointF(right, middle), QPointF(right - 5, middle - 3.5), QPointF(right - 5, middle + 3.5)});
        }
    }
}

void MachineGutter::paintFold(QPainter &painter, std::uint32_t line, const QRect &place) const
{
    for (std::size_t i = 0; i < m_structure->copies.size(); ++i) {
        const sw::MachineCopyLines &copies = m_structure->copies[i];
        if (line < copies.first || line >= copies.first + copies.length * copies.count)
            continue;
        const QPointF center(place.left() + kFoldWidth / 2.0 - 1, place.center().y() + 0.5);
        painter.setPen(QPen(m_appearance.color(Role::Muted), 1.2));
        if ((line - copies.first) % copies.length != 0) {
            painter.drawLine(QPointF(center.x(), place.top()), QPointF(center.x(), place.bottom() + 1));
        } else if (line == copies.first) {
            painter.setBrush(m_appearance.color(Role::Text));
            painter.setPen(Qt::NoPen);
            const bool isFolded = m_isFolded && m_isFolded(i);
            painter.drawPolygon(isFolded
                                    ? QPolygonF{center + QPointF(-2.5, -4), center + QPointF(3, 0), center + QPointF(-2.5, 4)}
                                    : QPolygonF{center + QPointF(-4, -2.5), center + QPointF(4, -2.5), center + QPointF(0, 3)});
        } else { // each copy begins with a dash
            painter.drawLine(center - QPointF(3, 0), center + QPointF(3, 0));
        }
    }
}

QString MachineGutter::tip(const TextRows &rows, int row, int x, const LineMetrics &metrics) const
{
    const std::uint32_t line = rows.lineAt(row);
    if (!m_structure || line >= m_structure->lines.size())
        return {};
    const sw::MachineLineFacts &facts = m_structure->lines[line];
    switch (partAt(x, metrics)) {
    case Part::Registers:
        return facts.bytes.empty() ? QString()
                                   : text("Registers in use: %1 general, %2 vector, %3 mask")
                                         .arg(facts.live[0])
                                         .arg(facts.live[1])
                                         .arg(facts.live[2]);
    case Part::Bytes:
        return {};
    case Part::Fold:
        for (const sw::MachineCopyLines &copies : m_structure->copies)
            if (line >= copies.first && line < copies.first + copies.length * copies.count)
                return QString::fromStdString(copies.summary);
        return {};
    case Part::Arrows:
        break;
    }
    const sw::MachineLoopLines *inner = nullptr;
    for (const sw::MachineLoopLines &loop : m_structure->loops)
        if (line >= loop.first && line <= loop.last)
            inner = &loop;
    if (inner == nullptr)
        return {};
    return QString::fromStdString(inner->throughput.empty() ? inner->summary : inner->summary + "\n" + inner->throughput);
}

} // namespace stepwell::ui
