#include "ui/panels/roofline_plot.h"

#include "ui/models/quantity.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QToolTip>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace stepwell::ui {

namespace {

constexpr double kLeastRadius = 4;
constexpr double kMostRadius = 13; // of a kernel that takes all the time
constexpr double kReach = 4;       // pixels around a dot that still belong to it

} // namespace

RooflinePlot::RooflinePlot(const Appearance &appearance, QWidget *parent) : QWidget(parent), PaintedView(appearance)
{
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setMinimumSize(160, 80);
    connect(&appearance, &Appearance::changed, this, [this] { update(); });
}

void RooflinePlot::setRoofline(sw::Roofline roofline, std::vector<sw::RooflinePoint> before,
                               const std::vector<KernelIdentity> &kernels)
{
    m_roofline = std::move(roofline);
    m_kernels = kernels;
    m_dots.clear();
    m_hovered.reset();
    for (const sw::RooflinePoint &point : m_roofline.points) {
        if (point.intensity <= 0 || point.rate <= 0)
            continue;
        Dot dot{point.kernel, point.intensity, point.rate, point.share, {}};
        const auto earlier = std::ranges::find(before, point.name, &sw::RooflinePoint::name);
        if (earlier != before.end() && earlier->intensity > 0 && earlier->rate > 0)
            dot.before = QPointF(earlier->intensity, earlier->rate);
        m_dots.push_back(dot);
    }
    std::ranges::sort(m_dots, {}, &Dot::intensity);
    place();
    setAccessibleDescription(
        tr("%n kernel(s) with arithmetic under %1 roofs", nullptr, static_cast<int>(m_dots.size())).arg(m_roofline.roofs.size()));
    update();
}

void RooflinePlot::setSelected(std::vector<std::uint32_t> kernels)
{
    m_selected = std::move(kernels);
    update();
}

double RooflinePlot::highestRate() const
{
    double highest = 0;
    for (const sw::Roof &roof : m_roofline.roofs)
        if (roof.kind != sw::RoofKind::Memory)
            highest = std::max(highest, roof.perNanosecond);
    return highest;
}

// Whole powers of ten around all dots and the corners of the roofs.
void RooflinePlot::place()
{
    const double highest = highestRate();
    double left = 0.1;
    double right = 10;
    double bottom = std::max(highest, 1.0) / 100;
    double top = std::max(highest, 1.0) * 1.5;
    for (const sw::Roof &roof : m_roofline.roofs)
        if (roof.kind == sw::RoofKind::Memory && roof.perNanosecond > 0) {
            right = std::max(right, 4 * highest / roof.perNanosecond);
            left = std::min(left, highest / roof.perNanosecond / 4);
        }
    const auto include = [&](const QPointF &point) {
        left = std::min(left, point.x() / 1.5);
        right = std::max(right, point.x() * 1.5);
        bottom = std::min(bottom, point.y() / 1.5);
        top = std::max(top, point.y() * 1.5);
    };
    for (const Dot &dot : m_dots) {
        include({dot.intensity, dot.rate});
        if (dot.before)
            include(*dot.before);
    }
    m_x = {std::floor(std::log10(left)), std::ceil(std::log10(right))};
    m_y = {std::floor(std::log10(bottom)), std::log10(top)};
}

QRectF RooflinePlot::area() const
{
    const QFontMetricsF metrics(font());
    const QSizeF room = sizeOr(size()) - QSizeF(0, isPainting() ? legendHeight(sizeOr(size()).width()) : 0);
    const double left = kMargin + metrics.height() + metrics.horizontalAdvance(QStringLiteral("0.001")) + 4;
    return QRectF(QPointF(left, kMargin), QPointF(room.width() - kMargin, room.height() - 2 * metrics.height() - kMargin));
}

QPointF RooflinePlot::at(double intensity, double rate) const
{
    const QRectF plot = area();
    return {plot.left() + plot.width() * (std::log10(intensity) - m_x.low) / (m_x.high - m_x.low),
            plot.bottom() - plot.height() * (std::log10(rate) - m_y.low) / (m_y.high - m_y.low)};
}

double RooflinePlot::radiusOf(const Dot &dot) const
{
    return std::max(kLeastRadius, kMostRadius * std::sqrt(dot.share));
}

