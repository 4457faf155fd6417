#include "ui/panels/values_difference.h"

#include "ui/panels/table.h"

#include <QGridLayout>
#include <QHelpEvent>
#include <QLabel>
#include <QMouseEvent>
#include <QPainter>
#include <QTableWidget>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace stepwell::ui {

namespace {

enum WorstColumn : int { Place, ByReference, ByDevice, Absolute, Ulp, kWorstColumns };

constexpr std::size_t kNoSteps = sw::kUlpBins - 1;
constexpr QSize kPictureSize(480, 320); // at least: a pane may be small

QString stepsOf(std::size_t bin)
{
    if (bin == kNoSteps)
        return ValuesDifference::tr("only one is a number");
    if (bin == 0)
        return ValuesDifference::tr("equal");
    if (bin == 1)
        return ValuesDifference::tr("1 ULP");
    if (bin > 40)
        return ValuesDifference::tr("from 2^%1 ULP").arg(bin - 1);
    const std::uint64_t first = std::uint64_t{1} << (bin - 1);
    return ValuesDifference::tr("%1 to %2 ULP").arg(first).arg(2 * first - 1);
}

QString number(double value)
{
    return QString::number(value, 'g', 6);
}

} // namespace

// ---- distances

UlpHistogram::UlpHistogram(const Appearance &appearance, QWidget *parent) : QWidget(parent), PaintedView(appearance)
{
    setObjectName(QStringLiteral("ulpHistogram"));
    setAccessibleName(tr("How many elements are how far apart"));
    connect(&appearance, &Appearance::changed, this, qOverload<>(&QWidget::update));
}

void UlpHistogram::setDifference(TensorDifferencePtr difference)
{
    m_difference = std::move(difference);
    update();
}

std::size_t UlpHistogram::bins() const
{
    std::size_t last = 0;
    for (std::size_t bin = 0; m_difference && bin < sw::kUlpBins; ++bin)
        if (m_difference->ulpHistogram[bin] > 0)
            last = bin;
    return std::max<std::size_t>(last + 1, 4);
}

QString UlpHistogram::tipAt(int x) const
{
    if (!m_difference || x < 0 || x >= width())
        return {};
    const std::size_t bin = static_cast<std::size_t>(x) * bins() / static_cast<std::size_t>(std::max(width(), 1));
    return tr("%1: %2 elements").arg(stepsOf(bin)).arg(m_difference->ulpHistogram[bin]);
}

// Logarithmic in height: most elements are equal, and one that is not must be seen.
void UlpHistogram::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.fillRect(rect(), roleColor(Role::Alternate));
    if (m_difference)
        draw(painter, size());
}

QSizeF UlpHistogram::pictureSize() const
{
    return m_difference ? QSizeF(size().expandedTo(kPictureSize)) : QSizeF();
}

// With the distances below the bars: a picture has no tips.
void UlpHistogram::drawPicture(QPainter &painter)
{
    const QSizeF size = pictureSize();
    const QFontMetricsF metrics(painter.font());
    const double line = metrics.height();
    const QSizeF room = size - QSizeF(0, 2 * line);
    draw(painter, room);
    painter.fillRect(QRectF(0, room.height(), size.width(), 1), roleColor(Role::Border));
    painter.setPen(roleColor(Role::Muted));
    const double wide = size.width() / static_cast<double>(bins());
    double free = 0; // where the last number ends
    for (std::size_t bin = 0; bin < bins(); ++bin) {
        const QString text = bin == kNoSteps ? tr("NaN")
                             : bin < 2       ? QString::number(bin)
                                             : QString::number(std::exp2(static_cast<double>(bin - 1)), 'g', 4);
        const double left = (static_cast<double>(bin) + 0.5) * wide - metrics.horizontalAdvance(text) / 2;
        if (left < free)
            continue;
        free = left + metrics.horizontalAdvance(text) + 4;
        painter.drawText(QPointF(left, room.height() + metrics.ascent() + 1), text);
    }
    painter.drawText(QRectF(0, size.height() - line, size.width(), line), Qt::AlignCenter,
                     tr("elements by their distance in ULP, logarithmic"));
}

