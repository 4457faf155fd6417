#include "engine/passes/kernel_memo.h"

#include "engine/base/assert.h"

namespace sw {

namespace {

BodyIdentity identityOf(const LoweredKernel &body)
{
    BodyIdentity identity{.kernel = body.kernel, .name = body.name, .arguments = body.arguments};
    identity.argumentNames.resize(body.arguments.size());
    for (const Instruction &instruction : body.instructions)
        if (instruction.kind == InstructionKind::DefineGlobal)
            identity.argumentNames.at(instruction.argument) = instruction.name;
    return identity;
}

} // namespace

const KernelMemo::Body &KernelMemo::keptFor(const Body &body) const
{
    const auto copy = m_copies.find(body);
    return copy == m_copies.end() ? body : copy->second;
}

KernelMemo::Body KernelMemo::calledBy(const BodyIdentity &identity, const Body &kept)
{
    LoweredKernel copy = *kept;
    copy.kernel = identity.kernel;
    copy.name = identity.name;
    copy.arguments = identity.arguments;
    for (Instruction &instruction : copy.instructions)
        if (instruction.kind == InstructionKind::DefineGlobal)
            instruction.name = identity.argumentNames.at(instruction.argument);
    Body made = std::make_shared<const LoweredKernel>(std::move(copy));
    m_copies.emplace(made, kept);
    return made;
}

std::optional<KernelMemo::Made> KernelMemo::lowered(const std::string &structure, const BodyIdentity &identity)
{
    const Made *known = m_lowered.find(structure);
    if (known == nullptr)
        return std::nullopt;
    if (identityOf(*known->body) == identity)
        return *known;
    return Made{calledBy(identity, known->body), known->log};
}

std::optional<KernelMemo::Made> KernelMemo::rewritten(KernelPass pass, const Body &body)
{
    const Body kept = keptFor(body);
    const Made *known = m_rewritten.find({pass, kept});
    if (known == nullptr)
        return std::nullopt;
    if (kept == body || known->body == nullptr)
        return *known;
    return Made{calledBy(identityOf(*body), known->body), known->log};
}

bool KernelMemo::isSound(const Body &body) const
{
    const auto known = m_bodies.find(keptFor(body));
    return known != m_bodies.end() && known->second;
}

void KernelMemo::keepLowered(const std::string &structure, Made made)
{
    m_bodies.try_emplace(made.body, false);
    m_lowered.keep(structure, std::move(made));
}

void KernelMemo::keepRewritten(KernelPass pass, const Body &body, Made made)
{
    SW_ASSERT(gave(body), "a body that can be met again");
    if (made.body != nullptr)
        m_bodies.try_emplace(made.body, false);
    m_rewritten.keep({pass, body}, std::move(made));
}

void KernelMemo::endCompilation(bool succeeded)
{
    m_chosen.endRound(succeeded);
    m_lowered.endRound(succeeded);
    m_rewritten.endRound(succeeded);
    m_copies.clear();
    std::unordered_map<Body, bool> left;
    const auto add = [&](const Made &made) {
        if (made.body != nullptr)
            left.emplace(made.body, succeeded || isSound(made.body));
    };
    m_lowered.forEach(add);
    m_rewritten.forEach(add);
    m_bodies = std::move(left);
}

} // namespace sw
