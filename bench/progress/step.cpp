// SPDX-License-Identifier: BSD-3-Clause
#include "step.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace plait::bench::progress_sweep {
namespace {

constexpr std::size_t words_between_stamps = 512;  // 4 KiB

// Differs for every rank, place and step.
std::uint64_t word_of(int rank, std::uint64_t step, std::size_t place) {
  return (static_cast<std::uint64_t>(rank + 1) << 60) ^ (step << 32) ^ place;
}

bool tells_step(std::size_t place, std::size_t words_of_message) {
  const std::size_t in_message = place % words_of_message;
  return in_message % words_between_stamps == 0 || in_message + 1 == words_of_message;
}

template <class Visit>
void for_stamps(std::size_t words, std::size_t words_of_message, Visit&& visit) {
  for (std::size_t begin = 0; begin < words; begin += words_of_message) {
    for (std::size_t i = 0; i < words_of_message; i += words_between_stamps) visit(begin + i);
    const std::size_t last = words_of_message - 1;
    if (last % words_between_stamps != 0) visit(begin + last);
  }
}

void check_word(step_state& state, std::size_t place, std::uint64_t step, std::uint64_t expected,
                std::uint64_t got) {
  if (got == expected) return;
  if (state.wrong++ == 0)
    state.first_wrong = fmt::format(
        "rank {}, step {}, message {}, word {}: expected {:x}, got {:x}", state.rank, step,
        place / state.words_of_message, place % state.words_of_message, expected, got);
}

void write_stamps(std::span<std::uint64_t> words, const step_state& state, std::uint64_t step) {
  for_stamps(words.size(), state.words_of_message,
             [&](std::size_t place) { words[place] = word_of(state.rank, step, place); });
}

// Pieces of one length side by side, from the beginning again where the grid ends.
std::vector<piece_of_work> pieces_of(const step_load& what, std::span<measure::value_block> grid) {
  const long longest = (what.units + what.pieces - 1) / what.pieces;
  const std::size_t blocks = std::clamp<std::size_t>(longest, 1, grid.size());
  const std::size_t places = grid.size() / blocks;
  std::vector<piece_of_work> pieces;
  for (int i = 0; i < what.pieces; ++i) {
    const std::size_t place = static_cast<std::size_t>(i) % places;
    pieces.push_back({grid.subspan(place * blocks, blocks),
                      measure::units_of_piece(what.units, what.pieces, i)});
  }
  return pieces;
}

}  // namespace

step_data::step_data(const step_load& what, int rank, std::span<measure::value_block> grid)
    : pieces(pieces_of(what, grid)),
      state{.rank = rank,
            .words_of_message = what.size_bytes / sizeof(std::uint64_t),
            .first_wrong = {}} {
  const std::size_t words = state.words_of_message * static_cast<std::size_t>(what.flights);
  for (message_words& each : incoming) each.assign(words, 0);
  for (message_words& each : outgoing) {
    each.resize(words);
    for (std::size_t place = 0; place < words; ++place) each[place] = word_of(rank, 0, place);
  }
}

void turn(std::span<const std::uint64_t> incoming, std::span<std::uint64_t> next_outgoing,
          step_state& state) {
  for_stamps(incoming.size(), state.words_of_message, [&](std::size_t place) {
    check_word(state, place, state.step, word_of(1 - state.rank, state.step, place),
               incoming[place]);
  });
  ++state.step;
  write_stamps(next_outgoing, state, state.step);
}

void expect_right(const step_data& data, std::uint64_t steps) {
  step_state state = data.state;
  if (state.step != steps)
    throw error(fmt::format("{} steps were to be made, not {}", steps, state.step));
  for (std::uint64_t step = steps - 2; step < steps; ++step) {
    const message_words& words = data.incoming[step % 2];
    for (std::size_t place = 0; place < words.size(); ++place) {
      const bool stamped = tells_step(place, state.words_of_message);
      check_word(state, place, step, word_of(1 - state.rank, stamped ? step : 0, place),
                 words[place]);
    }
  }
  if (state.wrong > 0)
    throw error(
        fmt::format("{} words that came are wrong; the first: {}", state.wrong, state.first_wrong));
}

}  // namespace plait::bench::progress_sweep