void UlpHistogram::draw(QPainter &painter, const QSizeF &room) const
{
    const auto count = static_cast<double>(bins());
    const double most = std::log2(1.0 + static_cast<double>(std::max<std::int64_t>(m_difference->elements, 1)));
    for (std::size_t bin = 0; bin < bins(); ++bin) {
        const std::int64_t elements = m_difference->ulpHistogram[bin];
        if (elements == 0)
            continue;
        const double tall = std::max(2.0, std::log2(1.0 + static_cast<double>(elements)) / most * (room.height() - 2));
        const double left = static_cast<double>(bin) * room.width() / count;
        const Role role = bin == 0 ? Role::Added : bin == kNoSteps ? Role::NotANumber : Role::Bar;
        painter.fillRect(QRectF(left + 0.5, room.height() - tall, std::max(1.0, room.width() / count - 1), tall),
                         roleColor(role));
    }
}

bool UlpHistogram::event(QEvent *event)
{
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    const auto *help = static_cast<QHelpEvent *>(event);
    QToolTip::showText(help->globalPos(), tipAt(help->pos().x()), this);
    return true;
}

// ---- the map

DifferenceMapView::DifferenceMapView(const Appearance &appearance, QWidget *parent) : QWidget(parent), PaintedView(appearance)
{
    setObjectName(QStringLiteral("differenceMap"));
    setAccessibleName(tr("Where the elements are that differ"));
    connect(&appearance, &Appearance::changed, this, qOverload<>(&QWidget::update));
}

void DifferenceMapView::setDifference(TensorDifferencePtr difference, std::int64_t columns)
{
    m_difference = std::move(difference);
    m_columns = std::max<std::int64_t>(columns, 1);
    m_largest = 0;
    if (m_difference)
        for (const double value : m_difference->map.largest)
            if (std::isfinite(value))
                m_largest = std::max(m_largest, value);
    update();
}

QRectF DifferenceMapView::tileRect(std::uint32_t row, std::uint32_t column) const
{
    const sw::DifferenceMap &map = m_difference->map;
    const double wide = sizeOr(size()).width() / map.columns;
    const double high = sizeOr(size()).height() / map.rows;
    return {column * wide, row * high, wide, high};
}

std::optional<DifferenceMapView::Tile> DifferenceMapView::tileAt(QPointF point) const
{
    if (!m_difference || m_difference->map.rows == 0 || m_difference->map.columns == 0 || !rect().contains(point.toPoint()))
        return std::nullopt;
    const sw::DifferenceMap &map = m_difference->map;
    return Tile{std::min(static_cast<std::uint32_t>(point.y() * map.rows / height()), map.rows - 1),
                std::min(static_cast<std::uint32_t>(point.x() * map.columns / width()), map.columns - 1)};
}

std::int64_t DifferenceMapView::elementOf(const Tile &tile) const
{
    const std::int64_t rows = std::max<std::int64_t>(m_difference->elements / m_columns, 1);
    const std::int64_t row = tile.row * rows / m_difference->map.rows;
    return row * m_columns + tile.column * m_columns / m_difference->map.columns;
}

void DifferenceMapView::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.fillRect(rect(), roleColor(Role::Alternate));
    if (m_difference)
        draw(painter);
}

QSizeF DifferenceMapView::pictureSize() const
{
    return m_difference && m_difference->different > 0 ? QSizeF(size().expandedTo(kPictureSize)) : QSizeF();
}

void DifferenceMapView::drawPicture(QPainter &painter)
{
    painter.fillRect(QRectF({0, 0}, pictureSize()), roleColor(Role::Alternate));
    draw(painter);
}

void DifferenceMapView::draw(QPainter &painter) const
{
    const sw::DifferenceMap &map = m_difference->map;
    for (std::uint32_t row = 0; row < map.rows; ++row)
        for (std::uint32_t column = 0; column < map.columns; ++column) {
            const std::size_t at = static_cast<std::size_t>(row) * map.columns + column;
            if (map.different[at] == 0)
                continue;
            QColor color = roleColor(std::isfinite(map.largest[at]) ? Role::Error : Role::NotANumber);
            if (std::isfinite(map.largest[at]) && m_largest > 0)
                color.setAlphaF(static_cast<float>(0.25 + 0.75 * map.largest[at] / m_largest));
            painter.fillRect(tileRect(row, column).adjusted(0, 0, -0.5, -0.5), color);
        }
}

void DifferenceMapView::mousePressEvent(QMouseEvent *event)
{
    if (const auto tile = tileAt(event->position()))
        emit elementChosen(elementOf(*tile));
}

