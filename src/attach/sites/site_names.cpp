// SPDX-License-Identifier: BSD-3-Clause
// elfutils' libdw is loaded when it is needed, once, at the end: a program that brings its own
// libelf or zlib never meets it.
#include <cstdlib>
#include <memory>
#include <optional>

#include <cxxabi.h>

#include "attach/after/analysis.hpp"
#include "attach/sites/function_symbols.hpp"
#include "attach/sites/libdw.hpp"

namespace plait::attach {
namespace {

/// Debugging data that lies apart is not looked for: it may be across a network.
int no_separate_file(libdw::module*, void**, const char*, libdw::address, const char*, const char*,
                     Elf64_Word, char**) {
  return -1;
}

/// Without a compiler's endings of parts and copies of a function: `.constprop.0`, `.cold`.
[[nodiscard]] std::string without_ending(const std::string& symbol) {
  const std::size_t dot = symbol.find('.', 1);
  return dot == std::string::npos ? symbol : symbol.substr(0, dot);
}

/// The function's name without its parameters and, of a template, its result.
[[nodiscard]] std::string demangled(const std::string& symbol) {
  const std::string whole = without_ending(symbol);
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(whole.c_str(), nullptr, nullptr, &status), std::free);
  return status == 0 && text ? name_without_types(text.get()) : whole;
}

/// gfortran's names as the program has them: `name_`, `__module_MOD_name`, `MAIN__`.
[[nodiscard]] std::string fortran_name(const std::string& whole) {
  const std::string symbol = without_ending(whole);
  if (symbol == "MAIN__") return "main program";
  const std::size_t middle = symbol.find("_MOD_");
  if (symbol.starts_with("__") && middle != std::string::npos) {
    return symbol.substr(2, middle - 2) + "::" + symbol.substr(middle + 5);
  }
  return symbol.ends_with('_') ? symbol.substr(0, symbol.size() - 1) : symbol;
}

[[nodiscard]] bool is_fortran_file(const std::string& file) {
  const std::size_t dot = file.find_last_of('.');
  return dot != std::string::npos && dot + 1 < file.size() &&
         (file[dot + 1] == 'f' || file[dot + 1] == 'F');
}

/// One file, opened for all its sites.
class module_reader {
 public:
  module_reader(const libdw::functions& library, const std::string& path)
      : library_(library), callbacks_{nullptr, no_separate_file, library.offline_section, nullptr} {
    if (!library.are_there()) {
      symbols_.emplace(path);
      return;
    }
    session_ = library.begin(&callbacks_);
    if (session_ == nullptr) return;
    module_ = library.report_offline(session_, path.c_str(), path.c_str(), -1);
    library.report_end(session_, nullptr, nullptr);
    if (module_ != nullptr && library.get_elf(module_, &bias_) == nullptr) module_ = nullptr;
  }
  ~module_reader() {
    if (session_ != nullptr) library_.end(session_);
  }
  module_reader(const module_reader&) = delete;
  module_reader& operator=(const module_reader&) = delete;

  /// Names the function, file and line of a call.  A function that was compiled into another is a
  /// place of its own: returns them from the inside out.
  [[nodiscard]] std::vector<code_place> name(code_place place) const {
    if (symbols_) return {named_by_symbol(place)};
    if (module_ == nullptr) return {place};
    const libdw::address address = place.offset - 1 + bias_;  // in the call, not behind it
    std::uint64_t offset = 0;
    Elf64_Sym symbol{};
    const char* name =
        library_.address_info(module_, address, &offset, &symbol, nullptr, nullptr, nullptr);
    if (name != nullptr) {
      place.symbol = name;
      place.symbol_offset = offset + 1;
      place.function = demangled(name);
    }
    libdw::line* line = library_.get_source(module_, address);
    if (line == nullptr) return {place};
    const char* file = library_.line_info(line, nullptr, &place.line, nullptr, nullptr, nullptr);
    if (file != nullptr) place.file = file;
    if (is_fortran_file(place.file)) place.function = fortran_name(place.symbol);
    std::vector<code_place> places = inlined_at(address, place);
    places.push_back(place);
    return places;
  }

