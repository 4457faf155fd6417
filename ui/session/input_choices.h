#pragma once
// What the user chose as the inputs of the program. A choice holds for the input of its name, also after an edit of the program;
// it is dropped, with a note, when the input's type no longer fits.

#include "ui/session/session.h"

#include <QObject>
#include <QString>
#include <QStringList>

#include <map>
#include <string>
#include <vector>

namespace stepwell::ui {

class InputChoices : public QObject {
    Q_OBJECT

public:
    explicit InputChoices(Session &session, QObject *parent = nullptr);

    // The inputs and parameters of the last program that could be read.
    [[nodiscard]] const std::vector<sw::InputEntry> &entries() const { return m_entries; }
    [[nodiscard]] const sw::InputEntry *entry(const std::string &name) const; // null: there is none
    [[nodiscard]] sw::InputChoice choice(const std::string &name) const;
    [[nodiscard]] bool isChosen(const std::string &name) const { return m_choices.contains(name); }
    [[nodiscard]] bool isAnyChosen() const { return !m_choices.empty(); }
    // The values that the choices make; null: not known yet.
    [[nodiscard]] const sw::InputFacts *facts(const std::string &name) const;
    [[nodiscard]] const QStringList &notes() const { return m_notes; } // of choices that were dropped, until the next choice

    // Returns why it cannot be; empty: it is chosen.
    QString choose(const sw::InputChoice &choice);
    // Changes one element on top of what the input is filled with. Returns as above.
    QString changeCell(const std::string &name, const std::vector<std::int64_t> &coordinates, const std::string &value);
    // What was chosen in an earlier window, before the program is known; what does not fit then is dropped, with a note.
    void restore(const std::vector<sw::InputChoice> &choices);
    void reset(const std::string &name);
    void resetAll();

    // Whether each change runs the program again.
    void setRunsOnChange(bool runs) { m_runsOnChange = runs; }
    [[nodiscard]] bool runsOnChange() const { return m_runsOnChange; }
    // While somebody looks at the facts, each change asks for them.
    void setWatched(bool isWatched);

    // Asks whoever shows values for those of the input.
    void show(const QString &name) { emit valueWanted(name); }

signals:
    void changed(); // entries, choices, facts or notes
    void taken();   // the engine has the new inputs: values are other ones now
    void valueWanted(const QString &name);

private:
    void onSnapshot(const SnapshotPtr &snapshot);
    void dropUnfit();
    void tellEngine();
    void goOn();
    void askForFacts();
    void onChange();

    Session &m_session;
    std::vector<sw::InputEntry> m_entries;
    std::map<std::string, sw::InputChoice> m_choices;
    std::map<std::string, sw::InputFacts> m_facts;
    sw::RunInputs m_told; // what the engine has
    QStringList m_notes;
    std::uint64_t m_entriesOf = 0; // the compilation
    bool m_runsOnChange = true;
    bool m_isRunWanted = false; // once the engine has the inputs
    bool m_isWatched = false;
};

} // namespace stepwell::ui
