#pragma once
// A widget's picture of the moment before fades out over the picture of the new one, for a moment. What stays in its place does
// not move or flicker, and what comes and goes can be followed. Nothing fades where the system asks for less motion
// (QStyle::SH_Widget_Animation_Duration is 0).

#include <QPixmap>
#include <QVariantAnimation>

class QPainter;
class QWidget;

namespace stepwell::ui {

class MomentFade : public QVariantAnimation {
    Q_OBJECT

public:
    static constexpr int kLongest = 120; // milliseconds

    explicit MomentFade(QWidget *widget);

    // Called while the widget still shows what is to fade.
    void begin();
    void paint(QPainter &painter) const; // on top of what the widget painted
    [[nodiscard]] bool isFading() const { return state() == QAbstractAnimation::Running; }

private:
    QWidget *m_widget;
    QPixmap m_picture;
};

} // namespace stepwell::ui
