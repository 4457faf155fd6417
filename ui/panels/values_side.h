#pragma once

#include "engine/api/tensor_view.h"
#include "ui/sharing/painted_view.h"
#include "ui/theme/appearance.h"

#include <QWidget>

class QLabel;

namespace stepwell::ui {

// How the elements of a tensor are distributed, as bars.
class ValuesHistogram : public QWidget, public PaintedView {
    Q_OBJECT

public:
    explicit ValuesHistogram(const Appearance &appearance, QWidget *parent = nullptr);

    void setStatistics(sw::TensorStatisticsPtr statistics);
    // The interval at this place: "0.5 to 0.75: 12 elements"; empty outside of the bars.
    [[nodiscard]] QString tipAt(int x) const;
    [[nodiscard]] QSize sizeHint() const override { return {180, 60}; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {100, 24}; }
    [[nodiscard]] QSizeF pictureSize() const override;

protected:
    void paintEvent(QPaintEvent *event) override;
    void drawPicture(QPainter &painter) override;
    bool event(QEvent *event) override;

private:
    void draw(QPainter &painter, const QSize &room) const;

    sw::TensorStatisticsPtr m_statistics;
};

// The statistics of a tensor.
class ValuesSide : public QWidget {
    Q_OBJECT

public:
    explicit ValuesSide(const Appearance &appearance, QWidget *parent = nullptr);

    // Null statistics: they are being computed. A null view: there is nothing to show.
    void setView(const sw::TensorViewPtr &view, const QString &name, sw::TensorStatisticsPtr statistics);
    void setOutOfDate(bool isOutOfDate);

private:
    void showAll();

    const Appearance &m_appearance;
    QLabel *m_label;
    ValuesHistogram *m_histogram;
    sw::TensorViewPtr m_view;
    QString m_name;
    sw::TensorStatisticsPtr m_statistics;
    bool m_isOutOfDate = false;
};

} // namespace stepwell::ui
