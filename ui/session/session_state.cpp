#include "ui/session/session_state.h"

#include "engine/api/session_file/session_file.h"
#include "engine/api/session_file/session_origin.h"

#include <QCoreApplication>
#include <QCryptographicHash>
#include <QFile>
#include <QFileInfo>

#include <algorithm>
#include <utility>

namespace stepwell::ui {

namespace {

sw::KeptBaseline keptOf(const BaselineEntry &entry, const sw::ExploreRequest &now)
{
    const sw::ExploreRequest request = entry.isFollowing() ? entry.variant.of(now) : entry.request;
    sw::KeptBaseline kept;
    kept.name = entry.name.toStdString();
    kept.isFollowing = entry.isFollowing();
    kept.device = request.device;
    kept.overrides = request.overrides;
    static_cast<sw::CompileSwitches &>(kept) = request;
    if (entry.isFollowing()) {
        kept.fileName = entry.variant.file.toStdString();
    } else if (!request.isFile && request.text != now.text) {
        kept.fileName = request.fileName;
        kept.program = request.text;
    }
    return kept;
}

sw::KeptView viewOf(const SessionState &state)
{
    sw::KeptView view;
    if (const std::optional<StageItem> first = state.selection.firstSelected()) {
        view.selectedStage = first->stage;
        view.selectedItems = state.selection.selectedItems();
    }
    view.moment = state.moment.place();
    for (const Watched &watched : state.watched.values()) {
        if (watched.kind == WatchKind::Input)
            view.watchedInputs.push_back(watched.name);
        if (watched.kind == WatchKind::Output)
            view.watchedOutputs.push_back(watched.name);
    }
    if (const BaselineEntry *entry = state.baseline.current())
        view.baseline = keptOf(*entry, state.session.request());
    return view;
}

// Inputs that the program was compiled for are no inputs of a run any more.
sw::RunInputs inputsOf(const Session &session)
{
    sw::RunInputs inputs = session.runInputs();
    for (const sw::TensorViewPtr &known : session.request().knownInputs) {
        if (std::ranges::find(inputs.inputs, known->name(), &sw::InputChoice::name) != inputs.inputs.end())
            continue;
        sw::InputChoice choice;
        choice.name = known->name();
        choice.fill = sw::InputFill::Tensor;
        choice.tensor = known;
        inputs.inputs.push_back(std::move(choice));
    }
    return inputs;
}

std::string digestOf(QFile &file)
{
    QCryptographicHash hash(QCryptographicHash::Sha256);
    hash.addData(&file);
    return hash.result().toHex().toStdString();
}

void restoreBaseline(const SessionState &state, const sw::KeptBaseline &kept)
{
    const sw::ExploreRequest &now = state.session.request();
    if (kept.isFollowing) {
        CompileVariant variant;
        variant.file = QString::fromStdString(kept.fileName);
        if (kept.device != now.device)
            variant.device = QString::fromStdString(kept.device);
        for (const sw::CompileSwitch &each : sw::kCompileSwitches)
            if (kept.*each.isOn != now.*each.isOn)
                variant[each.isOn] = kept.*each.isOn;
        if (variant != CompileVariant() && (variant.file.isEmpty() || QFileInfo::exists(variant.file)))
            state.baseline.compareWith(variant);
        return;
    }
    sw::ExploreRequest request = state.session.exploreRequest(kept.overrides);
    request.device = kept.device;
    static_cast<sw::CompileSwitches &>(request) = kept;
    if (kept.program) {
        request.fileName = kept.fileName;
        request.text = *kept.program;
        request.isFile = false;
    }
    state.baseline.choose(state.baseline.restore(QString::fromStdString(kept.name), request, nullptr));
}

} // namespace

bool isAsOpened(const Session &session, const OpenedSession *opened)
{
    return opened && (session.isKept() || (session.request() == opened->request && session.snapshot() &&
                                           !session.snapshot()->report->totalMedianNanoseconds));
}

sw::SessionContents contentsOf(const SessionState &state, const OpenedSession *opened, const QString &path)
{
    const Session &session = state.session;
    const ProgramSource &source = session.source();
    const sw::ExploreRequest &request = session.request();
    sw::SessionContents contents;
    contents.fileName = QFileInfo(source.fileName).fileName().toStdString();
    contents.originalPath = path.toStdString();
    if (source.model)
        contents.program = *source.model;
    else if (!source.isFile)
        contents.program = source.text.toStdString();
    contents.device = session.device().toStdString();
    if (!state.whatIf.lines().empty())
        contents.overrides = sw::overridesText(state.whatIf.lines());
    static_cast<sw::CompileSwitches &>(contents) = request;
    contents.threads = request.threads;
    contents.repeats = sw::RunRequest().repeats;
    contents.dimensions = request.dimensions;
    contents.openDimensions = request.openDimensions;
    contents.inputs = inputsOf(session);
    contents.savedBy = QStringLiteral("Stepwell %1").arg(QCoreApplication::applicationVersion()).trimmed().toStdString();
    contents.savedAt = sw::timeTextNow();
    if (isAsOpened(session, opened)) {
        contents.report = opened->contents.report;
        contents.rewrites = opened->contents.rewrites;
        contents.machine = opened->contents.machine;
    } else {
        contents.report = *session.snapshot()->report;
        contents.machine = sw::machineText(session.devices(), contents.device);
    }
    for (const Watched &watched : state.watched.values())
        if (watched.kind == WatchKind::Node)
            contents.watched.push_back(watched.name);
    contents.notes = state.notes.notes();
    contents.bookmarks = state.notes.bookmarks();
    contents.view = viewOf(state);
    return contents;
}

std::string completeProgram(sw::SessionContents &contents, std::uint64_t mostBytes)
{
    if (contents.program) {
        sw::keepProgram(contents, *std::exchange(contents.program, std::nullopt), mostBytes);
        return {};
    }
    if (contents.originalPath.empty())
        return {};
    QFile file(QString::fromStdString(contents.originalPath));
    if (!file.open(QIODevice::ReadOnly))
        return QStringLiteral("%1 cannot be read: %2").arg(file.fileName(), file.errorString()).toStdString();
    contents.programBytes = static_cast<std::uint64_t>(file.size());
    if (contents.programBytes <= mostBytes)
        sw::keepProgram(contents, file.readAll().toStdString(), mostBytes);
    else
        contents.programDigest = digestOf(file);
    return {};
}

bool hasProgram(const sw::SessionContents &contents)
{
    return contents.program || QFileInfo::exists(QString::fromStdString(contents.originalPath));
}

ProgramSource sourceOf(const sw::SessionContents &contents, const QString &folder)
{
    const QString name = QString::fromStdString(contents.fileName);
    const bool isModel = QFileInfo(name).suffix().toLower() == QLatin1String("onnx");
    ProgramSource source{folder + u'/' + name, {}, isModel};
    if (!contents.program) {
        source.isFile = true; // it was too large to be kept
        source.fileName = QString::fromStdString(contents.originalPath);
    } else if (isModel) {
        source.model = std::make_shared<const std::string>(*contents.program);
    } else {
        source.text = QString::fromStdString(*contents.program);
    }
    return source;
}

sw::ExploreRequest requestOf(const sw::SessionContents &contents, const QString &folder)
{
    const ProgramSource source = sourceOf(contents, folder);
    sw::ExploreRequest request;
    request.fileName = source.fileName.toStdString();
    request.text = source.model ? *source.model : source.text.toStdString();
    request.isFile = source.isFile && !source.model;
    request.device = contents.device;
    request.overrides = contents.overrides;
    static_cast<sw::CompileSwitches &>(request) = contents;
    request.threads = contents.threads;
    request.dimensions = contents.dimensions;
    request.openDimensions = contents.openDimensions;
    if (source.isFile) // a model, which may need to know them
        for (const sw::InputChoice &choice : contents.inputs.inputs)
            if (choice.tensor && choice.changes.empty())
                request.knownInputs.push_back(choice.tensor);
    return request;
}

void restoreLists(const SessionState &state, const sw::SessionContents &contents)
{
    state.inputs.restore(contents.inputs.inputs);
    for (const std::string &name : contents.view.watchedInputs)
        state.watched.add(WatchKind::Input, name);
    for (const std::string &name : contents.view.watchedOutputs)
        state.watched.add(WatchKind::Output, name);
    for (const std::string &path : contents.watched)
        state.watched.add(WatchKind::Node, path);
    state.notes.restore(contents.notes, contents.bookmarks);
}

void restoreSelection(Selection &selection, const sw::KeptView &view)
{
    if (view.selectedStage)
        selection.select(*view.selectedStage, view.selectedItems);
}

void restoreView(const SessionState &state, const sw::KeptView &view)
{
    if (view.baseline)
        restoreBaseline(state, *view.baseline);
    if (view.moment)
        state.moment.goTo(*view.moment);
}

} // namespace stepwell::ui
