#include "ui/panels/sweep_plot.h"

#include "ui/models/quantity.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <cmath>
#include <utility>

namespace stepwell::ui {

namespace {

constexpr double kMargin = 8;
constexpr QSize kPictureSize(720, 440); // at least: a pane may be small
constexpr double kAxisWidth = 64;
constexpr double kReach = 24; // pixels to the nearest point
constexpr double kRadius = 3.5;

// 1, 2 and 5 times the powers of ten; only the powers where there are many.
std::vector<double> ticksBetween(double low, double high)
{
    constexpr double kManyPowers = 2.5;
    std::vector<double> ticks;
    for (int power = static_cast<int>(std::floor(low)); power <= static_cast<int>(std::ceil(high)); ++power)
        for (const double digit : {1.0, 2.0, 5.0}) {
            const double at = std::log10(digit) + power;
            if ((digit == 1 || high - low <= kManyPowers) && at >= low && at <= high)
                ticks.push_back(digit * std::pow(10.0, power));
        }
    return ticks;
}

double timeOf(const sw::SweepPoint &point)
{
    return static_cast<double>(std::max<std::int64_t>(1, point.time.median.count()));
}

} // namespace

SweepPlot::SweepPlot(const Appearance &appearance, QWidget *parent) : QWidget(parent), PaintedView(appearance)
{
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setMinimumSize(240, 80);
    connect(&appearance, &Appearance::changed, this, [this] { update(); });
}

SweepPlot::Range SweepPlot::rangeOf(const std::vector<double> &values, double margin)
{
    if (values.empty())
        return {};
    const auto [least, most] = std::ranges::minmax(values);
    Range range{std::log10(least) - margin, std::log10(most) + margin};
    constexpr double kFlat = 1e-3;
    if (range.high - range.low < kFlat) {
        range.low -= 0.5;
        range.high += 0.5;
    }
    return range;
}

void SweepPlot::setSweep(sw::Sweep sweep)
{
    m_sweep = std::move(sweep);
    m_current.reset();
    std::vector<double> values;
    std::vector<double> times;
    std::vector<double> rates;
    for (const sw::SweepPoint &point : m_sweep.points) {
        values.push_back(static_cast<double>(point.value));
        times.push_back(timeOf(point));
        if (point.flops > 0)
            rates.push_back(point.flopsPerNanosecond());
    }
    m_values = rangeOf(values, 0.04);
    m_times = rangeOf(times, 0.12);
    m_rates = rangeOf(rates, 0.12);
    m_hasRates = !rates.empty();
    setAccessibleDescription(tr("%n value(s)", nullptr, static_cast<int>(values.size())));
    update();
}

void SweepPlot::setCurrent(std::optional<std::size_t> point)
{
    m_current = point;
    update();
}

QRectF SweepPlot::area() const
{
    const double line = QFontMetricsF(font()).height();
    const double notes = isPainting() ? line * static_cast<double>(markCount()) : 0;
    return QRectF({0, 0}, sizeOr(size()) - QSizeF(0, notes))
        .adjusted(kMargin + kAxisWidth, 2 * line + kMargin, -kMargin - kAxisWidth, -line - kMargin);
}

double SweepPlot::xOf(double value) const
{
    return area().left() + area().width() * (std::log10(value) - m_values.low) / (m_values.high - m_values.low);
}

double SweepPlot::yOf(const Range &range, double value) const
{
    return area().bottom() - area().height() * (std::log10(value) - range.low) / (range.high - range.low);
}

QPointF SweepPlot::timeAt(std::size_t point) const
{
    const sw::SweepPoint &of = m_sweep.points[point];
    return {xOf(static_cast<double>(of.value)), yOf(m_times, timeOf(of))};
}

std::optional<std::size_t> SweepPlot::pointAt(const QPointF &position) const
{
    std::optional<std::size_t> nearest;
    double least = kReach;
    for (std::size_t i = 0; i < m_sweep.points.size(); ++i)
        if (const double distance = std::abs(timeAt(i).x() - position.x()); distance < least) {
            least = distance;
            nearest = i;
        }
    return nearest;
}

QString SweepPlot::toolTipOf(std::size_t point) const
{
    const sw::SweepPoint &of = m_sweep.points[point];
    QString text = QStringLiteral("%1 = %2\n%3")
                       .arg(QString::fromStdString(m_sweep.name))
                       .arg(of.value)
                       .arg(timeText(of.time.median.count()));
    if (of.flops > 0)
        text += QStringLiteral(", ") + rateText(1e9 * of.flopsPerNanosecond(), QStringLiteral("FLOP/s"));
    for (const std::string &change : of.changes)
        text += u'\n' + QString::fromStdString(change);
    return text;
}

std::size_t SweepPlot::markCount() const
{
    return static_cast<std::size_t>(
        std::ranges::count_if(m_sweep.points, [](const sw::SweepPoint &point) { return !point.changes.empty(); }));
}

void SweepPlot::choose(std::size_t point)
{
    setCurrent(point);
    emit pointChosen(point);
}

bool SweepPlot::event(QEvent *event)
{
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    const auto *help = static_cast<QHelpEvent *>(event);
    if (const auto point = pointAt(help->pos()))
        QToolTip::showText(help->globalPos(), toolTipOf(*point), this);
    else
        QToolTip::hideText();
    return true;
}

void SweepPlot::mousePressEvent(QMouseEvent *event)
{
    if (const auto point = pointAt(event->position()); point && event->button() == Qt::LeftButton)
        choose(*point);
}

void SweepPlot::keyPressEvent(QKeyEvent *event)
{
    const int by = event->key() == Qt::Key_Right ? 1 : event->key() == Qt::Key_Left ? -1 : 0;
    if (by == 0 || m_sweep.points.empty()) {
        QWidget::keyPressEvent(event);
        return;
    }
    const auto last = static_cast<int>(m_sweep.points.size()) - 1;
    const int from = m_current ? static_cast<int>(*m_current) : by > 0 ? -1 : last + 1;
    choose(static_cast<std::size_t>(std::clamp(from + by, 0, last)));
}

void SweepPlot::paintEvent(QPaintEvent *event)
{
    QPainter painter(this);
    painter.fillRect(event->rect(), roleColor(Role::Base));
    if (!m_sweep.points.empty())
        draw(painter);
    if (hasFocus()) {
        painter.setPen(roleColor(Role::Accent));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5));
    }
}

