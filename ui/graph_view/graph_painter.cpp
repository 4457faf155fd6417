#include "ui/graph_view/graph_painter.h"

#include "ui/graph_view/graph_signs.h"

#include <QPainterPath>

#include <algorithm>
#include <optional>
#include <utility>

namespace stepwell::ui {

namespace {

// Zoom levels from which detail is drawn.
constexpr double kCurvesFrom = 0.3;
constexpr double kTextFrom = 0.4;
constexpr double kEdgeLabelsFrom = 0.85;

bool contains(const std::vector<BoxIndex> &sorted, BoxIndex box)
{
    return std::ranges::binary_search(sorted, box);
}

class GraphDrawer {
public:
    GraphDrawer(QPainter &painter, const GraphDrawing &drawing)
        : m_painter(painter),
          m_drawing(drawing),
          m_scene(drawing.scene),
          m_theme(drawing.theme),
          m_labelFont(drawing.font),
          m_detailFont(drawing.font)
    {
        m_labelFont.setWeight(QFont::DemiBold);
        m_detailFont.setPointSizeF(m_detailFont.pointSizeF() - 1);
    }

    void draw()
    {
        m_painter.setRenderHint(QPainter::Antialiasing, m_drawing.scale >= kCurvesFrom);
        drawHulls();
        drawEdges();
        for (const BoxIndex box : m_scene.boxGrid.entriesIn(m_drawing.visible)) {
            if (m_drawing.scale < kTextFrom)
                drawSmallBox(box);
            else
                drawBox(box);
        }
        for (const BoxFlag &flag : m_drawing.marks.flags)
            if (m_scene.boxes[flag.box].rect.adjusted(-12, -12, 12, 12).intersects(m_drawing.visible))
                drawFlag(flag);
        // Drawn over the edges, so that none runs through a tag.
        for (const SceneHull &hull : m_scene.hulls)
            if (m_drawing.scale >= kTextFrom && hull.kernel < m_drawing.kernels.size() &&
                hull.tagArea.intersects(m_drawing.visible))
                drawHullTag(hull);
    }

private:
    [[nodiscard]] QColor textColor() const { return m_theme.color(m_drawing.isDimmed ? Role::Muted : Role::Text); }

    [[nodiscard]] QColor identityOf(std::uint32_t kernel) const
    {
        if (m_drawing.isDimmed)
            return m_theme.color(Role::Muted);
        return kernel < m_drawing.kernels.size() ? m_theme.identityColor(m_drawing.kernels[kernel].color)
                                                 : m_theme.color(Role::Muted);
    }

    [[nodiscard]] QColor colorOf(const SceneBox &box) const
    {
        if (m_scene.document->kind != sw::StageKind::Graph && box.kernel != sw::kNoIndex)
            return identityOf(box.kernel);
        if (box.isScope())
            return box.kernel == sw::kNoIndex ? m_theme.color(Role::Muted) : identityOf(box.kernel);
        return m_drawing.isDimmed ? m_theme.color(Role::Muted) : m_theme.tagColor(m_scene.document->items[box.item].tags);
    }

    void drawHulls()
    {
        for (const SceneHull &hull : m_scene.hulls) {
            if (!hull.path.boundingRect().intersects(m_drawing.visible))
                continue;
            const QColor color = identityOf(hull.kernel);
            QPen pen(Theme::blend(m_theme.color(Role::Base), color, 0.55), 1);
            pen.setCosmetic(true);
            m_painter.setPen(pen);
            m_painter.setBrush(Theme::blend(m_theme.color(Role::Base), color, m_theme.isDark() ? 0.13 : 0.10));
            m_painter.drawPath(hull.path);
        }
    }

    void drawHullTag(const SceneHull &hull)
    {
        const QColor color = identityOf(hull.kernel);
        m_painter.setFont(m_detailFont);
        m_painter.setPen(Qt::NoPen);
        m_painter.setBrush(color);
        m_painter.drawRoundedRect(hull.tagArea, 4, 4);
        m_painter.setPen(Theme::legible(m_theme.color(Role::Base), color));
        m_painter.drawText(hull.tagArea, Qt::AlignCenter, m_drawing.kernels[hull.kernel].tag);
    }

