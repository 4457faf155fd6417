// Opening and saving programs.

#include "ui/main_window.h"

#include "engine/api/session_file/session_file.h"
#include "ui/notice_bar.h"
#include "ui/panels/editor_panel.h"
#include "ui/panels/messages_panel.h"
#include "ui/session/program_title.h"

#include <QCloseEvent>
#include <QDir>
#include <QDragEnterEvent>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QMessageBox>
#include <QMimeData>
#include <QPushButton>
#include <QStringDecoder>

#include <algorithm>

namespace stepwell::ui {

namespace {

constexpr qint64 kLargestProgram = qint64{16} << 20; // bytes; a larger text is not a handwritten program

const QStringList &textEndings()
{
    static const QStringList kEndings{QStringLiteral("sw"), QStringLiteral("graph"), QStringLiteral("lowered")};
    return kEndings;
}

bool isModelFile(const QString &path)
{
    return QFileInfo(path).suffix().toLower() == QLatin1String("onnx");
}

bool isProgramFile(const QString &path)
{
    return isModelFile(path) || sw::isSessionFile(path.toStdString()) ||
           textEndings().contains(QFileInfo(path).suffix().toLower());
}

sw::Message errorMessage(const QString &path, const QString &text)
{
    sw::Message message;
    message.file = path.toStdString();
    message.text = text.toStdString();
    message.code = "file";
    return message;
}

// A program as its file contains it. Text is shown with one kind of line ending and saved with its original kind.
struct ProgramFile {
    QByteArray fingerprint;
    QString text;
    bool hasCarriageReturns = false;
    QString refusal; // why it cannot be read; empty: it was read
};

ProgramFile readProgram(const QString &path)
{
    ProgramFile program;
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) {
        program.refusal = MainWindow::tr("%1 cannot be read: %2").arg(path, file.errorString());
    } else if (isModelFile(path)) {
        program.fingerprint = DiskFile::fingerprintOfFile(path);
    } else if (file.size() > kLargestProgram) {
        program.refusal = MainWindow::tr("%1 is too large for a program: %2 bytes").arg(path).arg(file.size());
    } else {
        const QByteArray bytes = file.readAll();
        QStringDecoder decode(QStringDecoder::Utf8);
        program.fingerprint = DiskFile::fingerprintOf(bytes);
        program.text = decode(bytes);
        program.hasCarriageReturns = bytes.contains('\n') && bytes.count("\r\n") == bytes.count('\n');
        if (program.hasCarriageReturns)
            program.text.remove(u'\r');
        if (decode.hasError())
            program.refusal = MainWindow::tr("%1 is not UTF-8 text").arg(path);
    }
    return program;
}

} // namespace

void MainWindow::newProgram()
{
    if (mayDiscard())
        openText(tr("untitled.sw"), {});
}

void MainWindow::openText(const QString &fileName, const QString &text)
{
    leaveProgram();
    showProgram(fileName, text);
}

// The caller has already asked what to do with unsaved text.
void MainWindow::leaveProgram()
{
    m_draftTimer.stop();
    m_drafts.discard();
    m_disk.forget();
    m_path.clear();
    m_hasCarriageReturns = false;
    m_diskNotice->hide();
    m_draftNotice->hide();
    m_sessionPath.clear();
    m_opened.reset();
    m_isSelectionWanted = false;
    m_isViewWanted = false;
    m_sessionNotice->hide();
}

void MainWindow::showProgram(const QString &fileName, const QString &text)
{
    m_editor->editor().setReadOnly(false);
    {
        const QSignalBlocker blocker(m_editor->editor());
        m_editor->editor().setProgram(text);
    }
    openOverrides();
    m_session.openProgram({fileName, text, false});
    updateTitle();
}

void MainWindow::showModel(const QString &path)
{
    {
        const QSignalBlocker blocker(m_editor->editor());
        m_editor->editor().setProgram(tr("# %1\n# This model is shown as a graph. It has no text to edit.\n").arg(titleOf(path)));
    }
    m_editor->editor().setReadOnly(true);
    openOverrides();
    m_session.openProgram({path, {}, true});
    updateTitle();
}

