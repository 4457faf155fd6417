#pragma once
// Shows where a panel would go.

#include <QWidget>

namespace stepwell::ui {

class Appearance;

class DropHint : public QWidget {
    Q_OBJECT

public:
    DropHint(const Appearance &appearance, QWidget *parent);

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    const Appearance &m_appearance;
};

} // namespace stepwell::ui