QSizeF SweepPlot::pictureSize() const
{
    if (m_sweep.points.empty())
        return {};
    const double notes = QFontMetricsF(font()).height() * static_cast<double>(markCount());
    return QSizeF(size().expandedTo(kPictureSize)) + QSizeF(0, notes);
}

// With what the numbers of the dashed lines stand for below it: a picture has no table beside it.
void SweepPlot::drawPicture(QPainter &painter)
{
    draw(painter);
    const QFontMetricsF metrics(font());
    const double line = metrics.height();
    double top = area().bottom() + line + kMargin;
    int mark = 0;
    painter.setPen(roleColor(Role::Text));
    for (const sw::SweepPoint &point : m_sweep.points) {
        if (point.changes.empty())
            continue;
        QStringList changes;
        for (const std::string &change : point.changes)
            changes << QString::fromStdString(change);
        const QString text = tr("%1  from %2 = %3: %4")
                                 .arg(++mark)
                                 .arg(QString::fromStdString(m_sweep.name))
                                 .arg(point.value)
                                 .arg(changes.join(QStringLiteral("; ")));
        const QRectF box(kMargin, top, sizeOr(size()).width() - 2 * kMargin, line);
        painter.drawText(box, Qt::AlignLeft | Qt::AlignVCenter, metrics.elidedText(text, Qt::ElideRight, box.width()));
        top += line;
    }
}

void SweepPlot::draw(QPainter &painter) const
{
    painter.setRenderHint(QPainter::Antialiasing);
    painter.fillRect(area(), roleColor(Role::Alternate));
    drawAxes(painter);
    drawMarks(painter);
    drawCurve(painter, m_times, Role::Accent, false);
    if (m_hasRates)
        drawCurve(painter, m_rates, Role::Warning, true);
}

