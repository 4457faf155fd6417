#include "ui/timeline_track.h"

#include "ui/models/stage_name.h"
#include "ui/session/counted.h"

#include <QApplication>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QSignalBlocker>
#include <QToolTip>

#include <algorithm>
#include <cmath>
#include <utility>

namespace stepwell::ui {

namespace {

constexpr double kEndWidth = 46;
constexpr double kLabelHeight = 17;
constexpr double kLabelMargin = 7;
constexpr double kSegmentGap = 3;
constexpr double kMostTickWidth = 9;
constexpr double kLeastTick = 5; // pixels high, for a pass that changed something
constexpr double kNoTick = 4;    // pixels high, for one that did not

} // namespace

TimelineTrack::TimelineTrack(const Appearance &appearance, Moment &moment, Walk &walk, QWidget *parent)
    : QAbstractSlider(parent), PaintedView(appearance), m_moment(moment), m_walk(walk)
{
    setObjectName(QStringLiteral("timelineTrack"));
    setAccessibleName(tr("Passes of the compilation"));
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    connect(&appearance, &Appearance::changed, this, qOverload<>(&QWidget::update));
    connect(&moment, &Moment::passesChanged, this, &TimelineTrack::setPasses);
    connect(&moment, &Moment::placeChanged, this, &TimelineTrack::tell);
    connect(&moment.filter(), &MomentFilter::changed, this, &TimelineTrack::setPasses);
    connect(&walk, &Walk::changed, this, qOverload<>(&QWidget::update));
    // Changes come from assistive technology; keys and clicks go directly to the moment.
    connect(this, &QAbstractSlider::valueChanged, this, &TimelineTrack::choose);
    setPasses();
}

void TimelineTrack::setPasses()
{
    m_segments.clear();
    m_mostRewrites = 1;
    const auto &passes = m_moment.passes();
    for (int i = 0; i < static_cast<int>(passes.size()); ++i) {
        const sw::PassEntry &pass = passes[static_cast<std::size_t>(i)];
        if (m_segments.empty() || m_segments.back().stage != pass.output)
            m_segments.push_back({pass.output, i});
        ++m_segments.back().count;
        if (m_moment.isShown(static_cast<std::size_t>(i)))
            m_segments.back().shown.push_back(i);
        m_mostRewrites = std::max(m_mostRewrites, countOf(i));
    }
    place();
    tell();
}

// What the height of a pass's tick stands for.
std::uint32_t TimelineTrack::countOf(int pass) const
{
    const auto at = static_cast<std::size_t>(pass);
    return m_moment.filter().isActive() ? m_moment.filter().matchesIn(at) : m_moment.passes()[at].rewrites;
}

// Every stage has room for its name; stages share the remaining width by their number of passes.
void TimelineTrack::place()
{
    const QFontMetricsF metrics(font());
    double room = width() - kEndWidth - kSegmentGap * static_cast<double>(m_segments.size());
    int passes = 0;
    for (Segment &segment : m_segments) {
        segment.width = 0;
        passes += static_cast<int>(segment.shown.size());
    }
    for (bool isSettled = false; !isSettled;) {
        isSettled = true;
        for (Segment &segment : m_segments) {
            const double least = metrics.horizontalAdvance(stageName(segment.stage)) + 2 * kLabelMargin;
            if (segment.width > 0 || room / std::max(passes, 1) * static_cast<double>(segment.shown.size()) >= least)
                continue;
            segment.width = least;
            room -= least;
            passes -= static_cast<int>(segment.shown.size());
            isSettled = false;
        }
    }
    // Where even the names have no room, all become narrower alike, and the names are cut.
    double wanted = 0;
    for (Segment &segment : m_segments) {
        if (segment.width == 0)
            segment.width = room / passes * static_cast<double>(segment.shown.size());
        wanted += segment.width + kSegmentGap;
    }
    const double scale = std::min(1.0, std::max(0.0, width() - kEndWidth) / std::max(wanted, 1.0));
    double left = 0;
    for (Segment &segment : m_segments) {
        segment.width = (segment.width + kSegmentGap) * scale - kSegmentGap;
        segment.left = left;
        left += segment.width + kSegmentGap;
    }
    update();
}

QRectF TimelineTrack::slotOf(int pass) const
{
    const double top = kLabelHeight;
    for (const Segment &segment : m_segments) {
        if (pass < segment.first || pass >= segment.first + segment.count)
            continue;
        const auto found = std::ranges::find(segment.shown, pass);
        if (found == segment.shown.end())
            return {};
        const double each = segment.width / static_cast<double>(segment.shown.size());
        return {segment.left + each * static_cast<double>(found - segment.shown.begin()), top, each, height() - top};
    }
    return {width() - kEndWidth, 0, kEndWidth, static_cast<double>(height())};
}

int TimelineTrack::slotAt(double x) const
{
    const int count = static_cast<int>(m_moment.passes().size());
    for (int slot = 0; slot <= count; ++slot)
        if (const QRectF room = slotOf(slot); count > 0 && x >= room.left() && x < room.right())
            return slot;
    return -1;
}

QString TimelineTrack::textOf(int slot) const
{
    const auto &passes = m_moment.passes();
    if (slot >= static_cast<int>(passes.size()))
        return tr("The end of the compilation");
    const sw::PassEntry &pass = passes[static_cast<std::size_t>(slot)];
    const std::uint32_t matches = m_moment.filter().matchesIn(static_cast<std::size_t>(slot));
    const QString did = pass.failed         ? tr("failed")
                        : matches > 0       ? tr("%1 of %2 rewrites match").arg(matches).arg(pass.rewrites)
                        : pass.rewrites > 0 ? counted(pass.rewrites, tr("%1 rewrite"), tr("%1 rewrites"))
                        : pass.changed      ? tr("made the stage")
                                            : tr("changed nothing");
    return tr("Pass %1 of %2: %3, %4").arg(slot + 1).arg(passes.size()).arg(QString::fromStdString(pass.title), did);
}

// The text for assistive technology.
void TimelineTrack::tell()
{
    const QSignalBlocker blocker(this);
    const int count = static_cast<int>(m_moment.passes().size());
    setRange(0, count);
    setValue(m_moment.place() ? static_cast<int>(m_moment.place()->pass) : count);
    setAccessibleDescription(count == 0 ? tr("No passes have run yet") : textOf(value()));
    update();
}

void TimelineTrack::choose(int slot)
{
    if (slot >= static_cast<int>(m_moment.passes().size()))
        m_walk.goToEnd();
    else if (slot >= 0)
        m_moment.goTo({static_cast<std::uint32_t>(slot)});
}

bool TimelineTrack::isTyping() const
{
    return !m_typed.isEmpty() && !m_sinceTyped.hasExpired(QApplication::keyboardInputInterval());
}

void TimelineTrack::search(const QString &letter)
{
    m_typed = isTyping() && m_typed != letter ? m_typed + letter : letter;
    m_sinceTyped.start();
    const auto &passes = m_moment.passes();
    const int count = static_cast<int>(passes.size());
    const auto hasWord = [&](int pass) {
        const auto words = QString::fromStdString(passes[static_cast<std::size_t>(pass)].title).split(u' ');
        return std::ranges::any_of(words, [&](const QString &word) { return word.startsWith(m_typed, Qt::CaseInsensitive); });
    };
    // The first letter leads on; the ones behind it narrow down where it led to.
    const int from = (m_moment.place() ? static_cast<int>(m_moment.place()->pass) : -1) + (m_typed.size() == 1 ? 1 : 0);
    for (int i = 0; i < count; ++i) {
        const int pass = (std::max(from, 0) + i) % count;
        if (m_moment.isShown(static_cast<std::size_t>(pass)) && hasWord(pass)) {
            choose(pass);
            return;
        }
    }
}

void TimelineTrack::keyPressEvent(QKeyEvent *event)
{
    const bool isPlain = (event->modifiers() & ~Qt::ShiftModifier) == Qt::NoModifier;
    if (isPlain && event->text().size() == 1 && event->text().front().isLetter())
        search(event->text());
    else
        QAbstractSlider::keyPressEvent(event);
}

void TimelineTrack::focusOutEvent(QFocusEvent *event)
{
    m_typed.clear();
    QAbstractSlider::focusOutEvent(event);
}

bool TimelineTrack::event(QEvent *event)
{
    // The next letters belong to the word, even those that are shortcuts.
    if (event->type() == QEvent::ShortcutOverride && isTyping()) {
        const auto *key = static_cast<QKeyEvent *>(event);
        if (key->text().size() == 1 && key->text().front().isLetter()) {
            event->accept();
            return true;
        }
    }
    if (event->type() != QEvent::ToolTip)
        return QAbstractSlider::event(event);
    const auto *help = static_cast<QHelpEvent *>(event);
    const int slot = slotAt(help->pos().x());
    const auto &passes = m_moment.passes();
    if (slot < 0) {
        QToolTip::hideText();
    } else if (slot == static_cast<int>(passes.size())) {
        QToolTip::showText(help->globalPos(), tr("<b>The end of the compilation</b> (End)"), this);
    } else {
        const QString doc = QString::fromStdString(passes[static_cast<std::size_t>(slot)].doc).toHtmlEscaped();
        QToolTip::showText(help->globalPos(), QStringLiteral("<b>%1</b><br>%2").arg(textOf(slot).toHtmlEscaped(), doc), this);
    }
    return true;
}

void TimelineTrack::resizeEvent(QResizeEvent *event)
{
    QAbstractSlider::resizeEvent(event);
    place();
}

void TimelineTrack::mousePressEvent(QMouseEvent *event)
{
    if (event->button() == Qt::LeftButton)
        choose(slotAt(event->position().x()));
}

void TimelineTrack::mouseMoveEvent(QMouseEvent *event)
{
    const int slot = slotAt(event->position().x());
    if (slot == m_hovered)
        return;
    m_hovered = slot;
    setCursor(slot < 0 ? Qt::ArrowCursor : Qt::PointingHandCursor);
    update();
}

void TimelineTrack::leaveEvent(QEvent *event)
{
    QAbstractSlider::leaveEvent(event);
    m_hovered = -1;
    update();
}

// A user who scrolls past the bar does not mean to move it.
void TimelineTrack::wheelEvent(QWheelEvent *event)
{
    event->ignore();
}

void TimelineTrack::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    if (m_segments.empty()) {
        painter.setPen(roleColor(Role::Muted));
        painter.drawText(rect(), Qt::AlignVCenter | Qt::AlignLeft, tr("No passes have run yet."));
        return;
    }
    draw(painter);
    if (hasFocus()) {
        painter.setPen(roleColor(Role::Accent));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
    }
}

