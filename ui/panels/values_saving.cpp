// Values that leave the panel: saved as a file, or watched from run to run.

#include "engine/api/tensor_files.h"
#include "ui/panels/values_display.h"
#include "ui/panels/values_heat_map.h"
#include "ui/panels/values_panel.h"
#include "ui/session/disk_file.h"

#include <QBuffer>
#include <QFileDialog>

namespace stepwell::ui {

namespace {

constexpr std::int64_t kPictureSide = 4096; // pixels

} // namespace

void ValuesPanel::watch()
{
    if (m_source.kind == ShownKind::Node)
        m_context.watched.addNode(m_source.node);
    else if (m_source.kind == ShownKind::Item)
        m_display->tell(tr("Watched are inputs, outputs, and nodes of the end."));
    else if (m_source.kind == ShownKind::Output || m_source.kind == ShownKind::Input)
        m_context.watched.add(m_source.kind == ShownKind::Output ? WatchKind::Output : WatchKind::Input,
                              m_source.name.toStdString());
}

void ValuesPanel::chooseFile()
{
    if (!m_display->view())
        return;
    const QString path =
        QFileDialog::getSaveFileName(this, tr("Save the values"), m_source.name + QStringLiteral(".npy"),
                                     tr("NumPy (*.npy);;Comma-separated text (*.csv);;Picture of the slice (*.png)"), nullptr,
                                     QFileDialog::DontUseNativeDialog);
    if (!path.isEmpty())
        saveTo(path);
}

void ValuesPanel::saveTo(const QString &path)
{
    if (path.endsWith(QLatin1String(".png"), Qt::CaseInsensitive)) {
        savePicture(path);
        return;
    }
    const bool isText = path.endsWith(QLatin1String(".csv"), Qt::CaseInsensitive);
    m_display->tell(tr("Saving\u2026"));
    m_context.session.ask(
        RequestTag::File, this,
        [view = m_display->view(), path = path.toStdString(), isText](EngineService &, const std::stop_token &stop) {
            const sw::Result<sw::Done> saved = isText ? sw::saveCsv(*view, path, stop) : sw::saveNpy(*view, path);
            return saved ? std::string() : saved.error().front().message;
        },
        [this, path](const std::string &error) {
            m_display->tell(error.empty() ? tr("Saved %1").arg(path) : QString::fromStdString(error));
        });
}

void ValuesPanel::savePicture(const QString &path)
{
    const sw::TensorViewPtr view = m_display->view();
    if (!view->hasNumbers()) {
        m_display->tell(tr("%1 has no numbers to colour.").arg(QString::fromStdString(view->type())));
        return;
    }
    m_context.session.ask(
        RequestTag::File, this,
        [view, slice = m_display->slice()](EngineService &, const std::stop_token &stop) {
            static_cast<void>(view->statistics(stop));
            return sw::tilesOf(*view, slice, kPictureSide, kPictureSide, stop);
        },
        [this, view, path, slice = m_display->slice()](const std::optional<sw::TileMap> &tiles) {
            const sw::TensorStatisticsPtr statistics = view->knownStatistics();
            if (!tiles || !statistics)
                return;
            ValuesHeatMap map(m_context.appearance);
            map.setTiles(view, slice, *tiles, statistics->minimum, statistics->maximum);
            QByteArray bytes;
            QBuffer buffer(&bytes);
            const bool isMade = buffer.open(QIODevice::WriteOnly) && map.image().save(&buffer, "png");
            const QString problem = isMade ? writeFile(path, bytes, sw::Durability::Cached) : tr("The picture cannot be made.");
            m_display->tell(problem.isEmpty() ? tr("Saved %1").arg(path) : problem);
        });
}

} // namespace stepwell::ui
