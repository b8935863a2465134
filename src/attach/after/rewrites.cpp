// SPDX-License-Identifier: BSD-3-Clause
// Names such as `ghosts` and `compute_inner` stand for the program's own.  CALL is the call, START
// the one that starts it, and COUNT how many calls are one then.
#include "attach/after/rewrites.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace plait::attach {
namespace {

constexpr std::array<std::string_view, 8> pattern_names{
    "",          "blocking_exchange", "sendrecv_chain", "waited_at_once",
    "transpose", "collective",        "calls_in_a_row", "barrier"};
constexpr std::array<std::string_view, 8> pattern_words{
    "",
    "blocking sends and receives",
    "Sendrecv calls one after another",
    "a wait soon after the starts",
    "an exchange of all with all, as of a transpose",
    "a blocking collective",
    "short calls one after another",
    ""};

enum class language : std::uint8_t { c, fortran, python };

/// By pattern and language; a line a line.
constexpr std::string_view rewrite_texts[8][3] = {
    {},
    {"MPI_Irecv(ghosts, n, type, from, tag, comm, &r[0]);\n"
     "MPI_Isend(rim, n, type, to, tag, comm, &r[1]);\n"
     "compute_inner();  // what needs no ghosts\n"
     "MPI_Waitall(2, r, MPI_STATUSES_IGNORE);\n"
     "compute_rim();",
     "call MPI_Irecv(ghosts, n, type, from, tag, comm, r(1), err)\n"
     "call MPI_Isend(rim, n, type, to, tag, comm, r(2), err)\n"
     "call compute_inner()  ! what needs no ghosts\n"
     "call MPI_Waitall(2, r, MPI_STATUSES_IGNORE, err)\n"
     "call compute_rim()",
     "r = [comm.Irecv(ghosts, source, tag), comm.Isend(rim, dest, tag)]\n"
     "compute_inner()  # what needs no ghosts\n"
     "MPI.Request.Waitall(r)\n"
     "compute_rim()"},
    {"for (int k = 0; k < sides; ++k) {\n"
     "  MPI_Irecv(ghosts[k], n, type, from[k], tag, comm, &r[2 * k]);\n"
     "  MPI_Isend(rim[k], n, type, to[k], tag, comm, &r[2 * k + 1]);\n"
     "}\n"
     "compute_inner();  // what needs no ghosts\n"
     "MPI_Waitall(2 * sides, r, MPI_STATUSES_IGNORE);",
     "do k = 1, sides\n"
     "  call MPI_Irecv(ghosts(1,k), n, type, from(k), 0, comm, r(k), err)\n"
     "  call MPI_Isend(rim(1,k), n, type, to(k), 0, comm, r(sides+k), err)\n"
     "end do\n"
     "call compute_inner()  ! what needs no ghosts\n"
     "call MPI_Waitall(2 * sides, r, MPI_STATUSES_IGNORE, err)",
     "r = [comm.Irecv(ghosts[k], source[k], tag) for k in sides]\n"
     "r += [comm.Isend(rim[k], dest[k], tag) for k in sides]\n"
     "compute_inner()  # what needs no ghosts\n"
     "MPI.Request.Waitall(r)\n"
     "compute_rim()"},
    {"start_messages(r);  // the calls that start them, as they are\n"
     "compute_inner();  // what needs no ghosts\n"
     "MPI_Waitall(n, r, MPI_STATUSES_IGNORE);\n"
     "compute_rim();",
     "call start_messages(r)  ! the calls that start them, as they are\n"
     "call compute_inner()  ! what needs no ghosts\n"
     "call MPI_Waitall(n, r, MPI_STATUSES_IGNORE, err)\n"
     "call compute_rim()",
     "r = start_messages()  # the calls that start them, as they are\n"
     "compute_inner()  # what needs no ghosts\n"
     "MPI.Request.Waitall(r)\n"
     "compute_rim()"},
    {"for (int p = 0; p < parts; ++p) {\n"
     "  transform_lines(p);  // a part of them\n"
     "  MPI_START(..., comm, &r[p]);  // these lines alone\n"
     "}\n"
     "MPI_Waitall(parts, r, MPI_STATUSES_IGNORE);",
     "do p = 1, parts\n"
     "  call transform_lines(p)  ! a part of them\n"
     "  call MPI_START(..., comm, r(p), err)  ! these lines\n"
     "end do\n"
     "call MPI_Waitall(parts, r, MPI_STATUSES_IGNORE, err)",
     "r = []\n"
     "for p in range(parts):\n"
     "    transform_lines(p)  # a part of them\n"
     "    r.append(comm.START(...))  # these lines alone\n"
     "MPI.Request.Waitall(r)"},
    {"MPI_Request r;\n"
     "MPI_START(..., comm, &r);  // as it is now\n"
     "compute_other();  // what needs no result of it\n"
     "MPI_Wait(&r, MPI_STATUS_IGNORE);",
     "call MPI_START(..., comm, r, err)  ! as it is now\n"
     "call compute_other()  ! what needs no result of it\n"
     "call MPI_Wait(r, MPI_STATUS_IGNORE, err)",
     "r = comm.START(...)  # as it is now\n"
     "compute_other()  # what needs no result of it\n"
     "r.Wait()"},
    {"double all[COUNT] = {...};  // what the COUNT calls move\n"
     "MPI_CALL(..., all, COUNT, ..., comm);  // once\n"
     "use(all);",
     "all = (/ ... /)  ! what the COUNT calls move\n"
     "call MPI_CALL(..., all, COUNT, ..., comm, err)  ! once\n"
     "call use(all)",
     "all = numpy.array([...])  # what the COUNT calls move\n"
     "comm.CALL(..., all)  # once\n"
     "use(all)"},
    {}};

[[nodiscard]] language language_of(std::string_view file) {
  const std::size_t dot = file.rfind('.');
  if (dot == std::string_view::npos) return language::c;
  std::string suffix(file.substr(dot + 1));
  std::ranges::transform(suffix, suffix.begin(), [](unsigned char c) { return std::tolower(c); });
  if (suffix == "py" || suffix == "pyx") return language::python;
  constexpr std::string_view of_fortran[] = {"f",   "for", "ftn", "f77", "f90",
                                             "f95", "f03", "f08", "f18"};
  return std::ranges::find(of_fortran, suffix) != std::end(of_fortran) ? language::fortran
                                                                       : language::c;
}

void replace_all(std::string& in, std::string_view what, const std::string& with) {
  for (std::size_t at = in.find(what); at != std::string::npos;
       at = in.find(what, at + with.size())) {
    in.replace(at, what.size(), with);
  }
}

}  // namespace

std::string_view name_of(call_pattern of) noexcept {
  return pattern_names[static_cast<std::size_t>(of)];
}

std::string_view words_of(call_pattern of) noexcept {
  return pattern_words[static_cast<std::size_t>(of)];
}

std::vector<std::string> rewritten(call_pattern of, std::string_view call, std::uint64_t in_a_row,
                                   std::string_view file) {
  std::string text(
      rewrite_texts[static_cast<std::size_t>(of)][static_cast<int>(language_of(file))]);
  const std::string plain(call.substr(call.starts_with("MPI_") ? 4 : 0));
  std::string start = "I" + plain;
  start[1] = static_cast<char>(std::tolower(static_cast<unsigned char>(start[1])));
  replace_all(text, "START", start);
  replace_all(text, "CALL", plain);
  replace_all(text, "COUNT", std::to_string(in_a_row));
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

}  // namespace plait::attach
