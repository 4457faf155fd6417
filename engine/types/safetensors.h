#pragma once
// Files of many named tensors, in the format safetensors (https://huggingface.co/docs/safetensors): eight bytes that give the
// length of a header, the header in JSON with type, shape and place of each tensor, then the elements, little-endian and in C
// order. It has all our types but u32x4, which is stored as u32 with a last axis of 4.

#include "engine/base/mapped_file.h"
#include "engine/types/host_tensor.h"

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sw {

class TensorArchive {
public:
    // Reads the header only. Errors (Code::File) name the file, and the tensor that is wrong; Code::Limit: the header is too
    // large.
    [[nodiscard]] static Result<TensorArchive> open(const std::filesystem::path &file);

    // A large tensor stays in the file. Errors: Code::UnknownName; Code::UnsupportedDType for a type that we do not have.
    [[nodiscard]] Result<HostTensor> tensor(std::string_view name) const;
    [[nodiscard]] std::vector<std::string> names() const; // sorted

private:
    struct Entry {
        std::string dtype; // as the file spells it
        Shape shape;
        std::size_t offset = 0; // into the file
        std::size_t bytes = 0;
    };
    Result<Done> readHeader();
    [[nodiscard]] Diagnostic malformed(std::string_view what) const;

    std::string m_name;
    std::shared_ptr<const MappedFile> m_file;
    std::map<std::string, Entry, std::less<>> m_entries;
};

using NamedTensors = std::vector<std::pair<std::string, HostTensor>>;

// Writes the tensors under their names, which must differ. The same tensors give the same bytes.
[[nodiscard]] Result<Done> writeTensorArchive(const std::filesystem::path &file, const NamedTensors &tensors);

} // namespace sw
