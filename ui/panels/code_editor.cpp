#include "ui/panels/code_editor.h"

#include "engine/api/compare/text_difference.h"

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QToolButton>

#include <algorithm>
#include <utility>

namespace stepwell::ui {

namespace {

constexpr qsizetype kMostCompared = 1 << 20; // characters, at every key

Language languageNamed(const std::string &name)
{
    if (name == "LLVM IR")
        return Language::Llvm;
    return name == "Lowered text" ? Language::Lowered : Language::C;
}

QString colored(const QString &text, const QColor &color)
{
    return QStringLiteral("<span style='color:%1'>%2</span>").arg(color.name(), text.toHtmlEscaped());
}

} // namespace

bool CodeEditor::isSettled() const
{
    return !m_context.session.isAsking(tag()) && !m_toApply;
}

bool CodeEditor::isReady() const
{
    return isSettled() && !m_kernel.kernel.empty() && m_context.session.activity() == Activity::Idle &&
           !m_context.whatIf.isMeasuring();
}

// Both stages may be edited at once.
RequestTag CodeEditor::tag() const
{
    return m_stage == sw::StageKind::Lowered ? RequestTag::KernelInstructions : RequestTag::KernelSource;
}

void CodeEditor::open(std::uint32_t kernel)
{
    m_index = kernel;
    m_kernel = {};
    requestKernel();
}

void CodeEditor::setSnapshot(const SnapshotPtr &snapshot)
{
    if (!snapshot || !snapshot->isFinal)
        return;
    {
        const QSignalBlocker blocker(m_kernels);
        m_kernels->clear();
        for (const sw::KernelEntry &entry : snapshot->report->kernels)
            m_kernels->addItem(QString::fromStdString(entry.name));
        m_kernels->setCurrentIndex(static_cast<int>(m_index));
    }
    if (!isHidden()) // its pane may be behind another one
        requestKernel();
    updateState();
}

// The kernel of the same value, if it has another number by now.
void CodeEditor::requestKernel()
{
    const SnapshotPtr &snapshot = m_context.session.snapshot();
    if (!snapshot || !snapshot->isFinal)
        return;
    const auto count = static_cast<std::uint32_t>(snapshot->report->kernels.size());
    m_context.session.ask(
        tag(), this,
        [index = m_index, value = m_kernel.value, stage = m_stage, count](EngineService &service, const std::stop_token &stop) {
            sw::KernelCode found = service.kernelCode(index, stage);
            for (std::uint32_t i = 0; i < count && !value.empty() && found.value != value && !stop.stop_requested(); ++i)
                found = service.kernelCode(i, stage);
            return found;
        },
        [this](sw::KernelCode kernel) { onKernel(std::move(kernel)); });
}

void CodeEditor::onKernel(sw::KernelCode kernel)
{
    const bool isOther = kernel.value != m_kernel.value || kernel.device != m_kernel.device;
    const bool isGone = !m_kernel.value.empty() && kernel.value != m_kernel.value;
    if (kernel.kernel.empty() || isGone) {
        m_state->setText(tr("The program has no such kernel any more."));
        return;
    }
    m_kernel = std::move(kernel);
    m_text->setLanguage(languageNamed(m_kernel.language));
    m_original->setLanguage(languageNamed(m_kernel.language));
    if (const QString own = QString::fromStdString(m_kernel.original); own != m_original->toPlainText())
        m_original->setPlainText(own);
    const int row = m_kernels->findText(QString::fromStdString(m_kernel.kernel));
    m_kernels->setCurrentIndex(row);
    m_index = static_cast<std::uint32_t>(std::max(row, 0));
    if (isOther)
        m_base = m_text->toPlainText();
    updateVariants();
    showUsed();
    updateDifference();
    updateState();
}

std::optional<sw::CodeVariant> CodeEditor::variantInUse() const
{
    for (sw::CodeVariant &variant : m_context.whatIf.variants(m_kernel))
        if (variant.isOn)
            return std::move(variant);
    return std::nullopt;
}

void CodeEditor::showUsed()
{
    if (m_kernel.kernel.empty())
        return;
    const std::optional<sw::CodeVariant> used = variantInUse();
    const QString text = QString::fromStdString(used ? used->text : m_kernel.original);
    const QString typed = m_text->toPlainText();
    if (typed == m_base && text != typed) {
        QTextCursor all(m_text->document());
        all.select(QTextCursor::Document);
        all.insertText(text); // can be undone by the editor, too
        m_text->goTo(1);
    }
    if (typed == m_base || typed == text)
        m_base = text;
}

void CodeEditor::updateVariants()
{
    const QSignalBlocker blocker(m_variants);
    m_variants->clear();
    m_variants->addItem(tr("own text"));
    if (m_kernel.kernel.empty())
        return;
    for (const sw::CodeVariant &variant : m_context.whatIf.variants(m_kernel)) {
        m_variants->addItem(variant.name.empty() ? tr("(no name)") : QString::fromStdString(variant.name),
                            QVariant::fromValue(variant.index));
        if (variant.isOn)
            m_variants->setCurrentIndex(m_variants->count() - 1);
    }
}

// That of the variant in use, unless another one is typed.
QString CodeEditor::nameToUse() const
{
    if (const QString typed = m_name->text().simplified(); !typed.isEmpty())
        return typed;
    const std::optional<sw::CodeVariant> used = variantInUse();
    return used ? QString::fromStdString(used->name) : tr("edit");
}

void CodeEditor::apply()
{
    if (m_kernel.kernel.empty())
        return;
    const QString text = m_text->toPlainText();
    const QString name = nameToUse();
    m_name->clear();
    m_base = text;
    m_context.whatIf.useCode(m_kernel, name, text);
}

void CodeEditor::applyAndRun()
{
    if (m_kernel.kernel.empty())
        return;
    if (m_context.whatIf.unedited()) {
        apply();
        m_context.session.run();
        return;
    }
    // The results to compare with come first. A variant that was applied steps aside for it.
    m_toApply = m_text->toPlainText();
    if (const std::optional<sw::CodeVariant> used = variantInUse()) {
        const sw::OverrideEntry *entry = m_context.whatIf.entry(used->index);
        if (entry == nullptr || entry->state == "applied") {
            m_name->setText(nameToUse());
            m_context.whatIf.useVariant(m_kernel, std::nullopt);
        }
    }
    m_context.session.run();
    updateState();
}

void CodeEditor::onRun(bool hasSucceeded)
{
    const std::optional<QString> text = std::exchange(m_toApply, std::nullopt);
    if (!text)
        return;
    if (!hasSucceeded) { // it was stopped, or the program fails without this text, too
        updateState();
        return;
    }
    if (*text != m_text->toPlainText())
        m_text->setPlainText(*text);
    apply();
    m_context.session.run();
}

void CodeEditor::revert()
{
    if (m_kernel.kernel.empty())
        return;
    m_base = m_text->toPlainText(); // what was typed gives way
    if (variantInUse())
        m_context.whatIf.useVariant(m_kernel, std::nullopt);
    else
        showUsed();
}

void CodeEditor::keepAsVariant()
{
    if (m_name->text().simplified().isEmpty()) {
        const std::vector<sw::CodeVariant> variants = m_context.whatIf.variants(m_kernel);
        const auto isTaken = [&](const QString &name) {
            return std::ranges::any_of(variants, [&](const sw::CodeVariant &one) { return one.name == name.toStdString(); });
        };
        int number = 1;
        while (isTaken(tr("variant %1").arg(number)))
            ++number;
        m_name->setText(tr("variant %1").arg(number));
    }
    apply();
}

void CodeEditor::updateDifference()
{
    const QString before = m_original->toPlainText();
    const QString after = m_text->toPlainText();
    std::vector<int> removed;
    std::vector<int> added;
    if (before != after && before.size() + after.size() <= kMostCompared)
        for (const sw::RowPair &row : sw::differenceOfTexts(before.toStdString(), after.toStdString(), m_stage).rows) {
            if (row.kind == sw::RowKind::Same)
                continue;
            if (row.before != sw::kNoIndex)
                removed.push_back(static_cast<int>(row.before));
            if (row.after != sw::kNoIndex)
                added.push_back(static_cast<int>(row.after));
        }
    m_original->setChangedLines(std::move(removed), Role::RemovedFill);
    m_text->setChangedLines(std::move(added), Role::AddedFill);
}

QString CodeEditor::timeText(const sw::Effect &effect) const
{
    for (const sw::FigureChange &change : effect.changes)
        if (change.name == "measured time")
            return tr("Time: %1 to %2 (%3)")
                .arg(QString::fromStdString(change.before), QString::fromStdString(change.after),
                     change.isWithinNoise ? tr("within the noise") : QString::fromStdString(change.change));
    return {};
}

void CodeEditor::updateState()
{
    const Appearance &appearance = m_context.appearance;
    const std::optional<sw::CodeVariant> used = m_kernel.kernel.empty() ? std::nullopt : variantInUse();
    const sw::OverrideEntry *entry = used ? m_context.whatIf.entry(used->index) : nullptr;
    const QString typed = m_text->toPlainText();
    QStringList parts;
    if (m_toApply)
        parts << tr("Runs the program with its own kernels first.");
    if (used && !entry)
        parts << tr("Compiling");
    if (entry) {
        const bool isRefused = entry->state == "refused" || entry->state == "unknown value";
        QString state = QString::fromStdString(entry->state);
        state[0] = state[0].toUpper();
        if (!entry->reason.empty())
            state += QStringLiteral(": ") + QString::fromStdString(entry->reason);
        parts << colored(state, appearance.color(isRefused                   ? Role::Error
                                                 : entry->state == "applied" ? Role::Added
                                                                             : Role::Muted));
        if (const WhatIfEffect *effect = isRefused ? nullptr : m_context.whatIf.effectOf(used->index)) {
            const bool isWrong = effect->effect.values == sw::ValuesAgree::Different;
            const QString values = QString::fromStdString(effect->effect.valuesText);
            parts << colored((isWrong ? tr("Wrong: ") : QString()) + values,
                             appearance.color(isWrong ? Role::Error : Role::Text));
            if (const QString time = timeText(effect->effect); !time.isEmpty())
                parts << time.toHtmlEscaped();
        }
    }
    if (typed != m_base)
        parts << colored(tr("The text has changed and is not applied yet."), appearance.color(Role::Warning));
    else if (!used)
        parts << colored(tr("This is the kernel's own text."), appearance.color(Role::Muted));
    m_state->setText(parts.join(QStringLiteral("<br>")));
    m_text->setMessages(entry && used && typed == QString::fromStdString(used->text) ? entry->problems
                                                                                     : std::vector<sw::Message>());
    m_revert->setEnabled(used.has_value() || typed != m_original->toPlainText());
}

} // namespace stepwell::ui
