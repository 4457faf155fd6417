#include "ui/panels/tuning_plot.h"

#include "ui/models/quantity.h"
#include "ui/models/tuning_model.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QLineF>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace stepwell::ui {

namespace {

constexpr double kMargin = 8;
constexpr double kAxisWidth = 32;
constexpr double kHighest = 2; // times of the model's choice: slower ones stand at the edge
constexpr double kRadius = 3;
constexpr double kReach = 16;       // pixels to the nearest point
constexpr double kPriceRoom = 0.05; // beside the lowest and the highest price, as a part of the axis
constexpr QSize kPictureSize(640, 360);

} // namespace

TuningPlot::TuningPlot(const Appearance &appearance, QWidget *parent) : QWidget(parent), PaintedView(appearance)
{
    setFocusPolicy(Qt::StrongFocus);
    setMinimumSize(200, 80);
    connect(&appearance, &Appearance::changed, this, [this] { update(); });
}

void TuningPlot::setTuning(const sw::KernelTuning &tuning)
{
    m_points.clear();
    m_correlation = tuning.correlation;
    m_seconds = 0;
    m_lowest = 0;
    m_highest = 0;
    for (std::size_t i = 0; i < tuning.search.candidates.size(); ++i) {
        const sw::Candidate &candidate = tuning.search.candidates[i];
        Point point{candidate.time,
                    std::chrono::duration<double>(candidate.judged).count(),
                    candidate.predictedCycles.value_or(0),
                    i == 0 || candidate.trial.isFaster,
                    {}};
        point.toolTip =
            tr("Candidate %1, %2: %3")
                .arg(i)
                .arg(QString::fromUtf8(nameOf(candidate.source)), QString::fromStdString(verdictOf(tuning.search, i)));
        if (candidate.time > 0)
            point.toolTip += QStringLiteral("\n%1, %2 \u00d7")
                                 .arg(bandText(candidate.trial.nanoseconds), QString::fromStdString(relativeTimeText(candidate)));
        m_seconds = std::max(m_seconds, point.seconds);
        if (point.price > 0 && point.time > 0) {
            m_lowest = m_lowest > 0 ? std::min(m_lowest, point.price) : point.price;
            m_highest = std::max(m_highest, point.price);
        }
        m_points.push_back(std::move(point));
    }
    if (m_current && *m_current >= m_points.size())
        m_current.reset();
    setAccessibleDescription(tr("%n candidate(s)", nullptr, static_cast<int>(m_points.size())));
    update();
}

void TuningPlot::setAxis(TuningAxis axis)
{
    m_axis = axis;
    update();
}

void TuningPlot::setCurrent(std::optional<std::size_t> candidate)
{
    m_current = candidate;
    update();
}

QRectF TuningPlot::area() const
{
    const double line = QFontMetricsF(font()).height();
    return QRectF({0, 0}, sizeOr(size())).adjusted(kMargin + kAxisWidth, line + kMargin, -2 * kMargin, -line - kMargin / 2);
}

double TuningPlot::yOf(double time) const
{
    return area().bottom() - area().height() * std::clamp(time / kHighest, 0.0, 1.0);
}

double TuningPlot::xOf(const Point &point) const
{
    double part = 0.5;
    if (m_axis == TuningAxis::Elapsed)
        part = m_seconds > 0 ? point.seconds / m_seconds : 0;
    else if (m_highest > m_lowest)
        part = kPriceRoom + (1 - 2 * kPriceRoom) * std::log(point.price / m_lowest) / std::log(m_highest / m_lowest);
    return area().left() + area().width() * part;
}

std::optional<QPointF> TuningPlot::pointOf(std::size_t candidate) const
{
    if (candidate >= m_points.size() || m_points[candidate].time <= 0)
        return std::nullopt;
    const Point &point = m_points[candidate];
    if (m_axis == TuningAxis::Price && point.price <= 0)
        return std::nullopt;
    return QPointF(xOf(point), yOf(point.time));
}

std::optional<std::size_t> TuningPlot::candidateAt(const QPointF &position) const
{
    std::optional<std::size_t> nearest;
    double least = kReach;
    for (std::size_t i = 0; i < m_points.size(); ++i)
        if (const auto point = pointOf(i))
            if (const double distance = QLineF(*point, position).length(); distance < least) {
                least = distance;
                nearest = i;
            }
    return nearest;
}

QString TuningPlot::toolTipOf(std::size_t candidate) const
{
    return m_points[candidate].toolTip;
}

void TuningPlot::choose(std::size_t candidate)
{
    setCurrent(candidate);
    emit candidateChosen(candidate);
}

void TuningPlot::mousePressEvent(QMouseEvent *event)
{
    if (const auto candidate = candidateAt(event->position()); candidate && event->button() == Qt::LeftButton)
        choose(*candidate);
}

