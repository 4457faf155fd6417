#include "ui/panels/flow_layout.h"

#include <QWidget>

#include <algorithm>
#include <utility>
#include <vector>

namespace stepwell::ui {

FlowLayout::FlowLayout(int margin, int spacing, QWidget *parent) : QLayout(parent)
{
    setContentsMargins(margin, margin, margin, margin);
    setSpacing(spacing);
}

FlowLayout::~FlowLayout()
{
    qDeleteAll(m_items);
}

QLayoutItem *FlowLayout::takeAt(int index)
{
    return index >= 0 && index < m_items.size() ? m_items.takeAt(index) : nullptr;
}

QSize FlowLayout::minimumSize() const
{
    QSize size;
    for (const QLayoutItem *item : m_items)
        if (!item->isEmpty())
            size = size.expandedTo(item->minimumSize());
    const QMargins margins = contentsMargins();
    return size + QSize(margins.left() + margins.right(), margins.top() + margins.bottom());
}

void FlowLayout::setGeometry(const QRect &rect)
{
    QLayout::setGeometry(rect);
    place(rect, Placing::Move);
}

int FlowLayout::place(const QRect &rect, Placing placing) const
{
    const QRect inner = rect.marginsRemoved(contentsMargins());
    int x = inner.x();
    int y = inner.y();
    int height = 0; // of the row
    std::vector<std::pair<QLayoutItem *, QRect>> row;
    const auto endRow = [&] {
        for (const auto &[item, place] : row)
            if (placing == Placing::Move)
                item->setGeometry(place.translated(0, (height - place.height()) / 2));
        row.clear();
    };
    for (QLayoutItem *item : m_items) {
        if (item->isEmpty())
            continue;
        const QSize size = item->sizeHint();
        if (x > inner.x() && x + size.width() > inner.right() + 1) {
            endRow();
            x = inner.x();
            y += height + spacing();
            height = 0;
        }
        row.emplace_back(item, QRect(QPoint(x, y), size));
        x += size.width() + spacing();
        height = std::max(height, size.height());
    }
    endRow();
    return y + height - rect.y() + contentsMargins().bottom();
}

} // namespace stepwell::ui
