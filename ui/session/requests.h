#pragma once
// What a panel asks for outside of itself. It does not know who answers.

#include "engine/api/stage_document.h"

#include <QObject>
#include <QString>

#include <cstdint>

namespace stepwell::ui {

class Requests : public QObject {
    Q_OBJECT

signals:
    void panelWanted(const QString &id);                              // shows the panel and gives it the keyboard focus
    void panelNeeded(const QString &id);                              // shows the panel; the focus stays where it is
    void stageNeeded(sw::StageKind stage);                            // shows a panel of the stage; the focus stays
    void placeWanted(std::uint32_t line, std::uint32_t column);       // in the program
    void fileWanted(const QString &path);                             // opens the program of this file
    void libraryPlaceWanted(const QString &file, std::uint32_t line); // in a file that comes with Stepwell
    void reproducerWanted(std::uint32_t kernel);                      // of a kernel of the end, as a folder
    void tuningWanted(std::uint32_t kernel);                          // likewise: shows what there is to tune it
};

} // namespace stepwell::ui