void MainWindow::reportFileError(const QString &path, const QString &reason)
{
    m_messages->addOwn(errorMessage(path, reason));
    showPanelOf(m_messages);
    emit fileFailed(reason);
}

bool MainWindow::openFile(const QString &path)
{
    const QFileInfo info(path);
    if (!isProgramFile(path)) {
        reportFileError(path, tr("%1 is not a .sw, .graph, .lowered, .onnx or .stepwell file").arg(info.fileName()));
        return false;
    }
    if (sw::isSessionFile(path.toStdString())) {
        openSession(info.absoluteFilePath());
        return true;
    }
    const ProgramFile program = readProgram(path);
    if (!program.refusal.isEmpty()) {
        reportFileError(path, program.refusal);
        return false;
    }
    const QString absolute = info.absoluteFilePath();
    if (!restoreDraftOf(absolute)) {
        leaveProgram();
        m_path = absolute;
        m_hasCarriageReturns = program.hasCarriageReturns;
        m_disk.follow(absolute, program.fingerprint);
        if (isModelFile(path))
            showModel(absolute);
        else
            showProgram(absolute, program.text);
    }
    rememberFile();
    return true;
}

void MainWindow::rememberFile()
{
    m_settings.addRecentFile(m_path);
    fillRecentFiles();
    updateTitle();
}

// Replaces the text by the file's content on disk; undo restores the text.
void MainWindow::reloadFile()
{
    if (m_path.isEmpty())
        return;
    const ProgramFile program = readProgram(m_path);
    if (!program.refusal.isEmpty()) {
        reportFileError(m_path, program.refusal);
        return;
    }
    m_disk.follow(m_path, program.fingerprint);
    m_hasCarriageReturns = program.hasCarriageReturns;
    m_diskNotice->hide();
    m_draftNotice->hide();
    if (isModelFile(m_path)) {
        showModel(m_path);
        return;
    }
    m_editor->editor().replaceProgram(program.text);
    keepDraft();
    m_session.compileNow();
}

void MainWindow::openExampleNamed(const QString &name)
{
    if (!m_examples) {
        m_wantedExample = name;
        return;
    }
    m_wantedExample.clear();
    const auto found = std::ranges::find(*m_examples, name.toStdString(), &sw::ExampleEntry::name);
    if (found == m_examples->end()) {
        reportFileError(name, tr("there is no file and no example %1").arg(name));
        return;
    }
    QFile file(QString::fromStdString(found->path));
    if (!file.open(QIODevice::ReadOnly)) {
        reportFileError(file.fileName(), tr("%1 cannot be read: %2").arg(file.fileName(), file.errorString()));
        return;
    }
    // Examples belong to the application: saving asks for a new place.
    openText(QFileInfo(file).fileName(), QString::fromUtf8(file.readAll()));
}

void MainWindow::chooseFile()
{
    if (!mayDiscard())
        return;
    const QString folder = m_path.isEmpty() ? QDir::homePath() : QFileInfo(m_path).absolutePath();
    const QString path = QFileDialog::getOpenFileName(
        this, tr("Open a program"), folder,
        tr("Programs, models and sessions (*.sw *.onnx *.graph *.lowered *.stepwell);;All files (*)"));
    if (!path.isEmpty())
        openFile(path);
}

bool MainWindow::save()
{
    if (isSessionOnly()) { // the program is in it
        saveSessionTo(m_sessionPath);
        return true;
    }
    if (m_session.source().isFile)
        return saveOverrides(); // models are never changed here
    if (m_path.isEmpty())
        return saveAs();
    return mayOverwrite() && saveTo(m_path);
}

