#include "ui/panels/compiler_passes_panel.h"

#include "ui/panels/cut_text.h"
#include "ui/panels/table.h"
#include "ui/text_view/diff_view.h"

#include <QHBoxLayout>
#include <QItemSelectionModel>
#include <QKeyEvent>
#include <QSignalBlocker>
#include <QSplitter>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <array>

namespace stepwell::ui {

namespace {

constexpr int kListWidth = 330;

} // namespace

CompilerPassesPanel::CompilerPassesPanel(const PanelContext &context, const PanelName &name)
    : Panel(context, name),
      m_model(new CompilerPassModel(context.appearance, this)),
      m_table(new QTableView(this)),
      m_stack(tableWithHint(m_table, tr("Run the compiler to see its passes."), this)),
      m_diff(new DiffView(context.appearance, context.selection, this)),
      m_told(new CutLabel(this)),
      m_kernels(new CutComboBox(this)),
      m_onlyChanged(new QToolButton(this)),
      m_work(new QToolButton(this))
{
    m_table->setObjectName(QStringLiteral("compilerPassesTable"));
    m_table->setAccessibleName(tr("Passes of the compiler"));
    m_table->setModel(m_model);
    styleTable(*m_table);
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_table->horizontalHeader()->setSectionResizeMode(CompilerPassModel::Name, QHeaderView::Stretch);
    auto *right = new QWidget(this);
    auto *column = new QVBoxLayout(right);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    m_told->setObjectName(QStringLiteral("compilerPassTold"));
    m_told->setContentsMargins(9, 3, 9, 3);
    m_told->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    column->addWidget(m_told);
    column->addWidget(m_diff, 1);
    auto *splitter = new QSplitter(this);
    splitter->setObjectName(QStringLiteral("compilerPassesSplitter"));
    splitter->setHandleWidth(3);
    splitter->setChildrenCollapsible(false);
    auto *left = new QWidget(this);
    auto *list = new QVBoxLayout(left);
    list->setContentsMargins(0, 0, 0, 0);
    list->setSpacing(0);
    list->addWidget(makeStrip());
    list->addWidget(m_stack, 1);
    splitter->addWidget(left);
    splitter->addWidget(right);
    splitter->setSizes({kListWidth, 1000});
    splitter->setStretchFactor(1, 1);
    setContent(splitter);
    setFocusProxy(m_table);

    for (QWidget *widget :
         {static_cast<QWidget *>(m_table), static_cast<QWidget *>(&m_diff->before()), static_cast<QWidget *>(&m_diff->after())})
        widget->installEventFilter(this);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &CompilerPassesPanel::showPass);
    connect(&context.selection, &Selection::selectionChanged, this, &CompilerPassesPanel::onSelection);
    connect(&context.session, &Session::compileFinished, this, [this] { refillWhenVisible(); });
}

QWidget *CompilerPassesPanel::makeStrip()
{
    auto *strip = new QWidget(this);
    auto *row = new QHBoxLayout(strip);
    row->setContentsMargins(6, 2, 6, 2);
    row->setSpacing(6);
    m_kernels->setObjectName(QStringLiteral("compilerPassesKernel"));
    m_kernels->setAccessibleName(tr("Kernel"));
    m_kernels->setToolTip(tr("The kernel whose passes are shown; it follows the selection"));
    m_onlyChanged->setObjectName(QStringLiteral("compilerPassesChanged"));
    m_onlyChanged->setText(tr("Only changed"));
    m_onlyChanged->setToolTip(tr("Leaves out the passes that changed nothing (C)"));
    m_onlyChanged->setCheckable(true);
    m_onlyChanged->setAutoRaise(true);
    m_work->setObjectName(QStringLiteral("compilerPassesWork"));
    m_work->setAutoRaise(true);
    m_work->hide();
    row->addWidget(m_kernels, 1);
    row->addWidget(m_onlyChanged);
    row->addWidget(m_work);
    connect(m_kernels, &QComboBox::activated, this, [this](int index) { setKernel(static_cast<std::uint32_t>(index)); });
    connect(m_onlyChanged, &QToolButton::toggled, this, &CompilerPassesPanel::showOnlyChanged);
    connect(m_work, &QToolButton::clicked, this, [this] {
        if (m_context.session.isAsking(RequestTag::CompilerPasses)) {
            stop();
            return;
        }
        m_isStopped = false;
        request();
    });
    return strip;
}