bool DifferenceMapView::event(QEvent *event)
{
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    const auto *help = static_cast<QHelpEvent *>(event);
    QString text;
    if (const auto tile = tileAt(help->pos())) {
        const std::size_t at = static_cast<std::size_t>(tile->row) * m_difference->map.columns + tile->column;
        text =
            tr("%1 elements differ here, by %2 at most").arg(m_difference->map.different[at]).arg(m_difference->map.largest[at]);
    }
    QToolTip::showText(help->globalPos(), text, this);
    return true;
}

// ---- all of it

ValuesDifference::ValuesDifference(const Appearance &appearance, QWidget *parent)
    : QWidget(parent),
      m_summary(new QLabel(this)),
      m_histogram(new UlpHistogram(appearance, this)),
      m_worst(new QTableWidget(this)),
      m_map(new DifferenceMapView(appearance, this))
{
    setObjectName(QStringLiteral("valuesDifference"));
    m_summary->setObjectName(QStringLiteral("differenceSummary"));
    m_summary->setTextFormat(Qt::RichText);
    m_summary->setWordWrap(true);
    m_summary->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    m_summary->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_worst->setObjectName(QStringLiteral("differenceWorst"));
    m_worst->setAccessibleName(tr("The elements that are furthest apart"));
    m_worst->setColumnCount(kWorstColumns);
    setNames(tr("Reference"), tr("Device"));
    styleTable(*m_worst);
    m_worst->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    auto *grid = new QGridLayout(this);
    grid->setContentsMargins(8, 4, 8, 4);
    grid->setSpacing(6);
    grid->addWidget(m_summary, 0, 0);
    grid->addWidget(m_histogram, 1, 0);
    grid->addWidget(m_map, 2, 0);
    grid->addWidget(m_worst, 0, 1, 3, 1);
    grid->setRowStretch(2, 1);
    grid->setColumnStretch(0, 1);
    grid->setColumnStretch(1, 2);
    const auto choose = [this](int row) {
        if (m_difference && row >= 0 && row < static_cast<int>(m_difference->worst.size()))
            emit elementChosen(m_difference->worst[static_cast<std::size_t>(row)].index);
    };
    connect(m_worst, &QTableWidget::currentCellChanged, this, choose);
    connect(m_worst, &QTableWidget::cellClicked, this, choose);
    connect(m_map, &DifferenceMapView::elementChosen, this, &ValuesDifference::elementChosen);
}

void ValuesDifference::setNames(const QString &before, const QString &after)
{
    m_worst->setHorizontalHeaderLabels({tr("Worst at"), before, after, tr("Difference"), tr("ULP")});
}

QString ValuesDifference::summary() const
{
    const sw::TensorDifference &made = *m_difference;
    if (made.isEqual())
        return made.hashBefore == made.hashAfter ? tr("All %1 elements have the same bits.").arg(made.elements)
                                                 : tr("All %1 elements are equal.").arg(made.elements);
    QString text = tr("<b>%1</b> of %2 elements differ").arg(made.different).arg(made.elements);
    text +=
        tr("<br>at most %1, relative %2, <b>%3 ULP</b>").arg(number(made.maxAbsolute), number(made.maxRelative)).arg(made.maxUlp);
    if (made.notNumbers > 0)
        text += tr("<br>%1 are NaN in only one").arg(made.notNumbers);
    if (made.infinities > 0)
        text += tr("<br>%1 are infinite in only one").arg(made.infinities);
    return text;
}

void ValuesDifference::setDifference(const TensorDifferencePtr &difference, std::int64_t columns, const QStringList &places,
                                     const QString &error)
{
    m_difference = difference;
    m_histogram->setDifference(difference);
    m_map->setDifference(difference, columns);
    m_worst->setRowCount(0);
    m_summary->setText(difference ? summary() : error.toHtmlEscaped());
    m_histogram->setVisible(difference != nullptr);
    m_map->setVisible(difference != nullptr);
    m_worst->setVisible(difference != nullptr && !difference->worst.empty());
    if (!difference)
        return;
    m_worst->setRowCount(static_cast<int>(difference->worst.size()));
    for (int row = 0; row < m_worst->rowCount(); ++row) {
        const sw::ElementDifference &worst = difference->worst[static_cast<std::size_t>(row)];
        const QStringList texts{places.value(row), number(worst.before), number(worst.after), number(worst.absolute),
                                QString::number(worst.ulp)};
        for (int column = 0; column < kWorstColumns; ++column)
            m_worst->setItem(row, column, new QTableWidgetItem(texts[column]));
    }
}

} // namespace stepwell::ui
