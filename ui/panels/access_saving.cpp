// Saves what the access panel shows as an animation.

#include "ui/panels/access_panel.h"
#include "ui/panels/animated_picture.h"
#include "ui/session/disk_file.h"

#include <QFileDialog>
#include <QPainter>
#include <QSpinBox>

#include <array>
#include <memory>

namespace stepwell::ui {

namespace {

constexpr std::size_t kMostFrames = 240;
constexpr int kMilliseconds = 10; // in a hundredth of a second

struct Film {
    AccessScene scene;
    QSize size;
    std::size_t trail = 1;
    int hundredths = 10; // that a frame stays
};

QImage frameOf(const AccessScene &scene, QSize size)
{
    QImage image(size, QImage::Format_RGB32);
    image.fill(scene.look().theme.color(Role::Base));
    QPainter painter(&image);
    scene.paint(painter);
    return image;
}

// Where the run stands, and then behind each access that follows. The run is moved.
QByteArray filmOf(Film film, sw::KernelTrace &trace, const std::stop_token &stop)
{
    const std::array<std::string, 2> conditions{"load", "store"};
    AnimatedPicture picture(film.size, film.hundredths);
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
        film.scene.setTrail(trail, trace.where().position);
        if (!picture.add(frameOf(film.scene, film.size)))
            return {};
    }
    return picture.finish();
}

} // namespace

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
    Film film{m_canvas->scene(), m_canvas->size(), static_cast<std::size_t>(m_trail->value()),
              std::max(2, m_timer.interval() / kMilliseconds)};
    film.scene.setMode(AccessMode::Now);
    film.scene.resize(film.size);
    setNote(tr("Saving the animation\u2026"));
    m_debugger.ask("animation", Debugger::Urgency::Later,
                   [this, film, path](sw::KernelTrace &trace, const std::stop_token &stop) -> std::function<void()> {
                       const std::uint64_t from = trace.where().position;
                       const QByteArray bytes = filmOf(film, trace, stop);
                       const sw::Result<sw::Done> isBack = trace.goTo(from, {});
                       return [this, path, bytes, isBack = static_cast<bool>(isBack)] {
                           const QString problem = bytes.isEmpty() || !isBack ? tr("The animation cannot be made.")
                                                                              : writeFile(path, bytes, sw::Durability::Cached);
                           setNote(problem);
                           emit animationSaved(path, problem);
                       };
                   });
}

} // namespace stepwell::ui
