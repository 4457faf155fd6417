// What the panel shows: an output, an input, or the value of what is chosen, by the reference, the device, or both.

#include "engine/api/compare/comparer.h"
#include "ui/panels/values_difference.h"
#include "ui/panels/values_display.h"
#include "ui/panels/values_panel.h"
#include "ui/panels/values_side.h"

#include <QComboBox>
#include <QSignalBlocker>
#include <QSpinBox>

#include <algorithm>
#include <limits>

namespace stepwell::ui {

bool ValuesPanel::canAsk() const
{
    return m_snapshot && m_snapshot->isFinal && m_snapshot->madeBy(sw::StageKind::Graph) == m_snapshot->compilation;
}

void ValuesPanel::open(const ShownSource &source)
{
    m_source = source;
    m_difference->setVisible((showsDifference() || side() == Shown::Difference) && m_difference->difference());
    m_shown = side();
    m_before = m_context.baseline.before();
    setFromEnd(source.kind != ShownKind::Item);
    const bool isAsked = source.kind == ShownKind::Input || m_source.isChosen();
    if (isAsked && !canAsk()) {
        if (source != m_answered)
            showError(tr("The value is known when the program compiles."));
        return;
    }
    switch (source.kind) {
    case ShownKind::Nothing:
        return;
    case ShownKind::Output:
        showOutput(source.name);
        return;
    case ShownKind::Input:
        askForInput(source.name);
        return;
    case ShownKind::Node:
    case ShownKind::Item:
        askForChosen(source);
        return;
    }
}

void ValuesPanel::showOutput(const QString &name)
{
    m_context.session.cancel(RequestTag::Value);
    if (!m_measured || m_measured->outputs.empty())
        return;
    const auto found = std::ranges::find_if(
        m_measured->outputs, [&](const sw::TensorViewPtr &output) { return QString::fromStdString(output->name()) == name; });
    const sw::TensorViewPtr &output = found == m_measured->outputs.end() ? m_measured->outputs.front() : *found;
    m_source.name = QString::fromStdString(output->name());
    m_answered = m_source;
    m_display->setChange({});
    if (showOutputBeside(output))
        return;
    m_difference->hide();
    present(output, m_source.name, m_snapshot->measuredCompilation);
}

void ValuesPanel::askForInput(const QString &name)
{
    m_context.session.ask(
        RequestTag::Value, this,
        [wanted = name.toStdString()](EngineService &service, const std::stop_token &stop) {
            return service.inputValue(wanted, stop);
        },
        [this, source = m_source](const sw::ValueOpening &opening) {
            m_answered = source;
            if (!opening.value) {
                showError(QString::fromStdString(opening.error));
                return;
            }
            m_display->setChange([this](std::int64_t element, const QString &text) { return changeInput(element, text); });
            present(opening.value, source.name, m_snapshot->compilation);
        });
}

QString ValuesPanel::titleOfSource(const ShownSource &source) const
{
    return source.isChosen() ? titleOf(source, m_context.moment.passes()) : source.name;
}

void ValuesPanel::askForPair(const ShownSource &source, MakePair make)
{
    struct Both {
        sw::ValueOpening shown;
        sw::DifferenceAnswer difference;
        QStringList places;
    };
    m_context.session.ask(
        RequestTag::Value, this,
        [make = std::move(make)](EngineService &service, const std::stop_token &stop) {
            const ValuePair pair = make(service, stop);
            Both both{pair.after, {}, {}};
            both.difference = sw::Comparer::difference(pair.before, pair.after, {.worst = 50}, stop);
            if (both.difference.difference)
                for (const sw::ElementDifference &worst : both.difference.difference->worst)
                    both.places.append(QString::fromStdString(pair.after.value->placeText(worst.index)));
            return both;
        },
        [this, source](const Both &both) {
            m_answered = source;
            const QString title = titleOfSource(source);
            if (source.isChosen())
                m_name = source.kind == ShownKind::Node ? tr("node %1").arg(title) : title;
            showStep(both.shown.step);
            m_difference->show();
            const sw::TensorViewPtr &value = both.shown.value;
            const std::int64_t columns = value && !value->shape().empty() ? value->shape().back() : 1;
            m_difference->setDifference(both.difference.difference, columns, both.places,
                                        QString::fromStdString(both.difference.error));
            if (!value) {
                showError(QString::fromStdString(both.shown.error));
                return;
            }
            if (source.isChosen())
                m_name += QStringLiteral(": ") + QString::fromStdString(value->type());
            m_display->setChange({});
            present(value, title, source.isChosen() ? m_snapshot->compilation : m_snapshot->measuredCompilation);
        });
}

void ValuesPanel::askForDifference(const ShownSource &source)
{
    m_difference->setNames(tr("Reference"), tr("Device"));
    askForPair(source, [source, step = m_stepWanted](EngineService &service, const std::stop_token &stop) {
        const auto valueBy = [&](sw::ValueSource by) {
            return service.valueAt({source.place, source.stage, source.node, step}, by, stop);
        };
        const sw::ValueOpening reference = valueBy(sw::ValueSource::Reference);
        return ValuePair{reference, valueBy(sw::ValueSource::Device)};
    });
}

void ValuesPanel::askForChosen(const ShownSource &source)
{
    if (showsDifference()) {
        askForDifference(source);
        return;
    }
    const DifferenceState graphs = m_context.baseline.differences().state(sw::StageKind::Graph);
    if (side() != Shown::Now && graphs != DifferenceState::None && graphs != DifferenceState::Pending) {
        askForBoth(source);
        return;
    }
    m_difference->hide();
    const auto by = static_cast<sw::ValueSource>(m_by->currentData().toInt());
    m_context.session.ask(
        RequestTag::Value, this,
        [source, by, step = m_stepWanted](EngineService &service, const std::stop_token &stop) {
            return service.valueAt({source.place, source.stage, source.node, step}, by, stop);
        },
        [this, source](const sw::ValueOpening &opening) {
            m_answered = source;
            const QString title = titleOf(source, m_context.moment.passes());
            m_name = source.kind == ShownKind::Node ? tr("node %1").arg(title) : title;
            showStep(opening.step);
            if (!opening.value) {
                showError(QString::fromStdString(opening.error));
                return;
            }
            m_name += QStringLiteral(": ") + QString::fromStdString(opening.value->type());
            m_display->setChange({});
            present(opening.value, title, m_snapshot->compilation);
        });
}

// What has no steps leaves the wanted one for what is chosen next.
void ValuesPanel::showStep(const std::optional<sw::ScanStep> &step)
{
    const QSignalBlocker blocker(m_step);
    constexpr std::int64_t kMost = std::numeric_limits<int>::max();
    m_step->setRange(0, step ? static_cast<int>(std::min(step->steps - 1, kMost)) : 0);
    m_step->setSuffix(step && step->steps > kMost ? QString() : tr(" of 0 to %1").arg(m_step->maximum()));
    m_step->setValue(step ? static_cast<int>(std::min(step->step, kMost)) : 0);
    m_step->setVisible(m_source.isChosen() && step && step->steps > 1);
}

void ValuesPanel::present(const sw::TensorViewPtr &view, const QString &name, std::optional<std::uint64_t> madeBy)
{
    setNote(name);
    setMadeBy(madeBy);
    m_side->setView(view, name, view ? view->knownStatistics() : nullptr);
    if (view && view->elements() == 0)
        m_display->setHint(tr("%1 is %2: it has no elements.").arg(name, QString::fromStdString(view->type())));
    if (view == nullptr || m_display->view() != view)
        m_display->setView(view);
    refillWhenVisible();
}

void ValuesPanel::showError(const QString &error)
{
    m_display->setHint(error);
    present(nullptr, {}, {});
}

void ValuesPanel::showStatistics()
{
    const sw::TensorViewPtr &view = m_display->view();
    if (view)
        m_side->setView(view, note(), view->knownStatistics());
}

bool ValuesPanel::changeInput(std::int64_t element, const QString &text)
{
    const std::vector<std::int64_t> place = m_display->view()->coordinatesOf(element);
    const QString error = m_context.inputs.changeCell(m_source.name.toStdString(), place, text.toStdString());
    m_display->tell(error);
    return error.isEmpty();
}

} // namespace stepwell::ui
