// SPDX-License-Identifier: BSD-3-Clause
// elfutils' libdw is loaded when it is needed, once, at the end: a program that brings its own
// libelf or zlib never meets it.
#include <cstdlib>
#include <memory>

#include <cxxabi.h>
#include <dlfcn.h>
#include <elfutils/libdwfl.h>
#include <fmt/format.h>

#include "attach/analysis.hpp"

namespace plait::attach {
namespace {

/// Debugging data that lies apart is not looked for: it may be across a network.
int no_separate_file(Dwfl_Module*, void**, const char*, Dwarf_Addr, const char*, const char*,
                     GElf_Word, char**) {
  return -1;
}

class debug_library {
 public:
  debug_library() : handle_(dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL)) {
    if (handle_ == nullptr) return;
    find(begin, "dwfl_begin");
    find(end, "dwfl_end");
    find(report_offline, "dwfl_report_offline");
    find(report_end, "dwfl_report_end");
    find(get_elf, "dwfl_module_getelf");
    find(get_source, "dwfl_module_getsrc");
    find(line_info, "dwfl_lineinfo");
    find(address_info, "dwfl_module_addrinfo");
    callbacks_.find_debuginfo = no_separate_file;
    find(callbacks_.section_address, "dwfl_offline_section_address");
  }
  [[nodiscard]] bool is_there() const noexcept { return handle_ != nullptr && is_complete_; }
  [[nodiscard]] const Dwfl_Callbacks* callbacks() const noexcept { return &callbacks_; }

  decltype(&dwfl_begin) begin = nullptr;
  decltype(&dwfl_end) end = nullptr;
  decltype(&dwfl_report_offline) report_offline = nullptr;
  decltype(&dwfl_report_end) report_end = nullptr;
  decltype(&dwfl_module_getelf) get_elf = nullptr;
  decltype(&dwfl_module_getsrc) get_source = nullptr;
  decltype(&dwfl_lineinfo) line_info = nullptr;
  decltype(&dwfl_module_addrinfo) address_info = nullptr;

 private:
  template <class Function>
  void find(Function& to, const char* name) {
    to = reinterpret_cast<Function>(dlsym(handle_, name));
    is_complete_ = is_complete_ && to != nullptr;
  }
  void* handle_;
  bool is_complete_ = true;
  Dwfl_Callbacks callbacks_{};
};

[[nodiscard]] std::string demangled(const std::string& symbol) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), std::free);
  return status == 0 && text ? std::string(text.get()) : symbol;
}

/// gfortran's names as the program has them: `name_`, `__module_MOD_name`, `MAIN__`.
[[nodiscard]] std::string fortran_name(const std::string& symbol) {
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

  void name(site_result& site) const {
    if (module_ == nullptr) return;
    const Dwarf_Addr address = site.offset - 1 + bias_;  // in the call, not behind it
    GElf_Off offset = 0;
    GElf_Sym symbol{};
    const char* name =
        library_.address_info(module_, address, &offset, &symbol, nullptr, nullptr, nullptr);
    if (name != nullptr) {
      site.symbol = name;
      site.symbol_offset = offset + 1;
      site.function = demangled(name);
    }
    Dwfl_Line* line = library_.get_source(module_, address);
    if (line == nullptr) return;
    const char* file = library_.line_info(line, nullptr, &site.line, nullptr, nullptr, nullptr);
    if (file != nullptr) site.file = file;
    if (is_fortran_file(site.file)) site.function = fortran_name(site.symbol);
  }

 private:
  const debug_library& library_;
  Dwfl* session_ = nullptr;
  Dwfl_Module* module_ = nullptr;
  Dwarf_Addr bias_ = 0;
};

}  // namespace

void name_sites(std::vector<site_result>& sites) {
  const debug_library library;
  std::map<std::string, std::unique_ptr<module_reader>> readers;
  for (site_result& site : sites) {
    if (site.module.empty()) continue;
    auto& reader = readers[site.module];
    if (!reader) reader = std::make_unique<module_reader>(library, site.module);
    reader->name(site);
  }
}

}  // namespace plait::attach