void TuningPlot::keyPressEvent(QKeyEvent *event)
{
    const int by = event->key() == Qt::Key_Right ? 1 : event->key() == Qt::Key_Left ? -1 : 0;
    const auto count = static_cast<int>(m_points.size());
    if (by == 0 || count == 0) {
        QWidget::keyPressEvent(event);
        return;
    }
    int at = (m_current ? static_cast<int>(*m_current) : by > 0 ? -1 : count) + by;
    while (at >= 0 && at < count && !pointOf(static_cast<std::size_t>(at)))
        at += by;
    if (at >= 0 && at < count)
        choose(static_cast<std::size_t>(at));
}

bool TuningPlot::event(QEvent *event)
{
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    const auto *help = static_cast<QHelpEvent *>(event);
    if (const auto candidate = candidateAt(help->pos()))
        QToolTip::showText(help->globalPos(), toolTipOf(*candidate), this);
    else
        QToolTip::hideText();
    return true;
}

QSizeF TuningPlot::pictureSize() const
{
    return m_points.empty() ? QSizeF() : QSizeF(size().expandedTo(kPictureSize));
}

void TuningPlot::paintEvent(QPaintEvent *event)
{
    QPainter painter(this);
    painter.fillRect(event->rect(), roleColor(Role::Base));
    if (!m_points.empty())
        draw(painter);
    if (hasFocus()) {
        painter.setPen(roleColor(Role::Accent));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5));
    }
}

QString TuningPlot::title() const
{
    if (m_axis == TuningAxis::Elapsed)
        return tr("Ratio over the search, and the best so far");
    if (m_highest == 0)
        return tr("The model has no price for these lists");
    return m_correlation ? tr("Ratio over price; rank correlation %1").arg(*m_correlation, 0, 'f', 2) : tr("Ratio over price");
}

void TuningPlot::drawAxes(QPainter &painter) const
{
    const QRectF plot = area();
    const QFontMetricsF metrics(font());
    const double line = metrics.height();
    const double width = sizeOr(size()).width() - 2 * kMargin;
    painter.fillRect(plot, roleColor(Role::Alternate));
    painter.setPen(roleColor(Role::Text));
    painter.drawText(QRectF(kMargin, kMargin / 2, width, line), Qt::AlignLeft,
                     metrics.elidedText(title(), Qt::ElideRight, width));
    const double step = plot.height() < 5 * line ? 1 : 0.5;
    for (double tick = 0; tick <= kHighest; tick += step) {
        const double y = yOf(tick);
        painter.setPen(QPen(roleColor(Role::Edge), 1, tick == 1 ? Qt::DashLine : Qt::DotLine));
        painter.drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y));
        painter.setPen(roleColor(Role::Muted));
        painter.drawText(QRectF(0, y - line / 2, plot.left() - kMargin / 2, line), Qt::AlignRight | Qt::AlignVCenter,
                         tick == kHighest ? QStringLiteral("\u2265%1").arg(tick) : QString::number(tick));
    }
    const bool isElapsed = m_axis == TuningAxis::Elapsed;
    if (!isElapsed && m_highest == 0)
        return;
    const QString low = isElapsed ? QStringLiteral("0 s") : tr("%1 cycles").arg(countText(std::llround(m_lowest)));
    const QString high =
        isElapsed ? QStringLiteral("%1 s").arg(m_seconds, 0, 'f', m_seconds < 10 ? 1 : 0) : countText(std::llround(m_highest));
    painter.setPen(roleColor(Role::Muted));
    painter.drawText(QRectF(plot.left(), plot.bottom() + 2, plot.width(), line), Qt::AlignLeft, low);
    painter.drawText(QRectF(plot.left(), plot.bottom() + 2, plot.width(), line), Qt::AlignRight, high);
}

void TuningPlot::drawBest(QPainter &painter) const
{
    QPolygonF best;
    double least = 0;
    for (std::size_t i = 0; i < m_points.size(); ++i) {
        const auto point = pointOf(i);
        if (!point || !m_points[i].isBest)
            continue;
        if (least > 0)
            best << QPointF(point->x(), yOf(least));
        least = m_points[i].time;
        best << QPointF(point->x(), yOf(least));
    }
    if (!best.isEmpty())
        best << QPointF(area().right(), yOf(least));
    painter.setPen(QPen(roleColor(Role::Accent), 1.6));
    painter.setBrush(Qt::NoBrush);
    painter.drawPolyline(best);
}

void TuningPlot::draw(QPainter &painter) const
{
    painter.setRenderHint(QPainter::Antialiasing);
    drawAxes(painter);
    if (m_axis == TuningAxis::Elapsed)
        drawBest(painter);
    for (std::size_t i = 0; i < m_points.size(); ++i)
        if (const auto point = pointOf(i)) {
            const bool isCurrent = m_current == i && !isPainting();
            const double radius = isCurrent ? kRadius + 2 : kRadius;
            painter.setPen(isCurrent ? QPen(roleColor(Role::SelectedHalo), 2) : QPen(roleColor(Role::Base), 0.8));
            painter.setBrush(roleColor(m_points[i].time < 1 ? Role::Accent : Role::Muted));
            painter.drawEllipse(*point, radius, radius);
        }
}

} // namespace stepwell::ui