    void drawEdges()
    {
        m_painter.setBrush(Qt::NoBrush);
        std::vector<std::uint32_t> lit;
        std::vector<std::uint32_t> other; // only one of two documents has them
        // Wider antialiased pens cost ten times as much; only lit edges use one.
        QPen pen(m_theme.color(Role::Edge), 1);
        pen.setCosmetic(true);
        m_painter.setPen(pen);
        const auto visible = m_scene.edgeGrid.entriesIn(m_drawing.visible);
        for (const std::uint32_t e : visible) {
            const sw::ItemKind kind = kindOf(e);
            if (isLit(e) || kind != sw::ItemKind::Same)
                (isLit(e) ? lit : other).push_back(e);
            else
                drawEdge(e);
        }
        for (const std::uint32_t e : other) {
            const bool isGone = kindOf(e) == sw::ItemKind::Removed;
            QPen marked(m_theme.color(isGone ? Role::Removed : Role::Added), 1, isGone ? Qt::DashLine : Qt::SolidLine);
            marked.setCosmetic(true);
            m_painter.setPen(marked);
            drawEdge(e);
        }
        pen.setColor(m_theme.color(Role::Accent));
        pen.setWidthF(m_drawing.scale >= kCurvesFrom ? 1.8 : 1);
        m_painter.setPen(pen);
        for (const std::uint32_t e : lit)
            drawEdge(e);
        if (m_drawing.scale < kEdgeLabelsFrom)
            return;
        for (const std::uint32_t e : visible)
            drawEdgeLabel(e, isLit(e));
    }

    [[nodiscard]] bool isLit(std::uint32_t e) const
    {
        const SceneEdge &edge = m_scene.edges[e];
        const auto isMarked = [&](const std::vector<BoxIndex> &marks) {
            return contains(marks, edge.from) || contains(marks, edge.to);
        };
        return e == m_drawing.marks.hoveredEdge || isMarked(m_drawing.marks.hovered) || isMarked(m_drawing.marks.selected);
    }

    [[nodiscard]] sw::ItemKind kindOf(std::uint32_t e) const
    {
        const std::uint32_t edge = m_scene.edges[e].documentEdge;
        return edge < m_drawing.edgeKinds.size() ? m_drawing.edgeKinds[edge] : sw::ItemKind::Same;
    }

    void drawEdge(std::uint32_t e)
    {
        const SceneEdge &edge = m_scene.edges[e];
        const QPointF *points = m_scene.points.data() + edge.firstPoint;
        if (m_drawing.scale < kCurvesFrom) {
            m_painter.drawPolyline(points, static_cast<int>(edge.pointCount));
            return;
        }
        QPainterPath path(points[0]);
        for (std::uint32_t i = 1; i < edge.pointCount; ++i) {
            const QPointF &a = points[i - 1];
            const QPointF &b = points[i];
            if (a.x() == b.x()) {
                path.lineTo(b);
                continue;
            }
            const double half = (b.y() - a.y()) / 2;
            path.cubicTo(a + QPointF(0, half), b - QPointF(0, half), b);
        }
        m_painter.drawPath(path);
        drawArrow(points[edge.pointCount - 1]);
        if (m_drawing.cuts[e])
            drawCut(path.pointAtPercent(0.5));
    }

    // Two strokes with a gap between them.
    void drawCut(const QPointF &middle)
    {
        const QPen pen = m_painter.pen();
        QPen gap(m_theme.color(Role::Base), 3);
        m_painter.setPen(gap);
        m_painter.drawLine(middle + QPointF(-5, 2), middle + QPointF(5, -2));
        QPen stroke(m_theme.color(Role::Warning), 1.2);
        m_painter.setPen(stroke);
        for (const double shift : {-2.2, 2.2})
            m_painter.drawLine(middle + QPointF(-5, shift + 2), middle + QPointF(5, shift - 2));
        m_painter.setPen(pen);
    }

    void drawArrow(const QPointF &tip)
    {
        m_painter.drawLine(tip, tip + QPointF(-3.2, -4.5));
        m_painter.drawLine(tip, tip + QPointF(3.2, -4.5));
    }

