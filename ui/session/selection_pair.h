#pragma once
// Keeps the selection in the documents of a baseline in step with the window's: what is pointed at or selected in one of two
// compilations lights up in the other, where it has a counterpart.

#include "ui/session/selection.h"
#include "ui/session/stage_differences.h"

#include <QObject>

namespace stepwell::ui {

class SelectionPair : public QObject {
    Q_OBJECT

public:
    SelectionPair(Selection &now, Selection &before, const StageDifferences &differences, QObject *parent = nullptr);

private:
    enum class Way : unsigned char { ToBefore, ToNow };

    void follow(Way way);
    void followHover(Way way);
    // Nothing: the item has no counterpart, or it is not known yet.
    [[nodiscard]] std::optional<StageItem> counterpart(const StageItem &of, Way way) const;

    Selection &m_now;
    Selection &m_before;
    const StageDifferences &m_differences;
    std::uint64_t m_number = 0; // of the selection before, when it was last followed
    bool m_isFollowing = false;
};

} // namespace stepwell::ui
