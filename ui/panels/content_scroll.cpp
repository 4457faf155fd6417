#include "ui/panels/content_scroll.h"

#include <QEvent>
#include <QLayout>
#include <QScrollBar>

#include <algorithm>

namespace stepwell::ui {

ContentScroll::ContentScroll(QWidget *content, QWidget *parent) : QScrollArea(parent)
{
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::NoFocus);
    setWidget(content);
    content->setAutoFillBackground(false); // it looks as it does without scrolling
    viewport()->setAutoFillBackground(false);
}

void ContentScroll::resizeEvent(QResizeEvent *event)
{
    QScrollArea::resizeEvent(event);
    fit();
}

// The content tells by a layout request that it has become larger or smaller.
bool ContentScroll::eventFilter(QObject *object, QEvent *event)
{
    const bool isHandled = QScrollArea::eventFilter(object, event);
    if (object == widget() && event->type() == QEvent::LayoutRequest)
        fit();
    return isHandled;
}

// What wraps needs more height in a narrow pane.
void ContentScroll::fit()
{
    const QSize all = maximumViewportSize();
    QSize least = widget()->minimumSizeHint().expandedTo(widget()->minimumSize());
    if (const QLayout *layout = widget()->layout(); layout && layout->hasHeightForWidth())
        least.setHeight(std::max(least.height(), layout->minimumHeightForWidth(std::max(all.width(), least.width()))));
    QSize room = all;
    if (least.width() > room.width())
        room.rheight() -= horizontalScrollBar()->sizeHint().height();
    if (least.height() > room.height())
        room.rwidth() -= verticalScrollBar()->sizeHint().width();
    widget()->resize(room.expandedTo(least));
}

} // namespace stepwell::ui