    // Only where the scene has found room for it.
    void drawEdgeLabel(std::uint32_t e, bool isEdgeLit)
    {
        const SceneEdge &edge = m_scene.edges[e];
        if (edge.labelArea.isNull() || (!isEdgeLit && m_scene.edges.size() > kMostLabelledEdges))
            return;
        // The box above shows its own type; a label is for edges that carry something else.
        if (!isEdgeLit && edge.label == m_scene.boxes[edge.from].detail)
            return;
        m_painter.save();
        m_painter.setFont(m_detailFont);
        m_painter.setPen(Qt::NoPen);
        m_painter.setBrush(m_theme.color(Role::Base));
        m_painter.drawRoundedRect(edge.labelArea, 3, 3);
        m_painter.setPen(m_theme.color(isEdgeLit ? Role::Text : Role::Muted));
        m_painter.drawText(edge.labelArea, Qt::AlignCenter, edge.label);
        m_painter.restore();
    }

    void drawSmallBox(BoxIndex index)
    {
        const SceneBox &box = m_scene.boxes[index];
        const QColor color = colorOf(box);
        m_painter.fillRect(box.rect, Theme::blend(m_theme.color(Role::Node), color, 0.55));
        drawHalo(index, box.rect);
    }

    void drawBox(BoxIndex index)
    {
        const SceneBox &box = m_scene.boxes[index];
        const QColor color = colorOf(box);
        const bool isSelected = contains(m_drawing.marks.selected, index);
        QColor fill = Theme::blend(m_theme.color(Role::Node), color, m_theme.isDark() ? 0.16 : 0.10);
        if (isSelected)
            fill = Theme::blend(fill, m_theme.color(Role::SelectedHalo), 0.25);
        if (box.isScope()) { // drawn as a pile of cards
            m_painter.setPen(QPen(Theme::blend(m_theme.color(Role::Node), color, 0.5), 1));
            m_painter.setBrush(Theme::blend(fill, m_theme.color(Role::Base), 0.4));
            m_painter.drawRoundedRect(box.rect.translated(3, 3), 5, 5);
        }
        m_painter.setPen(QPen(Theme::blend(m_theme.color(Role::Node), color, 0.65), 1));
        m_painter.setBrush(fill);
        m_painter.drawRoundedRect(box.rect, 5, 5);
        m_painter.setPen(Qt::NoPen);
        m_painter.setBrush(color);
        m_painter.drawRoundedRect(QRectF(box.rect.topLeft(), QSizeF(4, box.rect.height())), 2, 2);
        if (box.isCompact)
            drawCompactText(box, fill);
        else
            drawText(box, fill);
        drawHalo(index, box.rect);
    }

