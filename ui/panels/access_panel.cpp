#include "ui/panels/access_panel.h"

#include "ui/panels/cut_text.h"
#include "ui/panels/flow_layout.h"
#include "ui/panels/loop_bar.h"
#include "ui/session/kernel_choice.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLocale>
#include <QMenu>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QSplitter>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <array>

namespace stepwell::ui {

namespace {

constexpr int kFirstTrail = 64;
constexpr int kMostTrail = 4096;
constexpr std::array kSpeeds{2, 5, 12, 25, 50}; // accesses in a second
constexpr int kFirstSpeed = 2;                  // of them

} // namespace

AccessPanel::AccessPanel(const PanelContext &context, const PanelName &name)
    : Panel(context, name),
      PaintedView(context.appearance),
      m_debugger(context.debugger),
      m_viewed(&context.debugger),
      m_twin(context.session, context.debugger),
      m_sides(new QSplitter(Qt::Horizontal, this)),
      m_side(new AccessSide(context.appearance, QStringLiteral("accessNow"), this)),
      m_other(new AccessSide(context.appearance, QStringLiteral("accessBefore"), this)),
      m_canvas(&m_side->canvas()),
      m_loops(new LoopBar(this)),
      m_modes(new QComboBox(this)),
      m_beside(new CutComboBox(this)),
      m_trail(new QSpinBox(this)),
      m_slice(new QSpinBox(this)),
      m_cacheLines(new QCheckBox(tr("Cache lines"), this)),
      m_play(new QToolButton(this)),
      m_speeds(new QComboBox(this)),
      m_steps(new QLabel(this))
{
    arrange();
    connect(m_modes, &QComboBox::currentIndexChanged, this, [this](int index) { setMode(static_cast<AccessMode>(index)); });
    connect(m_trail, &QSpinBox::valueChanged, this, &AccessPanel::watch);
    connect(m_slice, &QSpinBox::valueChanged, this, [this](int slice) {
        forBoth([slice](AccessCanvas &canvas) {
            canvas.scene().setSlice(slice == 0 ? std::nullopt : std::optional<std::int64_t>(slice - 1));
            canvas.update();
        });
    });
    connect(m_cacheLines, &QCheckBox::toggled, this,
            [this](bool isOn) { forBoth([isOn](AccessCanvas &canvas) { canvas.showCacheLines(isOn); }); });
    connect(m_beside, &QComboBox::activated, this, [this](int index) {
        const QVariant transforms = m_beside->itemData(index);
        m_twin.choose(transforms.isValid() ? std::optional(static_cast<std::size_t>(transforms.toULongLong())) : std::nullopt);
    });
    connect(&m_twin, &TraceTwin::transformsChanged, this, &AccessPanel::listTransforms);
    connect(&m_twin, &TraceTwin::opened, this, &AccessPanel::showTwin);
    connect(&m_twin, &TraceTwin::moved, this, &AccessPanel::moveTwin);
    connect(m_play, &QToolButton::clicked, this, [this] { setPlaying(!m_timer.isActive()); });
    connect(m_speeds, &QComboBox::activated, this,
            [this](int index) { m_timer.setInterval(1000 / kSpeeds.at(static_cast<std::size_t>(index))); });
    connect(&m_timer, &QTimer::timeout, this, &AccessPanel::play);
    connect(m_loops, &LoopBar::jumpWanted, &m_debugger, &Debugger::jump);
    connect(m_canvas, &AccessCanvas::runWanted, this,
            [this](sw::TraceDirection direction, std::uint32_t memory, std::int64_t element) {
                const sw::TraceMemory *found = m_debugger.facts() ? m_debugger.facts()->memory(memory) : nullptr;
                if (found)
                    runToElement(direction, found->name, element);
            });
    // The run goes there, and the twin follows.
    connect(&m_other->canvas(), &AccessCanvas::runWanted, this,
            [this](sw::TraceDirection direction, std::uint32_t memory, std::int64_t element) {
                const auto found = std::ranges::find(m_twin.memories(), memory, &sw::TraceMemory::instruction);
                if (found != m_twin.memories().end())
                    runToElement(direction, found->name, element);
            });
    connect(&m_debugger, &Debugger::opened, this, &AccessPanel::onOpened);
    connect(&m_debugger, &Debugger::moved, this, &AccessPanel::onMoved);
    connect(&m_debugger, &Debugger::totalsReady, this, [this](const std::shared_ptr<const sw::TraceTotals> &totals) {
        m_canvas->scene().setTotals(totals);
        m_canvas->update();
    });
    connect(&context.selection, &Selection::selectionChanged, this, &AccessPanel::follow);
    onOpened();
    listTransforms();
    showTwin();
}

void AccessPanel::runToElement(sw::TraceDirection direction, const std::string &memory, std::int64_t element)
{
    m_debugger.runTo(direction, "element:" + memory + "[" + std::to_string(element) + "]",
                     tr("An access of %1").arg(QString::fromStdString(memory)));
}

void AccessPanel::arrange()
{
    m_modes->setObjectName(QStringLiteral("accessModes"));
    m_modes->setAccessibleName(tr("What the grids show"));
    m_modes->addItems({tr("Now"), tr("Touches"), tr("First touch"), tr("Last touch")});
    m_modes->setToolTip(tr("The last accesses, or totals of the whole run"));
    m_trail->setObjectName(QStringLiteral("accessTrail"));
    m_trail->setRange(1, kMostTrail);
    m_trail->setValue(kFirstTrail);
    m_trail->setPrefix(tr("last "));
    m_trail->setToolTip(tr("How many of the last accesses are lit; older ones are fainter"));
    m_trail->setAccessibleName(tr("How many accesses are lit"));
    m_slice->setObjectName(QStringLiteral("accessSlice"));
    m_slice->setPrefix(tr("slice "));
    m_slice->setSpecialValueText(tr("slice of the run"));
    m_slice->setToolTip(tr("Which slice of tensors with more than two axes is shown"));
    m_slice->setAccessibleName(tr("Slice"));
    m_cacheLines->setObjectName(QStringLiteral("accessCacheLines"));
    m_cacheLines->setChecked(true);
    m_cacheLines->setToolTip(tr("Where lines of 64 bytes begin, and which of them the last step touched"));
    m_play->setObjectName(QStringLiteral("accessPlay"));
    m_play->setText(tr("Play"));
    m_play->setToolButtonStyle(Qt::ToolButtonIconOnly);
    m_play->setAutoRaise(true);
    m_play->setCheckable(true);
    m_play->setToolTip(tr("Play: go on from access to access"));
    m_beside->setObjectName(QStringLiteral("accessBeside"));
    m_beside->setAccessibleName(tr("What to compare with"));
    m_beside->setToolTip(tr("The same kernel with fewer of its loop transformations, beside it"));
    m_beside->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_beside->setMinimumContentsLength(14);
    m_speeds->setObjectName(QStringLiteral("accessSpeeds"));
    m_speeds->setAccessibleName(tr("Speed"));
    for (const int speed : kSpeeds)
        m_speeds->addItem(tr("%1 / s").arg(speed));
    m_speeds->setCurrentIndex(kFirstSpeed);
    m_timer.setInterval(1000 / kSpeeds[kFirstSpeed]);
    m_steps->setObjectName(QStringLiteral("accessSteps"));

    QToolButton *save = addTool(QStringLiteral("save"), tr("Save a picture, or an animation of the accesses that follow"));
    save->setObjectName(QStringLiteral("accessSave"));
    auto *menu = new QMenu(save);
    connect(menu->addAction(tr("Save a picture\u2026")), &QAction::triggered, this, &AccessPanel::savePicture);
    connect(menu->addAction(tr("Save an animation\u2026")), &QAction::triggered, this, &AccessPanel::saveAnimation);
    save->setMenu(menu);
    save->setPopupMode(QToolButton::InstantPopup);

    auto *tools = new QWidget(this);
    auto *row = new FlowLayout(0, 8, tools);
    for (QWidget *widget :
         std::initializer_list<QWidget *>{m_modes, m_trail, m_slice, m_cacheLines, m_play, m_speeds, m_beside, m_steps})
        row->addWidget(widget);
    auto *content = new QWidget(this);
    auto *column = new QVBoxLayout(content);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto *head = new QVBoxLayout;
    head->setContentsMargins(6, 3, 8, 4);
    head->setSpacing(4);
    head->addWidget(tools);
    m_loopArea = new QWidget(this);
    auto *loopColumn = new QVBoxLayout(m_loopArea);
    loopColumn->setContentsMargins(0, 0, 0, 0);
    loopColumn->addWidget(m_loops);
    head->addWidget(m_loopArea);
    column->addLayout(head);
    m_other->canvas().setObjectName(QStringLiteral("accessCanvasBefore"));
    m_sides->setChildrenCollapsible(false);
    m_sides->setHandleWidth(5);
    m_sides->addWidget(m_side);
    m_sides->addWidget(m_other);
    column->addWidget(m_sides, 1);
    setContent(content);
    setFocusProxy(m_canvas);
    const auto setIcon = [this] { m_play->setIcon(m_context.appearance.icon(QStringLiteral("run"))); };
    connect(&m_context.appearance, &Appearance::changed, this, setIcon);
    setIcon();
}

void AccessPanel::setSnapshot(const SnapshotPtr &snapshot)
{
    m_snapshot = snapshot;
    follow();
}

void AccessPanel::follow()
{
    if (!isVisible())
        return;
    if (const auto kernel = kernelToOpen(m_debugger, m_context.selection, m_context.moment, m_snapshot))
        m_debugger.open(*kernel);
}

void AccessPanel::showEvent(QShowEvent *event)
{
    Panel::showEvent(event);
    m_debugger.addViewer(this);
    watch();
    follow();
}

void AccessPanel::hideEvent(QHideEvent *event)
{
    setPlaying(false);
    if (m_viewed) {
        m_viewed->watchTrail(0);
        m_viewed->removeViewer(this);
    }
    Panel::hideEvent(event);
}

void AccessPanel::watch()
{
    if (!isVisible())
        return;
    m_debugger.watchTrail(static_cast<std::size_t>(m_trail->value()));
    m_twin.watchTrail(static_cast<std::size_t>(m_trail->value()));
}

void AccessPanel::setMode(AccessMode mode)
{
    forBoth([mode](AccessCanvas &canvas) {
        canvas.scene().setMode(mode);
        canvas.update();
    });
    m_trail->setEnabled(mode == AccessMode::Now);
    if (mode != AccessMode::Now)
        m_debugger.askTotals();
}

void AccessPanel::onOpened()
{
    const TraceFacts *facts = m_debugger.facts();
    setPlaying(false);
    m_loops->setFacts(facts);
    m_canvas->scene().setMemories(facts ? facts->memories : std::vector<sw::TraceMemory>());
    m_canvas->showCacheLines(m_cacheLines->isChecked());
    const auto slices = static_cast<int>(std::min<std::int64_t>(m_canvas->scene().mostSlices(), 1'000'000));
    const QSignalBlocker blocker(m_slice);
    m_slice->setRange(0, slices);
    m_slice->setSuffix(tr(" of %1").arg(slices));
    m_slice->setVisible(slices > 1);
    for (QWidget *widget : std::initializer_list<QWidget *>{m_modes, m_trail, m_play, m_speeds, m_cacheLines})
        widget->setEnabled(facts != nullptr);
    setMadeBy(facts ? std::optional(m_debugger.compilation()) : std::nullopt);
    setNote(facts ? QString::fromStdString(facts->name) : QString());
    m_steps->clear();
    if (!facts)
        m_canvas->setHint(m_debugger.state() == TraceState::Failed
                              ? m_debugger.problem()
                              : tr("Choose a kernel, in the Kernels pane or in Step, to see what it reads and writes."));
    else
        m_canvas->setHint({});
    if (facts)
        setMode(static_cast<AccessMode>(m_modes->currentIndex()));
}

void AccessPanel::onMoved()
{
    const sw::TracePosition *position = m_debugger.position();
    if (!position)
        return;
    m_loops->setPosition(*position);
    m_canvas->scene().setTrail(m_debugger.trail(), position->position);
    m_steps->setText(tr("step %1").arg(QLocale().toString(static_cast<qulonglong>(position->position))));
    m_canvas->update();
    if (m_timer.isActive() && (position->line == 0 || !m_debugger.note().isEmpty()))
        setPlaying(false);
}

void AccessPanel::setPlaying(bool isPlaying)
{
    m_play->setChecked(isPlaying);
    if (isPlaying)
        m_timer.start();
    else
        m_timer.stop();
}

void AccessPanel::play()
{
    if (!m_debugger.isMoving())
        m_debugger.runToAccess(sw::TraceDirection::Forward);
}

} // namespace stepwell::ui
