#include "ui/text_view/row_marks.h"

namespace stepwell::ui {

bool isDifference(RowMark mark)
{
    switch (mark) {
    case RowMark::None:
    case RowMark::Gap:
    case RowMark::Renamed:
    case RowMark::Folded:
        return false;
    case RowMark::Added:
    case RowMark::Removed:
    case RowMark::ChangedFrom:
    case RowMark::ChangedTo:
    case RowMark::MovedFrom:
    case RowMark::MovedTo:
        return true;
    }
    Q_UNREACHABLE();
}

std::optional<Role> roleOf(RowMark mark)
{
    switch (mark) {
    case RowMark::Added:
        return Role::Added;
    case RowMark::Removed:
        return Role::Removed;
    case RowMark::ChangedFrom:
    case RowMark::ChangedTo:
        return Role::Warning;
    case RowMark::MovedFrom:
    case RowMark::MovedTo:
        return Role::Note;
    case RowMark::None:
    case RowMark::Gap:
    case RowMark::Renamed:
    case RowMark::Folded:
        return std::nullopt;
    }
    Q_UNREACHABLE();
}

QString signOf(RowMark mark)
{
    switch (mark) {
    case RowMark::Added:
    case RowMark::ChangedTo:
        return QStringLiteral("+");
    case RowMark::Removed:
    case RowMark::ChangedFrom:
        return QStringLiteral("\u2212");
    case RowMark::MovedFrom:
        return QStringLiteral("<");
    case RowMark::MovedTo:
        return QStringLiteral(">");
    case RowMark::Renamed:
        return QStringLiteral("\u2248");
    case RowMark::None:
    case RowMark::Gap:
    case RowMark::Folded:
        return {};
    }
    Q_UNREACHABLE();
}

} // namespace stepwell::ui
