#include "ui/panels/flow_layout.h"

#include <QWidget>

#include <algorithm>

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
    for (QLayoutItem *item : m_items) {
        if (item->isEmpty())
            continue;
        const QSize size = item->sizeHint();
        if (x > inner.x() && x + size.width() > inner.right() + 1) {
            x = inner.x();
            y += height + spacing();
            height = 0;
        }
        if (placing == Placing::Move)
            item->setGeometry({QPoint(x, y), size});
        x += size.width() + spacing();
        height = std::max(height, size.height());
    }
    return y + height - rect.y() + contentsMargins().bottom();
}

} // namespace stepwell::ui
