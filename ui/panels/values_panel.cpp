#include "ui/panels/values_panel.h"

#include "ui/models/quantity.h"
#include "ui/panels/table.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QSignalBlocker>

namespace stepwell::ui {

namespace {

constexpr int kColumnWidth = 92;
constexpr int kSideWidth = 210;

QString statisticsOf(const ValueModel &model, const Appearance &appearance)
{
    const sw::TensorSummary &summary = model.summary();
    const auto row = [&](const QString &name, const QString &value, Role role) {
        return QStringLiteral("<tr><td style='color:%1; padding-right:10px'>%2</td><td style='color:%3'>%4</td></tr>")
            .arg(appearance.color(Role::Muted).name(), name, appearance.color(role).name(), value);
    };
    QString html =
        QStringLiteral("<b>%1</b><br>%2<table>")
            .arg(QString::fromStdString(summary.name).toHtmlEscaped(), QString::fromStdString(summary.type).toHtmlEscaped());
    html += row(ValuesPanel::tr("min"), numberText(summary.minimum), Role::Text);
    html += row(ValuesPanel::tr("max"), numberText(summary.maximum), Role::Text);
    html += row(ValuesPanel::tr("mean"), numberText(summary.mean), Role::Text);
    html += row(ValuesPanel::tr("NaN"), QString::number(summary.nanCount), summary.nanCount == 0 ? Role::Text : Role::NotANumber);
    html += row(ValuesPanel::tr("infinite"), QString::number(summary.infinityCount),
                summary.infinityCount == 0 ? Role::Text : Role::Warning);
    html += QStringLiteral("</table>");
    if (model.isTruncated())
        html += ValuesPanel::tr("The first %1 values.").arg(summary.firstValues.size());
    return html;
}

} // namespace

ValuesPanel::ValuesPanel(const PanelContext &context)
    : Panel(context, QStringLiteral("values"), tr("Values")),
      m_model(new ValueModel(context.appearance, this)),
      m_outputs(new QComboBox(this)),
      m_statistics(new QLabel(this)),
      m_table(new QTableView(this)),
      m_stack(tableWithHint(m_table, tr("Run the program (Ctrl+R) to see its outputs, or choose a node to see its value."), this))
{
    m_table->setObjectName(QStringLiteral("valuesTable"));
    m_table->setAccessibleName(tr("Values"));
    m_table->setModel(m_model);
    styleTable(*m_table);
    m_table->setSelectionBehavior(QAbstractItemView::SelectItems);
    m_table->verticalHeader()->show();
    m_table->horizontalHeader()->setDefaultSectionSize(kColumnWidth);
    m_outputs->setObjectName(QStringLiteral("outputsBox"));
    m_outputs->setToolTip(tr("Outputs of the last run"));
    m_statistics->setObjectName(QStringLiteral("statistics"));
    m_statistics->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    m_statistics->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_statistics->setWordWrap(true);

    auto *content = new QWidget(this);
    auto *row = new QHBoxLayout(content);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    auto *side = new QWidget(content);
    side->setFixedWidth(kSideWidth);
    auto *column = new QVBoxLayout(side);
    column->setContentsMargins(8, 6, 8, 6);
    column->setSpacing(6);
    column->addWidget(m_outputs);
    column->addWidget(m_statistics, 1);
    row->addWidget(side);
    row->addWidget(m_stack, 1);
    setContent(content);
    setFocusProxy(m_table);
    m_outputs->hide();

    connect(m_outputs, &QComboBox::activated, this, &ValuesPanel::showOutput);
    connect(&context.selection, &Selection::selectionChanged, this, &ValuesPanel::onSelectionChanged);
    connect(&context.session, &Session::valueReady, this, &ValuesPanel::onValue);
    connect(&context.appearance, &Appearance::changed, this, [this] { showSummary(m_model->summary()); });
}

void ValuesPanel::setSnapshot(const SnapshotPtr &snapshot)
{
    const bool hadOutputs = m_outputs->count() > 0;
    m_snapshot = snapshot;
    {
        const QSignalBlocker blocker(m_outputs);
        m_outputs->clear();
        if (snapshot && snapshot->good) {
            for (const sw::TensorSummary &output : snapshot->good->outputs)
                m_outputs->addItem(QString::fromStdString(output.name));
        }
    }
    m_outputs->setVisible(m_outputs->count() > 0);
    m_shownNode = sw::kNoIndex;
    m_wantedNode = sw::kNoIndex;
    if (m_outputs->count() > 0)
        showOutput(0);
    else if (hadOutputs || !snapshot)
        showSummary({});
    onSelectionChanged();
}

void ValuesPanel::showEvent(QShowEvent *event)
{
    Panel::showEvent(event);
    onSelectionChanged();
}

void ValuesPanel::onSelectionChanged()
{
    const sw::DocumentItem *item = m_context.selection.selectedItem();
    m_wantedNode = item ? item->node : sw::kNoIndex;
    // Evaluating costs; a hidden panel asks when it is shown.
    if (m_wantedNode == sw::kNoIndex || m_wantedNode == m_shownNode || !isVisible() || !m_snapshot || !m_snapshot->isFinal)
        return;
    m_shownNode = m_wantedNode;
    m_context.session.requestValue(m_wantedNode);
}

void ValuesPanel::onValue(std::uint32_t node, const sw::TensorSummary &summary)
{
    if (node == m_wantedNode)
        showSummary(summary);
}

void ValuesPanel::showOutput(int index)
{
    m_shownNode = sw::kNoIndex;
    showSummary(m_snapshot->good->outputs[static_cast<std::size_t>(index)]);
}

void ValuesPanel::showSummary(const sw::TensorSummary &summary)
{
    const sw::TensorSummary shown = summary; // may be the model's own
    m_model->setSummary(shown);
    const bool hasValues = !shown.firstValues.empty();
    setTableHint(*m_stack, shown.error.empty()
                               ? tr("Run the program (Ctrl+R) to see its outputs, or choose a node to see its value.")
                               : QString::fromStdString(shown.error));
    showTable(*m_stack, hasValues);
    m_statistics->setText(!hasValues ? QString() : statisticsOf(*m_model, m_context.appearance));
    setNote(QString::fromStdString(shown.name));
}

} // namespace stepwell::ui