void TimelineTrack::draw(QPainter &painter) const
{
    for (const Segment &segment : m_segments)
        drawSegment(painter, segment);
    for (const Segment &segment : m_segments)
        for (const int pass : segment.shown)
            drawTick(painter, pass);
    drawEnd(painter);
}

QSizeF TimelineTrack::pictureSize() const
{
    return m_segments.empty() ? QSizeF() : QSizeF(size());
}

void TimelineTrack::drawPicture(QPainter &painter)
{
    const int hovered = std::exchange(m_hovered, -1);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.fillRect(rect(), roleColor(Role::Window));
    draw(painter);
    m_hovered = hovered;
}

void TimelineTrack::drawSegment(QPainter &painter, const Segment &segment) const
{
    const QRectF area(segment.left, 0, segment.width, height());
    painter.setPen(Qt::NoPen);
    painter.setBrush(roleColor(Role::Base));
    painter.drawRoundedRect(area, 3, 3);
    const int now = m_moment.place() ? static_cast<int>(m_moment.place()->pass) : -1;
    const bool isReached = now < 0 || now >= segment.first;
    const bool isCurrent = now >= segment.first && now < segment.first + segment.count;
    QFont label = font();
    label.setWeight(isCurrent ? QFont::DemiBold : QFont::Normal);
    painter.setFont(label);
    painter.setPen(roleColor(isCurrent ? Role::Text : isReached ? Role::Muted : Role::Disabled));
    painter.drawText(QRectF(area.left() + kLabelMargin, 0, area.width() - kLabelMargin, kLabelHeight),
                     Qt::AlignLeft | Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(stageName(segment.stage), Qt::ElideRight,
                                                      static_cast<int>(std::ceil(area.width() - kLabelMargin))));
}

