#pragma once
// Where the numbers of the program go wrong, while the user wants to know: found again after each compilation and change of
// inputs.

#include "ui/session/input_choices.h"

#include <QObject>

#include <vector>

namespace stepwell::ui {

class Health : public QObject {
    Q_OBJECT

public:
    Health(Session &session, InputChoices &inputs, QObject *parent = nullptr);

    void setOn(bool isOn);
    [[nodiscard]] bool isOn() const { return m_isOn; }
    // How many bits a value may lose before it counts.
    void setBits(double bits);
    [[nodiscard]] double bits() const { return m_bits; }

    [[nodiscard]] bool isRunning() const { return m_session.isAsking(RequestTag::Health); }
    [[nodiscard]] const RunProgress &progress() const { return *m_progress; } // in nodes of the graph
    [[nodiscard]] const std::vector<sw::HealthFinding> &findings() const { return m_findings; }
    [[nodiscard]] const sw::NodeHealth *node(std::uint32_t node) const; // null: it has no float value
    [[nodiscard]] std::size_t examined() const { return m_report.nodes.size(); }
    [[nodiscard]] const std::string &error() const { return m_report.error; }
    [[nodiscard]] std::uint64_t madeBy() const { return m_madeBy; } // the compilation whose nodes these are

signals:
    void changed();

private:
    void examine();

    Session &m_session;
    sw::HealthReport m_report;
    std::vector<sw::HealthFinding> m_findings;
    std::shared_ptr<RunProgress> m_progress = std::make_shared<RunProgress>();
    std::uint64_t m_madeBy = 0;
    std::uint64_t m_examined = 0; // the compilation that was examined last, or is
    double m_bits = sw::kUsualLostBits;
    bool m_isOn = false;
};

} // namespace stepwell::ui
