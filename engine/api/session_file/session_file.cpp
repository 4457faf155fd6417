#include "engine/api/session_file/session_file.h"

#include "engine/api/front_end.h"
#include "engine/api/report_data.h"
#include "engine/api/session_file/session_parts.h"
#include "engine/api/session_file/zip_archive.h"
#include "engine/base/sha256.h"
#include "engine/base/whole_file.h"
#include "engine/types/npy.h"

#include <algorithm>
#include <span>

namespace sw {

namespace {

// The entries of the archive, in this order, then the tensors.
constexpr std::string_view kType = "mimetype"; // first and not packed, so that programs know the file by its first bytes
constexpr std::string_view kSession = "session.json";
constexpr std::string_view kProgram = "program";
constexpr std::string_view kOverrides = "overrides";
constexpr std::string_view kReport = "report.json";
constexpr std::string_view kRewrites = "rewrites.json";
constexpr std::string_view kLayout = "layout";
constexpr std::string_view kInputs = "inputs/";
constexpr std::string_view kOutputs = "outputs/";

// Values take some times the room of their text.
constexpr std::size_t kMostJsonBytes = std::size_t{128} << 20;

void addTensors(std::vector<ZipEntry> &entries, std::string_view folder, const std::vector<HostTensor> &tensors)
{
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        const std::vector<std::byte> bytes = npyBytes(tensors[i]);
        entries.push_back(
            {format("{}{}.npy", folder, i), std::string(reinterpret_cast<const char *>(bytes.data()), bytes.size())});
    }
}

// The entries of an archive by name, each taken once.
class Entries {
public:
    Entries(std::vector<ZipEntry> entries, const std::string &file) : m_entries(std::move(entries)), m_file(file) {}

    // Nothing: there is no such entry.
    std::optional<std::string> take(std::string_view name)
    {
        const auto found = std::ranges::find(m_entries, name, &ZipEntry::name);
        if (found == m_entries.end())
            return std::nullopt;
        std::string bytes = std::move(found->bytes);
        m_entries.erase(found);
        return bytes;
    }
    Result<std::string> takeJson(std::string_view name)
    {
        std::optional<std::string> bytes = take(name);
        if (!bytes)
            return Diagnostic::error(Code::File, {m_file}, "{} is not a session: it has no {}", m_file, name);
        if (bytes->size() > kMostJsonBytes)
            return Diagnostic::error(Code::Limit, {m_file}, "{}: {} has {} bytes, more than {}", m_file, name, bytes->size(),
                                     kMostJsonBytes);
        return *std::move(bytes);
    }
    Result<std::vector<HostTensor>> takeTensors(std::string_view folder)
    {
        std::vector<HostTensor> tensors;
        for (std::optional<std::string> bytes; (bytes = take(format("{}{}.npy", folder, tensors.size())));) {
            const std::string name = format("{}: {}{}.npy", m_file, folder, tensors.size());
            SW_TRY(HostTensor tensor, parseNpy(std::as_bytes(std::span(*bytes)), name));
            tensors.push_back(std::move(tensor));
        }
        return tensors;
    }

private:
    std::vector<ZipEntry> m_entries;
    const std::string &m_file;
};

Result<Done> checkProgram(const SessionContents &contents, const std::string &file)
{
    if (contents.program && hexText(sha256Of(*contents.program)) != contents.programDigest)
        return Diagnostic::error(Code::File, {file}, "{} is damaged: its program is not the one that it names", file);
    return Done{};
}

} // namespace

bool isSessionFile(const std::filesystem::path &file)
{
    return file.extension() == kSessionEnding;
}

Result<std::string> packSession(const SessionContents &contents)
{
    std::vector<ZipEntry> entries{{std::string(kType), std::string(kSessionType)},
                                  {std::string(kSession), sessionJson(contents)}};
    if (contents.program)
        entries.push_back({std::string(kProgram), *contents.program});
    if (!contents.overrides.empty())
        entries.push_back({std::string(kOverrides), contents.overrides});
    entries.push_back({std::string(kReport), reportData(contents.report)});
    if (entries.back().bytes.size() > kMostJsonBytes)
        return Diagnostic::error(Code::Limit, {}, "the documents take {} bytes, and a session at most {}",
                                 entries.back().bytes.size(), kMostJsonBytes);
    entries.push_back({std::string(kRewrites), rewritesJson(contents.rewrites)});
    if (!contents.layout.empty())
        entries.push_back({std::string(kLayout), contents.layout});
    const SessionTensors tensors = tensorsOf(contents);
    addTensors(entries, kInputs, tensors.inputs);
    addTensors(entries, kOutputs, tensors.outputs);
    return zipOf(entries);
}

Result<SessionContents> unpackSession(std::string_view bytes, const std::string &file)
{
    SW_TRY(std::vector<ZipEntry> all, entriesOf(bytes, file));
    Entries entries(std::move(all), file);
    if (const std::optional<std::string> type = entries.take(kType); type != kSessionType)
        return Diagnostic::error(Code::File, {file}, "{} is not a session", file);
    SW_TRY(const std::string session, entries.takeJson(kSession));
    SessionTensors tensors;
    SW_TRY(tensors.inputs, entries.takeTensors(kInputs));
    SW_TRY(tensors.outputs, entries.takeTensors(kOutputs));
    SW_TRY(SessionContents contents, parseSessionJson(session, file, tensors));
    if (contents.program) {
        std::optional<std::string> program = entries.take(kProgram);
        if (!program)
            return Diagnostic::error(Code::File, {file}, "{} is damaged: it has no {}", file, kProgram);
        contents.program = *std::move(program);
    }
    SW_CHECK(checkProgram(contents, file));
    contents.overrides = entries.take(kOverrides).value_or(std::string());
    contents.layout = entries.take(kLayout).value_or(std::string());
    SW_TRY(const std::string report, entries.takeJson(kReport));
    const std::vector<TensorViewPtr> outputs = std::move(contents.report.outputs);
    SW_TRY(contents.report, parseReportData(report, format("{}: {}", file, kReport)));
    contents.report.outputs = outputs;
    SW_TRY(const std::string rewrites, entries.takeJson(kRewrites));
    SW_TRY(contents.rewrites, parseRewritesJson(rewrites, format("{}: {}", file, kRewrites), contents.report.passes.size()));
    return contents;
}

Result<Done> saveSession(const SessionContents &contents, const std::filesystem::path &file, Durability durability,
                         const FileCalls &calls)
{
    SW_TRY(const std::string bytes, packSession(contents));
    return writeWholeFile(file, {bytes}, durability, calls);
}

Result<SessionContents> openSession(const std::filesystem::path &file)
{
    SW_TRY(const std::string bytes, readTextFile(file.string()));
    return unpackSession(bytes, file.string());
}

} // namespace sw
