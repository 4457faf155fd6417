#include "ui/docking/drop_hint.h"

#include "ui/theme/appearance.h"

#include <QPainter>

namespace stepwell::ui {

namespace {

constexpr float kOpacity = 0.28F;

} // namespace

DropHint::DropHint(const Appearance &appearance, QWidget *parent) : QWidget(parent), m_appearance(appearance)
{
    setObjectName(QStringLiteral("dropHint"));
    setAttribute(Qt::WA_TransparentForMouseEvents);
}

void DropHint::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    QColor fill = m_appearance.color(Role::Accent);
    painter.setPen(QPen(fill, 2));
    fill.setAlphaF(kOpacity);
    painter.setBrush(fill);
    painter.drawRect(rect().adjusted(1, 1, -1, -1));
}

} // namespace stepwell::ui
