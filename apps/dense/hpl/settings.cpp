// SPDX-License-Identifier: BSD-3-Clause
#include "settings.hpp"

#include <fstream>
#include <functional>
#include <sstream>

#include <fmt/format.h>
#include <plait/plait.hpp>

namespace hpl {
namespace {

/// The lines of HPL.dat, one after the other; what follows the numbers of a line is a comment.
class reader {
 public:
  explicit reader(const std::string& file) : file_(file), text_(file) {
    if (!text_) throw plait::usage_error(fmt::format("--dat: cannot read '{}'", file));
  }

  void skip(int lines) {
    for (std::string line; lines > 0; --lines) line = next();
  }

  /// Reads `count` numbers from the next line.  Errors: usage_error for one that is not from `low`
  /// to `high`.
  template <class Number = std::int64_t>
  std::vector<Number> numbers(std::size_t count, const char* what, Number low, Number high) {
    std::istringstream line(next());
    std::vector<Number> found(count);
    for (Number& value : found)
      if (!(line >> value) || value < low || value > high)
        throw plait::usage_error(
            fmt::format("--dat: {} line {} must begin with {} numbers from {} to {}: {}", file_,
                        line_, count, low, high, what));
    return found;
  }
  /// A line that says how many, and one with them.
  std::vector<std::int64_t> counted(const char* what, std::int64_t low, std::int64_t high) {
    const std::int64_t count = numbers<std::int64_t>(1, what, 1, 20)[0];
    return numbers<std::int64_t>(static_cast<std::size_t>(count), what, low, high);
  }

 private:
  std::string next() {
    std::string line;
    ++line_;
    if (!std::getline(text_, line))
      throw plait::usage_error(fmt::format("--dat: {} ends before line {}", file_, line_));
    return line;
  }

  std::string file_;
  std::ifstream text_;
  int line_ = 0;
};

/// Every combination of what is there with `values`.
void combine(std::vector<settings>& all, std::size_t count,
             const std::function<void(settings&, std::size_t)>& set) {
  std::vector<settings> combined;
  for (const settings& one : all)
    for (std::size_t i = 0; i < count; ++i) set(combined.emplace_back(one), i);
  all = std::move(combined);
}

}  // namespace

std::vector<settings> read_hpl_dat(const std::string& file) {
  reader in(file);
  in.skip(4);
  const auto ns = in.counted("Ns", 0, 1 << 24);
  const auto nbs = in.counted("NBs", 1, 1 << 16);
  settings common;
  common.order = in.numbers<std::int64_t>(1, "PMAP", 0, 1)[0] == 0
                     ? plait::dense::rank_order::row_major
                     : plait::dense::rank_order::column_major;
  const auto grids =
      static_cast<std::size_t>(in.numbers<std::int64_t>(1, "number of grids", 1, 20)[0]);
  const auto ps = in.numbers<std::int64_t>(grids, "Ps", 1, 1 << 20);
  const auto qs = in.numbers<std::int64_t>(grids, "Qs", 1, 1 << 20);
  common.threshold = in.numbers<double>(1, "threshold", 0, 1e6)[0];
  const auto pfacts = in.counted("PFACTs", 0, 2);
  const auto nbmins = in.counted("NBMINs", 1, 1 << 16);
  const auto ndivs = in.counted("NDIVs", 2, 1 << 16);
  const auto rfacts = in.counted("RFACTs", 0, 2);
  const auto bcasts = in.counted("BCASTs", 0, 5);
  const auto depths = in.counted("DEPTHs", 0, 1000);
  common.swap = static_cast<swapping>(in.numbers<std::int64_t>(1, "SWAP", 0, 2)[0]);
  common.swap_threshold = in.numbers<std::int64_t>(1, "swapping threshold", 0, 1 << 24)[0];
  std::vector<settings> all{common};
  combine(all, grids, [&](settings& s, std::size_t i) {
    s.grid = {static_cast<int>(ps[i]), static_cast<int>(qs[i])};
  });
  combine(all, ns.size(), [&](settings& s, std::size_t i) { s.n = ns[i]; });
  combine(all, nbs.size(), [&](settings& s, std::size_t i) { s.nb = nbs[i]; });
  combine(all, depths.size(),
          [&](settings& s, std::size_t i) { s.depth = static_cast<int>(depths[i]); });
  combine(all, bcasts.size(),
          [&](settings& s, std::size_t i) { s.bcast = static_cast<broadcast>(bcasts[i]); });
  combine(all, rfacts.size(),
          [&](settings& s, std::size_t i) { s.rfact = static_cast<looking>(rfacts[i]); });
  combine(all, pfacts.size(),
          [&](settings& s, std::size_t i) { s.pfact = static_cast<looking>(pfacts[i]); });
  combine(all, nbmins.size(), [&](settings& s, std::size_t i) { s.nbmin = nbmins[i]; });
  combine(all, ndivs.size(), [&](settings& s, std::size_t i) { s.ndiv = ndivs[i]; });
  return all;
}

std::string netlib_code(const settings& of) {
  constexpr std::array<char, 3> letters{'L', 'C', 'R'};
  const auto letter = [&](looking how) { return letters[static_cast<std::size_t>(how)]; };
  return fmt::format("W{}{}{}{}{}{}{}", of.order == plait::dense::rank_order::row_major ? 'R' : 'C',
                     of.depth, static_cast<int>(of.bcast), letter(of.rfact), of.ndiv,
                     letter(of.pfact), of.nbmin);
}

}  // namespace hpl
