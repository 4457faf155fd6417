#include "ui/panels/values_side.h"

#include "ui/models/quantity.h"
#include "ui/models/value_model.h"
#include "ui/session/counted.h"

#include <QHelpEvent>
#include <QLabel>
#include <QPainter>
#include <QToolTip>
#include <QVBoxLayout>

#include <algorithm>

namespace stepwell::ui {

namespace {

constexpr int kAxisHeight = 14;
constexpr QSize kPictureSize(480, 240); // at least: a pane may be small

double boundOf(const sw::TensorStatistics &statistics, std::size_t bin)
{
    const double share = static_cast<double>(bin) / static_cast<double>(sw::kHistogramBins);
    return statistics.minimum * (1 - share) + statistics.maximum * share;
}

} // namespace

ValuesHistogram::ValuesHistogram(const Appearance &appearance, QWidget *parent) : QWidget(parent), PaintedView(appearance)
{
    connect(&appearance, &Appearance::changed, this, qOverload<>(&QWidget::update));
}

void ValuesHistogram::setStatistics(sw::TensorStatisticsPtr statistics)
{
    m_statistics = std::move(statistics);
    update();
}

QString ValuesHistogram::tipAt(int x) const
{
    if (!m_statistics || m_statistics->histogram.empty() || x < 0 || x >= width())
        return {};
    const auto bin = static_cast<std::size_t>(x) * sw::kHistogramBins / static_cast<std::size_t>(width());
    return tr("%1 to %2: %3")
        .arg(numberText(boundOf(*m_statistics, bin)), numberText(boundOf(*m_statistics, bin + 1)),
             counted(m_statistics->histogram[bin], tr("%1 element"), tr("%1 elements")));
}

void ValuesHistogram::paintEvent(QPaintEvent *)
{
    if (!m_statistics || m_statistics->histogram.empty())
        return;
    QPainter painter(this);
    draw(painter, size());
}

QSizeF ValuesHistogram::pictureSize() const
{
    return m_statistics && !m_statistics->histogram.empty() ? QSizeF(size().expandedTo(kPictureSize)) : QSizeF();
}

void ValuesHistogram::drawPicture(QPainter &painter)
{
    draw(painter, pictureSize().toSize());
}

void ValuesHistogram::draw(QPainter &painter, const QSize &room) const
{
    const std::vector<std::int64_t> &bins = m_statistics->histogram;
    const std::int64_t most = std::ranges::max(bins);
    const bool hasAxis = room.height() >= 3 * kAxisHeight;
    const int floor = room.height() - (hasAxis ? kAxisHeight : 1);
    for (std::size_t i = 0; i < bins.size(); ++i) {
        if (bins[i] == 0)
            continue;
        const int left = static_cast<int>(i * static_cast<std::size_t>(room.width()) / bins.size());
        const int right = static_cast<int>((i + 1) * static_cast<std::size_t>(room.width()) / bins.size());
        // One element is visible beside a million.
        const int tall =
            std::max(2, static_cast<int>(static_cast<double>(floor) * static_cast<double>(bins[i]) / static_cast<double>(most)));
        painter.fillRect(left, floor - tall, std::max(1, right - left - 1), tall, roleColor(Role::Bar));
    }
    painter.fillRect(0, floor, room.width(), 1, roleColor(Role::Border));
    if (!hasAxis)
        return;
    painter.setFont(appearance().textFont());
    painter.setPen(roleColor(Role::Muted));
    const QRect axis(0, floor, room.width(), kAxisHeight + 2);
    painter.drawText(axis, Qt::AlignLeft | Qt::AlignVCenter, shortNumber(numberText(m_statistics->minimum), 9));
    painter.drawText(axis, Qt::AlignRight | Qt::AlignVCenter, shortNumber(numberText(m_statistics->maximum), 9));
}

bool ValuesHistogram::event(QEvent *event)
{
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    const auto *help = static_cast<QHelpEvent *>(event);
    if (const QString tip = tipAt(help->pos().x()); !tip.isEmpty())
        QToolTip::showText(help->globalPos(), tip, this);
    else
        QToolTip::hideText();
    return true;
}

ValuesSide::ValuesSide(const Appearance &appearance, QWidget *parent)
    : QWidget(parent), m_appearance(appearance), m_label(new QLabel(this)), m_histogram(new ValuesHistogram(appearance, this))
{
    m_label->setObjectName(QStringLiteral("statistics"));
    m_label->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    m_label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_label->setWordWrap(true);
    m_histogram->setObjectName(QStringLiteral("histogram"));
    m_histogram->setAccessibleName(tr("How the values are distributed"));
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(4);
    column->addWidget(m_label);
    column->addWidget(m_histogram, 1);
    column->addStretch();
    connect(&appearance, &Appearance::changed, this, &ValuesSide::showAll);
}

void ValuesSide::setView(const sw::TensorViewPtr &view, const QString &name, sw::TensorStatisticsPtr statistics)
{
    m_view = view;
    m_name = name;
    m_statistics = std::move(statistics);
    showAll();
}

void ValuesSide::setOutOfDate(bool isOutOfDate)
{
    m_isOutOfDate = isOutOfDate;
    showAll();
}

void ValuesSide::showAll()
{
    m_histogram->setStatistics(m_statistics);
    if (!m_view) {
        m_label->clear();
        return;
    }
    const auto cell = [&](const QString &name, const QString &value, QColor color) {
        if (m_isOutOfDate)
            color = m_appearance.color(Role::Muted);
        return QStringLiteral("<td style='color:%1; padding-right:4px; white-space:nowrap'>%2</td><td style='color:%3; "
                              "padding-right:8px; white-space:nowrap'>%4</td>")
            .arg(m_appearance.color(Role::Muted).name(), name, color.name(), value);
    };
    QString html =
        QStringLiteral("<b>%1</b> %2").arg(m_name.toHtmlEscaped(), QString::fromStdString(m_view->type()).toHtmlEscaped());
    if (!m_statistics) {
        m_label->setText(html + QStringLiteral("<br>") + tr("Counting\u2026"));
        return;
    }
    const sw::TensorStatistics &counted = *m_statistics;
    if (m_view->hasNumbers()) {
        const auto number = [&](double value) {
            const QString text = counted.finite() > 0 ? shortNumber(numberText(value), 9) : QStringLiteral("\u2013");
            return std::pair{text, m_appearance.color(Role::Text)};
        };
        const auto count = [&](std::int64_t of, sw::ValueClass kind) {
            return std::pair{QString::number(of), of == 0 ? m_appearance.color(Role::Text) : colorOf(kind, m_appearance)};
        };
        const auto row = [&](const QString &a, const auto &first, const QString &b, const auto &second) {
            return QStringLiteral("<tr>") + cell(a, first.first, first.second) + cell(b, second.first, second.second) +
                   QStringLiteral("</tr>");
        };
        html += QStringLiteral("<table>");
        html += row(tr("min"), number(counted.minimum), tr("max"), number(counted.maximum));
        html += row(tr("mean"), number(counted.mean), tr("deviation"), number(counted.deviation));
        html += row(tr("NaN"), count(counted.nans, sw::ValueClass::NotANumber), tr("infinite"),
                    count(counted.infinities, sw::ValueClass::Infinity));
        html += row(tr("zero"), count(counted.zeros, sw::ValueClass::Zero), tr("subnormal"),
                    count(counted.subnormals, sw::ValueClass::Subnormal));
        html += QStringLiteral("</table>");
    }
    m_label->setText(html);
}

} // namespace stepwell::ui
