#pragma once

#include "engine/api/compare/comparer.h"
#include "ui/session/selection.h"
#include "ui/theme/appearance.h"

#include <QDialog>

class QLabel;
class QTabWidget;

namespace stepwell::ui {

class TextView;

// What two columns of a matrix make of a kernel: both sources, and both machine codes, side by side with their differences.
class KernelPair : public QDialog {
    Q_OBJECT

public:
    KernelPair(const Appearance &appearance, QWidget *parent = nullptr);

    struct Side {
        QString title;
        sw::KernelTexts texts;
    };
    void show(const Side &before, const Side &after);
    [[nodiscard]] int differentRows() const { return m_different; } // of the sources

private:
    struct Page {
        QWidget *widget = nullptr;
        QLabel *beforeTitle = nullptr;
        QLabel *afterTitle = nullptr;
        QLabel *note = nullptr;
        TextView *before = nullptr;
        TextView *after = nullptr;
    };
    Page addPage(const QString &name, const QString &title);
    int fill(const Page &page, const Side &before, const Side &after, sw::StageDocumentPtr sw::KernelTexts::*document);

    const Appearance &m_appearance;
    Selection m_selection; // of nothing: these documents are not the window's
    QTabWidget *m_tabs;
    Page m_code;
    Page m_machine;
    int m_different = 0;
};

} // namespace stepwell::ui