QColor RooflinePlot::colorOf(std::uint32_t kernel) const
{
    return kernel < m_kernels.size() ? usedTheme().identityColor(m_kernels[kernel].color) : roleColor(Role::Accent);
}

const RooflinePlot::Dot *RooflinePlot::dotOf(std::uint32_t kernel) const
{
    const auto found = std::ranges::find(m_dots, kernel, &Dot::kernel);
    return found == m_dots.end() ? nullptr : &*found;
}

std::optional<QPointF> RooflinePlot::positionOf(std::uint32_t kernel) const
{
    const Dot *dot = dotOf(kernel);
    return dot ? std::optional(at(dot->intensity, dot->rate)) : std::nullopt;
}

std::optional<std::uint32_t> RooflinePlot::kernelAt(const QPointF &position) const
{
    // The smallest: it may lie on a larger one.
    const Dot *found = nullptr;
    for (const Dot &dot : m_dots) {
        const QPointF away = at(dot.intensity, dot.rate) - position;
        if (std::hypot(away.x(), away.y()) <= radiusOf(dot) + kReach && (!found || dot.share < found->share))
            found = &dot;
    }
    return found ? std::optional(found->kernel) : std::nullopt;
}

std::size_t RooflinePlot::arrowCount() const
{
    return static_cast<std::size_t>(std::ranges::count_if(m_dots, [](const Dot &dot) { return dot.before.has_value(); }));
}

QString RooflinePlot::toolTipOf(std::uint32_t kernel) const
{
    const auto point = std::ranges::find(m_roofline.points, kernel, &sw::RooflinePoint::kernel);
    if (point == m_roofline.points.end())
        return {};
    return tr("%1: %2\n%3, %4 % of the time of all kernels\n%5 for %6, %7 FLOP per byte")
        .arg(QString::fromStdString(point->name), QString::fromStdString(point->text), timeText(point->nanoseconds),
             QString::number(100 * point->share, 'f', 0), amountText(point->flops, QStringLiteral("FLOP")),
             bytesText(point->bytes), QString::number(point->intensity, 'g', 3));
}

bool RooflinePlot::event(QEvent *event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto *help = static_cast<QHelpEvent *>(event);
        if (const auto kernel = kernelAt(help->pos()))
            QToolTip::showText(help->globalPos(), toolTipOf(*kernel), this);
        else
            QToolTip::hideText();
        return true;
    }
    return QWidget::event(event);
}

void RooflinePlot::mouseMoveEvent(QMouseEvent *event)
{
    const auto kernel = kernelAt(event->position());
    if (kernel == m_hovered)
        return;
    m_hovered = kernel;
    setCursor(kernel ? Qt::PointingHandCursor : Qt::ArrowCursor);
    update();
}

void RooflinePlot::leaveEvent(QEvent *)
{
    m_hovered.reset();
    update();
}

void RooflinePlot::mousePressEvent(QMouseEvent *event)
{
    if (const auto kernel = kernelAt(event->position()); kernel && event->button() == Qt::LeftButton)
        emit kernelChosen(*kernel);
}

void RooflinePlot::keyPressEvent(QKeyEvent *event)
{
    if (event->key() == Qt::Key_Right || event->key() == Qt::Key_Up)
        choose(1);
    else if (event->key() == Qt::Key_Left || event->key() == Qt::Key_Down)
        choose(-1);
    else
        QWidget::keyPressEvent(event);
}

// The next dot to the right or left of the selected one.
void RooflinePlot::choose(int by)
{
    if (m_dots.empty())
        return;
    const auto isSelected = [this](const Dot &dot) { return std::ranges::find(m_selected, dot.kernel) != m_selected.end(); };
    const auto found = std::ranges::find_if(m_dots, isSelected);
    const auto count = static_cast<std::ptrdiff_t>(m_dots.size());
    std::ptrdiff_t index = by > 0 ? 0 : count - 1;
    if (found != m_dots.end())
        index = std::clamp<std::ptrdiff_t>(found - m_dots.begin() + by, 0, count - 1);
    emit kernelChosen(m_dots[static_cast<std::size_t>(index)].kernel);
}

void RooflinePlot::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.fillRect(rect(), roleColor(Role::Base));
    draw(painter);
    if (hasFocus()) {
        painter.setPen(roleColor(Role::Accent));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5));
    }
}

} // namespace stepwell::ui
