#include "ui/panels/values_panel.h"

#include "ui/models/quantity.h"
#include "ui/panels/table.h"

#include <QComboBox>
#include <QFontMetricsF>
#include <QHBoxLayout>
#include <QSignalBlocker>

#include <algorithm>
#include <cmath>

namespace stepwell::ui {

namespace {

constexpr int kLeastColumnWidth = 48;
constexpr int kCellPadding = 24; // on both sides together, with the focus frame
constexpr int kSideWidth = 210;

QString statisticsOf(const ValueModel &model, const Appearance &appearance)
{
    const sw::TensorSummary &summary = model.summary();
    const auto row = [&](const QString &name, const QString &value, Role role) {
        return QStringLiteral("<tr><td style='color:%1; padding-right:10px'>%2</td><td style='color:%3'>%4</td></tr>")
            .arg(appearance.color(Role::Muted).name(), name, appearance.color(model.isOutOfDate() ? Role::Muted : role).name(),
                 value);
    };
    QString html =
        QStringLiteral("<b>%1</b><br>%2<table>")
            .arg(QString::fromStdString(summary.name).toHtmlEscaped(), QString::fromStdString(summary.type).toHtmlEscaped());
    const auto ofFinite = [&](double value) { return model.hasFinite() ? numberText(value) : QStringLiteral("\u2013"); };
    html += row(ValuesPanel::tr("min"), ofFinite(summary.minimum), Role::Text);
    html += row(ValuesPanel::tr("max"), ofFinite(summary.maximum), Role::Text);
    html += row(ValuesPanel::tr("mean"), ofFinite(summary.mean), Role::Text);
    html += row(ValuesPanel::tr("NaN"), QString::number(summary.nanCount), summary.nanCount == 0 ? Role::Text : Role::NotANumber);
    html += row(ValuesPanel::tr("infinite"), QString::number(summary.infinityCount),
                summary.infinityCount == 0 ? Role::Text : Role::Warning);
    html += QStringLiteral("</table>");
    if (model.isTruncated())
        html += ValuesPanel::tr("The first %1 values.").arg(summary.firstValues.size());
    return html;
}

} // namespace

ValuesPanel::ValuesPanel(const PanelContext &context, const PanelName &name)
    : Panel(context, name),
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
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    m_table->horizontalHeader()->setMinimumSectionSize(kLeastColumnWidth);
    m_outputs->setObjectName(QStringLiteral("outputsBox"));
    m_outputs->setAccessibleName(tr("What is shown: an output of the last run, or the chosen node"));
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
    connect(&context.appearance, &Appearance::changed, this, [this] {
        showStatistics();
        fitColumns();
    });
}

void ValuesPanel::setSnapshot(const SnapshotPtr &snapshot)
{
    m_snapshot = snapshot;
    const sw::ReportPtr measured = snapshot ? snapshot->measured : nullptr;
    const bool hasRun = measured && measured != m_measured;
    m_measured = measured;
    if (!snapshot) {
        m_wantedNode = m_shownNode = sw::kNoIndex;
        fillOutputs();
        showSummary({}, {});
    } else if (hasRun) {
        const QVariant chosen = m_outputs->currentData();
        fillOutputs();
        m_shownNode = sw::kNoIndex;
        if (m_outputs->count() > 0)
            showOutput(std::max(0, m_outputs->findData(chosen)));
    }
    if (snapshot && snapshot->compilation != m_nodesOf)
        m_shownNode = sw::kNoIndex; // its number may now mean another node
    onSelectionChanged();
}

void ValuesPanel::fillOutputs()
{
    const QSignalBlocker blocker(m_outputs);
    m_outputs->clear();
    if (m_measured)
        for (const sw::TensorSummary &output : m_measured->outputs)
            m_outputs->addItem(tr("output %1: %2").arg(QString::fromStdString(output.name), QString::fromStdString(output.type)),
                               QString::fromStdString(output.name));
    m_outputs->setVisible(m_outputs->count() > 0);
}

void ValuesPanel::showOutOfDate(bool isOutOfDate)
{
    m_model->setOutOfDate(isOutOfDate);
    showStatistics();
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
    // Evaluation is expensive; a hidden panel asks for it only when shown.
    if (m_wantedNode == sw::kNoIndex || m_wantedNode == m_shownNode || !isVisible() || !m_snapshot || !m_snapshot->isFinal)
        return;
    m_shownNode = m_wantedNode;
    m_nodesOf = m_snapshot->compilation;
    m_context.session.requestValue(m_wantedNode);
}

void ValuesPanel::onValue(std::uint32_t node, const sw::TensorSummary &summary)
{
    if (node != m_wantedNode || !m_snapshot)
        return;
    const sw::DocumentItem *item = m_context.selection.selectedItem();
    sw::TensorSummary named = summary;
    if (item)
        named.name = item->label + " (" + summary.name + ")";
    showSummary(named, m_snapshot->compilation);
    // Added after the outputs: the box always names what is shown.
    const QSignalBlocker blocker(m_outputs);
    const int outputs = m_measured ? static_cast<int>(m_measured->outputs.size()) : 0;
    while (m_outputs->count() > outputs)
        m_outputs->removeItem(outputs);
    m_outputs->addItem(tr("node %1: %2").arg(QString::fromStdString(named.name), QString::fromStdString(summary.type)));
    m_outputs->setCurrentIndex(outputs);
    m_outputs->setToolTip(m_outputs->currentText());
    m_outputs->setVisible(true);
}

void ValuesPanel::showOutput(int index)
{
    if (!m_measured || index < 0 || static_cast<std::size_t>(index) >= m_measured->outputs.size())
        return;
    m_shownNode = sw::kNoIndex;
    m_outputs->setCurrentIndex(index);
    showSummary(m_measured->outputs[static_cast<std::size_t>(index)], m_snapshot->measuredCompilation);
}

// As wide as the longest value: a value that is cut off would read as another value.
void ValuesPanel::fitColumns()
{
    const double digit = QFontMetricsF(m_context.appearance.codeFont()).horizontalAdvance(u'0');
    const int wanted = static_cast<int>(std::ceil(m_model->longestText() * digit)) + kCellPadding;
    m_table->horizontalHeader()->setDefaultSectionSize(std::max(wanted, kLeastColumnWidth));
}

void ValuesPanel::showStatistics()
{
    m_statistics->setText(m_model->rowCount() == 0 ? QString() : statisticsOf(*m_model, m_context.appearance));
}

void ValuesPanel::showSummary(const sw::TensorSummary &summary, std::optional<std::uint64_t> madeBy)
{
    m_model->setSummary(summary);
    const bool hasValues = !summary.firstValues.empty();
    fitColumns();
    setTableHint(*m_stack, summary.error.empty()
                               ? tr("Run the program (Ctrl+R) to see its outputs, or choose a node to see its value.")
                               : QString::fromStdString(summary.error));
    showTable(*m_stack, hasValues);
    showStatistics();
    m_outputs->setToolTip(m_outputs->currentText());
    setNote(QString::fromStdString(summary.name));
    setMadeBy(madeBy);
}

} // namespace stepwell::ui
