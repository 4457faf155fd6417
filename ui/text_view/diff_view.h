#pragma once
// Two documents side by side with their differences marked; both sides scroll together.

#include "ui/text_view/text_view.h"

#include <QWidget>

namespace stepwell::ui {

class DiffView : public QWidget {
    Q_OBJECT

public:
    DiffView(const Appearance &appearance, Selection &selection, QWidget *parent = nullptr);

    void setDocuments(const sw::StageDocumentPtr &before, const sw::StageDocumentPtr &after,
                      const std::vector<KernelIdentity> &kernels);
    void setHint(const QString &hint);
    void scrollToFirstChange();

    [[nodiscard]] TextView &before() { return *m_before; }
    [[nodiscard]] TextView &after() { return *m_after; }
    [[nodiscard]] int addedLines() const { return m_added; }
    [[nodiscard]] int removedLines() const { return m_removed; }

private:
    TextView *m_before;
    TextView *m_after;
    int m_added = 0;
    int m_removed = 0;
    int m_firstChange = -1;
};

} // namespace stepwell::ui
