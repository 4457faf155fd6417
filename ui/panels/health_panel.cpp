#include "ui/panels/health_panel.h"

#include "ui/panels/flow_layout.h"
#include "ui/panels/table.h"

#include <QCheckBox>
#include <QDoubleSpinBox>
#include <QTimer>
#include <QVBoxLayout>

#include <algorithm>

namespace stepwell::ui {

namespace {

constexpr int kMostBits = 53;
constexpr int kProgressMilliseconds = 200;

} // namespace

HealthPanel::HealthPanel(const PanelContext &context, const PanelName &name)
    : Panel(context, name),
      m_model(new HealthModel(context.appearance, context.health, this)),
      m_table(new QTableView(this)),
      m_stack(tableWithHint(m_table, {}, this)),
      m_switch(new QCheckBox(tr("Examine every value, and mark the graph"), this)),
      m_bits(new QDoubleSpinBox(this))
{
    m_table->setObjectName(QStringLiteral("healthTable"));
    m_table->setAccessibleName(tr("Where numbers go wrong"));
    m_table->setModel(m_model);
    styleTable(*m_table);
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_table->horizontalHeader()->setStretchLastSection(true);
    m_switch->setObjectName(QStringLiteral("healthSwitch"));
    m_switch->setToolTip(tr("Evaluates the program by the reference interpreter, and beside it in f64"));
    m_bits->setObjectName(QStringLiteral("healthBits"));
    m_bits->setDecimals(0);
    m_bits->setRange(0, kMostBits);
    m_bits->setValue(context.health.bits());
    m_bits->setSuffix(tr(" bits"));
    m_bits->setToolTip(tr("How many bits a value may lose against f64 before it is listed"));
    m_bits->setAccessibleName(m_bits->toolTip());

    auto *content = new QWidget(this);
    auto *bar = new QWidget(content);
    auto *flow = new FlowLayout(6, 8, bar);
    flow->addWidget(m_switch);
    auto *label = new QLabel(tr("list what loses more than"), bar);
    label->setBuddy(m_bits);
    flow->addWidget(label);
    flow->addWidget(m_bits);
    auto *column = new QVBoxLayout(content);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(bar);
    column->addWidget(m_stack, 1);
    setContent(content);
    setFocusProxy(m_switch);

    connect(m_switch, &QCheckBox::toggled, this, [this](bool isOn) { m_context.health.setOn(isOn); });
    connect(m_bits, &QDoubleSpinBox::valueChanged, this, [this](double bits) { m_context.health.setBits(bits); });
    connect(&context.health, &Health::changed, this, &HealthPanel::refresh);
    connect(m_table, &QTableView::clicked, this, &HealthPanel::onRow);
    connect(m_table, &QTableView::activated, this, &HealthPanel::onRow);
    auto *timer = new QTimer(this);
    timer->setInterval(kProgressMilliseconds);
    connect(timer, &QTimer::timeout, this, [this] {
        if (m_context.health.isRunning())
            setTableHint(*m_stack, hint());
    });
    timer->start();
    refresh();
}

void HealthPanel::setSnapshot(const SnapshotPtr &snapshot)
{
    m_snapshot = snapshot;
}

QString HealthPanel::hint() const
{
    const Health &health = m_context.health;
    if (!health.isOn())
        return tr("Where do values first become NaN, infinite or subnormal, and where do they lose their bits?");
    if (health.isRunning() && health.progress().all > 0)
        return tr("Examined %1 of %2 operations").arg(health.progress().done.load()).arg(health.progress().all.load());
    if (health.isRunning())
        return tr("Examining\u2026");
    if (!m_snapshot || m_snapshot->compilation != health.madeBy())
        return tr("The values are examined when the program compiles.");
    if (!health.error().empty())
        return QString::fromStdString(health.error());
    return tr("%1 float values: none begins to be NaN, infinite or subnormal, and none loses more than %2 bits.")
        .arg(health.examined())
        .arg(health.bits());
}

void HealthPanel::refresh()
{
    const Health &health = m_context.health;
    {
        const QSignalBlocker blocker(m_switch);
        m_switch->setChecked(health.isOn());
    }
    m_model->refresh();
    setTableHint(*m_stack, hint());
    showTable(*m_stack, m_model->rowCount() > 0);
    const bool isKnown = health.isOn() && health.examined() > 0;
    setNote(isKnown ? tr("%1 in %2 float values").arg(m_model->rowCount()).arg(health.examined()) : QString());
    setMadeBy(isKnown ? std::optional(health.madeBy()) : std::nullopt);
}

// Leads to the node, as a click on it does.
void HealthPanel::onRow(const QModelIndex &index)
{
    if (!m_snapshot || !index.isValid() || m_snapshot->compilation != m_context.health.madeBy())
        return;
    const sw::StageDocumentPtr &graph = m_snapshot->stage(sw::StageKind::Graph).document;
    if (!graph)
        return;
    const auto item = std::ranges::find(graph->items, m_model->nodeAt(index.row()), &sw::DocumentItem::node);
    if (item != graph->items.end())
        m_context.selection.select(sw::StageKind::Graph, {static_cast<sw::ItemIndex>(item - graph->items.begin())});
}

} // namespace stepwell::ui