void CompilerPassesPanel::setSnapshot(const SnapshotPtr &snapshot)
{
    m_snapshot = snapshot;
    const std::optional<std::uint64_t> made = snapshot ? snapshot->madeBy(sw::StageKind::Code) : std::nullopt;
    setMadeBy(made);
    if (made.value_or(0) != m_madeOf) {
        m_madeOf = made.value_or(0);
        m_made.clear();
        m_isStopped = false;
        fillKernels();
    }
    onSelection();
    fill();
    refillWhenVisible();
}

void CompilerPassesPanel::fillKernels()
{
    m_kernels->clear();
    if (!m_snapshot || !m_snapshot->good)
        return;
    for (const sw::KernelEntry &kernel : m_snapshot->good->kernels)
        m_kernels->addItem(QString::fromStdString(kernel.name));
    if (m_kernel >= static_cast<std::uint32_t>(m_kernels->count()))
        m_kernel = 0;
    m_kernels->setCurrentIndex(static_cast<int>(m_kernel));
}

QString CompilerPassesPanel::kernelName() const
{
    return m_kernels->itemText(static_cast<int>(m_kernel));
}

// The kernel of what is selected.
void CompilerPassesPanel::onSelection()
{
    if (const sw::DocumentItem *item = m_context.selection.selectedItem(); item != nullptr && item->kernel != sw::kNoIndex)
        setKernel(item->kernel);
}

void CompilerPassesPanel::setKernel(std::uint32_t kernel)
{
    if (kernel == m_kernel || kernel >= static_cast<std::uint32_t>(m_kernels->count()))
        return;
    m_kernel = kernel;
    m_kernels->setCurrentIndex(static_cast<int>(kernel));
    m_isStopped = false;
    fill();
    refillWhenVisible();
}

bool CompilerPassesPanel::isReady() const
{
    return m_snapshot && m_snapshot->isFinal && !isCompiling() && m_kernels->count() > 0 &&
           m_snapshot->madeBy(sw::StageKind::Code) == m_snapshot->compilation && !m_context.session.isKept();
}

void CompilerPassesPanel::request()
{
    if (isReady() && !m_isStopped && !m_made.contains(m_kernel))
        m_context.session.ask(
            RequestTag::CompilerPasses, this,
            [kernel = m_kernel](EngineService &engine, const std::stop_token &) { return engine.compilerPasses(kernel); },
            [this, kernel = m_kernel](sw::CompilerPassesPtr passes) {
                m_made[kernel] = std::move(passes);
                fill();
            });
    fill();
}

void CompilerPassesPanel::stop()
{
    m_context.session.cancel(RequestTag::CompilerPasses);
    m_isStopped = true;
    fill();
}

bool CompilerPassesPanel::isSettled() const
{
    return !isVisible() || !m_context.session.isAsking(RequestTag::CompilerPasses);
}

void CompilerPassesPanel::fill()
{
    const auto made = m_made.find(m_kernel);
    const sw::CompilerPassesPtr passes = made == m_made.end() ? nullptr : made->second;
    const bool isAsking = !passes && m_context.session.isAsking(RequestTag::CompilerPasses);
    m_work->setVisible(isAsking || (!passes && m_isStopped));
    m_work->setText(isAsking ? tr("Stop") : tr("Record them"));
    if (passes && passes->error.empty() && passes == m_shown)
        return;
    m_shown = passes && passes->error.empty() ? passes : nullptr;
    {
        const QSignalBlocker blocker(m_table->selectionModel());
        m_model->setPasses(m_shown);
    }
    showTable(*m_stack, m_shown != nullptr);
    if (m_shown) {
        m_hint.clear();
        setNote(tr("%1 of %2 changed something").arg(m_model->changedCount()).arg(m_shown->passes.size()));
        m_diff->setHint(tr("Choose a pass to see what it changed. F and R step through those that changed something."));
        m_table->setCurrentIndex({});
        if (const int first = m_model->nextChanged(-1, 1); first >= 0)
            m_table->selectRow(first);
        showPass();
        return;
    }
    setNote({});
    if (passes)
        showHint(QString::fromStdString(passes->error));
    else if (m_context.session.isKept())
        showHint(tr("The session shows what was kept in it. Passes are recorded from a program that is compiled here."));
    else if (isAsking)
        showHint(tr("Recording the passes over %1").arg(kernelName()));
    else if (m_isStopped)
        showHint(tr("Stopped."));
    else
        showHint(tr("No kernel is compiled yet."));
}

