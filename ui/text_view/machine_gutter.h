#pragma once
// Beside machine code: jump arrows in lanes, a frame around each loop in its colour, where copies are folded, the registers in
// use, and the bytes of the instructions when they are asked for.

#include "engine/api/machine_structure.h"
#include "ui/text_view/line_margin.h"
#include "ui/theme/appearance.h"

#include <functional>
#include <memory>
#include <optional>

namespace stepwell::ui {

class MachineGutter final : public LineMargin {
public:
    enum class Part : unsigned char { Registers, Bytes, Fold, Arrows };

    explicit MachineGutter(const Appearance &appearance) : m_appearance(appearance) {}

    // isFolded: by index of MachineStructure::copies.
    void setStructure(std::shared_ptr<const sw::MachineStructure> structure, std::function<bool(std::size_t)> isFolded);
    void setBytesShown(bool isShown) { m_showsBytes = isShown; }
    [[nodiscard]] bool showsBytes() const { return m_showsBytes; }

    [[nodiscard]] Part partAt(int x, const LineMetrics &metrics) const;
    // Of an arrow that begins, ends or passes there: the line to go to. Arrows that begin or end come first.
    [[nodiscard]] std::optional<std::uint32_t> otherEnd(std::uint32_t line) const;
    [[nodiscard]] QColor colorOf(std::uint32_t loop) const; // kNoIndex: of no loop

    [[nodiscard]] int width(const LineMetrics &metrics) const override;
    void paint(QPainter &painter, const TextRows &rows, int row, const QRect &place, const LineMetrics &metrics) const override;
    [[nodiscard]] QString tip(const TextRows &rows, int row, int x, const LineMetrics &metrics) const override;

private:
    struct Columns {
        int registers = 0; // where each begins
        int bytes = 0;
        int fold = 0;
        int arrows = 0;
        int end = 0;
    };
    [[nodiscard]] Columns columns(const LineMetrics &metrics) const;
    void paintRegisters(QPainter &painter, const sw::MachineLineFacts &facts, const QRect &place,
                        const LineMetrics &metrics) const;
    void paintLoops(QPainter &painter, std::uint32_t line, const QRect &place) const;
    void paintArrows(QPainter &painter, std::uint32_t line, const QRect &place) const;
    void paintFold(QPainter &painter, std::uint32_t line, const QRect &place) const;

    const Appearance &m_appearance;
    std::shared_ptr<const sw::MachineStructure> m_structure;
    std::function<bool(std::size_t)> m_isFolded;
    bool m_showsBytes = false;
    int m_longestBytes = 0; // characters
};

} // namespace stepwell::ui
