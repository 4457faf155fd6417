#pragma once
// The transformations of a candidate beside those of the model's choice: what is the same, what is gone, what is new.

#include "engine/api/tune/list_difference.h"
#include "ui/theme/appearance.h"

#include <QListWidget>

#include <vector>

namespace stepwell::ui {

class TuningList : public QListWidget {
    Q_OBJECT

public:
    explicit TuningList(const Appearance &appearance, QWidget *parent = nullptr);

    void setLists(const sw::TransformList &model, const sw::TransformList &candidate);

private:
    void colour();

    const Appearance &m_appearance;
    std::vector<sw::ListLine> m_lines; // by row
};

} // namespace stepwell::ui
