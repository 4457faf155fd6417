#include "ui/graph_view/graph_signs.h"

#include <algorithm>
#include <utility>

namespace stepwell::ui {

std::optional<Touch> touchOf(const GraphMarks &marks, BoxIndex box)
{
    const std::pair<const std::vector<BoxIndex> *, Touch> lists[] = {{&marks.matched, Touch::Matched},
                                                                     {&marks.made, Touch::Made},
                                                                     {&marks.changed, Touch::Changed},
                                                                     {&marks.renamed, Touch::Renamed}};
    for (const auto &[boxes, touch] : lists)
        if (std::ranges::binary_search(*boxes, box))
            return touch;
    return {};
}

Role roleOf(Touch touch)
{
    switch (touch) {
    case Touch::Matched:
        return Role::Removed;
    case Touch::Made:
        return Role::Added;
    case Touch::Changed:
        return Role::Warning;
    case Touch::Renamed:
        return Role::Note;
    }
    Q_UNREACHABLE();
}

void drawTouch(QPainter &painter, const QRectF &box, Touch touch, const Theme &theme)
{
    const bool isEqual = touch == Touch::Changed || touch == Touch::Renamed;
    const QRectF badge(box.right() - 6, box.top() - 8, 14, 14);
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.color(roleOf(touch)));
    painter.drawEllipse(badge);
    painter.setPen(QPen(theme.color(Role::Base), isEqual ? 1.5 : 1.8));
    const QPointF middle = badge.center();
    const auto across = [&](double away) { painter.drawLine(middle + QPointF(-3.5, away), middle + QPointF(3.5, away)); };
    if (!isEqual) {
        across(0);
        if (touch == Touch::Made)
            painter.drawLine(middle - QPointF(0, 3.5), middle + QPointF(0, 3.5));
        return;
    }
    across(-1.7);
    across(1.7);
    if (touch == Touch::Changed)
        painter.drawLine(middle + QPointF(-2, 4), middle + QPointF(2, -4));
}

} // namespace stepwell::ui
