// SPDX-License-Identifier: BSD-3-Clause
/// The functions of a program or a library, as the symbol tables of its file have them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace plait::attach {

class function_symbols {
 public:
  /// Reads the tables of an ELF file; a file that cannot be read, or is none, has no functions.
  explicit function_symbols(const std::string& path);

  struct symbol {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    bool is_local = false;
    std::string name;
  };
  /// Returns the function that has the code at an address, as the file numbers them; null: none.
  [[nodiscard]] const symbol* at(std::uint64_t address) const noexcept;

 private:
  std::vector<symbol>
      symbols_;  ///< by where they begin; of those that begin at one place the best last
};

}  // namespace plait::attach
