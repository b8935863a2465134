// SPDX-License-Identifier: BSD-3-Clause
#include "attach/calls/real_functions.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <dlfcn.h>
#include <link.h>

#include "attach/calls/loaded_code.hpp"
#include "core/filled.hpp"

namespace plait::attach {

void* real_functions[call_count];
void* next_functions[call_count];
mpi_constants constants;

namespace {

#if defined(OPEN_MPI)
constexpr const char* library_kind = "Open MPI";
#elif defined(MPI_ABI_VERSION)
constexpr const char* library_kind = "MPI's standard ABI";
#else
constexpr const char* library_kind = "MPICH";
#endif

/// The names by which programs ask for the library.  Those that share MPICH's ABI have two.
constexpr const char* sonames[] = {
    PLAIT_MPI_SONAME,
#if !defined(OPEN_MPI) && !defined(MPI_ABI_VERSION)
    "libmpi.so.12",
    "libmpich.so.12",
#endif
};

/// The library as the program has loaded it, or null: a program that opens its MPI library by
/// itself (Python's mpi4py) does not make its symbols known to all.
[[nodiscard]] void* library() noexcept {
  static void* handle = nullptr;
  for (const char* name : sonames) {
    if (handle == nullptr) handle = dlopen(name, RTLD_NOLOAD | RTLD_LAZY);
  }
  return handle;
}

/// Another library that has MPI's functions, whatever its name is.
int note_mpi_library(dl_phdr_info* info, std::size_t, void* found) {
  void* const library =
      info->dlpi_name[0] == '\0' ? nullptr : dlopen(info->dlpi_name, RTLD_NOLOAD | RTLD_LAZY);
  if (library == nullptr) return 0;
  const link_map* const where = file_of(dlsym(library, "PMPI_Init"));
  dlclose(library);
  if (where == nullptr || where == file_of(reinterpret_cast<void*>(&note_mpi_library))) return 0;
  const char* slash = std::strrchr(where->l_name, '/');
  *static_cast<std::string*>(found) = slash == nullptr ? where->l_name : slash + 1;
  return 1;
}

/// Looks all functions up; null is what the library does not have.
bool look_up_all() noexcept {
  for (int which = 0; which < call_count; ++which) {
    const std::string name = call_names[which];
    void* real = find_in_library(("P" + name).c_str());
    if (real == nullptr) real = find_in_library(name.c_str());
    void* const next = dlsym(RTLD_NEXT, name.c_str());
    const bool is_another = real != nullptr && next != nullptr && file_of(next) != file_of(real);
    real_functions[which] = real;
    next_functions[which] = is_another ? next : real;
  }
  return true;
}

}  // namespace

void* find_in_library(const char* name) noexcept {
  void* const found = library() == nullptr ? nullptr : dlsym(library(), name);
  return found == nullptr ? dlsym(RTLD_NEXT, name) : found;
}

void find_functions(call_id wanted) noexcept {
  [[maybe_unused]] static const bool is_done = look_up_all();
  const int which = static_cast<int>(wanted);
  if (real_functions[which] != nullptr) return;
  const std::string why = library() == nullptr
                              ? wrong_library()
                              : filled("the program calls {}, which {} ({}) does not have here",
                                       call_names[which], PLAIT_MPI_SONAME, library_kind);
  std::fprintf(stderr, "plait attach: %s\n", why.c_str());
  std::_Exit(2);
}

#if defined(OPEN_MPI)
namespace {
/// A program that is linked to the library may have a copy of its data, which is then everybody's:
/// the first that there is.
[[nodiscard]] void* find_data(const char* name) noexcept {
  void* found = dlsym(RTLD_DEFAULT, name);
  return found != nullptr ? found : find_in_library(name);
}
}  // namespace
#define PLAIT_CONSTANT(name, symbol) static_cast<decltype(name)>(find_data(symbol))
#else
#define PLAIT_CONSTANT(name, symbol) name
#endif

void find_constants() noexcept {
  constants = {.comm_world = PLAIT_CONSTANT(MPI_COMM_WORLD, "ompi_mpi_comm_world"),
               .comm_self = PLAIT_CONSTANT(MPI_COMM_SELF, "ompi_mpi_comm_self"),
               .comm_null = PLAIT_CONSTANT(MPI_COMM_NULL, "ompi_mpi_comm_null"),
               .request_null = PLAIT_CONSTANT(MPI_REQUEST_NULL, "ompi_request_null"),
               .byte = PLAIT_CONSTANT(MPI_BYTE, "ompi_mpi_byte"),
               .message_null = PLAIT_CONSTANT(MPI_MESSAGE_NULL, "ompi_message_null")};
}

bool is_library_in_use() noexcept {
  if (library() == nullptr) return false;
  void* const asks = dlsym(library(), "PMPI_Initialized");
  int is_started = 0;
  if (asks != nullptr) reinterpret_cast<decltype(&MPI_Initialized)>(asks)(&is_started);
  return is_started != 0;
}

std::string wrong_library() {
  std::string other;
  if (library() != nullptr) return {};
  dl_iterate_phdr(note_mpi_library, &other);
  return filled("the program uses {}, and this build of plait is for {} ({})",
                other.empty() ? "no shared MPI library" : other, PLAIT_MPI_SONAME, library_kind);
}

}  // namespace plait::attach
