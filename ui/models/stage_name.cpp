#include "ui/models/stage_name.h"

#include <QCoreApplication>

namespace stepwell::ui {

QString stageName(sw::StageKind stage)
{
    switch (stage) {
    case sw::StageKind::Program:
        return QCoreApplication::translate("Stages", "Program");
    case sw::StageKind::Graph:
        return QCoreApplication::translate("Stages", "Graph");
    case sw::StageKind::Schedule:
        return QCoreApplication::translate("Stages", "Kernels");
    case sw::StageKind::Loops:
        return QCoreApplication::translate("Stages", "Loops");
    case sw::StageKind::Lowered:
        return QCoreApplication::translate("Stages", "Lowered");
    case sw::StageKind::Code:
        return QCoreApplication::translate("Stages", "Source");
    case sw::StageKind::Machine:
        return QCoreApplication::translate("Stages", "Machine code");
    }
    Q_UNREACHABLE();
}

} // namespace stepwell::ui
