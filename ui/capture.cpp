#include "ui/capture.h"

#include "ui/against_words.h"
#include "ui/main_window.h"
#include "ui/panels/access_panel.h"
#include "ui/panels/graph_panel.h"
#include "ui/session/disk_file.h"

#include <QAction>
#include <QBuffer>
#include <QFileInfo>
#include <QPixmap>

#include <algorithm>
#include <array>

namespace stepwell::ui {

namespace {

constexpr int kCheckMilliseconds = 40;
constexpr int kQuietChecks = 3; // values and passes are requested only after the report has arrived

QString firstErrorOf(const Session &session)
{
    if (const SnapshotPtr &snapshot = session.snapshot()) {
        for (const sw::Message &message : snapshot->report->messages) {
            if (message.severity == sw::MessageSeverity::Error)
                return QStringLiteral("%1:%2:%3: %4")
                    .arg(QString::fromStdString(message.file))
                    .arg(message.line)
                    .arg(message.column)
                    .arg(QString::fromStdString(message.text));
        }
    }
    return {};
}

} // namespace

Capture::Capture(MainWindow &window, CaptureRequest request) : QObject(&window), m_window(window), m_request(std::move(request))
{
    m_check.setInterval(kCheckMilliseconds);
    m_limit.setSingleShot(true);
    connect(&m_check, &QTimer::timeout, this, &Capture::check);
    connect(&m_limit, &QTimer::timeout, this, [this] { finish(tr("the program was not ready in time")); });
    connect(&window.session(), &Session::compileFinished, this, &Capture::onCompiled);
    connect(&window.session(), &Session::runFinished, this, &Capture::onRun);
    // Queued: the program is opened before there is an event loop to quit.
    connect(&window, &MainWindow::fileFailed, this, &Capture::finish, Qt::QueuedConnection);
    m_limit.start(m_request.limitMilliseconds);
}

void Capture::onCompiled(bool succeeded)
{
    if (!succeeded)
        m_reason = firstErrorOf(m_window.session());
    if (succeeded && m_request.run && m_next == 0) // with an override, the window runs by itself
        m_window.action(QStringLiteral("compile.run"))->trigger();
    else
        wait();
}

void Capture::onRun(bool succeeded)
{
    if (!succeeded) {
        const QString error = firstErrorOf(m_window.session());
        m_reason = error.isEmpty() ? tr("the run failed") : error;
    }
    wait();
}

void Capture::wait()
{
    if (m_next == 0) // an override compiles again
        m_check.start();
}

void Capture::check()
{
    static constexpr std::array kToDo{&Capture::tryOverride, &Capture::compare,    &Capture::runBoth,    &Capture::showPanels,
                                      &Capture::watchNodes,  &Capture::showHealth, &Capture::selectItem, &Capture::goToMoment,
                                      &Capture::goToStep,    &Capture::showBeside};
    m_quiet = m_window.isSettled() && !m_window.whatIf().isMeasuring() ? m_quiet + 1 : 0;
    if (m_quiet < kQuietChecks)
        return;
    m_quiet = 0;
    if (m_next == kToDo.size() || !m_reason.isEmpty())
        take();
    else
        (this->*kToDo.at(m_next++))();
}

void Capture::tryOverride()
{
    if (!m_request.tried.isEmpty())
        m_window.whatIf().add(m_request.tried);
}

void Capture::showPanels()
{
    for (const QString &panel : m_request.panels) {
        if (QAction *go = m_window.action(QStringLiteral("go.") + panel))
            go->trigger();
        else
            m_reason = tr("no panel is called %1").arg(panel);
    }
}

// The first item of that label, or else the first whose label holds it.
std::optional<sw::ItemIndex> Capture::itemOf(sw::StageKind stage, const QString &label) const
{
    const sw::StageDocumentPtr &document = m_window.session().snapshot()->stage(stage).document;
    if (!document)
        return std::nullopt;
    const std::string wanted = label.toStdString();
    auto found = std::ranges::find(document->items, wanted, &sw::DocumentItem::label);
    if (found == document->items.end())
        found = std::ranges::find_if(document->items,
                                     [&](const sw::DocumentItem &item) { return item.label.find(wanted) != std::string::npos; });
    return found == document->items.end() ? std::nullopt
                                          : std::optional(static_cast<sw::ItemIndex>(found - document->items.begin()));
}

void Capture::selectItem()
{
    if (m_request.select.isEmpty())
        return;
    if (const std::optional<sw::ItemIndex> node = itemOf(sw::StageKind::Graph, m_request.select)) {
        m_window.selection().select(sw::StageKind::Graph, {*node});
        // The pane that owns the selected stage does not scroll by itself.
        GraphCanvas &canvas = m_window.findChild<GraphPanel *>(QStringLiteral("graph"))->view().canvas();
        if (canvas.scene() && canvas.scene()->boxOfItem[*node] != sw::kNoIndex)
            canvas.ensureVisible({canvas.scene()->boxOfItem[*node]});
    } else if (const std::optional<sw::ItemIndex> item = itemOf(sw::StageKind::Schedule, m_request.select)) {
        m_window.selection().select(sw::StageKind::Schedule, {*item});
    } else {
        m_reason = tr("no node and no decision has %1 in its label").arg(m_request.select);
    }
}

void Capture::watchNodes()
{
    if (m_request.watched.isEmpty())
        return;
    const QString label = m_request.watched.takeFirst();
    const std::optional<sw::ItemIndex> node = itemOf(sw::StageKind::Graph, label);
    if (!node) {
        m_reason = tr("no node has %1 in its label").arg(label);
        return;
    }
    m_window.watched().addNode(m_window.session().snapshot()->stage(sw::StageKind::Graph).document->items[*node].node);
    if (!m_request.watched.isEmpty())
        --m_next; // the name of one is asked for at a time
}

void Capture::showHealth()
{
    if (m_request.showsHealth)
        m_window.health().setOn(true);
}

void Capture::compare()
{
    if (m_request.against.isEmpty())
        return;
    QString reason;
    const std::optional<AgainstWords> words = againstOf(m_request.against, reason);
    if (!words) {
        m_reason = reason;
        return;
    }
    if (words->variant == CompileVariant{.file = words->variant.file})
        m_window.compareWithFile(words->variant.file); // which may be a session
    else
        m_window.baseline().compareWith(words->variant);
    m_window.baseline().setShown(words->shown);
    if (words->isFirst)
        m_window.action(QStringLiteral("compare.first"))->trigger();
    m_isBothWanted = words->isRun;
}

void Capture::runBoth()
{
    if (m_isBothWanted)
        m_window.action(QStringLiteral("compare.runBoth"))->trigger();
}

void Capture::goToMoment()
{
    if (m_request.moment.isEmpty())
        return;
    if (const QString reason = m_window.moment().goToNamed(m_request.moment); !reason.isEmpty())
        m_reason = reason;
}

void Capture::goToStep()
{
    if (m_request.step.isEmpty())
        return;
    const qsizetype colon = m_request.step.lastIndexOf(u':');
    const std::string name = m_request.step.left(colon).toStdString();
    bool isNumber = false;
    const qulonglong steps = m_request.step.mid(colon + 1).toULongLong(&isNumber);
    const std::vector<sw::KernelEntry> &kernels = m_window.session().snapshot()->report->kernels;
    const auto named = std::ranges::find(kernels, name, &sw::KernelEntry::name);
    const auto kernel = named != kernels.end() ? named : std::ranges::find_if(kernels, [&](const sw::KernelEntry &entry) {
        return entry.name.find(name) != std::string::npos;
    });
    if (colon < 0 || !isNumber || kernel == kernels.end()) {
        m_reason = tr("--step wants KERNEL:STEPS, with the name of a kernel of the program, not %1").arg(m_request.step);
        return;
    }
    if (!m_request.panels.contains(QStringLiteral("access"))) // it shows the same run
        m_window.action(QStringLiteral("go.step"))->trigger();
    m_window.debugger().open(static_cast<std::uint32_t>(kernel - kernels.begin()));
    m_window.debugger().goTo(steps);
}

void Capture::showBeside()
{
    if (m_request.showsBeside && !m_window.findChild<AccessPanel *>(QStringLiteral("access"))->showNewestBeside())
        m_reason = tr("the kernel has no transformation to stand before");
}

void Capture::take()
{
    QByteArray bytes;
    QBuffer buffer(&bytes);
    const QByteArray ending = QFileInfo(m_request.path).suffix().toLatin1();
    if (!buffer.open(QIODevice::WriteOnly) || !m_window.grab().save(&buffer, ending.isEmpty() ? "png" : ending.constData()))
        return finish(tr("cannot write %1: .%2 is not a kind of picture").arg(m_request.path, QString::fromLatin1(ending)));
    const QString reason = writeFile(m_request.path, bytes, sw::Durability::Cached);
    finish(reason.isEmpty() ? m_reason : reason);
}

void Capture::finish(const QString &reason)
{
    m_check.stop();
    m_limit.stop();
    if (std::exchange(m_isDone, true))
        return;
    emit finished(reason);
}

} // namespace stepwell::ui