bool MainWindow::mayOverwrite()
{
    if (!m_disk.hasChanged())
        return true;
    QMessageBox question(QMessageBox::Question, tr("Changed on disk"),
                         tr("%1 has changed on disk since it was opened. Saving replaces what is there.").arg(titleOf(m_path)),
                         QMessageBox::NoButton, this);
    question.setObjectName(QStringLiteral("changedOnDiskQuestion"));
    const QAbstractButton *overwrite = question.addButton(tr("&Overwrite"), QMessageBox::DestructiveRole);
    const QAbstractButton *reload = question.addButton(tr("&Reload"), QMessageBox::AcceptRole);
    question.setDefaultButton(question.addButton(QMessageBox::Cancel));
    question.exec();
    if (question.clickedButton() == reload)
        reloadFile();
    return question.clickedButton() == overwrite;
}

bool MainWindow::saveAs()
{
    QString path =
        QFileDialog::getSaveFileName(this, tr("Save the program"), m_path.isEmpty() ? m_session.source().fileName : m_path,
                                     tr("Stepwell programs (*.sw);;All files (*)"));
    if (path.isEmpty())
        return false;
    if (QFileInfo(path).suffix().isEmpty())
        path += QStringLiteral(".sw");
    return saveTo(path);
}

bool MainWindow::saveTo(const QString &path)
{
    QString text = m_editor->editor().programText();
    if (m_hasCarriageReturns)
        text.replace(u'\n', QStringLiteral("\r\n"));
    const QByteArray bytes = text.toUtf8();
    if (const QString reason = writeFile(path, bytes, sw::Durability::Synced); !reason.isEmpty()) {
        reportFileError(path, reason);
        return false;
    }
    m_path = QFileInfo(path).absoluteFilePath();
    m_disk.follow(m_path, DiskFile::fingerprintOf(bytes));
    m_editor->editor().document()->setModified(false);
    keepDraft();
    m_diskNotice->hide();
    m_draftNotice->hide();
    m_session.renameProgram(m_path);
    rememberFile();
    return saveOverrides();
}

bool MainWindow::mayDiscard()
{
    if (!isWindowModified())
        return true;
    QMessageBox question(QMessageBox::Question, tr("Unsaved changes"),
                         tr("%1 has changes that are not saved.").arg(titleOf(m_session.source().fileName)),
                         QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel, this);
    question.setObjectName(QStringLiteral("unsavedQuestion"));
    switch (question.exec()) {
    case QMessageBox::Save:
        return saveAll();
    case QMessageBox::Discard:
        return true;
    default:
        return false;
    }
}

bool MainWindow::isProgramModified() const
{
    return m_editor->editor().document()->isModified() || hasUnsavedOverrides();
}

void MainWindow::updateTitle()
{
    const QString name = m_session.source().fileName;
    const QString session = m_sessionPath.isEmpty() ? QString() : tr(", %1").arg(QFileInfo(m_sessionPath).fileName());
    setWindowTitle(name.isEmpty() ? tr("Stepwell[*]") : tr("%1%2[*] \u2013 Stepwell").arg(titleOf(name), session));
    setWindowModified(isProgramModified() || m_notes.isModified());
    const bool isModel = m_session.source().isFile;
    action(QStringLiteral("file.save"))->setEnabled(!isModel || hasUnsavedOverrides() || isSessionOnly());
    action(QStringLiteral("file.saveAs"))->setEnabled(!isModel);
    action(QStringLiteral("file.reload"))->setEnabled(!m_path.isEmpty());
}

void MainWindow::closeEvent(QCloseEvent *event)
{
    if (!mayDiscard()) {
        event->ignore();
        return;
    }
    m_draftTimer.stop();
    m_drafts.discard();
    m_autosaveTimer.stop();
    m_autosave.discard();
    saveLayout();
    event->accept();
}

void MainWindow::dragEnterEvent(QDragEnterEvent *event)
{
    const QList<QUrl> urls = event->mimeData()->urls();
    if (urls.size() == 1 && urls.front().isLocalFile())
        event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent *event)
{
    const QList<QUrl> urls = event->mimeData()->urls();
    if (urls.size() == 1 && mayDiscard())
        openFile(urls.front().toLocalFile());
}

} // namespace stepwell::ui