void SweepPlot::drawAxes(QPainter &painter) const
{
    const QRectF plot = area();
    const QFontMetricsF metrics(font());
    const double line = metrics.height();
    const QColor ground = roleColor(Role::Base);
    painter.setPen(Theme::legible(roleColor(Role::Accent), ground));
    painter.drawText(QRectF(kMargin, kMargin, plot.width(), line), Qt::AlignLeft, tr("time of a run"));
    double lowest = 2 * plot.bottom(); // where the last label begins; those above it keep their distance
    for (const double tick : ticksBetween(m_times.low, m_times.high)) {
        const double y = yOf(m_times, tick);
        if (y > lowest - line)
            continue;
        lowest = y;
        painter.drawText(QRectF(0, y - line / 2, plot.left() - kMargin / 2, line), Qt::AlignRight | Qt::AlignVCenter,
                         timeText(std::llround(tick)));
    }
    if (m_hasRates) {
        painter.setPen(Theme::legible(roleColor(Role::Warning), ground));
        painter.drawText(QRectF(plot.left(), kMargin, plot.width() + kAxisWidth, line), Qt::AlignRight, tr("GFLOP/s"));
        lowest = 2 * plot.bottom();
        for (const double tick : ticksBetween(m_rates.low, m_rates.high)) {
            const double y = yOf(m_rates, tick);
            if (y > lowest - line)
                continue;
            lowest = y;
            painter.drawText(QRectF(plot.right() + kMargin / 2, y - line / 2, kAxisWidth, line), Qt::AlignLeft | Qt::AlignVCenter,
                             QString::number(tick, 'g', 3));
        }
    }
    painter.setPen(roleColor(Role::Muted));
    double free = 0; // where the last number ends
    for (const sw::SweepPoint &point : m_sweep.points) {
        const double x = xOf(static_cast<double>(point.value));
        const QString number = QString::number(point.value);
        const double half = metrics.horizontalAdvance(number) / 2 + 2;
        painter.drawLine(QPointF(x, plot.bottom()), QPointF(x, plot.bottom() + 3));
        if (x - half < free)
            continue;
        free = x + half;
        painter.drawText(QRectF(x - half, plot.bottom() + 3, 2 * half, line), Qt::AlignCenter, number);
    }
    const QRectF name(0, plot.bottom() + 3, plot.left() - 2 * kMargin, line);
    painter.drawText(name, Qt::AlignRight | Qt::AlignVCenter,
                     metrics.elidedText(QString::fromStdString(m_sweep.name), Qt::ElideLeft, name.width()));
}

void SweepPlot::drawMarks(QPainter &painter) const
{
    const QRectF plot = area();
    const double line = QFontMetricsF(font()).height();
    int mark = 0;
    for (const sw::SweepPoint &point : m_sweep.points) {
        if (point.changes.empty())
            continue;
        const double x = xOf(static_cast<double>(point.value));
        painter.setPen(QPen(roleColor(Role::Edge), 1, Qt::DashLine));
        painter.drawLine(QPointF(x, plot.top()), QPointF(x, plot.bottom()));
        painter.setPen(roleColor(Role::Text));
        painter.drawText(QRectF(x - kAxisWidth / 2, plot.top() - line, kAxisWidth, line), Qt::AlignCenter,
                         QString::number(++mark));
    }
}

void SweepPlot::drawCurve(QPainter &painter, const Range &range, Role role, bool isRate) const
{
    QPolygonF curve;
    std::vector<std::size_t> points; // of the curve
    for (std::size_t i = 0; i < m_sweep.points.size(); ++i) {
        const sw::SweepPoint &point = m_sweep.points[i];
        if (isRate && point.flops == 0)
            continue;
        curve << QPointF(xOf(static_cast<double>(point.value)), yOf(range, isRate ? point.flopsPerNanosecond() : timeOf(point)));
        points.push_back(i);
    }
    painter.setPen(QPen(roleColor(role), 1.6));
    painter.setBrush(Qt::NoBrush);
    painter.drawPolyline(curve);
    painter.setBrush(roleColor(role));
    for (std::size_t i = 0; i < points.size(); ++i) {
        const bool isCurrent = m_current == points[i];
        painter.setPen(isCurrent ? QPen(roleColor(Role::SelectedHalo), 2) : QPen(roleColor(role), 1));
        const double radius = isCurrent ? kRadius + 2 : kRadius;
        const QPointF &center = curve[static_cast<qsizetype>(i)];
        if (isRate) // told apart without colour, too
            painter.drawRect(QRectF(center - QPointF(radius - 0.5, radius - 0.5), QSizeF(2 * radius - 1, 2 * radius - 1)));
        else
            painter.drawEllipse(center, radius, radius);
    }
}

} // namespace stepwell::ui
