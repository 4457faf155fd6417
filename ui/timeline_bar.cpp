#include "ui/timeline_bar.h"

#include "ui/panels/cut_text.h"
#include "ui/timeline_filter.h"
#include "ui/timeline_run.h"
#include "ui/timeline_track.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QSignalBlocker>
#include <QSlider>
#include <QStyle>
#include <QToolButton>

#include <algorithm>

namespace stepwell::ui {

namespace {

constexpr int kLineHeight = 52; // without the chips
constexpr int kSliderWidth = 90;
constexpr int kIconSize = 14;
constexpr int kTextSpacing = 8;
constexpr int kNarrow = 1000;   // the text needs the room
constexpr int kTrackShare = 11; // of the width, relative to the text beside it
constexpr int kRunShare = 2;
constexpr int kTextShare = 10;

// "drop-neutral x 2, reshape-once x 6": the most frequent first.
QString rulesText(const sw::PassEntry &pass)
{
    QStringList texts;
    for (const sw::RuleEntry &rule : pass.rules)
        texts << QStringLiteral("%1 \u00d7 %2").arg(QString::fromStdString(rule.rule)).arg(rule.rewrites);
    return texts.join(QStringLiteral(", "));
}

} // namespace

TimelineBar::TimelineBar(const Appearance &appearance, Moment &moment, Walk &walk, QWidget *parent)
    : QFrame(parent),
      m_appearance(appearance),
      m_moment(moment),
      m_walk(walk),
      m_track(new TimelineTrack(appearance, moment, walk, this)),
      m_run(new TimelineRun(appearance, walk, this)),
      m_speed(new QComboBox(this)),
      m_filter(new TimelineFilterButton(moment, this)),
      m_chips(new TimelineChips(appearance, moment, this)),
      m_pass(new CutLabel(this)),
      m_slider(new QSlider(Qt::Horizontal, this)),
      m_count(new QLabel(this)),
      m_legend(new QLabel(this)),
      m_rewrite(new CutLabel(this)),
      m_doc(new CutLabel(this))
{
    setObjectName(QStringLiteral("timelineBar"));
    setAccessibleName(tr("Timeline"));
    setAttribute(Qt::WA_StyledBackground);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    auto *lines = new QVBoxLayout(this);
    lines->setContentsMargins(6, 4, 6, 4);
    lines->setSpacing(3);
    auto *row = new QHBoxLayout;
    row->setSpacing(4);
    lines->addLayout(row);
    lines->addWidget(m_chips);
    m_line = row;
    m_track->setFixedHeight(kLineHeight);
    m_previous = addButton(QStringLiteral("timelinePrevious"), QStringLiteral("previous"),
                           tr("To the pass before that changed something (R)"));
    m_next = addButton(QStringLiteral("timelineNext"), QStringLiteral("next"), tr("To the next pass that changed something (F)"));
    m_play = addButton(QStringLiteral("timelinePlay"), QStringLiteral("run"), tr("Play: go on rewrite by rewrite"));
    m_speed->setObjectName(QStringLiteral("timelineSpeed"));
    m_speed->setAccessibleName(tr("Speed of playing"));
    m_speed->setToolTip(tr("Rewrites in a second, when playing"));
    for (const int each : {1, 2, 5, 20})
        m_speed->addItem(tr("%1/s").arg(each), 1000 / each);
    m_speed->setCurrentIndex(1);
    row->addWidget(m_speed);
    row->addWidget(m_filter);
    m_filter->setIconSize(QSize(kIconSize, kIconSize));
    m_icons.emplace_back(m_filter, QStringLiteral("filter"));
    row->addSpacing(4);
    row->addWidget(m_track, kTrackShare);
    m_run->setFixedHeight(kLineHeight);
    row->addWidget(m_run, kRunShare);
    row->addSpacing(6);
    auto *text = new QVBoxLayout;
    text->setSpacing(0);
    text->addLayout(makeFirstLine());
    m_rewrite->setObjectName(QStringLiteral("timelineRewrite"));
    m_doc->setObjectName(QStringLiteral("timelineDoc"));
    for (CutLabel *label : {m_rewrite, m_doc}) {
        label->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
        text->addWidget(label);
    }
    row->addLayout(text, kTextShare);
    m_end = addButton(QStringLiteral("timelineEnd"), {}, tr("Back to the end of the compilation (End)"));
    QSizePolicy kept = m_end->sizePolicy(); // the track keeps its width
    kept.setRetainSizeWhenHidden(true);
    m_end->setSizePolicy(kept);

    connect(m_previous, &QToolButton::clicked, &walk, [&walk] { walk.stepChanged(-1); });
    connect(m_next, &QToolButton::clicked, &walk, [&walk] { walk.stepChanged(1); });
    connect(m_play, &QToolButton::clicked, this, &TimelineBar::togglePlaying);
    connect(m_end, &QToolButton::clicked, &walk, &Walk::goToEnd);
    connect(m_slider, &QSlider::valueChanged, this, [this](int done) {
        if (m_moment.place())
            m_moment.goTo({m_moment.place()->pass, static_cast<std::uint32_t>(done)});
    });
    connect(m_speed, &QComboBox::currentIndexChanged, this, [this] { m_clock.setInterval(m_speed->currentData().toInt()); });
    m_clock.setInterval(m_speed->currentData().toInt());
    connect(&m_clock, &QTimer::timeout, this, &TimelineBar::tick);
    connect(&moment, &Moment::placeChanged, this, &TimelineBar::tell);
    connect(&moment, &Moment::passesChanged, this, &TimelineBar::tell);
    connect(&walk, &Walk::changed, this, &TimelineBar::tell);
    connect(&appearance, &Appearance::changed, this, [this] {
        setIcons();
        tell();
    });
    m_track->installEventFilter(this);
    m_run->installEventFilter(this);
    m_slider->installEventFilter(this);
    setIcons();
    tell();
}

// Explains the pass, its progress, and the colours.
QHBoxLayout *TimelineBar::makeFirstLine()
{
    m_pass->setObjectName(QStringLiteral("timelinePass"));
    QFont title = m_pass->font();
    title.setWeight(QFont::Bold);
    m_pass->setFont(title);
    m_slider->setObjectName(QStringLiteral("timelineRewrites"));
    m_slider->setAccessibleName(tr("Rewrites of the pass"));
    m_slider->setToolTip(tr("Rewrites of the pass (Left, Right)"));
    m_slider->setFixedWidth(kSliderWidth);
    m_count->setObjectName(QStringLiteral("timelineCount"));
    m_count->setToolTip(tr("Rewrites of the pass that are done, of all"));
    m_legend->setObjectName(QStringLiteral("timelineLegend"));
    m_legend->setTextFormat(Qt::RichText);
    m_legend->setToolTip(tr("How the panes mark what the rewrite touched"));
    auto *line = new QHBoxLayout;
    line->setSpacing(kTextSpacing);
    line->addWidget(m_pass);
    line->addWidget(m_slider);
    line->addWidget(m_count);
    line->addStretch(1);
    line->addWidget(m_legend);
    return line;
}

QToolButton *TimelineBar::addButton(const QString &name, const QString &icon, const QString &toolTip)
{
    auto *button = new QToolButton(this);
    button->setObjectName(name);
    button->setToolTip(toolTip);
    button->setAccessibleName(toolTip);
    button->setIconSize(QSize(kIconSize, kIconSize));
    button->setFocusPolicy(Qt::TabFocus);
    m_line->addWidget(button);
    if (!icon.isEmpty())
        m_icons.emplace_back(button, icon);
    return button;
}

void TimelineBar::setIcons()
{
    for (const auto &[button, icon] : m_icons)
        button->setIcon(m_appearance.icon(icon));
    m_play->setIcon(m_appearance.icon(isPlaying() ? QStringLiteral("stop") : QStringLiteral("run")));
}

void TimelineBar::setPlaying(bool isPlaying)
{
    if (isPlaying == m_clock.isActive())
        return;
    if (isPlaying) {
        if (m_moment.isAtEnd() && (!m_walk.kernel() || m_walk.isAtEnd()))
            m_walk.goToStart();
        m_clock.start();
    } else {
        m_clock.stop();
    }
    m_play->setToolTip(isPlaying ? tr("Stop playing") : tr("Play: go on rewrite by rewrite"));
    m_play->setAccessibleName(m_play->toolTip());
    setIcons();
}

// A rewrite that is still being made is shown before the next one starts.
void TimelineBar::tick()
{
    const bool isRun = m_walk.kernel().has_value();
    if (!m_moment.isPending())
        m_walk.stepRewrite(1);
    if (isRun ? m_walk.isAtEnd() : m_moment.isAtEnd())
        setPlaying(false);
}

void TimelineBar::tell()
{
    const sw::PassEntry *pass = m_moment.pass();
    const bool isInRun = m_walk.kernel().has_value();
    const bool isBeforeEnd = pass != nullptr;
    if (property("beforeEnd").toBool() != isBeforeEnd) {
        setProperty("beforeEnd", isBeforeEnd);
        style()->unpolish(this);
        style()->polish(this);
    }
    const QSignalBlocker blocker(m_slider);
    m_slider->setRange(0, pass ? static_cast<int>(pass->rewrites) : 0);
    m_slider->setValue(static_cast<int>(m_moment.done()));
    m_slider->setVisible(pass && pass->rewrites > 0);
    m_count->setVisible(m_slider->isVisibleTo(this));
    m_end->setVisible(isBeforeEnd || isInRun);
    const bool hasPasses = !m_moment.passes().empty();
    for (QToolButton *button : {m_previous, m_next, m_play})
        button->setEnabled(hasPasses);
    m_pass->setText(pass        ? QString::fromStdString(pass->title)
                    : isInRun   ? tr("The run")
                    : hasPasses ? tr("The end of the compilation")
                                : QString());
    if (pass)
        m_count->setText(tr("%1 of %2").arg(m_moment.done()).arg(pass->rewrites));
    if (isInRun)
        tellRun();
    else
        tellRewrite();
    placeLegend();
    setAccessibleDescription(m_track->accessibleDescription() + QStringLiteral(". ") + m_rewrite->text());
}

void TimelineBar::tellRun()
{
    m_hasLegend = false;
    m_rewrite->setText(m_walk.text());
    m_doc->setText(tr("Right: a step; Shift+Right: the next kernel; the Step pane has more"));
}

void TimelineBar::tellRewrite()
{
    const sw::PassEntry *pass = m_moment.pass();
    const sw::RewriteEntry *rewrite = m_moment.rewrite();
    const bool isOne = pass && m_moment.place()->rewrites != sw::kNoIndex;
    const auto mark = [this](Role role, const QString &text) {
        return QStringLiteral("<span style='color:%1'>%2</span>").arg(m_appearance.color(role).name(), text);
    };
    m_hasLegend = pass != nullptr && pass->changed;
    m_legend->setText(isOne ? mark(Role::Removed, tr("\u2212 matched")) + QStringLiteral("&nbsp;&nbsp;") +
                                  mark(Role::Added, tr("+ made"))
                            : mark(Role::Added, tr("+ made by the pass")));
    if (!pass) {
        const auto &all = m_moment.passes();
        const auto changed = std::ranges::count_if(all, [](const sw::PassEntry &entry) { return entry.changed; });
        m_rewrite->setText(all.empty() ? QString() : tr("%1 of %2 passes changed something").arg(changed).arg(all.size()));
        m_doc->setText(all.empty() ? QString() : tr("F: everything as it was then; Right: into the run"));
        return;
    }
    if (isOne && rewrite) {
        m_rewrite->setText(
            QStringLiteral("%1:  %2").arg(QString::fromStdString(rewrite->rule), QString::fromStdString(rewrite->detail)));
        m_doc->setText(QString::fromStdString(rewrite->doc));
        return;
    }
    m_rewrite->setText(!pass->changed                  ? tr("It changed nothing")
                       : isOne && m_moment.done() == 0 ? tr("Before its first rewrite")
                       : isOne                         ? QString() // it is still being made
                       : pass->rules.empty()           ? tr("All that it did")
                                                       : rulesText(*pass));
    m_doc->setText(QString::fromStdString(pass->doc));
}

void TimelineBar::resizeEvent(QResizeEvent *event)
{
    QFrame::resizeEvent(event);
    m_end->setText(width() < kNarrow ? tr("End") : tr("Back to the end"));
    placeLegend();
}

void TimelineBar::placeLegend()
{
    layout()->activate();
    const int beside = kSliderWidth + m_count->sizeHint().width() + m_legend->sizeHint().width() + 3 * kTextSpacing;
    m_legend->setVisible(m_hasLegend && m_pass->sizeHint().width() + beside <= m_rewrite->width());
}

bool TimelineBar::handleKey(int key, Qt::KeyboardModifiers modifiers)
{
    const bool isWhole = modifiers == Qt::ShiftModifier;
    if (!isWhole && modifiers != Qt::NoModifier && modifiers != Qt::KeypadModifier)
        return false;
    if (key == Qt::Key_Left || key == Qt::Key_Right) {
        const int direction = key == Qt::Key_Right ? 1 : -1;
        isWhole ? m_walk.stepPass(direction) : m_walk.stepRewrite(direction);
        return true;
    }
    if (key != Qt::Key_Home && key != Qt::Key_End)
        return false;
    key == Qt::Key_Home ? m_walk.goToStart() : m_walk.goToEnd();
    return true;
}

bool TimelineBar::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() != QEvent::KeyPress)
        return QFrame::eventFilter(watched, event);
    const auto *key = static_cast<QKeyEvent *>(event);
    return handleKey(key->key(), key->modifiers()) || QFrame::eventFilter(watched, event);
}

} // namespace stepwell::ui
