// Saves what the access panel shows, as a picture or as an animation.

#include "ui/panels/access_panel.h"
#include "ui/panels/access_picture.h"
#include "ui/panels/animated_picture.h"
#include "ui/session/disk_file.h"
#include "ui/sharing/picture_file.h"

#include <QComboBox>
#include <QFileDialog>
#include <QSpinBox>

#include <array>
#include <memory>

namespace stepwell::ui {

namespace {

constexpr std::size_t kMostFrames = 240;
constexpr int kMilliseconds = 10; // in a hundredth of a second

// A run that goes along with another one.
struct Companion {
    std::shared_ptr<sw::KernelTrace> trace;
    std::uint64_t steps = 0;
    std::uint64_t otherSteps = 0;
};

struct Film {
    std::vector<AccessPictureSide> sides; // of the run, and of its companion
    std::size_t trail = 1;
    int hundredths = 10; // that a frame stays
    Companion companion = {};
};

// The companion's side, where it stands when the run stands there.
void followTo(Film &film, std::uint64_t position, const std::stop_token &stop)
{
    Companion &companion = film.companion;
    const std::uint64_t goal = samePartOf(companion.steps, position, companion.otherSteps);
    if (!companion.trace->goTo(goal, stop))
        return;
    const sw::Result<std::vector<sw::TracePastAccess>> past = companion.trace->lastAccesses(film.trail, stop);
    if (past)
        film.sides.back().scene.setTrail(*past, past->empty() ? goal : past->front().position);
}

// Where the run stands, and then behind each access that follows. The runs are moved.
QByteArray filmOf(Film film, sw::KernelTrace &trace, const std::stop_token &stop)
{
    const std::array<std::string, 2> conditions{"load", "store"};
    std::unique_ptr<AnimatedPicture> picture;
    sw::Result<std::vector<sw::TracePastAccess>> past = trace.lastAccesses(film.trail, stop);
    std::vector<sw::TracePastAccess> trail = past ? std::move(*past) : std::vector<sw::TracePastAccess>();
    for (std::size_t frame = 0; frame < kMostFrames && !stop.stop_requested(); ++frame) {
        if (frame > 0) {
            const sw::Result<sw::TraceSearch> search = trace.runToAny(sw::TraceDirection::Forward, conditions, stop);
            if (!search || !search->isFound)
                break;
            const sw::TracePosition position = trace.where();
            for (const sw::TraceAccess &access : position.accesses)
                trail.insert(trail.begin(), {position.position, access.isStore, access.memory, access.first, access.count});
            trail.resize(std::min(trail.size(), film.trail));
        }
        const std::uint64_t now = trace.where().position;
        film.sides.front().scene.setTrail(trail, now);
        if (film.companion.trace)
            followTo(film, now, stop);
        const QImage image = pictureOf(film.sides, 1.0);
        if (!picture)
            picture = std::make_unique<AnimatedPicture>(image.size(), film.hundredths);
        if (!picture->add(image))
            return {};
    }
    return picture ? picture->finish() : QByteArray();
}

} // namespace

// What is shown; the side of a twin that is not there yet is left out.
std::vector<AccessPictureSide> AccessPanel::sidesToSave() const
{
    std::vector<AccessPictureSide> sides{{m_canvas->scene(), m_canvas->size(), tr("As it is")}};
    if (m_twin.isOpen())
        sides.push_back({m_other->canvas().scene(), m_other->canvas().size(), m_beside->currentText()});
    return sides;
}

void AccessPanel::savePicture()
{
    const QString path = QFileDialog::getSaveFileName(
        this, tr("Save what the grids show"),
        m_debugger.facts() ? QString::fromStdString(m_debugger.facts()->name) + QStringLiteral(".svg") : QString(),
        pictureFilters());
    if (path.isEmpty())
        return;
    if (const QString problem = savePictureAs(path); !problem.isEmpty())
        setNote(problem);
}

QString AccessPanel::savePictureAs(const QString &path)
{
    return ui::savePicture(*this, path, title());
}

QSizeF AccessPanel::pictureSize() const
{
    return m_debugger.facts() && m_canvas->hasScene() ? QSizeF(sizeOf(sidesToSave())) : QSizeF();
}

void AccessPanel::drawPicture(QPainter &painter)
{
    std::vector<AccessPictureSide> sides = sidesToSave();
    for (AccessPictureSide &side : sides)
        side.scene.setLook({usedTheme(), side.scene.look().text, side.scene.look().showsCacheLines});
    paintSides(painter, sides);
}

void AccessPanel::saveAnimation()
{
    const QString name =
        m_debugger.facts() ? QString::fromStdString(m_debugger.facts()->name) + QStringLiteral(".gif") : QString();
    const QString path =
        QFileDialog::getSaveFileName(this, tr("Save the accesses that follow"), name, tr("Animated pictures (*.gif)"));
    if (!path.isEmpty())
        saveAnimationAs(path);
}

void AccessPanel::saveAnimationAs(const QString &path)
{
    Film film{sidesToSave(), static_cast<std::size_t>(m_trail->value()), std::max(2, m_timer.interval() / kMilliseconds)};
    for (AccessPictureSide &side : film.sides)
        side.scene.setMode(AccessMode::Now);
    const sw::TracePosition *position = m_debugger.position();
    if (film.sides.size() > 1 && position && position->steps)
        film.companion = {m_twin.trace(), m_twin.steps(), *position->steps};
    setNote(tr("Saving the animation\u2026"));
    m_debugger.ask("animation", Debugger::Urgency::Later,
                   [this, film, path](sw::KernelTrace &trace, const std::stop_token &stop) -> std::function<void()> {
                       const std::uint64_t from = trace.where().position;
                       const auto companion = film.companion.trace;
                       const std::uint64_t companionFrom = companion ? companion->where().position : 0;
                       const QByteArray bytes = filmOf(film, trace, stop);
                       const bool isBack =
                           trace.goTo(from, {}).has_value() && (!companion || companion->goTo(companionFrom, {}).has_value());
                       return [this, path, bytes, isBack] {
                           const QString problem = bytes.isEmpty() || !isBack ? tr("The animation cannot be made.")
                                                                              : writeFile(path, bytes, sw::Durability::Cached);
                           if (problem.isEmpty() && m_debugger.facts())
                               setNote(QString::fromStdString(m_debugger.facts()->name));
                           else
                               setNote(problem);
                           emit animationSaved(path, problem);
                       };
                   });
}

} // namespace stepwell::ui
