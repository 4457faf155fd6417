#pragma once
// A picture of what a run reads and writes: every memory as a grid of its last two axes. Shown are the last accesses, the newest
// brightest, or totals over the run. It knows no window, so that it can also be painted for a file.

#include "ui/session/debugger.h"
#include "ui/theme/theme.h"

#include <QFont>
#include <QImage>
#include <QPainter>
#include <QRectF>

#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace stepwell::ui {

enum class AccessMode : unsigned char { Now, Touches, First, Last };

// What of a memory is drawn: rows and columns of one slice.
struct GridShape {
    std::int64_t rows = 1;
    std::int64_t columns = 1;
    std::int64_t slices = 1;
    bool isWrapped = false; // a vector, drawn in several rows
};
[[nodiscard]] GridShape gridShapeOf(const sw::TraceMemory &memory);

struct AccessLook {
    Theme theme;
    QFont text;
    bool showsCacheLines = true;
};

class AccessScene {
public:
    explicit AccessScene(AccessLook look) : m_look(std::move(look)) {}

    void setLook(AccessLook look) { m_look = std::move(look); }
    [[nodiscard]] const AccessLook &look() const { return m_look; }
    void setMemories(std::vector<sw::TraceMemory> memories);
    void setMode(AccessMode mode) { m_mode = mode; }
    // accesses: newest first; those of the position `now` are the last step's.
    void setTrail(std::vector<sw::TracePastAccess> accesses, std::uint64_t now);
    void setTotals(std::shared_ptr<const sw::TraceTotals> totals) { m_totals = std::move(totals); } // null: not known
    // The slice of every memory that has several; nothing: that of its newest access.
    void setSlice(std::optional<std::int64_t> slice) { m_slice = slice; }
    void resize(const QSizeF &size);

    void paint(QPainter &painter) const;

    struct Place {
        std::uint32_t memory = sw::kNoIndex; // instruction
        std::int64_t element = 0;
    };
    [[nodiscard]] std::optional<Place> placeAt(const QPointF &at) const;
    // Where an element is drawn; empty: it is in a slice that is not shown.
    [[nodiscard]] QRectF rectOf(const Place &place) const;
    // How it is drawn, for tests and for those who cannot see it.
    [[nodiscard]] QColor colorOf(const Place &place) const;
    [[nodiscard]] QString describe(const Place &place) const;
    // "read [3, 64] to [3, 79]: 16 lanes, 1 cache line, stride 16"; empty: the last step touched nothing.
    [[nodiscard]] QString lastStep() const;
    [[nodiscard]] std::int64_t mostSlices() const;

private:
    struct Tile {
        sw::TraceMemory memory;
        GridShape shape;
        QRectF area;     // of the whole tile
        QRectF grid;     // of the whole slice
        double cell = 1; // pixels
        QRectF lens;     // a part of the slice, larger; empty: the whole is large enough
    };
    // Rows and columns of a slice, and where they are drawn.
    struct View {
        QRectF place;
        double cell = 1;
        std::int64_t row = 0;
        std::int64_t column = 0;
        std::int64_t rows = 1;
        std::int64_t columns = 1;
    };

    [[nodiscard]] const Tile *tileOf(std::uint32_t memory) const;
    [[nodiscard]] std::int64_t sliceOf(const Tile &tile) const;
    [[nodiscard]] const sw::TraceMemoryTouches *touchesOf(const Tile &tile) const; // null: not counted
    [[nodiscard]] QColor colorOf(const Tile &tile, std::int64_t element, std::uint64_t most) const;
    [[nodiscard]] std::uint64_t mostOf(const Tile &tile) const;
    [[nodiscard]] QImage imageOf(const Tile &tile) const;
    [[nodiscard]] std::int64_t lineElements(const Tile &tile) const;
    [[nodiscard]] View wholeOf(const Tile &tile) const;
    [[nodiscard]] std::optional<View> lensOf(const Tile &tile) const; // around the newest access
    [[nodiscard]] std::int64_t beginOf(const Tile &tile) const;       // the first element of the slice that is shown
    void paintTile(QPainter &painter, const Tile &tile) const;
    void paintCells(QPainter &painter, const Tile &tile, const View &view) const;
    void paintTrail(QPainter &painter, const Tile &tile, const View &view) const;
    void paintGridLines(QPainter &painter, const Tile &tile, const View &view) const;
    void paintLastStep(QPainter &painter, const Tile &tile, const View &view) const;
    [[nodiscard]] QString titleOf(const Tile &tile) const;
    [[nodiscard]] QString legendOf(const Tile &tile) const;
    // Empty: it is outside of the view.
    [[nodiscard]] QRectF cellRect(const Tile &tile, const View &view, std::int64_t element) const;

    AccessLook m_look;
    std::vector<Tile> m_tiles;
    AccessMode m_mode = AccessMode::Now;
    std::vector<sw::TracePastAccess> m_trail;
    // By memory and element: how recent the newest access is, from 1 (the last step) on, and whether it wrote.
    std::map<std::uint32_t, std::map<std::int64_t, std::pair<std::size_t, bool>>> m_ages;
    std::size_t m_oldest = 1;
    std::uint64_t m_now = 0;
    std::shared_ptr<const sw::TraceTotals> m_totals;
    std::optional<std::int64_t> m_slice;
};

} // namespace stepwell::ui
