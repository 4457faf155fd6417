#include "ui/session/health.h"

#include <algorithm>
#include <utility>

namespace stepwell::ui {

Health::Health(Session &session, InputChoices &inputs, QObject *parent) : QObject(parent), m_session(session)
{
    connect(&session, &Session::snapshotChanged, this, [this](const SnapshotPtr &snapshot) {
        if (!snapshot) {
            m_report = {};
            m_findings.clear();
            m_examined = 0;
            emit changed();
        } else if (m_isOn && snapshot->isFinal && snapshot->compilation != m_examined) {
            examine();
        }
    });
    connect(&session, &Session::compileFinished, this, [this] {
        if (m_isOn && m_session.isDropped(RequestTag::Health))
            examine();
    });
    connect(&inputs, &InputChoices::taken, this, [this] {
        if (m_isOn)
            examine();
    });
}

void Health::setOn(bool isOn)
{
    if (std::exchange(m_isOn, isOn) == isOn)
        return;
    if (isOn) {
        examine();
        return;
    }
    m_session.cancel(RequestTag::Health);
    m_examined = 0;
    m_report = {};
    m_findings.clear();
    emit changed();
}

void Health::setBits(double bits)
{
    m_bits = bits;
    m_findings = sw::findingsOf(m_report.nodes, m_bits);
    emit changed();
}

const sw::NodeHealth *Health::node(std::uint32_t node) const
{
    const auto found = std::ranges::find(m_report.nodes, node, &sw::NodeHealth::node);
    return found == m_report.nodes.end() ? nullptr : &*found;
}

void Health::examine()
{
    const SnapshotPtr &snapshot = m_session.snapshot();
    if (!snapshot || !snapshot->isFinal || !snapshot->report->graph) {
        m_session.cancel(RequestTag::Health);
        emit changed(); // nothing is examined any more
        return;
    }
    m_examined = snapshot->compilation;
    m_progress = std::make_shared<RunProgress>();
    const auto count = [progress = m_progress](std::uint64_t done, std::uint64_t all) {
        progress->done = done;
        progress->all = all;
    };
    m_session.ask(
        RequestTag::Health, this,
        [count](EngineService &service, const std::stop_token &stop) { return service.health(count, stop); },
        [this, compilation = snapshot->compilation](const sw::HealthReport &report) {
            m_report = report;
            m_madeBy = compilation;
            m_findings = sw::findingsOf(m_report.nodes, m_bits);
            emit changed();
        });
    emit changed();
}

} // namespace stepwell::ui
