// SPDX-License-Identifier: BSD-3-Clause
#include "attach/sites/function_symbols.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <string_view>
#include <tuple>

#include <elf.h>

namespace plait::attach {
namespace {

/// Returns so many structures that lie at an offset of a file; fewer where it ends before.
template <class Structure>
[[nodiscard]] std::vector<Structure> read_array(std::ifstream& file, std::uint64_t offset,
                                                std::uint64_t size_bytes) {
  file.clear();
  file.seekg(0, std::ios::end);
  const auto length = static_cast<std::uint64_t>(std::max<std::streamoff>(file.tellg(), 0));
  if (offset > length) return {};
  std::vector<Structure> found(std::min(size_bytes, length - offset) / sizeof(Structure));
  file.seekg(static_cast<std::streamoff>(offset));
  file.read(reinterpret_cast<char*>(found.data()),
            static_cast<std::streamsize>(found.size() * sizeof(Structure)));
  if (!file) found.clear();
  return found;
}

[[nodiscard]] bool is_read_here(const std::vector<Elf64_Ehdr>& headers) noexcept {
  return !headers.empty() && std::memcmp(headers[0].e_ident, ELFMAG, SELFMAG) == 0 &&
         headers[0].e_ident[EI_CLASS] == ELFCLASS64 && headers[0].e_shentsize == sizeof(Elf64_Shdr);
}

[[nodiscard]] std::string_view text_at(const std::vector<char>& texts, std::size_t at) noexcept {
  if (at >= texts.size()) return {};
  const std::string_view rest(texts.data() + at, texts.size() - at);
  return rest.substr(0, rest.find('\0'));
}

}  // namespace

function_symbols::function_symbols(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const auto headers = read_array<Elf64_Ehdr>(file, 0, sizeof(Elf64_Ehdr));
  if (!is_read_here(headers)) return;
  const auto sections = read_array<Elf64_Shdr>(
      file, headers[0].e_shoff, std::uint64_t{headers[0].e_shnum} * sizeof(Elf64_Shdr));
  for (const Elf64_Shdr& table : sections) {
    const bool has_symbols = table.sh_type == SHT_SYMTAB || table.sh_type == SHT_DYNSYM;
    if (!has_symbols || table.sh_link >= sections.size()) continue;
    const Elf64_Shdr& names = sections[table.sh_link];
    const auto texts = read_array<char>(file, names.sh_offset, names.sh_size);
    for (const Elf64_Sym& one : read_array<Elf64_Sym>(file, table.sh_offset, table.sh_size)) {
      const bool is_function = ELF64_ST_TYPE(one.st_info) == STT_FUNC && one.st_value != 0;
      if (!is_function || one.st_shndx == SHN_UNDEF) continue;
      symbols_.push_back({one.st_value, one.st_value + std::max<std::uint64_t>(one.st_size, 1),
                          ELF64_ST_BIND(one.st_info) == STB_LOCAL,
                          std::string(text_at(texts, one.st_name))});
    }
  }
  std::ranges::sort(symbols_, [](const symbol& a, const symbol& b) {
    return std::tuple(a.begin, !a.is_local, a.name) < std::tuple(b.begin, !b.is_local, b.name);
  });
}

const function_symbols::symbol* function_symbols::at(std::uint64_t address) const noexcept {
  const auto next = std::ranges::upper_bound(symbols_, address, {}, &symbol::begin);
  if (next == symbols_.begin() || address >= std::prev(next)->end) return nullptr;
  return &*std::prev(next);
}

}  // namespace plait::attach
