#pragma once
// Device memory over the steps of a program: steps run left to right, bytes upwards, one bar per buffer. Buffers that are
// held throughout lie at the bottom and take at most a third of the height, however large; the rest is for what changes.

#include "ui/session/selection.h"
#include "ui/sharing/painted_view.h"
#include "ui/theme/appearance.h"

#include <QWidget>

#include <optional>

namespace stepwell::ui {

class MemoryChart : public QWidget, public PaintedView {
    Q_OBJECT

public:
    MemoryChart(const Appearance &appearance, Selection &selection, QWidget *parent = nullptr);

    // Null: shows nothing.
    void setDocument(const sw::StageDocumentPtr &document, const std::vector<KernelIdentity> &kernels);
    void setDimmed(bool isDimmed);

    [[nodiscard]] bool isEmpty() const { return m_plots.empty(); }
    // Where the item's bar is drawn, or else its step; empty: it is not drawn.
    [[nodiscard]] QRectF rectOf(sw::ItemIndex item) const;
    // Where a bar's label has room: what no part of it covers.
    [[nodiscard]] QRectF labelRectOf(sw::ItemIndex item) const;
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSizeF pictureSize() const override;

protected:
    bool event(QEvent *event) override;
    void paintEvent(QPaintEvent *event) override;
    void drawPicture(QPainter &painter) override;
    void resizeEvent(QResizeEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void leaveEvent(QEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;

private:
    // One chart of the document, with the positions of its parts.
    struct Plot {
        const sw::DocumentChart *chart = nullptr;
        std::vector<const sw::DocumentBar *> parts = {}; // that lie inside of others, above which they are drawn
        QRectF area;                                     // the area of the bars
        double heldHeight = 0;
        double axisWidth = 0;

        [[nodiscard]] double yOf(std::int64_t bytes) const;
        [[nodiscard]] double xOf(std::uint32_t step) const;
        [[nodiscard]] QRectF barRect(const sw::DocumentBar &bar) const;
        [[nodiscard]] QRectF labelRect(const sw::DocumentBar &bar) const;
        [[nodiscard]] QRectF stepRect(std::uint32_t step) const; // below the bars
    };

    void placePlots();
    [[nodiscard]] std::vector<QColor> itemColors() const;
    [[nodiscard]] sw::ItemIndex itemAt(const QPointF &position) const;
    [[nodiscard]] QString toolTipOf(sw::ItemIndex item) const;
    [[nodiscard]] bool isLit(sw::ItemIndex item) const;
    void draw(QPainter &painter) const;
    void drawAxis(QPainter &painter, const Plot &plot) const;
    void drawBar(QPainter &painter, const Plot &plot, const sw::DocumentBar &bar) const;
    void drawSteps(QPainter &painter, const Plot &plot) const;
    void moveSelection(int by);
    void selectWithKernels(sw::ItemIndex item);

    Selection &m_selection;
    sw::StageDocumentPtr m_document;
    std::vector<KernelIdentity> m_kernels;
    std::vector<QColor> m_colors; // by item
    std::vector<Plot> m_plots;
    bool m_isDimmed = false;
};

} // namespace stepwell::ui
