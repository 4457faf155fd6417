#pragma once
// The transformations of a candidate beside those of the model's choice: what is the same, what is gone, what is new.

#include "engine/api/tune/tune_run.h"
#include "ui/theme/appearance.h"

#include <QListWidget>

namespace stepwell::ui {

class TuningList : public QListWidget {
    Q_OBJECT

public:
    explicit TuningList(const Appearance &appearance, QWidget *parent = nullptr);

    void setLists(const sw::TransformList &model, const sw::TransformList &candidate);

private:
    void colour();

    const Appearance &m_appearance;
};

} // namespace stepwell::ui
