// Opening and saving programs.

#include "ui/main_window.h"

#include "ui/panels/editor_panel.h"
#include "ui/panels/messages_panel.h"

#include <QCloseEvent>
#include <QDir>
#include <QDragEnterEvent>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QMessageBox>
#include <QMimeData>
#include <QSaveFile>
#include <QStringDecoder>

#include <unistd.h>

#include <algorithm>

namespace stepwell::ui {

namespace {

constexpr qint64 kLargestProgram = qint64{16} << 20; // bytes; a larger text is not a program that someone wrote

const QStringList &textEndings()
{
    static const QStringList kEndings{QStringLiteral("sw"), QStringLiteral("graph"), QStringLiteral("lowered")};
    return kEndings;
}

bool isProgramFile(const QString &path)
{
    const QString ending = QFileInfo(path).suffix().toLower();
    return ending == QLatin1String("onnx") || textEndings().contains(ending);
}

sw::Message errorMessage(const QString &path, const QString &text)
{
    sw::Message message;
    message.file = path.toStdString();
    message.text = text.toStdString();
    message.code = "file";
    return message;
}

// QSaveFile of Qt 6.4 reports success when a full disk cuts a write short, so every step is checked; the folder is synchronised
// after the rename.
bool writeFile(const QString &path, const QByteArray &bytes, QString &reason)
{
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly)) {
        reason = file.errorString();
        return false;
    }
    qint64 written = 0;
    while (written < bytes.size()) {
        const qint64 part = file.write(bytes.constData() + written, bytes.size() - written);
        if (part <= 0)
            break;
        written += part;
    }
    if (written != bytes.size() || !file.flush() || file.size() != bytes.size() || ::fsync(file.handle()) != 0) {
        reason = file.errorString();
        file.cancelWriting();
        return false;
    }
    if (!file.commit()) {
        reason = file.errorString();
        return false;
    }
    QFile folder(QFileInfo(path).absolutePath());
    if (folder.open(QIODevice::ReadOnly))
        ::fsync(folder.handle());
    return true;
}

} // namespace

void MainWindow::newProgram()
{
    if (!mayDiscard())
        return;
    m_path.clear();
    openText(tr("untitled.sw"), {});
}

void MainWindow::openText(const QString &fileName, const QString &text)
{
    m_editor->editor().setReadOnly(false);
    {
        const QSignalBlocker blocker(m_editor->editor());
        m_editor->editor().setProgram(text);
    }
    m_session.openProgram({fileName, text, false});
    updateTitle();
}

bool MainWindow::openFile(const QString &path)
{
    const QFileInfo info(path);
    const auto refuse = [&](const QString &reason) {
        m_messages->addOwn(errorMessage(path, reason));
        showPanelOf(m_messages);
        return false;
    };
    if (!isProgramFile(path))
        return refuse(tr("%1 is not a .sw, .graph, .lowered or .onnx file").arg(info.fileName()));
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return refuse(tr("%1 cannot be read: %2").arg(path, file.errorString()));
    if (info.suffix().toLower() == QLatin1String("onnx")) {
        m_path = info.absoluteFilePath();
        const QSignalBlocker blocker(m_editor->editor());
        m_editor->editor().setProgram(
            tr("# %1\n# This model is shown as a graph. It has no text to edit.\n").arg(info.fileName()));
        m_editor->editor().setReadOnly(true);
        m_session.openProgram({m_path, {}, true});
    } else {
        if (file.size() > kLargestProgram)
            return refuse(tr("%1 is too large for a program: %2 bytes").arg(path).arg(file.size()));
        QStringDecoder decode(QStringDecoder::Utf8);
        const QString text = decode(file.readAll());
        if (decode.hasError())
            return refuse(tr("%1 is not UTF-8 text").arg(path));
        m_path = info.absoluteFilePath();
        openText(m_path, text);
    }
    m_settings.addRecentFile(m_path);
    fillRecentFiles();
    updateTitle();
    return true;
}

void MainWindow::openExampleNamed(const QString &name)
{
    const auto found = std::ranges::find(m_examples, name.toStdString(), &sw::ExampleEntry::name);
    if (found == m_examples.end()) {
        m_wantedExample = name; // once they are known
        return;
    }
    m_wantedExample.clear();
    QFile file(QString::fromStdString(found->path));
    if (!file.open(QIODevice::ReadOnly)) {
        m_messages->addOwn(errorMessage(file.fileName(), file.errorString()));
        return;
    }
    m_path.clear(); // examples are the program's own: saving asks where to
    openText(QFileInfo(file).fileName(), QString::fromUtf8(file.readAll()));
}

void MainWindow::chooseFile()
{
    if (!mayDiscard())
        return;
    const QString folder = m_path.isEmpty() ? QDir::homePath() : QFileInfo(m_path).absolutePath();
    const QString path = QFileDialog::getOpenFileName(this, tr("Open a program"), folder,
                                                      tr("Programs and models (*.sw *.onnx *.graph *.lowered);;All files (*)"));
    if (!path.isEmpty())
        openFile(path);
}

bool MainWindow::save()
{
    if (m_session.source().isFile)
        return true; // a model is not changed here
    return m_path.isEmpty() ? saveAs() : saveTo(m_path);
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
    QString reason;
    if (!writeFile(path, m_editor->editor().toPlainText().toUtf8(), reason)) {
        m_messages->addOwn(errorMessage(path, tr("%1 cannot be written: %2").arg(path, reason)));
        showPanelOf(m_messages);
        return false;
    }
    m_path = QFileInfo(path).absoluteFilePath();
    m_editor->editor().document()->setModified(false);
    m_settings.addRecentFile(m_path);
    fillRecentFiles();
    updateTitle();
    return true;
}

bool MainWindow::mayDiscard()
{
    if (!m_editor->editor().document()->isModified())
        return true;
    QMessageBox question(QMessageBox::Question, tr("Unsaved changes"),
                         tr("%1 has changes that are not saved.").arg(QFileInfo(m_session.source().fileName).fileName()),
                         QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel, this);
    question.setObjectName(QStringLiteral("unsavedQuestion"));
    switch (question.exec()) {
    case QMessageBox::Save:
        return save();
    case QMessageBox::Discard:
        return true;
    default:
        return false;
    }
}

void MainWindow::updateTitle()
{
    const QString name = m_session.source().fileName;
    setWindowTitle(name.isEmpty() ? tr("Stepwell[*]") : tr("%1[*] \u2013 Stepwell").arg(QFileInfo(name).fileName()));
    setWindowModified(m_editor->editor().document()->isModified());
}

void MainWindow::closeEvent(QCloseEvent *event)
{
    if (!mayDiscard()) {
        event->ignore();
        return;
    }
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
