#include "ui/graph_view/moment_fade.h"

#include <QPainter>
#include <QStyle>
#include <QWidget>

#include <algorithm>

namespace stepwell::ui {

namespace {

constexpr double kFirstOpacity = 0.6; // the first picture shows the new moment, and not only the one before

} // namespace

MomentFade::MomentFade(QWidget *widget) : QVariantAnimation(widget), m_widget(widget)
{
    setStartValue(kFirstOpacity);
    setEndValue(0.0);
    connect(this, &QVariantAnimation::valueChanged, widget, qOverload<>(&QWidget::update));
    connect(this, &QVariantAnimation::finished, this, [this] { m_picture = {}; });
}

void MomentFade::begin()
{
    const int wanted = m_widget->style()->styleHint(QStyle::SH_Widget_Animation_Duration, nullptr, m_widget);
    stop();
    m_picture = {};
    if (wanted <= 0 || !m_widget->isVisible())
        return;
    m_picture = m_widget->grab();
    setDuration(std::min(wanted, kLongest));
    start();
}

void MomentFade::paint(QPainter &painter) const
{
    if (!isFading() || m_picture.isNull())
        return;
    painter.save();
    painter.setOpacity(currentValue().toDouble());
    painter.drawPixmap(0, 0, m_picture);
    painter.restore();
}

} // namespace stepwell::ui
