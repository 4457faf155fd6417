#pragma once
// A read-only view of a document's lines that draws only the visible ones, so it handles any number. It knows which item each
// line belongs to, so pointing at a line lights up its partners everywhere.

#include "engine/api/moment.h"
#include "ui/session/selection.h"
#include "ui/text_view/line_margin.h"
#include "ui/text_view/syntax.h"
#include "ui/text_view/text_rows.h"
#include "ui/theme/appearance.h"

#include <QAbstractScrollArea>
#include <QRegularExpression>

#include <map>
#include <optional>
#include <vector>

namespace stepwell::ui {

class OverviewRuler;

// What a run that stands somewhere in the text shows: where it is, where it was, where it stops, and values behind the lines.
struct RunSigns {
    enum class Stop : unsigned char { Off, Always, Checked };
    struct Note {
        QString text;
        bool isNew = false; // since the last step
    };

    int next = -1; // row of the instruction that runs next
    int last = -1; // of the one that ran last
    std::map<int, Stop> stops;
    std::map<int, Note> notes;
};

class TextView : public QAbstractScrollArea {
    Q_OBJECT

public:
    // Without a stage, the view shows a document outside the snapshot and takes no part in the selection.
    TextView(std::optional<sw::StageKind> stage, const Appearance &appearance, Selection &selection, QWidget *parent = nullptr);

    void setRows(TextRows rows, const std::vector<KernelIdentity> &kernels);
    // What the rewrite of a moment removed and added, as items of the rows' document.
    void setTouched(const sw::StageMarks &touched);
    // Makes room for the signs beside the line numbers; gutterClicked() tells of clicks there. Lines are numbered from 1 at the
    // first row.
    void showRun();
    // Makes room between the line numbers and the text; marginClicked() tells of clicks there. The view does not own the margin.
    void setMargin(const LineMargin *margin);
    void updateMargin();                           // when its width may have changed
    [[nodiscard]] QRect marginRect(int row) const; // in viewport coordinates
    [[nodiscard]] LineMetrics metrics() const { return {m_charWidth, m_lineHeight, m_ascent}; }
    [[nodiscard]] const std::vector<KernelIdentity> &kernels() const { return m_kernels; }
    // Off: the rows are not those of the snapshot that the selection is in.
    void setLinked(bool isLinked);
    // Lines of the earlier document of a comparison light up by this selection.
    void setBefore(Selection &before);
    void setKernelsBefore(const std::vector<KernelIdentity> &kernels);
    void setRun(RunSigns signs); // scrolls to the next row when it is another one
    [[nodiscard]] const RunSigns &run() const { return m_run; }
    void setHint(const QString &hint);
    void setDimmed(bool isDimmed);

    [[nodiscard]] const TextRows &rows() const { return m_rows; }
    [[nodiscard]] int firstVisibleRow() const;
    [[nodiscard]] int visibleRows() const;
    [[nodiscard]] QRect rowRect(int row) const;                 // in viewport coordinates; for tests and tools
    void scrollToRow(int row);                                  // scrolls the row to the middle, unless it is visible
    void chooseRow(int row);                                    // marks it and scrolls to it
    [[nodiscard]] int chosenRow() const { return m_cursorRow; } // -1: none
    void copy();                                                // the chosen lines, or else all
    [[nodiscard]] QString chosenText() const;                   // empty: no line is chosen
    [[nodiscard]] QString wholeText() const;
    [[nodiscard]] Language language() const { return m_language; }
    void zoomBy(int points);
    void resetZoom();

    // Finds matching rows; count() is their number, current counts from 0, -1: none chosen.
    void search(const QRegularExpression &pattern);
    void step(int direction);
    [[nodiscard]] int foundCount() const { return static_cast<int>(m_found.size()); }
    [[nodiscard]] int foundCurrent() const { return m_foundAt; }
    [[nodiscard]] const std::vector<int> &foundRows() const { return m_found; }

signals:
    void searchChanged();
    void gutterClicked(int row, Qt::MouseButton button);
    void marginClicked(int row, int x); // x counts from the margin's left edge
    void foldClicked(int row);          // of a comparison: a row that stands for others

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void wheelEvent(QWheelEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    bool viewportEvent(QEvent *event) override;
    void scrollContentsBy(int dx, int dy) override;

private:
    void measure();
    void updateScrollBars();
    void updateRuler();
    void onSelectionChanged();
    void reveal(); // scrolls once to the first partner of a selection made elsewhere
    [[nodiscard]] int rowAt(int y) const;
    void selectRow(int row, Qt::KeyboardModifiers modifiers);
    void moveCursor(int rows);
    void drawRow(QPainter &painter, int row, int y);
    void drawGutter(QPainter &painter, int row, int y);
    void drawSides(QPainter &painter, int row, int y);
    void drawSigns(QPainter &painter, int row, int y);
    void drawNote(QPainter &painter, int row, int y);
    void drawText(QPainter &painter, int row, const QPointF &origin, const QColor &background);
    void drawFold(QPainter &painter, int row, int y);
    void drawWords(QPainter &painter, int row, int y, const QColor &background);
    [[nodiscard]] QColor backgroundOf(int row) const;
    [[nodiscard]] Selection &selectionAt(int row) const; // that the row lights up by
    [[nodiscard]] std::vector<int> rowsOf(const PartnerSet &now, const PartnerSet *before) const;
    [[nodiscard]] RowMark markOf(int row) const; // the row's own mark, or else what the rewrite of the moment did to it

    [[nodiscard]] std::optional<sw::StageKind> stage() const { return m_isLinked ? m_stage : std::nullopt; }

    std::optional<sw::StageKind> m_stage;
    bool m_isLinked = true;
    const Appearance &m_appearance;
    Selection &m_selection;
    Selection *m_before = nullptr;
    OverviewRuler *m_ruler;
    TextRows m_rows;
    sw::StageMarks m_touched;
    Language m_language = Language::Lowered;
    std::vector<KernelIdentity> m_kernels;
    std::vector<KernelIdentity> m_kernelsBefore; // of the earlier document of a comparison
    RunSigns m_run;
    bool m_showsRun = false;
    QString m_hint;
    QFont m_font;
    int m_zoomPoints = 0;
    int m_lineHeight = 1;
    double m_charWidth = 1;
    int m_ascent = 0;
    int m_gutterWidth = 0;
    int m_tagWidth = 0;
    int m_signWidth = 0;
    const LineMargin *m_margin = nullptr;
    int m_marginWidth = 0;
    int m_numberWidth = 0; // of a comparison: of each of the two columns of line numbers
    bool m_isDimmed = false;
    int m_cursorRow = -1;
    std::uint64_t m_revealed = 0; // the number of the selection already scrolled to, or made here
    QRegularExpression m_pattern;
    std::vector<int> m_found;
    int m_foundAt = -1;
};

} // namespace stepwell::ui