void CompilerPassesPanel::showHint(const QString &hint)
{
    m_hint = hint;
    setTableHint(*m_stack, hint);
    m_told->clear();
    m_diff->setHint({});
    m_diff->setDocuments(nullptr, nullptr, {});
}

void CompilerPassesPanel::showPass()
{
    const int row = m_table->currentIndex().row();
    if (!m_shown || row < 0) {
        m_told->clear();
        m_diff->setDocuments(nullptr, nullptr, {});
        return;
    }
    const std::size_t number = m_model->passAt(row);
    const sw::CompilerPassEntry &pass = m_shown->passes[number];
    const bool hasText = pass.isChanged && !pass.after.empty();
    if (hasText) {
        m_diff->setDocuments(sw::passDocument(pass.before), sw::passDocument(pass.after), {});
        m_diff->scrollToFirstChange();
    } else {
        m_diff->setHint(pass.isChanged ? tr("This pass changed the kernel. The texts of the passes before it took all the room "
                                            "that there is for them.")
                                       : tr("This pass changed nothing."));
        m_diff->setDocuments(nullptr, nullptr, {});
    }
    const QString lines = !hasText ? QString() : tr("%1 lines added, %2 removed").arg(pass.added).arg(pass.removed);
    m_told->setText(
        tr("pass %1 of %2: %3   %4").arg(number + 1).arg(m_shown->passes.size()).arg(QString::fromStdString(pass.name), lines));
}

void CompilerPassesPanel::stepChanged(int direction)
{
    const int from = m_table->currentIndex().isValid() ? m_table->currentIndex().row() : direction > 0 ? -1 : m_model->rowCount();
    if (const int next = m_model->nextChanged(from, direction); next >= 0) {
        m_table->selectRow(next);
        m_table->scrollTo(m_model->index(next, 0));
    }
}

void CompilerPassesPanel::showOnlyChanged(bool isOnly)
{
    const int row = m_table->currentIndex().row();
    const std::optional<std::size_t> pass = row < 0 ? std::nullopt : std::optional(m_model->passAt(row));
    m_onlyChanged->setChecked(isOnly);
    if (isOnly == m_model->isOnlyChanged())
        return;
    m_model->setOnlyChanged(isOnly);
    if (const int again = pass ? m_model->rowOf(*pass) : -1; again >= 0) {
        m_table->selectRow(again);
        m_table->scrollTo(m_model->index(again, 0));
    } else {
        showPass();
    }
}

bool CompilerPassesPanel::eventFilter(QObject *object, QEvent *event)
{
    const bool isOverride = event->type() == QEvent::ShortcutOverride;
    if (event->type() != QEvent::KeyPress && !isOverride)
        return Panel::eventFilter(object, event);
    const auto *key = static_cast<QKeyEvent *>(event);
    // While the panel has the focus, its keys come before the timeline's, which are the same letters.
    constexpr std::array kOwn{Qt::Key_F, Qt::Key_R, Qt::Key_C};
    if (key->modifiers() != Qt::NoModifier || std::ranges::find(kOwn, key->key()) == kOwn.end())
        return Panel::eventFilter(object, event);
    if (isOverride)
        event->accept();
    else if (key->key() == Qt::Key_C)
        showOnlyChanged(!m_model->isOnlyChanged());
    else
        stepChanged(key->key() == Qt::Key_F ? 1 : -1);
    return true;
}

} // namespace stepwell::ui
