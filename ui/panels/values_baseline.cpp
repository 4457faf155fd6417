// Values of the baseline: beside those of the program, or in their place.

#include "ui/panels/values_difference.h"
#include "ui/panels/values_display.h"
#include "ui/panels/values_panel.h"

#include <QComboBox>

#include <algorithm>

namespace stepwell::ui {

Shown ValuesPanel::side() const
{
    return m_source.kind == ShownKind::Output || m_source.kind == ShownKind::Node ? m_choice->shown() : Shown::Now;
}

// A baseline has changed in many ways that do not change its values.
void ValuesPanel::onSideChanged()
{
    if (!isVisible() || (side() == m_shown && (m_shown == Shown::Now || m_context.baseline.before() == m_before)))
        return;
    if (m_snapshot && m_snapshot->isFinal && m_source.kind != ShownKind::Nothing)
        open(m_source);
}

// The node of the baseline is known now.
void ValuesPanel::onGraphsCompared()
{
    if (isVisible() && m_source.kind == ShownKind::Node && side() != Shown::Now && canAsk())
        open(m_source);
}

sw::TensorViewPtr ValuesPanel::outputBefore(const std::string &name) const
{
    const SnapshotPtr &before = m_context.baseline.before();
    if (!before)
        return nullptr;
    const std::vector<sw::TensorViewPtr> &outputs = before->report->outputs;
    const auto found = std::ranges::find_if(outputs, [&](const sw::TensorViewPtr &output) { return output->name() == name; });
    return found == outputs.end() ? nullptr : *found;
}

bool ValuesPanel::showOutputBeside(const sw::TensorViewPtr &output)
{
    const Shown shown = side();
    if (shown == Shown::Now)
        return false;
    const sw::TensorViewPtr before = outputBefore(output->name());
    if (shown == Shown::Before) {
        m_difference->hide();
        if (before)
            present(before, tr("%1 before").arg(m_source.name), {});
        else if (const SnapshotPtr &run = m_context.baseline.before(); run && !run->report->outputs.empty())
            showError(tr("The baseline has no output %1.").arg(m_source.name));
        else
            showError(tr("The baseline was not run: Run both (Ctrl+Alt+R)."));
        return true;
    }
    if (!before)
        return false;
    m_difference->setNames(tr("Before"), tr("Now"));
    askForPair(m_source,
               [before, output](EngineService &, const std::stop_token &) { return ValuePair{{before, {}}, {output, {}}}; });
    return true;
}

void ValuesPanel::askForBoth(const ShownSource &source)
{
    const auto by = static_cast<sw::ValueSource>(m_by->currentData().toInt());
    const std::optional<std::uint32_t> node = m_context.baseline.nodeBefore(source.node);
    const sw::ExploreRequest request = m_context.baseline.request();
    const std::string none = tr("The baseline has no such value.").toStdString();
    const auto valueBefore = [request, node, by, none](EngineService &service, const std::stop_token &stop) {
        return node ? service.baselineValue(request, *node, by, stop) : sw::ValueOpening{nullptr, none};
    };
    if (side() == Shown::Difference) {
        m_difference->setNames(tr("Before"), tr("Now"));
        askForPair(source, [source, by, valueBefore](EngineService &service, const std::stop_token &stop) {
            const sw::ValueOpening before = valueBefore(service, stop);
            return ValuePair{before, service.nodeValues({source.node}, by, stop).front()};
        });
        return;
    }
    m_difference->hide();
    m_context.session.ask(RequestTag::Value, this, valueBefore, [this, source](const sw::ValueOpening &opening) {
        m_answered = source;
        m_display->setChange({});
        if (!opening.value) {
            showError(QString::fromStdString(opening.error));
            return;
        }
        m_name = tr("node %1: %2").arg(titleOfSource(source), QString::fromStdString(opening.value->type()));
        present(opening.value, tr("%1 before").arg(titleOfSource(source)), m_snapshot->compilation);
    });
}

} // namespace stepwell::ui
