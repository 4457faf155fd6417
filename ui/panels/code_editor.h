#pragma once
// Edits the source or the lowered text of one kernel, with the original beside it. Texts are overrides of the list "What if":
// they are applied, undone, switched and saved like all others. What the compiler says stands in its line; values are told before
// times.

#include "ui/panels/panel.h"
#include "ui/text_view/kernel_text_edit.h"

#include <QWidget>

#include <cstdint>
#include <optional>

class QComboBox;
class QLabel;
class QLineEdit;
class QSplitter;
class QToolButton;

namespace stepwell::ui {

class CodeEditor : public QWidget {
    Q_OBJECT

public:
    CodeEditor(const PanelContext &context, sw::StageKind stage, QWidget *parent = nullptr);

    // Begins to edit a kernel of the newest compilation.
    void open(std::uint32_t kernel);
    void setSnapshot(const SnapshotPtr &snapshot);
    void apply();
    // Applies; both the program with its own kernels and with this text then run.
    void applyAndRun();
    void revert();
    void keepAsVariant();

    [[nodiscard]] const sw::KernelCode &kernel() const { return m_kernel; }
    [[nodiscard]] KernelTextEdit &text() { return *m_text; }
    [[nodiscard]] KernelTextEdit &original() { return *m_original; }
    // Nothing about its kernel is on its way.
    [[nodiscard]] bool isSettled() const;
    // There is also a text to edit, and what its last change did is known.
    [[nodiscard]] bool isReady() const;

signals:
    void closed();

private:
    void makeLayout(); // code_editor_layout.cpp
    void connectAll();
    void requestKernel();
    [[nodiscard]] RequestTag tag() const;
    void onKernel(sw::KernelCode kernel);
    // Shows the text in use, unless something else is typed.
    void showUsed();
    void updateVariants();
    void updateState();
    void onRun(bool hasSucceeded);
    void updateDifference();
    [[nodiscard]] std::optional<sw::CodeVariant> variantInUse() const;
    [[nodiscard]] QString nameToUse() const;
    [[nodiscard]] QString timeText(const sw::Effect &effect) const;

    PanelContext m_context;
    sw::StageKind m_stage;
    std::uint32_t m_index = 0; // of the kernel
    sw::KernelCode m_kernel;
    QString m_base;                   // the text in use when it was shown
    std::optional<QString> m_toApply; // when a run without it has ended
    QComboBox *m_kernels;
    QComboBox *m_variants;
    QLineEdit *m_name;
    QToolButton *m_apply;
    QToolButton *m_run;
    QToolButton *m_revert;
    QToolButton *m_keep;
    QToolButton *m_beside;
    QToolButton *m_close;
    QSplitter *m_sides;
    KernelTextEdit *m_original;
    KernelTextEdit *m_text;
    QLabel *m_state;
};

} // namespace stepwell::ui
