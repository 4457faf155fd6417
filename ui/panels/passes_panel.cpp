#include "ui/panels/passes_panel.h"

#include "ui/panels/table.h"
#include "ui/text_view/diff_view.h"

#include <QHBoxLayout>
#include <QItemSelectionModel>
#include <QSignalBlocker>
#include <QSlider>
#include <QSplitter>

#include <algorithm>

namespace stepwell::ui {

namespace {

constexpr int kListWidth = 330;

} // namespace

PassesPanel::PassesPanel(const PanelContext &context)
    : Panel(context, QStringLiteral("passes"), tr("Passes")),
      m_model(new PassModel(context.appearance, this)),
      m_table(new QTableView(this)),
      m_stack(tableWithHint(m_table, tr("No passes have run yet."), this)),
      m_diff(new DiffView(context.appearance, context.selection, this)),
      m_slider(new QSlider(Qt::Horizontal, this)),
      m_rewrite(new CutLabel(this))
{
    m_table->setObjectName(QStringLiteral("passesTable"));
    m_table->setAccessibleName(tr("Passes"));
    m_table->setModel(m_model);
    styleTable(*m_table);
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_table->horizontalHeader()->setSectionResizeMode(PassModel::Title, QHeaderView::Stretch);
    m_slider->setObjectName(QStringLiteral("rewriteSlider"));
    m_slider->setAccessibleName(tr("Rewrites of the pass"));
    m_slider->setFixedWidth(180);
    m_slider->setEnabled(false);
    m_rewrite->setObjectName(QStringLiteral("rewriteLabel"));
    m_diff->setHint(tr("Choose a pass to see what it changed. F and R step through those that changed something."));

    auto *right = new QWidget(this);
    auto *column = new QVBoxLayout(right);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto *bar = new QHBoxLayout;
    bar->setContentsMargins(9, 3, 9, 3);
    bar->setSpacing(9);
    bar->addWidget(m_slider);
    bar->addWidget(m_rewrite, 1);
    m_rewrite->setMinimumWidth(0);
    m_rewrite->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    column->addLayout(bar);
    column->addWidget(m_diff, 1);

    auto *splitter = new QSplitter(this);
    splitter->setObjectName(QStringLiteral("passesSplitter"));
    splitter->setHandleWidth(3);
    splitter->setChildrenCollapsible(false);
    splitter->addWidget(m_stack);
    splitter->addWidget(right);
    splitter->setSizes({kListWidth, 1000});
    splitter->setStretchFactor(1, 1);
    setContent(splitter);
    setFocusProxy(m_table);

    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex &current) { choosePass(current.isValid() ? current.row() : -1); });
    connect(m_slider, &QSlider::valueChanged, this, [this] {
        showRewrite();
        request();
    });
    connect(&context.session, &Session::passReady, this, &PassesPanel::onDocuments);
}

void PassesPanel::setSnapshot(const SnapshotPtr &snapshot)
{
    const sw::ReportPtr good = snapshot ? snapshot->good : nullptr;
    const sw::ReportPtr earlier = m_snapshot ? m_snapshot->good : nullptr;
    m_snapshot = snapshot;
    setMadeBy(good ? std::optional(snapshot->goodCompilation) : std::nullopt);
    if (good == earlier)
        return;
    // The same pass stays chosen, by name.
    const std::string chosen = m_current >= 0 && m_current < m_model->rowCount()
                                   ? m_model->passes()[static_cast<std::size_t>(m_current)].id + "#" + std::to_string(m_current)
                                   : std::string();
    {
        const QSignalBlocker blocker(m_table->selectionModel());
        m_model->setPasses(good ? good->passes : std::vector<sw::PassEntry>{});
    }
    const auto &passes = m_model->passes();
    const auto changed = std::ranges::count_if(passes, [](const sw::PassEntry &pass) { return pass.changed; });
    setNote(passes.empty() ? QString() : tr("%1 of %2 changed something").arg(changed).arg(passes.size()));
    showTable(*m_stack, !passes.empty());
    const int before = std::exchange(m_current, -1);
    const bool isThere = before >= 0 && before < m_model->rowCount() &&
                         passes[static_cast<std::size_t>(before)].id + "#" + std::to_string(before) == chosen;
    if (isThere) {
        m_table->selectRow(before);
        return;
    }
    choosePass(-1);
    if (isVisible())
        chooseFirst();
}

void PassesPanel::chooseFirst()
{
    const int first = m_model->nextChanged(-1, 1);
    if (first >= 0)
        m_table->selectRow(first);
}

void PassesPanel::showEvent(QShowEvent *event)
{
    Panel::showEvent(event);
    if (m_current < 0)
        chooseFirst();
    else if (m_isWanted)
        request();
}

void PassesPanel::choosePass(int row)
{
    if (row == m_current && row >= 0)
        return;
    m_current = row;
    m_lastRewrite.clear();
    const QSignalBlocker blocker(m_slider);
    if (row < 0) {
        m_slider->setEnabled(false);
        m_rewrite->clear();
        m_diff->setDocuments(nullptr, nullptr, {});
        return;
    }
    const sw::PassEntry &pass = m_model->passes()[static_cast<std::size_t>(row)];
    m_slider->setRange(0, static_cast<int>(pass.rewrites));
    m_slider->setValue(m_slider->maximum());
    m_slider->setEnabled(pass.rewrites > 0);
    if (m_table->currentIndex().row() != row)
        m_table->selectRow(row);
    showRewrite();
    request();
}

void PassesPanel::step(int direction)
{
    const int next = m_model->nextChanged(m_current, direction);
    if (next >= 0)
        m_table->selectRow(next);
}

void PassesPanel::request()
{
    m_isWanted = !isVisible();
    if (m_current < 0 || !isVisible())
        return;
    const bool isWhole = m_slider->value() == m_slider->maximum();
    m_context.session.requestPass(static_cast<std::uint32_t>(m_current),
                                  isWhole ? sw::kNoIndex : static_cast<std::uint32_t>(m_slider->value()));
}

void PassesPanel::onDocuments(std::uint32_t index, std::uint32_t afterRewrites, const sw::PassDocuments &documents)
{
    if (static_cast<int>(index) != m_current)
        return;
    m_lastRewrite = QString::fromStdString(documents.rewrite);
    m_shownRewrites = afterRewrites == sw::kNoIndex ? m_slider->maximum() : static_cast<int>(afterRewrites);
    m_diff->setDocuments(documents.before, documents.after, m_snapshot ? m_snapshot->kernels : std::vector<KernelIdentity>{});
    m_diff->scrollToFirstChange();
    showRewrite();
}

void PassesPanel::showRewrite()
{
    if (m_current < 0)
        return;
    const sw::PassEntry &pass = m_model->passes()[static_cast<std::size_t>(m_current)];
    const int done = m_slider->value();
    QString text;
    if (pass.rewrites == 0)
        text = pass.changed ? QString::fromStdString(pass.doc) : tr("Changed nothing. %1").arg(QString::fromStdString(pass.doc));
    else
        text = tr("rewrite %1 of %2").arg(done).arg(pass.rewrites);
    if (done > 0 && done == m_shownRewrites && !m_lastRewrite.isEmpty())
        text += QStringLiteral("   ") + m_lastRewrite;
    m_rewrite->setText(text);
}

} // namespace stepwell::ui
