#pragma once
// Everything known about the selected item, or, when nothing is selected, about the item under the pointer.

#include "ui/panels/panel.h"

class QTextBrowser;

namespace stepwell::ui {

class InspectorPanel : public Panel {
    Q_OBJECT

public:
    InspectorPanel(const PanelContext &context, const PanelName &name);

    void setSnapshot(const SnapshotPtr &snapshot) override;

private:
    void showItem();
    void showHtml(const QString &html);

    QTextBrowser *m_text;
    SnapshotPtr m_snapshot;
    QString m_html; // what the text shows
};

} // namespace stepwell::ui
