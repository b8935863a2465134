// SPDX-License-Identifier: BSD-3-Clause
// Which file code is of, found with and without the help of newer C libraries, and what is declared
// of elfutils' libdw.
#include <cmath>
#include <cstdio>
#include <cstring>
#include <stdexcept>

#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <gtest/gtest.h>

#include "attach/calls/loaded_code.hpp"
#include "attach/sites/function_symbols.hpp"
#include "attach/sites/libdw.hpp"

extern "C" [[gnu::noinline, gnu::used]] int plait_named_function(int of) {
  return of + 1;
}

namespace plait::attach {
namespace {

void some_function() {}

const void* const codes[] = {
    reinterpret_cast<const void*>(&some_function), reinterpret_cast<const void*>(&std::puts),
    reinterpret_cast<const void*>(static_cast<double (*)(double)>(&std::cbrt))};

TEST(loaded_code, is_of_the_file_that_the_loader_names) {
  for (const void* code : codes) {
    Dl_info info;
    ASSERT_NE(dladdr(code, &info), 0);
    const link_map* const file = file_of(code);
    ASSERT_NE(file, nullptr);
    EXPECT_EQ(file->l_addr, reinterpret_cast<ElfW(Addr)>(info.dli_fbase));
  }
  EXPECT_EQ(file_of(nullptr), nullptr);
}

#ifdef DLFO_STRUCT_HAS_EH_DBASE
TEST(loaded_code, is_found_by_headers_as_glibc_finds_it) {
  for (const void* code : codes) {
    dl_find_object theirs{};
    dl_find_object ours{};
    ASSERT_EQ(_dl_find_object(const_cast<void*>(code), &theirs), 0);
    ASSERT_TRUE(find_by_headers(code, ours));
    EXPECT_EQ(ours.dlfo_link_map, theirs.dlfo_link_map);
    EXPECT_EQ(ours.dlfo_eh_frame, theirs.dlfo_eh_frame);
    EXPECT_LE(ours.dlfo_map_start, code);
    EXPECT_GT(ours.dlfo_map_end, code);
  }
  dl_find_object none{};
  EXPECT_FALSE(find_by_headers(nullptr, none));
}
#endif

TEST(loaded_code, is_left_by_exceptions) {
  EXPECT_THROW(throw std::runtime_error("found its way"), std::runtime_error);
}

TEST(function_symbols, have_the_function_of_every_address_in_it) {
  const function_symbols symbols("/proc/self/exe");
  const auto* const code = reinterpret_cast<const char*>(&plait_named_function);
  const std::uint64_t address = reinterpret_cast<std::uint64_t>(code) - file_of(code)->l_addr;
  const function_symbols::symbol* const found = symbols.at(address);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->name, "plait_named_function");
  EXPECT_EQ(found->begin, address);
  EXPECT_EQ(symbols.at(found->end - 1), found);
  EXPECT_NE(symbols.at(found->end), found);
  EXPECT_EQ(symbols.at(0), nullptr);
  EXPECT_EQ(function_symbols("/dev/null").at(address), nullptr);
  EXPECT_EQ(function_symbols("/nowhere/at/all").at(address), nullptr);
}

TEST(libdw, is_declared_as_in_its_headers) {
  EXPECT_TRUE(libdw::functions().are_there());
  EXPECT_EQ(sizeof(libdw::entry), sizeof(Dwarf_Die));
  EXPECT_EQ(sizeof(libdw::attribute), sizeof(Dwarf_Attribute));
  EXPECT_EQ(offsetof(libdw::attribute, value), offsetof(Dwarf_Attribute, valp));
  EXPECT_EQ(sizeof(libdw::address), sizeof(Dwarf_Addr));
  EXPECT_EQ(sizeof(libdw::number), sizeof(Dwarf_Word));
  EXPECT_EQ(sizeof(libdw::callbacks), sizeof(Dwfl_Callbacks));
  EXPECT_EQ(offsetof(libdw::callbacks, section_of), offsetof(Dwfl_Callbacks, section_address));
  EXPECT_EQ(libdw::tag_inlined_subroutine, DW_TAG_inlined_subroutine);
  EXPECT_EQ(libdw::at_call_file, unsigned{DW_AT_call_file});
  EXPECT_EQ(libdw::at_call_line, unsigned{DW_AT_call_line});
  EXPECT_EQ(libdw::at_linkage_name, unsigned{DW_AT_linkage_name});
}

}  // namespace
}  // namespace plait::attach