// The height is the logarithm of the rewrites; for the current pass, it is filled as far as the rewrites are done.
void TimelineTrack::drawTick(QPainter &painter, int pass) const
{
    const sw::PassEntry &entry = m_moment.passes()[static_cast<std::size_t>(pass)];
    const QRectF room = slotOf(pass).adjusted(0, 1, 0, -3);
    const int now = m_moment.place() ? static_cast<int>(m_moment.place()->pass) : -1;
    if (pass == now || pass == m_hovered) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(roleColor(pass == now ? Role::Selection : Role::Hover));
        painter.drawRoundedRect(room.adjusted(0.5, -1, -0.5, 3), 2, 2);
    }
    const QColor base = roleColor(pass == now ? Role::Selection : Role::Base);
    const QColor strong = roleColor(entry.failed ? Role::Error : Role::Accent);
    const QColor faint = Theme::blend(base, strong, 0.35);
    const bool isBehind = now >= 0 && pass > now;
    painter.setPen(Qt::NoPen);
    if (!m_moment.isWorthSeeing(static_cast<std::size_t>(pass)) && !entry.failed) {
        painter.setBrush(roleColor(isBehind ? Role::Border : Role::Disabled));
        painter.drawRect(QRectF(std::round(room.center().x()) - 0.5, room.bottom() - kNoTick, 1, kNoTick));
        return;
    }
    const double share = std::log2(1.0 + countOf(pass)) / std::log2(1.0 + m_mostRewrites);
    const double tall = kLeastTick + (room.height() - kLeastTick) * share;
    const double wide = std::clamp(room.width() - 3, 2.0, kMostTickWidth);
    QRectF tick(room.center().x() - wide / 2, room.bottom() - tall, wide, tall);
    painter.setBrush(isBehind || pass == now ? faint : strong);
    painter.drawRoundedRect(tick, 1.5, 1.5);
    if (pass != now)
        return;
    const double done = entry.rewrites == 0 ? 1 : static_cast<double>(m_moment.done()) / entry.rewrites;
    tick.setTop(tick.bottom() - tall * done);
    painter.setBrush(strong);
    painter.drawRoundedRect(tick, 1.5, 1.5);
}

void TimelineTrack::drawEnd(QPainter &painter) const
{
    const int count = static_cast<int>(m_moment.passes().size());
    const QRectF area = slotOf(count);
    const bool isHere = m_moment.isAtEnd() && !m_walk.kernel();
    painter.setPen(Qt::NoPen);
    painter.setBrush(roleColor(isHere ? Role::Selection : m_hovered == count ? Role::Hover : Role::Base));
    painter.drawRoundedRect(area, 3, 3);
    QFont label = font();
    label.setWeight(isHere ? QFont::DemiBold : QFont::Normal);
    painter.setFont(label);
    painter.setPen(roleColor(isHere ? Role::Text : Role::Muted));
    painter.drawText(area, Qt::AlignCenter, tr("End"));
}

} // namespace stepwell::ui
