#pragma once
// A scroll bar that shows where marks are in the whole text: the selection, search results, errors, differences.

#include "ui/theme/appearance.h"

#include <QScrollBar>

#include <vector>

namespace stepwell::ui {

struct RulerMark {
    int row = 0;
    Role color = Role::Accent;
};

class OverviewRuler : public QScrollBar {
    Q_OBJECT

public:
    explicit OverviewRuler(const Appearance &appearance, QWidget *parent = nullptr);

    void setMarks(std::vector<RulerMark> marks, int rowCount);

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    const Appearance &m_appearance;
    std::vector<RulerMark> m_marks;
    int m_rowCount = 0;
};

} // namespace stepwell::ui
