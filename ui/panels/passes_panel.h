#pragma once

#include "ui/models/pass_model.h"
#include "ui/panels/panel.h"

class QLabel;
class QSlider;
class QStackedWidget;
class QTableView;

namespace stepwell::ui {

class DiffView;

// The passes that ran; the chosen one's stage before and after, and each of its rewrites one by one.
class PassesPanel : public Panel {
    Q_OBJECT

public:
    explicit PassesPanel(const PanelContext &context);

    void setSnapshot(const SnapshotPtr &snapshot) override;
    void choosePass(int row);
    void nextChanged() { step(1); }
    void previousChanged() { step(-1); }

    [[nodiscard]] int currentPass() const { return m_current; } // -1: none
    [[nodiscard]] DiffView &diff() { return *m_diff; }

protected:
    void showEvent(QShowEvent *event) override;

private:
    void chooseFirst();
    void step(int direction);
    void request();
    void onDocuments(std::uint32_t index, std::uint32_t afterRewrites, const sw::PassDocuments &documents);
    void showRewrite();

    PassModel *m_model;
    QTableView *m_table;
    QStackedWidget *m_stack;
    DiffView *m_diff;
    QSlider *m_slider;
    QLabel *m_rewrite;
    SnapshotPtr m_snapshot;
    QString m_lastRewrite; // of the documents that are shown
    int m_shownRewrites = 0;
    int m_current = -1;
    bool m_isWanted = false; // asked for when the panel is next shown
};

} // namespace stepwell::ui
