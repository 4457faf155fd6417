// Keeps programs from getting lost: drafts of unsaved text, and a watch on the file.

#include "ui/main_window.h"

#include "ui/notice_bar.h"
#include "ui/panels/editor_panel.h"
#include "ui/session/counted.h"
#include "ui/session/program_title.h"

#include <QEvent>
#include <QFileInfo>
#include <QLocale>
#include <QMenu>

#include <algorithm>

namespace stepwell::ui {

namespace {

// At most this much typing is lost when the program is killed.
constexpr int kDraftMilliseconds = 400;

QString timeOf(const Draft &draft)
{
    return QLocale().toString(draft.written.toLocalTime(), QLocale::ShortFormat);
}

} // namespace

void MainWindow::startKeeping()
{
    m_draftTimer.setSingleShot(true);
    m_draftTimer.setInterval(kDraftMilliseconds);
    connect(&m_draftTimer, &QTimer::timeout, this, &MainWindow::keepDraft);
    connect(&m_disk, &DiskFile::changed, this, &MainWindow::onDiskChanged);
    connect(&m_editor->editor(), &QPlainTextEdit::textChanged, this, [this] {
        if (!m_draftTimer.isActive()) // further typing does not delay it
            m_draftTimer.start();
    });
    connect(m_unsavedMenu, &QMenu::aboutToShow, this, &MainWindow::fillUnsaved);
}

void MainWindow::keepDraft()
{
    m_draftTimer.stop();
    if (m_session.source().isFile || !m_editor->editor().document()->isModified()) {
        m_drafts.discard();
        return;
    }
    const QString name = QFileInfo(m_session.source().fileName).fileName();
    const QString reason =
        m_drafts.keep({m_path, name, m_disk.fingerprint(), m_editor->editor().programText(), m_hasCarriageReturns});
    if (!reason.isEmpty() && !m_draftNotice->isVisible())
        m_draftNotice->showNotice(tr("Unsaved changes are not kept aside: %1. Save them soon.").arg(reason), {{tr("Close"), {}}});
}

// Replaces this window's own program and draft.
bool MainWindow::restoreDraft(const QString &id)
{
    const std::optional<Draft> draft = m_drafts.take(id);
    if (!draft)
        return false;
    m_disk.forget();
    m_diskNotice->hide();
    m_path = draft->path;
    m_hasCarriageReturns = draft->hasCarriageReturns;
    showProgram(m_path.isEmpty() ? draft->name : m_path, draft->text);
    m_editor->editor().document()->setModified(true);
    updateTitle();
    m_draftNotice->showNotice(
        tr("Unsaved changes of %1 from %2 were restored.").arg(titleOf(m_session.source().fileName), timeOf(*draft)),
        {{tr("&Discard them"), [this] { discardDraft(); }}, {tr("&Keep them"), {}}});
    if (!m_path.isEmpty()) {
        m_disk.follow(m_path, draft->basis);
        m_disk.look();
    }
    return true;
}

bool MainWindow::restoreDraftOf(const QString &path)
{
    const std::vector<Draft> abandoned = m_drafts.abandoned();
    return std::ranges::any_of(abandoned, [&](const Draft &draft) { return draft.path == path && restoreDraft(draft.id); });
}

bool MainWindow::restoreNewestDraft()
{
    const std::vector<Draft> abandoned = m_drafts.abandoned();
    return std::ranges::any_of(abandoned, [&](const Draft &draft) { return restoreDraft(draft.id); });
}

void MainWindow::mentionDrafts()
{
    const auto count = static_cast<qint64>(m_drafts.abandoned().size());
    if (count > 0 && m_draftNotice->isHidden())
        m_draftNotice->showNotice(
            counted(count, tr("%1 program was not saved when Stepwell last ended. It is in File > Unsaved programs."),
                    tr("%1 programs were not saved when Stepwell last ended. They are in File > Unsaved programs.")),
            {{tr("Close"), {}}});
}

// Returns to the content of the file; a program without a file becomes empty.
void MainWindow::discardDraft()
{
    m_editor->editor().document()->setModified(false);
    const QString path = m_path;
    leaveProgram();
    if (path.isEmpty() || !openFile(path))
        openText(tr("untitled.sw"), {});
}

void MainWindow::fillUnsaved()
{
    m_unsavedMenu->clear();
    for (const Draft &draft : m_drafts.abandoned()) {
        const QString name = titleOf(draft.path.isEmpty() ? draft.name : draft.path);
        QAction *restore = m_unsavedMenu->addAction(tr("%1, %2").arg(escapedForMenu(name), timeOf(draft)));
        restore->setToolTip(draft.path);
        connect(restore, &QAction::triggered, this, [this, id = draft.id] {
            if (mayDiscard())
                restoreDraft(id);
        });
    }
    if (m_unsavedMenu->isEmpty())
        m_unsavedMenu->addAction(tr("None"))->setEnabled(false);
}

void MainWindow::onDiskChanged()
{
    const QString title = titleOf(m_path);
    QTextDocument &document = *m_editor->editor().document();
    if (m_disk.isGone()) {
        const bool isModel = m_session.source().isFile;
        if (!isModel) {
            document.setModified(true); // closing will ask
            keepDraft();
        }
        m_diskNotice->showNotice(isModel ? tr("%1 is no longer on the disk.").arg(title)
                                         : tr("%1 is no longer on the disk. Saving writes it again.").arg(title),
                                 {{tr("Close"), {}}});
        return;
    }
    const QString text = document.isModified() ? tr("%1 has changed on disk, and there are unsaved changes here.").arg(title)
                                               : tr("%1 has changed on disk.").arg(title);
    m_diskNotice->showNotice(text, {{tr("&Reload"), [this] { reloadFile(); }}, {tr("&Keep what is here"), {}}});
}

void MainWindow::changeEvent(QEvent *event)
{
    QMainWindow::changeEvent(event);
    if (event->type() == QEvent::ActivationChange && isActiveWindow())
        m_disk.look(); // a file watch can miss changes, for example on network file systems
}

} // namespace stepwell::ui
