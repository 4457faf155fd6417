#pragma once
// The overrides of the program, as a list that is changed line by line: each change compiles again, can be undone, and says what
// it did to kernels, traffic, times and values. The list is kept in a file beside the program.

#include "engine/api/effect.h"
#include "engine/api/override_list.h"
#include "ui/session/session.h"

#include <QObject>
#include <QString>
#include <QUndoStack>

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace stepwell::ui {

// What the last change of the list did.
struct WhatIfEffect {
    QString name;                     // of the change: "apart a -> b"
    std::optional<std::size_t> index; // the override that was changed, if it is still there
    sw::Effect effect;
};

// When a measurement ends.
struct MeasureChoice {
    double percent = 1;            // half of the band of the ratio of the times
    int budgetMilliseconds = 2000; // after compiling
};

class WhatIf : public QObject {
    Q_OBJECT

public:
    explicit WhatIf(Session &session, QObject *parent = nullptr);
    ~WhatIf() override;

    [[nodiscard]] const std::vector<sw::OverrideLine> &lines() const { return m_lines; }
    // What became of an override; null: it is not compiled yet.
    [[nodiscard]] const sw::OverrideEntry *entry(std::size_t index) const;
    [[nodiscard]] const std::optional<WhatIfEffect> &effect() const { return m_effect; }
    // The override that was changed last; nothing: it is gone.
    [[nodiscard]] const std::optional<std::size_t> &changedIndex() const { return m_wanted.index; }
    // What the last change of this override did; null: it has not been changed since the program was.
    [[nodiscard]] const WhatIfEffect *effectOf(std::size_t index) const;
    // What was measured of the last change, the list before it and the list now in turn; nothing: it was not.
    [[nodiscard]] const std::optional<WhatIfEffect> &measured() const { return m_measured; }
    // There is a list before this one, or else there are overrides to switch off, and the program compiles.
    [[nodiscard]] bool canMeasure() const;
    // Compiles and runs both in turn until their times are known well enough, or the budget is spent. Nothing else changes.
    void measureBeforeAndAfter();
    void stopMeasuring();
    [[nodiscard]] bool isMeasuringInTurn() const { return m_session.isAsking(RequestTag::Measure); }
    [[nodiscard]] int percentMeasured() const;
    [[nodiscard]] const MeasureChoice &measureChoice() const { return m_measureChoice; }
    void setMeasureChoice(MeasureChoice choice);

    // The effect of the last change is on its way.
    [[nodiscard]] bool isMeasuring() const;

    // Adds the override, in place of one about the same edge, value or kernel.
    void add(const QString &override);
    // What a card offers: adds the override, or takes it back.
    void apply(const sw::WhyTry &wanted);
    void remove(std::size_t index);
    void setOn(std::size_t index, bool isOn);
    void move(std::size_t from, std::size_t to);
    // Gives the kernel this text, as the variant of that name; other variants for it are switched off.
    void useCode(const sw::KernelCode &kernel, const QString &name, const QString &text);
    // Switches this variant for the kernel on, and the others off; nothing: the kernel has its own text.
    void useVariant(const sw::KernelCode &kernel, std::optional<std::size_t> index);
    [[nodiscard]] std::vector<sw::CodeVariant> variants(const sw::KernelCode &kernel) const
    {
        return sw::codeVariants(m_lines, kernel);
    }
    // A run of the program as it is now without edited kernels; null: it did not run so.
    [[nodiscard]] sw::ReportPtr unedited() const;
    // Returns what is wrong with the text; empty: it was changed.
    [[nodiscard]] QString edit(std::size_t index, const QString &override);
    void setNote(std::size_t index, const QString &note);
    // The override of exactly this text; nothing: it is not in the list.
    [[nodiscard]] std::optional<std::size_t> find(const QString &override) const;
    [[nodiscard]] QUndoStack &history() { return m_history; }

    // "softmax.sw" -> "softmax.overrides"
    [[nodiscard]] static QString fileOf(const QString &programPath);
    // Forgets the list and reads the one beside the program, before that is compiled. An empty path: there is none.
    void open(const QString &programPath);
    // Forgets the list and takes this text instead, which is in no file.
    void openText(const std::string &text);
    // Writes the list beside the program, or removes the file if the list is empty. Returns the reason for a failure.
    [[nodiscard]] QString save(const QString &programPath);
    [[nodiscard]] bool isModified() const { return !m_history.isClean(); }
    void setSaved() { m_history.setClean(); } // elsewhere than in that file
    // Why the file beside the program could not be read; it is left as it is. Empty: there is none, or it was read.
    [[nodiscard]] const std::vector<sw::Message> &problems() const { return m_problems; }

signals:
    void changed(); // the list, what became of it, or the effect

private:
    class Change;

    void change(const QString &name, std::vector<sw::OverrideLine> lines, std::optional<std::size_t> index);
    void show(const QString &name, const std::vector<sw::OverrideLine> &lines, std::optional<std::size_t> index);
    void onSnapshot(const SnapshotPtr &snapshot);
    void askEffect();
    void forgetEffects();
    void forgetList();
    void useList(sw::OverrideFile read);

    Session &m_session;
    QUndoStack m_history;
    std::vector<sw::OverrideLine> m_lines;
    QString m_file;
    std::vector<sw::Message> m_problems;
    SnapshotPtr m_snapshot;
    std::optional<WhatIfEffect> m_effect;
    std::map<std::string, WhatIfEffect> m_effects; // by the text of the override
    sw::ReportPtr m_unedited;                      // the last run without edited kernels
    QString m_uneditedProgram;
    bool m_hasRun = false; // so changes run, too
    // The change whose effect is asked for: the report before it, and what it is called.
    sw::ReportPtr m_before;
    QString m_program; // its text
    WhatIfEffect m_wanted;
    bool m_isPending = false;
    std::vector<sw::OverrideLine> m_linesBefore; // the last change
    bool m_isChanged = false;                    // since the program was opened
    std::optional<WhatIfEffect> m_measured;
    MeasureChoice m_measureChoice;
    std::shared_ptr<RunProgress> m_measureProgress = std::make_shared<RunProgress>();
};

} // namespace stepwell::ui
