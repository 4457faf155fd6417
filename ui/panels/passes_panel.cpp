#include "ui/panels/passes_panel.h"

#include "ui/panels/cut_text.h"
#include "ui/panels/table.h"
#include "ui/panels/table_sides.h"
#include "ui/text_view/diff_view.h"

#include <QItemSelectionModel>
#include <QSignalBlocker>
#include <QSplitter>
#include <QVBoxLayout>

#include <algorithm>

namespace stepwell::ui {

namespace {

constexpr int kListWidth = 330;

} // namespace

PassesPanel::PassesPanel(const PanelContext &context, const PanelName &name)
    : Panel(context, name),
      m_model(new PassModel(context.appearance, this)),
      m_table(new QTableView(this)),
      m_stack(tableWithHint(m_table, tr("No passes have run yet."), this)),
      m_diff(new DiffView(context.appearance, context.selection, this)),
      m_rewrite(new CutLabel(this))
{
    m_table->setObjectName(QStringLiteral("passesTable"));
    m_table->setAccessibleName(tr("Passes"));
    m_table->setModel(m_model);
    styleTable(*m_table);
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_table->horizontalHeader()->setSectionResizeMode(PassModel::Title, QHeaderView::Stretch);
    m_rewrite->setObjectName(QStringLiteral("rewriteLabel"));
    m_rewrite->setContentsMargins(9, 3, 9, 3);
    m_rewrite->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_diff->setHint(tr("Choose a pass to see what it changed. F and R step through those that changed something."));

    auto *right = new QWidget(this);
    auto *column = new QVBoxLayout(right);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_rewrite);
    column->addWidget(m_diff, 1);

    auto *splitter = new QSplitter(this);
    splitter->setObjectName(QStringLiteral("passesSplitter"));
    splitter->setHandleWidth(3);
    splitter->setChildrenCollapsible(false);
    splitter->addWidget(m_stack);
    splitter->addWidget(right);
    splitter->setSizes({kListWidth, 1000});
    splitter->setStretchFactor(1, 1);
    using Unit = ComparedQuantity::Unit;
    m_sides = new TableSides(
        context, splitter, QStringLiteral("passesDifference"),
        {{"rewrites", tr("Rewrites"), Unit::Count}, {"time", tr("Time"), Unit::Nanoseconds}},
        [](const sw::Report &before, const sw::Report &now) { return TableSides::Rows{sw::passDifferences(before, now)}; });
    m_sides->setChoice(
        *new SideChoice(context.baseline, addTool(QStringLiteral("compare"), tr("Now, before, or the difference")), this));
    setContent(m_sides);
    setFocusProxy(m_table);

    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex &current) {
        if (current.isValid())
            m_context.moment.goTo({static_cast<std::uint32_t>(current.row())});
    });
    connect(&context.moment, &Moment::placeChanged, this, &PassesPanel::follow);
    connect(&context.session, &Session::passReady, this, &PassesPanel::onDocuments);
}

int PassesPanel::currentPass() const
{
    const std::optional<sw::MomentPlace> &place = m_context.moment.place();
    return place ? static_cast<int>(place->pass) : -1;
}

void PassesPanel::setSnapshot(const SnapshotPtr &snapshot)
{
    const sw::ReportPtr good = snapshot ? snapshot->good : nullptr;
    const sw::ReportPtr earlier = m_snapshot ? m_snapshot->good : nullptr;
    m_snapshot = snapshot;
    setMadeBy(good ? std::optional(snapshot->goodCompilation) : std::nullopt);
    m_sides->setSnapshot(snapshot);
    if (good == earlier)
        return;
    {
        const QSignalBlocker blocker(m_table->selectionModel());
        m_model->setPasses(good ? good->passes : std::vector<sw::PassEntry>{});
    }
    const auto &passes = m_model->passes();
    const auto changed = std::ranges::count_if(passes, [](const sw::PassEntry &pass) { return pass.changed; });
    setNote(passes.empty() ? QString() : tr("%1 of %2 changed something").arg(changed).arg(passes.size()));
    showTable(*m_stack, !passes.empty());
    m_asked.reset();
    follow();
}

void PassesPanel::showEvent(QShowEvent *event)
{
    Panel::showEvent(event);
    if (m_isWanted)
        request();
}

void PassesPanel::follow()
{
    const int row = currentPass();
    {
        const QSignalBlocker blocker(m_table->selectionModel());
        if (row < 0 || row >= m_model->rowCount()) {
            m_table->clearSelection();
            m_table->setCurrentIndex({});
        } else if (m_table->currentIndex().row() != row) {
            m_table->selectRow(row);
            m_table->scrollTo(m_model->index(row, 0));
        }
    }
    m_table->viewport()->update();
    if (row < 0) {
        m_asked.reset();
        m_isWanted = false;
        m_rewrite->clear();
        m_diff->setDocuments(nullptr, nullptr, {});
        return;
    }
    if (m_asked != m_context.moment.place())
        request();
}

void PassesPanel::request()
{
    m_isWanted = !isVisible();
    const std::optional<sw::MomentPlace> &place = m_context.moment.place();
    if (!place || !isVisible())
        return;
    m_asked = place;
    const sw::PassEntry *pass = m_context.moment.pass();
    const bool isWhole = !pass || m_context.moment.done() == pass->rewrites;
    m_context.session.requestPass(place->pass, isWhole ? sw::kNoIndex : place->rewrites);
}

void PassesPanel::onDocuments(std::uint32_t index, std::uint32_t afterRewrites, const sw::PassDocuments &documents)
{
    const sw::PassEntry *pass = m_context.moment.pass();
    if (static_cast<int>(index) != currentPass() || !pass)
        return;
    const QString last = QString::fromStdString(documents.rewrite);
    if (pass->rewrites == 0)
        m_rewrite->setText(pass->changed ? QString::fromStdString(pass->doc)
                                         : tr("Changed nothing. %1").arg(QString::fromStdString(pass->doc)));
    else
        m_rewrite->setText(
            tr("rewrite %1 of %2   %3").arg(std::min(afterRewrites, pass->rewrites)).arg(pass->rewrites).arg(last));
    m_diff->setDocuments(documents.before, documents.after, m_snapshot ? m_snapshot->kernels : std::vector<KernelIdentity>{});
    m_diff->scrollToFirstChange();
}

} // namespace stepwell::ui
