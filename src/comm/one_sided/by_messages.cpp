// SPDX-License-Identifier: BSD-3-Clause
#include "comm/one_sided/by_messages.hpp"

#include <cstring>
#include <string>
#include <utility>

#include <plait/core/error.hpp>

#include "comm/byte_count.hpp"
#include "comm/mpi_call.hpp"

namespace plait {
namespace {

enum tag : int { letter_tag, put_tag, get_tag };

}  // namespace

by_messages::by_messages(MPI_Comm comm, std::span<std::byte> own, int flags)
    : comm_(comm), own_(own), signals_(flags) {
  mpi_call(MPI_Comm_rank(comm, &rank_), "MPI_Comm_rank");
}

// --- this rank's operations ---------------------------------------------------------------------

void by_messages::start(operation& op, finished_list& done) {
  if (op.what == operation::kind::await_signal) {
    signals_.await(op, done);
  } else if (op.what == operation::kind::landing) {
    await_landing(op, done);
  } else if (op.peer == rank_) {
    at_home(op, done);
  } else if (way_out& way = ways_[op.peer]; way.waiting.empty() && has_room(way, op)) {
    begin(op, done);
  } else {
    way.waiting.push_back(&op);
  }
}

void by_messages::await_landing(operation& op, finished_list& done) {
  put_landing& landing = *op.remote->landing;
  if (landing.landed) {
    done.push_back({&op, nullptr});
  } else {
    landing.waiting = &op;
  }
}

void by_messages::at_home(operation& op, finished_list& done) {
  std::byte* const there = own_.data() + op.remote->offset_bytes;
  const bool get = op.what == operation::kind::get;
  // May overlap, where the program puts a part of its window into another.
  if (op.size_bytes > 0) {
    std::memmove(get ? op.buffer : there, get ? there : op.buffer, op.size_bytes);
  }
  if (op.remote->signals) signals_.raise(rank_, op.tag, op.sequence, done);
  done.push_back({&op, nullptr});
}

std::size_t by_messages::bytes_in_letter(const operation& op) noexcept {
  return op.what == operation::kind::put && op.size_bytes <= largest_in_letter ? op.size_bytes : 0;
}

bool by_messages::has_room(const way_out& way, const operation& op) noexcept {
  return way.open < most_open && way.in_letters_bytes + bytes_in_letter(op) <= most_in_letters;
}

void by_messages::begin(operation& op, finished_list& done) {
  op.what == operation::kind::get ? begin_get(op) : begin_put(op, done);
}

/// Noted last: what throws leaves nothing behind that would complete it again.
void by_messages::begin_put(operation& op, finished_list& done) {
  const bool small = op.size_bytes <= largest_in_letter;
  const letter words{.what = small ? word::put : word::large_put,
                     .flag = op.remote->signals ? op.tag : no_flag,
                     .number = next_number_++,
                     .offset_bytes = op.remote->offset_bytes,
                     .size_bytes = op.size_bytes,
                     .place = op.sequence};
  if (small) {
    send_letter(op.peer, words, {static_cast<const std::byte*>(op.buffer), op.size_bytes});
  } else {
    send_letter(op.peer, words);
    requests_.add(
        make_request(MPI_Isend, "MPI_Isend", op.buffer, op.size_bytes, op.peer, put_tag, comm_),
        {.what = purpose::kind::put_out, .peer = op.peer, .about = words});
  }
  way_out& way = ways_[op.peer];
  ++way.open;
  way.in_letters_bytes += bytes_in_letter(op);
  open_put& put = open_puts_[words.number];
  put = {&op, op.peer, bytes_in_letter(op), small ? 1 : 2, op.remote->landing};
  if (put.landing != nullptr) put.landing->landed = false;
  if (small) data_has_left(put, done);
}

void by_messages::tell(int peer, notice what, operation* op, std::shared_ptr<put_landing> landing) {
  const letter words{.flag = what.flag, .number = next_number_++, .place = what.place};
  send_letter(peer, words);
  ++ways_[peer].open;
  if (landing != nullptr) landing->landed = false;
  open_puts_[words.number] = {op, peer, 0, 1, std::move(landing)};
}

void by_messages::data_has_left(open_put& put, finished_list& done) {
  if (put.landing != nullptr) done.push_back({std::exchange(put.op, nullptr), nullptr});
}

void by_messages::begin_get(operation& op) {
  send_letter(
      op.peer,
      {.what = word::get, .offset_bytes = op.remote->offset_bytes, .size_bytes = op.size_bytes});
  requests_.add(
      make_request(MPI_Irecv, "MPI_Irecv", op.buffer, op.size_bytes, op.peer, get_tag, comm_),
      {.what = purpose::kind::get_in, .peer = op.peer, .op = &op});
  ++ways_[op.peer].open;
}

/// A put to, or a get from, `peer` is over: there is room for others.
void by_messages::closed_one(int peer, std::size_t in_letter_bytes, finished_list& done) {
  way_out& way = ways_[peer];
  --way.open;
  way.in_letters_bytes -= in_letter_bytes;
  while (!way.waiting.empty() && has_room(way, *way.waiting.front())) {
    operation* const next = way.waiting.front();
    way.waiting.pop_front();
    try {
      begin(*next, done);
    } catch (...) {
      done.push_back({next, std::current_exception()});
    }
  }
}

void by_messages::part_of_put_over(std::uint64_t number, finished_list& done) {
  const auto found = open_puts_.find(number);
  if (found == open_puts_.end() || --found->second.missing > 0) return;
  const open_put put = std::move(found->second);
  open_puts_.erase(found);
  operation* over = put.op;
  if (put.landing != nullptr) {
    put.landing->landed = true;
    over = std::exchange(put.landing->waiting, nullptr);
  }
  if (over != nullptr) done.push_back({over, nullptr});
  closed_one(put.peer, put.in_letter_bytes, done);
}

// --- letters ------------------------------------------------------------------------------------

void by_messages::send_letter(int peer, const letter& words, std::span<const std::byte> data) {
  const std::size_t bytes = sizeof words + data.size();
  auto copy = std::make_unique_for_overwrite<std::byte[]>(bytes);
  std::memcpy(copy.get(), &words, sizeof words);
  if (!data.empty()) std::memcpy(copy.get() + sizeof words, data.data(), data.size());
  MPI_Request request = MPI_REQUEST_NULL;
  mpi_call(
      MPI_Isend(copy.get(), static_cast<int>(bytes), MPI_BYTE, peer, letter_tag, comm_, &request),
      "MPI_Isend");
  int sent = 0;  // as letters usually are at once
  mpi_call(MPI_Test(&request, &sent, MPI_STATUS_IGNORE), "MPI_Test");
  if (sent == 0) {
    requests_.add(request, {.what = purpose::kind::letter, .peer = peer, .keep = std::move(copy)});
  }
}

bool by_messages::read_letters(finished_list& done) {
  constexpr int most_at_once = 64;  // then the messages of others have their turn
  for (int i = 0; i < most_at_once; ++i) {
    int is_here = 0;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status;
    mpi_call(MPI_Improbe(MPI_ANY_SOURCE, letter_tag, comm_, &is_here, &message, &status),
             "MPI_Improbe");
    if (is_here == 0) return i > 0;
    int bytes = 0;
    mpi_call(MPI_Get_count(&status, MPI_BYTE, &bytes), "MPI_Get_count");
    take_letter(status.MPI_SOURCE, bytes, message, done);
  }
  return true;
}

/// A library may need the sender's help for a letter with data, so nobody waits for that here.
/// Words alone every library sends whole.
void by_messages::take_letter(int from, int size_bytes, MPI_Message& message, finished_list& done) {
  if (static_cast<std::size_t>(size_bytes) == sizeof(letter)) {
    letter words;
    mpi_call(MPI_Mrecv(&words, size_bytes, MPI_BYTE, &message, MPI_STATUS_IGNORE), "MPI_Mrecv");
    read(from, words, {}, done);
    return;
  }
  constexpr std::size_t largest = sizeof(letter) + largest_in_letter;
  auto all =
      spare_ != nullptr ? std::move(spare_) : std::make_unique_for_overwrite<std::byte[]>(largest);
  MPI_Request request = MPI_REQUEST_NULL;
  mpi_call(MPI_Imrecv(all.get(), size_bytes, MPI_BYTE, &message, &request), "MPI_Imrecv");
  int is_here = 0;
  mpi_call(MPI_Test(&request, &is_here, MPI_STATUS_IGNORE), "MPI_Test");
  if (is_here != 0) {
    read_with_data(from, std::move(all), done);
  } else {
    requests_.add(request,
                  {.what = purpose::kind::letter_in, .peer = from, .keep = std::move(all)});
  }
}

void by_messages::read_with_data(int from, std::unique_ptr<std::byte[]> all, finished_list& done) {
  letter words;
  std::memcpy(&words, all.get(), sizeof words);
  read(from, words, {all.get() + sizeof words, words.size_bytes}, done);
  spare_ = std::move(all);
}

std::byte* by_messages::place_of(const letter& words) const {
  PLAIT_EXPECTS(words.offset_bytes + words.size_bytes <= own_.size(),
                "the sender has checked: " + std::to_string(words.offset_bytes) + " + " +
                    std::to_string(words.size_bytes) + " of " + std::to_string(own_.size()));
  return own_.data() + words.offset_bytes;
}

void by_messages::read(int from, const letter& words, std::span<const std::byte> data,
                       finished_list& done) {
  switch (words.what) {
    case word::put:
      if (!data.empty()) std::memcpy(place_of(words), data.data(), data.size());
      put_is_here(from, words, done);
      break;
    case word::large_put:
      requests_.add(make_request(MPI_Irecv, "MPI_Irecv", place_of(words), words.size_bytes, from,
                                 put_tag, comm_),
                    {.what = purpose::kind::put_in, .peer = from, .about = words});
      break;
    case word::get:
      requests_.add(make_request(MPI_Isend, "MPI_Isend", place_of(words), words.size_bytes, from,
                                 get_tag, comm_),
                    {.what = purpose::kind::answer, .peer = from});
      break;
    case word::done:
      part_of_put_over(words.number, done);
      break;
  }
}

void by_messages::put_is_here(int from, const letter& words, finished_list& done) {
  if (words.flag == leaving_flag) {
    if (leaves_) leaves_(from);
  } else if (words.flag != no_flag) {
    signals_.raise(from, words.flag, words.place, done);
  }
  send_letter(from, {.what = word::done, .number = words.number});
}

// --- requests -----------------------------------------------------------------------------------

bool by_messages::look(finished_list& done) {
  std::vector<purpose> over = requests_.test();
  for (purpose& why : over) request_over(why, done);
  return (!closed_ && read_letters(done)) || !over.empty();
}

void by_messages::request_over(purpose& why, finished_list& done) {
  switch (why.what) {
    case purpose::kind::letter:
    case purpose::kind::answer:
      break;
    case purpose::kind::letter_in:
      read_with_data(why.peer, std::move(why.keep), done);
      break;
    case purpose::kind::put_out:
      if (const auto put = open_puts_.find(why.about.number); put != open_puts_.end())
        data_has_left(put->second, done);
      part_of_put_over(why.about.number, done);
      break;
    case purpose::kind::put_in:
      put_is_here(why.peer, why.about, done);
      break;
    case purpose::kind::get_in:
      done.push_back({why.op, nullptr});
      closed_one(why.peer, 0, done);
      break;
  }
}

// --- the end of a rank on which a task failed ---------------------------------------------------

void by_messages::give_up(finished_list& done) {
  signals_.give_up(done);
  for (auto& [target, way] : ways_) {
    for (operation* op : std::exchange(way.waiting, {})) done.push_back({op, nullptr});
  }
}

void by_messages::abandon(finished_list& done) {
  give_up(done);
  for (const auto& [number, put] : open_puts_) {
    operation* const rest = put.op != nullptr ? put.op : put.landing->waiting;
    if (rest != nullptr) done.push_back({rest, nullptr});
    if (put.landing != nullptr) *put.landing = {};
  }
  open_puts_.clear();
  for (const purpose& why : requests_.purposes()) {
    if (why.op != nullptr) done.push_back({why.op, nullptr});
  }
  for (std::size_t i = 0; i < requests_.requests().size(); ++i) {
    MPI_Request& request = requests_.requests()[i];
    purpose& why = requests_.purposes()[i];
    if (why.what == purpose::kind::put_in || why.what == purpose::kind::get_in)
      MPI_Cancel(&request);
    (void)why.keep.release();  // MPI may use it until the end of the program
    MPI_Request_free(&request);
  }
  requests_.forget();
}

// --- when nothing moves -------------------------------------------------------------------------

void by_messages::for_each(const std::function<void(const operation&)>& visit) const {
  signals_.for_each(visit);
  for (const auto& [number, put] : open_puts_) {
    const operation* const rest = put.op != nullptr ? put.op : put.landing->waiting;
    if (rest != nullptr) visit(*rest);
  }
  for (const purpose& why : requests_.purposes()) {
    if (why.op != nullptr) visit(*why.op);
  }
  for (const auto& [target, way] : ways_) {
    for (const operation* op : way.waiting) visit(*op);
  }
}

}  // namespace plait
