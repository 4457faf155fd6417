#pragma once
// The other processors that a person wants to see machine code for. Kept in the settings.

#include <QObject>
#include <QStringList>

namespace stepwell::ui {

class Settings;

class TargetChoice : public QObject {
    Q_OBJECT

public:
    // Names in the settings that are no target any more are left out.
    explicit TargetChoice(Settings &settings, QObject *parent = nullptr);

    [[nodiscard]] const QStringList &targets() const { return m_targets; } // in the order of sw::targetEntries()
    void setChosen(const QString &target, bool isChosen);
    void clear();

signals:
    void changed();

private:
    void set(const QStringList &targets);

    Settings &m_settings;
    QStringList m_targets;
};

} // namespace stepwell::ui
