#pragma once
// Puts widgets side by side, in as many rows as the width asks for.

#include <QLayout>
#include <QList>

namespace stepwell::ui {

class FlowLayout : public QLayout {
    Q_OBJECT

public:
    FlowLayout(int margin, int spacing, QWidget *parent);
    ~FlowLayout() override;

    void addItem(QLayoutItem *item) override { m_items.append(item); }
    [[nodiscard]] int count() const override { return static_cast<int>(m_items.size()); }
    [[nodiscard]] QLayoutItem *itemAt(int index) const override { return m_items.value(index); }
    QLayoutItem *takeAt(int index) override;
    [[nodiscard]] Qt::Orientations expandingDirections() const override { return {}; }
    [[nodiscard]] bool hasHeightForWidth() const override { return true; }
    [[nodiscard]] int heightForWidth(int width) const override { return place({0, 0, width, 0}, Placing::Measure); }
    [[nodiscard]] QSize minimumSize() const override;
    [[nodiscard]] QSize sizeHint() const override { return minimumSize(); }
    void setGeometry(const QRect &rect) override;

private:
    enum class Placing : unsigned char { Measure, Move };
    int place(const QRect &rect, Placing placing) const; // returns the height

    QList<QLayoutItem *> m_items;
};

} // namespace stepwell::ui
