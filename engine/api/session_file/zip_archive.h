#pragma once
// Archives of the zip kind in memory: many named pieces of bytes as one. Whoever wrote an archive that is read here may mean
// harm, so nothing that it says about itself is believed before it is checked.

#include "engine/base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sw {

struct ZipEntry {
    std::string name; // "inputs/0.npy"
    std::string bytes;
};

// Equal entries give equal bytes. Names are not checked; they are ours.
[[nodiscard]] Result<std::string> zipOf(const std::vector<ZipEntry> &entries);

struct ZipLimits {
    std::uint64_t entries = 4096;
    std::uint64_t entryBytes = std::uint64_t{1} << 30; // unpacked
    std::uint64_t allBytes = std::uint64_t{2} << 30;
    // What is larger than this must not be smaller when packed than one in mostRatio: data of ours packs to a tenth or so, a bomb
    // to a thousandth.
    std::uint64_t ratioFrom = std::uint64_t{8} << 20;
    std::uint64_t mostRatio = 200;
};

// All entries, unpacked, in their order. Errors (Code::File, Code::Limit) name the entry: a name that is there twice, is absolute
// or climbs out of the archive; a size, a checksum or a place that is not what the archive says; encryption; what is over the
// limits.
[[nodiscard]] Result<std::vector<ZipEntry>> entriesOf(std::string_view archive, const std::string &file,
                                                      const ZipLimits &limits = {});

} // namespace sw
