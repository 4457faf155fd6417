// What becomes of the lists that a search found: tried, kept, forgotten, and said.

#include "engine/api/instruments.h"
#include "ui/panels/cut_text.h"
#include "ui/panels/tuning_panel.h"

#include <QPushButton>

#include <algorithm>

namespace stepwell::ui {

void TuningPanel::tryOut()
{
    if (const auto chosen = candidate())
        m_context.whatIf.add(QString::fromStdString(overrideOf(m_model->tuning(), *chosen)));
}

void TuningPanel::keep()
{
    if (const auto chosen = candidate())
        changeKept([tuning = m_model->tuning(), chosen = *chosen, seed = m_seed](sw::Instruments &instruments) {
            return instruments.keep(tuning, chosen, seed);
        });
}

void TuningPanel::forget()
{
    changeKept([key = m_tuned.key](sw::Instruments &instruments) { return instruments.forget(key); });
}

// change: returns why it is not done; empty: it is.
void TuningPanel::changeKept(std::function<std::string(sw::Instruments &)> change)
{
    m_context.session.ask(
        RequestTag::Keep, this,
        [change = std::move(change)](EngineService &service, const std::stop_token &) {
            return service.instruments() == nullptr ? std::string("this engine keeps no tunings")
                                                    : change(*service.instruments());
        },
        [this](const std::string &problem) {
            m_error = QString::fromStdString(problem);
            m_tunedOf = {};
            if (problem.empty() && m_context.session.switches().tunings)
                m_context.session.compileNow();
            else
                askTuned();
            updateState();
        });
}

// The chosen kernel, or else the one that is shown; nothing: all are chosen and none is shown, or it is not in the program.
std::optional<std::uint32_t> TuningPanel::subject() const
{
    if (m_form->kernel() || m_found.empty() || !m_snapshot)
        return m_form->kernel();
    const auto &kernels = m_snapshot->report->kernels;
    const auto found = std::ranges::find(kernels, m_model->tuning().kernel, &sw::KernelEntry::name);
    return found == kernels.end() ? std::nullopt : std::optional(static_cast<std::uint32_t>(found - kernels.begin()));
}

void TuningPanel::askTuned()
{
    if (m_isRunning || !m_snapshot || !m_snapshot->isFinal || isCompiling())
        return;
    const std::optional<std::uint32_t> kernel = subject();
    const std::pair wanted{m_snapshot->compilation, kernel};
    if (wanted == m_tunedOf)
        return;
    m_tunedOf = wanted;
    m_tuned = {};
    if (!kernel) {
        updateState();
        return;
    }
    m_context.session.ask(
        RequestTag::Tuned, this,
        [kernel = *kernel](EngineService &service, const std::stop_token &) { return service.tunedOf(kernel); },
        [this](const sw::KernelTuned &tuned) { takeTuned(tuned); });
}

void TuningPanel::takeTuned(const sw::KernelTuned &tuned)
{
    m_tuned = tuned;
    // What was found holds for the kernel as long as its structure is the same.
    if (!m_found.empty() && !tuned.key.empty() && tuned.key == m_model->tuning().key) {
        m_madeBy = m_snapshot->compilation;
        setMadeBy(m_madeBy);
    }
    updateState();
}

QString TuningPanel::summary() const
{
    const sw::KernelTuning &tuning = m_model->tuning();
    if (!m_error.isEmpty())
        return m_error;
    if (!tuning.problem.empty())
        return tr("%1 is not tuned: %2").arg(QString::fromStdString(tuning.kernel), QString::fromStdString(tuning.problem));
    if (tuning.search.candidates.empty())
        return {};
    QString text = tuning.search.best == 0
                       ? tr("%1: nothing is faster than the model's choice.").arg(QString::fromStdString(tuning.kernel))
                       : tr("%1: candidate %2 is %3 times as fast as the model's choice.")
                             .arg(QString::fromStdString(tuning.kernel))
                             .arg(tuning.search.best)
                             .arg(tuning.gain(), 0, 'f', 2);
    if (tuning.correlation)
        text += u' ' + tr("Prices and times: rank correlation %1.").arg(*tuning.correlation, 0, 'f', 2);
    if (!tuning.values.empty())
        text += u' ' + tr("Values: %1.").arg(QString::fromStdString(tuning.values));
    return text;
}

QString TuningPanel::keptText() const
{
    const std::optional<std::uint32_t> kernel = m_tunedOf.second;
    if (m_tuned.kept.empty() || !m_snapshot || !kernel || *kernel >= m_snapshot->report->kernels.size())
        return {};
    const QString text = QStringLiteral("%1 %2 (%3)");
    const QString name = QString::fromStdString(m_snapshot->report->kernels[*kernel].name);
    const QString kept = QString::fromStdString(m_tuned.kept);
    if (m_tuned.isUsed)
        return text.arg(name, tr("has the list that is kept"), kept);
    return text.arg(name,
                    m_context.session.switches().tunings ? tr("has another list than the one that is kept")
                                                         : tr("has a list that is kept, but tunings are off"),
                    kept);
}

void TuningPanel::updateState()
{
    // A newer compilation drops what was asked.
    if (m_isRunning && m_context.session.isDropped(RequestTag::Tuning))
        m_isRunning = false;
    const bool isReady = m_snapshot && m_snapshot->isFinal && m_snapshot->report->succeeded && m_form->hasKernels();
    const sw::KernelTuning &tuning = m_model->tuning();
    const std::optional<std::size_t> chosen = candidate();
    const bool hasTime = chosen && tuning.search.candidates[*chosen].time > 0;
    m_form->setRunning(m_isRunning);
    m_form->setStartable(isReady);
    m_try->setEnabled(!m_isRunning && isReady && hasTime);
    m_keep->setEnabled(!m_isRunning && hasTime && *chosen != 0);
    m_forget->setEnabled(!m_isRunning && !m_tuned.kept.empty());
    m_plot->setCurrent(chosen);
    m_list->setLists(chosen ? tuning.search.candidates.front().transforms : sw::TransformList(),
                     chosen ? tuning.search.candidates[*chosen].transforms : sw::TransformList());
    m_summary->setText(summary());
    m_kept->setText(keptText());
    const auto count = static_cast<int>(tuning.search.candidates.size());
    if (m_isRunning)
        setNote(tr("%n candidate(s) so far\u2026", nullptr, count));
    else
        setNote(count > 0 ? tr("%n candidate(s)", nullptr, count) : QString());
}

} // namespace stepwell::ui