    void drawCompactText(const SceneBox &box, const QColor &fill)
    {
        const QRectF area = box.rect.adjusted(kBoxPadding + 1, 0, 0, -1);
        m_painter.setFont(m_detailFont);
        m_painter.setPen(Theme::legible(textColor(), fill));
        m_painter.drawText(area, Qt::AlignLeft | Qt::AlignVCenter, box.label);
        m_painter.setPen(Theme::legible(m_theme.color(Role::Muted), fill));
        const double away = QFontMetricsF(m_detailFont).horizontalAdvance(box.label) + kCompactGap;
        m_painter.drawText(area.adjusted(away, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, box.detail);
    }

    void drawText(const SceneBox &box, const QColor &fill)
    {
        QRectF area = box.rect.adjusted(kBoxPadding + 3, 4, -kBoxPadding + 6, -3);
        m_painter.setFont(m_labelFont);
        m_painter.setPen(Theme::legible(textColor(), fill));
        m_painter.drawText(area, Qt::AlignLeft | Qt::AlignTop, box.label);
        area.setTop(area.top() + QFontMetricsF(m_labelFont).height());
        m_painter.setFont(m_detailFont);
        if (!box.detail.isEmpty()) {
            m_painter.setPen(Theme::legible(m_theme.color(Role::Muted), fill));
            m_painter.drawText(area, Qt::AlignLeft | Qt::AlignTop, box.detail);
        }
        double x = area.left() - 2;
        for (const QString &chip : box.chips) {
            const QRectF chipArea(x, box.rect.bottom() - kChipHeight - 5, QFontMetricsF(m_detailFont).horizontalAdvance(chip) + 9,
                                  kChipHeight);
            m_painter.setPen(Qt::NoPen);
            const QColor chipFill = Theme::blend(m_theme.color(Role::Node), m_theme.color(Role::Text), 0.14);
            m_painter.setBrush(chipFill);
            m_painter.drawRoundedRect(chipArea, 6, 6);
            m_painter.setPen(Theme::legible(textColor(), chipFill));
            m_painter.drawText(chipArea, Qt::AlignCenter, chip);
            x = chipArea.right() + 4;
        }
    }

    [[nodiscard]] bool isGone(BoxIndex index) const
    {
        const SceneBox &box = m_scene.boxes[index];
        if (box.isScope())
            return false;
        const auto &tags = m_scene.document->items[box.item].tags;
        return std::ranges::find(tags, sw::kGoneTag) != tags.end() ||
               std::ranges::find(tags, nameOf(sw::ItemKind::Removed)) != tags.end();
    }

    // Seen from afar as well: far out, it is a dot of constant size.
    void drawFlag(const BoxFlag &flag)
    {
        const double size = std::max(15.0, 7 / m_drawing.scale);
        const QRectF badge(m_scene.boxes[flag.box].rect.topLeft() - QPointF(size / 2, size / 2), QSizeF(size, size));
        m_painter.setPen(QPen(m_theme.color(Role::Base), size / 10));
        m_painter.setBrush(flag.color);
        m_painter.drawEllipse(badge);
        if (m_drawing.scale < kTextFrom)
            return;
        m_painter.setFont(m_labelFont);
        m_painter.setPen(Theme::legible(m_theme.color(Role::Base), flag.color));
        m_painter.drawText(badge, Qt::AlignCenter, flag.sign);
    }

    void drawHalo(BoxIndex index, const QRectF &rect)
    {
        const GraphMarks &marks = m_drawing.marks;
        const auto outline = [&](const QColor &color, double width, double away, Qt::PenStyle style) {
            QPen pen(color, width, style);
            pen.setCosmetic(true);
            m_painter.setPen(pen);
            m_painter.setBrush(Qt::NoBrush);
            m_painter.drawRoundedRect(rect.adjusted(-away, -away, away, away), 6, 6);
        };
        if (const std::optional<Touch> touch = touchOf(m_drawing.marks, index)) {
            const Qt::PenStyle style = isGone(index) ? Qt::DashLine : touch == Touch::Renamed ? Qt::DotLine : Qt::SolidLine;
            outline(m_theme.color(roleOf(*touch)), 2.4, 3, style);
            if (m_drawing.scale >= kTextFrom)
                drawTouch(m_painter, rect, *touch, m_theme);
        }
        if (contains(marks.found, index))
            outline(m_theme.color(Role::Warning), 1.5, 3, Qt::DotLine);
        if (contains(marks.nearSelected, index))
            outline(m_theme.fainter(Role::SelectedHalo), 2, 1.5, Qt::SolidLine);
        if (contains(marks.nearHovered, index))
            outline(m_theme.fainter(Role::Halo), 2, 1.5, Qt::SolidLine);
        if (contains(marks.selected, index))
            outline(m_theme.color(Role::SelectedHalo), 2, 1.5, Qt::SolidLine);
        if (contains(marks.hovered, index))
            outline(m_theme.color(Role::Halo), 2, 1.5, Qt::SolidLine);
        if (marks.current == index)
            outline(m_theme.color(Role::Text), 1, 4, Qt::DashLine);
    }

    QPainter &m_painter;
    const GraphDrawing &m_drawing;
    const GraphScene &m_scene;
    const Theme &m_theme;
    QFont m_labelFont;
    QFont m_detailFont;
};

} // namespace

void drawGraph(QPainter &painter, const GraphDrawing &drawing)
{
    GraphDrawer(painter, drawing).draw();
}

} // namespace stepwell::ui