 private:
  [[nodiscard]] code_place named_by_symbol(code_place place) const {
    const function_symbols::symbol* const symbol = symbols_->at(place.offset - 1);
    if (symbol == nullptr) return place;
    place.symbol = symbol->name;
    place.symbol_offset = place.offset - symbol->begin;
    place.function = demangled(symbol->name);
    return place;
  }

  /// Functions that were compiled into the one of `outer`, which becomes the place that calls them.
  [[nodiscard]] std::vector<code_place> inlined_at(libdw::address address,
                                                   code_place& outer) const {
    std::vector<code_place> found;
    libdw::address bias = 0;
    libdw::entry* unit = library_.unit_at(module_, address, &bias);
    if (unit == nullptr) return found;
    libdw::entry* innermost = nullptr;
    if (library_.scopes_at(unit, address - bias, &innermost) > 0) {
      libdw::entry* scopes = nullptr;
      const int count = library_.scopes_around(innermost, &scopes);
      for (int i = 0; i < count; ++i) {
        if (library_.tag_of(&scopes[i]) != libdw::tag_inlined_subroutine) continue;
        code_place inner = outer;
        inner.function = name_of(scopes[i], is_fortran_file(outer.file));
        found.push_back(inner);
        outer.file = file_of_call(*unit, scopes[i]);
        outer.line = static_cast<int>(number_of(scopes[i], libdw::at_call_line));
      }
      std::free(scopes);
    }
    std::free(innermost);
    return found;
  }

  [[nodiscard]] std::string name_of(libdw::entry& of, bool is_fortran) const {
    libdw::attribute attribute;
    if (library_.attribute_of(&of, libdw::at_linkage_name, &attribute) != nullptr) {
      const char* symbol = library_.string_of(&attribute);
      if (symbol != nullptr) return is_fortran ? fortran_name(symbol) : demangled(symbol);
    }
    const char* name = library_.name_of(&of);
    return name == nullptr ? "" : name;
  }
  [[nodiscard]] libdw::number number_of(libdw::entry& of, unsigned what) const {
    libdw::attribute attribute;
    libdw::number number = 0;
    if (library_.attribute_of(&of, what, &attribute) == nullptr) return 0;
    return library_.number_of(&attribute, &number) == 0 ? number : 0;
  }
  [[nodiscard]] std::string file_of_call(libdw::entry& unit, libdw::entry& of) const {
    libdw::files* files = nullptr;
    if (library_.source_files(&unit, &files, nullptr) != 0) return {};
    const char* file =
        library_.source_file(files, number_of(of, libdw::at_call_file), nullptr, nullptr);
    return file == nullptr ? "" : file;
  }

  const libdw::functions& library_;
  const libdw::callbacks callbacks_;
  std::optional<function_symbols> symbols_;  ///< where there is no such library
  libdw::session* session_ = nullptr;
  libdw::module* module_ = nullptr;
  libdw::address bias_ = 0;
};

}  // namespace

bool can_name_lines() {
  return libdw::functions().are_there();
}

std::vector<std::vector<code_place>> name_places(const std::vector<code_place>& places) {
  const libdw::functions library;
  std::map<std::string, std::unique_ptr<module_reader>> readers;
  std::vector<std::vector<code_place>> named;
  for (const code_place& place : places) {
    if (place.module.empty()) {
      named.push_back({place});
      continue;
    }
    auto& reader = readers[place.module];
    if (!reader) reader = std::make_unique<module_reader>(library, place.module);
    named.push_back(reader->name(place));
  }
  return named;
}

/// A name ends with its parameters, in parentheses that match, and perhaps with qualifiers.
std::string name_without_types(const std::string& demangled) {
  std::string name = demangled;
  const std::size_t last = name.rfind(')');
  if (last != std::string::npos) {
    int depth = 0;
    std::size_t at = last + 1;
    do {
      --at;
      depth += name[at] == ')' ? 1 : name[at] == '(' ? -1 : 0;
    } while (at > 0 && depth > 0);
    if (depth == 0 && at > 0) name.resize(at);
  }
  int depth = 0;
  for (std::size_t at = name.size(); at-- > 0;) {
    depth += name[at] == '>' || name[at] == ')' ? 1 : name[at] == '<' || name[at] == '(' ? -1 : 0;
    if (name[at] == ' ' && depth == 0 && name.find("operator") == std::string::npos) {
      return name.substr(at + 1);
    }
  }
  return name;
}

}  // namespace plait::attach
