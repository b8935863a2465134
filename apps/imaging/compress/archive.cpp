// SPDX-License-Identifier: BSD-3-Clause
#include "archive.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>
#include <plait/comm/mpi.hpp>

#include "measure/base/gather.hpp"
#include "measure/base/mpi_check.hpp"
#include "measure/base/quiet_barrier.hpp"

namespace compress {

using plait::measure::json;

archive::archive(plait::environment& env, const std::string& input, const std::string& output,
                 const codec& how)
    : how_(how), env_(env), rank_(env.rank()), ranks_(env.size()) {
  std::string complaint;
  try {
    input_ = std::make_unique<input_file>(input);
    if (rank_ == 0) output_ = std::make_unique<output_file>(output);
  } catch (const plait::usage_error& error) {
    complaint = error.what();
  }
  const json mine{{"complaint", complaint}, {"size", input_ ? input_->size() : -1}};
  for (const json& one : json::parse(
           plait::measure::broadcast(env, json(plait::measure::gather(env, mine)).dump()))) {
    if (const auto said = one["complaint"].get<std::string>(); !said.empty())
      throw plait::usage_error(said);
    if (one["size"] != input_->size())
      throw plait::usage_error(fmt::format("{}: is another file on another host", input));
  }
  const auto piece = static_cast<std::int64_t>(how.piece_bytes());
  pieces_ = std::max<std::int64_t>(1, (input_->size() + piece - 1) / piece);
}

void archive::compress(std::int64_t piece, buffer& to, const std::function<void()>& between) const {
  thread_local buffer from;
  const auto size = static_cast<std::int64_t>(how_.piece_bytes());
  input_->read(piece * size, from,
               static_cast<std::size_t>(std::min(size, input_->size() - piece * size)));
  how_.run(from, to, between);
}

void archive::write(std::int64_t piece, const buffer& some) {
  output_->append(some);
  if (progress) progress(piece + 1);
}

void archive::reset(setting) {
  if (output_) output_->clear();
}

void archive::make_reference() {
  sizes_.assign(static_cast<std::size_t>(pieces_), 0);
  if (rank_ == 0) {
    buffer some;
    for (std::int64_t i = 0; i < pieces_; ++i) {
      compress(i, some, [] {});
      sizes_[static_cast<std::size_t>(i)] = std::ssize(some);
      expected_.insert(expected_.end(), some.begin(), some.end());
    }
  }
  plait::measure::quiet_barrier(env_);
  plait::measure::check_mpi(MPI_Bcast(sizes_.data(), static_cast<int>(sizes_.size()), MPI_INT64_T,
                                      0, plait::native(env_)),
                            "MPI_Bcast");
}

verdict archive::check(setting how) const {
  if (!output_) return {};
  if (output_->size() != std::ssize(expected_))
    return {.verified = false,
            .complaint =
                fmt::format("{} bytes came out, expected {}", output_->size(), expected_.size())};
  std::int64_t at = 0;
  for (std::int64_t i = 0; i < pieces_; at += sizes_[static_cast<std::size_t>(i)], ++i) {
    if (how == setting::isolated && owner(i) != 0) continue;
    const auto size = static_cast<std::size_t>(sizes_[static_cast<std::size_t>(i)]);
    if (!std::ranges::equal(output_->read(at, size),
                            bytes(expected_).subspan(static_cast<std::size_t>(at), size)))
      return {.verified = false, .complaint = fmt::format("piece {} has other bytes", i)};
  }
  return {};
}

}  // namespace compress
