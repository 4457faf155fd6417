#include "ui/capture.h"

#include "ui/against_words.h"
#include "ui/main_window.h"
#include "ui/panels/graph_panel.h"
#include "ui/session/disk_file.h"

#include <QAction>
#include <QBuffer>
#include <QFileInfo>
#include <QPixmap>

#include <algorithm>

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
    if (succeeded && m_request.run)
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
    if (!m_request.against.isEmpty())
        compare();
    if (!m_request.select.isEmpty())
        selectNode();
    if (!m_request.moment.isEmpty())
        goToMoment();
    if (!m_request.step.isEmpty())
        goToStep();
    m_check.start();
}

void Capture::selectNode()
{
    const sw::StageDocumentPtr &graph = m_window.session().snapshot()->stage(sw::StageKind::Graph).document;
    if (!graph)
        return;
    const std::string wanted = m_request.select.toStdString();
    auto found = std::ranges::find(graph->items, wanted, &sw::DocumentItem::label);
    if (found == graph->items.end())
        found = std::ranges::find_if(graph->items,
                                     [&](const sw::DocumentItem &item) { return item.label.find(wanted) != std::string::npos; });
    if (found == graph->items.end()) {
        m_reason = tr("no node has %1 in its label").arg(m_request.select);
        return;
    }
    const auto item = static_cast<sw::ItemIndex>(found - graph->items.begin());
    m_window.selection().select(sw::StageKind::Graph, {item});
    // The pane that owns the selected stage does not scroll by itself.
    GraphCanvas &canvas = m_window.findChild<GraphPanel *>(QStringLiteral("graph"))->view().canvas();
    if (canvas.scene() && canvas.scene()->boxOfItem[item] != sw::kNoIndex)
        canvas.ensureVisible({canvas.scene()->boxOfItem[item]});
}

void Capture::compare()
{
    QString reason;
    const std::optional<AgainstWords> words = againstOf(m_request.against, reason);
    if (!words) {
        m_reason = reason;
        return;
    }
    m_window.baseline().compareWith(words->variant);
    m_window.baseline().setShown(words->shown);
    if (words->isFirst)
        m_window.action(QStringLiteral("compare.first"))->trigger();
}

void Capture::goToMoment()
{
    if (const QString reason = m_window.moment().goToNamed(m_request.moment); !reason.isEmpty())
        m_reason = reason;
}

void Capture::goToStep()
{
    const qsizetype colon = m_request.step.lastIndexOf(u':');
    const std::string name = m_request.step.left(colon).toStdString();
    bool isNumber = false;
    const qulonglong steps = m_request.step.mid(colon + 1).toULongLong(&isNumber);
    const std::vector<sw::KernelEntry> &kernels = m_window.session().snapshot()->report->kernels;
    const auto kernel = std::ranges::find(kernels, name, &sw::KernelEntry::name);
    if (colon < 0 || !isNumber || kernel == kernels.end()) {
        m_reason = tr("--step wants KERNEL:STEPS, with the name of a kernel of the program, not %1").arg(m_request.step);
        return;
    }
    m_window.action(QStringLiteral("go.step"))->trigger();
    m_window.debugger().open(static_cast<std::uint32_t>(kernel - kernels.begin()));
    m_window.debugger().goTo(steps);
}

void Capture::check()
{
    m_quiet = m_window.isSettled() ? m_quiet + 1 : 0;
    if (m_quiet >= kQuietChecks)
        take();
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
