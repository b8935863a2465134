// SPDX-License-Identifier: BSD-3-Clause
// elfutils' libdw is loaded when it is needed, once, at the end: a program that brings its own
// libelf or zlib never meets it.
#include <cstdlib>
#include <memory>

#include <cxxabi.h>
#include <dlfcn.h>
#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <fmt/format.h>

#include "attach/after/analysis.hpp"

namespace plait::attach {
namespace {

/// Debugging data that lies apart is not looked for: it may be across a network.
int no_separate_file(Dwfl_Module*, void**, const char*, Dwarf_Addr, const char*, const char*,
                     GElf_Word, char**) {
  return -1;
}

class debug_library {
 public:
  [[nodiscard]] bool is_there() const noexcept { return handle_ != nullptr && is_complete_; }
  [[nodiscard]] const Dwfl_Callbacks* callbacks() const noexcept { return &callbacks_; }

 private:
  template <class Function>
  [[nodiscard]] Function find(const char* name) {
    void* const found = handle_ == nullptr ? nullptr : dlsym(handle_, name);
    is_complete_ = is_complete_ && found != nullptr;
    return reinterpret_cast<Function>(found);
  }
  void* handle_ = dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL);
  bool is_complete_ = true;

#define PLAIT_FOUND_IN_LIBDW(member, function) \
  decltype(&function) member = find<decltype(&function)>(#function)  // NOLINT
 public:
  PLAIT_FOUND_IN_LIBDW(begin, dwfl_begin);
  PLAIT_FOUND_IN_LIBDW(end, dwfl_end);
  PLAIT_FOUND_IN_LIBDW(report_offline, dwfl_report_offline);
  PLAIT_FOUND_IN_LIBDW(report_end, dwfl_report_end);
  PLAIT_FOUND_IN_LIBDW(get_elf, dwfl_module_getelf);
  PLAIT_FOUND_IN_LIBDW(get_source, dwfl_module_getsrc);
  PLAIT_FOUND_IN_LIBDW(line_info, dwfl_lineinfo);
  PLAIT_FOUND_IN_LIBDW(address_info, dwfl_module_addrinfo);
  PLAIT_FOUND_IN_LIBDW(unit_at, dwfl_module_addrdie);
  PLAIT_FOUND_IN_LIBDW(scopes_at, dwarf_getscopes);
  PLAIT_FOUND_IN_LIBDW(scopes_around, dwarf_getscopes_die);
  PLAIT_FOUND_IN_LIBDW(tag_of, dwarf_tag);
  PLAIT_FOUND_IN_LIBDW(name_of, dwarf_diename);
  PLAIT_FOUND_IN_LIBDW(attribute_of, dwarf_attr_integrate);
  PLAIT_FOUND_IN_LIBDW(number_of, dwarf_formudata);
  PLAIT_FOUND_IN_LIBDW(string_of, dwarf_formstring);
  PLAIT_FOUND_IN_LIBDW(source_files, dwarf_getsrcfiles);
  PLAIT_FOUND_IN_LIBDW(source_file, dwarf_filesrc);
#undef PLAIT_FOUND_IN_LIBDW

 private:
  Dwfl_Callbacks callbacks_{.find_elf = nullptr,
                            .find_debuginfo = no_separate_file,
                            .section_address = find<decltype(&dwfl_offline_section_address)>(
                                "dwfl_offline_section_address"),
                            .debuginfo_path = nullptr};
};

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
  module_reader(const debug_library& library, const std::string& path) : library_(library) {
    if (!library.is_there()) return;
    session_ = library.begin(library.callbacks());
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
    if (module_ == nullptr) return {place};
    const Dwarf_Addr address = place.offset - 1 + bias_;  // in the call, not behind it
    GElf_Off offset = 0;
    GElf_Sym symbol{};
    const char* name =
        library_.address_info(module_, address, &offset, &symbol, nullptr, nullptr, nullptr);
    if (name != nullptr) {
      place.symbol = name;
      place.symbol_offset = offset + 1;
      place.function = demangled(name);
    }
    Dwfl_Line* line = library_.get_source(module_, address);
    if (line == nullptr) return {place};
    const char* file = library_.line_info(line, nullptr, &place.line, nullptr, nullptr, nullptr);
    if (file != nullptr) place.file = file;
    if (is_fortran_file(place.file)) place.function = fortran_name(place.symbol);
    std::vector<code_place> places = inlined_at(address, place);
    places.push_back(place);
    return places;
  }

 private:
  /// Functions that were compiled into the one of `outer`, which becomes the place that calls them.
  [[nodiscard]] std::vector<code_place> inlined_at(Dwarf_Addr address, code_place& outer) const {
    std::vector<code_place> found;
    Dwarf_Addr bias = 0;
    Dwarf_Die* unit = library_.unit_at(module_, address, &bias);
    if (unit == nullptr) return found;
    Dwarf_Die* innermost = nullptr;
    if (library_.scopes_at(unit, address - bias, &innermost) > 0) {
      Dwarf_Die* scopes = nullptr;
      const int count = library_.scopes_around(innermost, &scopes);
      for (int i = 0; i < count; ++i) {
        if (library_.tag_of(&scopes[i]) != DW_TAG_inlined_subroutine) continue;
        code_place inner = outer;
        inner.function = name_of(scopes[i], is_fortran_file(outer.file));
        found.push_back(inner);
        outer.file = file_of_call(*unit, scopes[i]);
        outer.line = static_cast<int>(number_of(scopes[i], DW_AT_call_line));
      }
      std::free(scopes);
    }
    std::free(innermost);
    return found;
  }

  [[nodiscard]] std::string name_of(Dwarf_Die& of, bool is_fortran) const {
    Dwarf_Attribute attribute;
    if (library_.attribute_of(&of, DW_AT_linkage_name, &attribute) != nullptr) {
      const char* symbol = library_.string_of(&attribute);
      if (symbol != nullptr) return is_fortran ? fortran_name(symbol) : demangled(symbol);
    }
    const char* name = library_.name_of(&of);
    return name == nullptr ? "" : name;
  }
  [[nodiscard]] Dwarf_Word number_of(Dwarf_Die& of, unsigned what) const {
    Dwarf_Attribute attribute;
    Dwarf_Word number = 0;
    if (library_.attribute_of(&of, what, &attribute) == nullptr) return 0;
    return library_.number_of(&attribute, &number) == 0 ? number : 0;
  }
  [[nodiscard]] std::string file_of_call(Dwarf_Die& unit, Dwarf_Die& of) const {
    Dwarf_Files* files = nullptr;
    if (library_.source_files(&unit, &files, nullptr) != 0) return {};
    const char* file =
        library_.source_file(files, number_of(of, DW_AT_call_file), nullptr, nullptr);
    return file == nullptr ? "" : file;
  }

  const debug_library& library_;
  Dwfl* session_ = nullptr;
  Dwfl_Module* module_ = nullptr;
  Dwarf_Addr bias_ = 0;
};

}  // namespace

std::vector<std::vector<code_place>> name_places(const std::vector<code_place>& places) {
  const debug_library library;
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
