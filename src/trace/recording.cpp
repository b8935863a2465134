// SPDX-License-Identifier: BSD-3-Clause
#include <bit>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include <plait/core/error.hpp>
#include <plait/trace/recording.hpp>

namespace plait {
namespace {

constexpr std::string_view magic = "PLAITREC";
constexpr std::uint32_t most_ranks = 1U << 24;
constexpr std::uint32_t longest_name = 4096;

static_assert(std::endian::native == std::endian::little, "numbers are written as they lie");

/// Writes and reads the members of a recording in one order, which `fields_of` states once.
class writer {
 public:
  [[nodiscard]] static bool has(std::uint32_t) { return true; }
  template <class T>
  void number(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    text_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void flag(bool value) { number(static_cast<std::uint8_t>(value)); }
  void text(const std::string& value) {
    const std::string_view kept = std::string_view(value).substr(0, longest_name);
    number(static_cast<std::uint32_t>(kept.size()));
    text_ += kept;
  }
  template <class Kind>
  void kind(Kind value, Kind) {
    number(static_cast<std::uint8_t>(value));
  }
  template <class T, class Use>
  void list(const std::vector<T>& all, std::size_t, Use use) {
    number(static_cast<std::uint64_t>(all.size()));
    for (const T& one : all) use(one);
  }
  [[nodiscard]] std::string& done() noexcept { return text_; }

 private:
  std::string text_{magic};
};

class reader {
 public:
  reader(std::string_view bytes, const std::string& path,
         std::uint32_t version = recording::version)
      : rest_(bytes), path_(path), version_(version) {}

  /// Returns whether the file has what that version of files has brought.
  [[nodiscard]] bool has(std::uint32_t version) const { return version_ >= version; }

  [[noreturn]] void refuse(const std::string& why) const {
    throw usage_error(path_ + ": not a whole recording of plait: " + why);
  }

  template <class T>
  void number(T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
  }
  void flag(bool& value) {
    std::uint8_t byte = 0;
    number(byte);
    if (byte > 1) refuse("a flag is " + std::to_string(byte));
    value = byte == 1;
  }
  void text(std::string& value) {
    std::uint32_t length = 0;
    number(length);
    if (length > longest_name) refuse("a name of " + std::to_string(length) + " bytes");
    value = std::string(take(length));
  }
  template <class Kind>
  void kind(Kind& value, Kind last) {
    std::uint8_t byte = 0;
    number(byte);
    if (byte > static_cast<std::uint8_t>(last)) refuse("a kind is " + std::to_string(byte));
    value = static_cast<Kind>(byte);
  }
  /// `smallest_bytes` of one element in the file: a count that the file has no room for is refused
  /// before memory is taken.
  template <class T, class Use>
  void list(std::vector<T>& all, std::size_t smallest_bytes, Use use) {
    std::uint64_t count = 0;
    number(count);
    if (count > rest_.size() / smallest_bytes)
      refuse("a list of " + std::to_string(count) + " elements is longer than the file");
    all.clear();
    all.resize(static_cast<std::size_t>(count));
    for (T& one : all) use(one);
  }
  void expect_end() const {
    if (!rest_.empty()) refuse(std::to_string(rest_.size()) + " bytes too many");
  }

 private:
  [[nodiscard]] std::string_view take(std::size_t length) {
    if (length > rest_.size()) refuse("it is cut off");
    const std::string_view taken = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return taken;
  }
  std::string_view rest_;
  const std::string& path_;
  const std::uint32_t version_;
};

template <class Files, class Item>
void fields_of_item(Files& f, Item& one) {
  f.number(one.id);
  f.number(one.parent);
  f.number(one.took_ns);
  f.number(one.name);
  f.kind(one.kind, recorded_kind::program);
  f.number(one.group);
  if (f.has(3)) f.number(one.priority);
}
// Least sizes, of all versions.
constexpr std::size_t item_bytes = 3 * 8 + 2 * 4 + 1;
constexpr std::size_t order_bytes = 2 * 4;
constexpr std::size_t collective_bytes = 5 * 8 + 4 * 4 + 3;
constexpr std::size_t part_bytes = 4 + 5 * 8 + 2 * 8;
constexpr std::size_t run_bytes = 3 * 8 + 2 * 4;
constexpr std::size_t message_bytes = 5 * 8 + 5 * 4 + 2;

template <class Files, class Part>
void fields_of_part(Files& f, Part& part) {
  const auto item = [&f](auto& one) { fields_of_item(f, one); };
  const auto order = [&f](auto& one) {
    f.number(one.earlier);
    f.number(one.later);
  };
  f.number(part.runtime);
  f.list(part.items, item_bytes, item);
  f.list(part.orders, order_bytes, order);
  f.list(part.repeated, item_bytes, item);
  f.list(part.same, order_bytes, order);
  f.list(part.next, order_bytes, order);
  f.number(part.iterations);
  f.number(part.first_id);
}

template <class Files, class Message>
void fields_of_message(Files& f, Message& one) {
  f.number(one.id);
  f.number(one.begin_ns);
  f.number(one.took_ns);
  f.number(one.runtime);
  f.number(one.called);
  f.kind(one.what, recorded_message::kind::library_collective);
  f.flag(one.sent);
  f.number(one.peer);
  f.number(one.tag);
  f.number(one.communicator);
  f.number(one.place);
  f.number(one.size_bytes);
}

template <class Files, class Collective>
void fields_of_collective(Files& f, Collective& one) {
  f.number(one.element_bytes);
  f.number(one.count);
  f.number(one.fragment_bytes);
  f.number(one.piece_bytes);
  f.number(one.most_pieces);
  f.number(one.operation);
  f.number(one.algorithm);
  f.number(one.root);
  f.number(one.members);
  f.flag(one.in_place);
  f.flag(one.has_lists);
  f.flag(one.compares);
}

template <class Files, class Recording>
void fields_of(Files& f, Recording& all) {
  f.number(all.rank);
  f.number(all.ranks);
  f.number(all.workers);
  f.number(all.cores);
  f.flag(all.is_whole);
  f.number(all.wall_ns);
  f.text(all.program);
  f.text(all.policy);
  f.text(all.host);
  f.list(all.names, sizeof(std::uint32_t), [&f](auto& one) { f.text(one); });
  f.list(all.collectives, collective_bytes, [&f](auto& one) { fields_of_collective(f, one); });
  f.list(all.parts, part_bytes, [&f](auto& one) { fields_of_part(f, one); });
  f.list(all.runs, run_bytes, [&f](auto& one) {
    f.number(one.id);
    f.number(one.begin_ns);
    f.number(one.took_ns);
    f.number(one.runtime);
    f.number(one.thread);
  });
  f.list(all.messages, message_bytes, [&f](auto& one) { fields_of_message(f, one); });
  if (f.has(3)) f.list(all.unseen_calls, sizeof(std::uint32_t), [&f](auto& one) { f.text(one); });
}

void check_orders(const reader& from, const std::vector<recorded_order>& orders, std::size_t items,
                  bool forward) {
  for (const recorded_order& one : orders) {
    if (one.earlier >= items || one.later >= items) from.refuse("a dependence names no task");
    if (forward && one.earlier >= one.later) from.refuse("a dependence leads backwards");
  }
}

void check_part(const reader& from, const recording& all, const recorded_part& part,
                std::uint64_t& items) {
  for (const auto* list : {&part.items, &part.repeated}) {
    for (const recorded_item& one : *list) {
      if (one.name >= all.names.size()) from.refuse("a task has no name");
      if (one.group > all.collectives.size()) from.refuse("a task is of no collective");
    }
  }
  check_orders(from, part.orders, part.items.size(), true);
  check_orders(from, part.same, part.repeated.size(), true);
  check_orders(from, part.next, part.repeated.size(), false);
  if (part.iterations > recording::most_items) from.refuse("too many iterations");
  // Neither product nor sum overflows: both factors are small.
  items += part.items.size() + part.iterations * part.repeated.size();
  if (items > recording::most_items)
    from.refuse("more than " + std::to_string(recording::most_items) + " tasks");
  constexpr std::uint64_t largest_id = std::numeric_limits<std::uint64_t>::max() / 2;
  if (part.first_id > largest_id) from.refuse("an id is out of range");
}

void check(const reader& from, const recording& all) {
  if (all.ranks == 0 || all.ranks > most_ranks || all.rank >= all.ranks)
    from.refuse("rank " + std::to_string(all.rank) + " of " + std::to_string(all.ranks));
  if (all.names.empty()) from.refuse("it has no names");
  if (all.workers == 0 || all.workers > most_ranks) from.refuse("the number of workers is wrong");
  for (const recorded_collective& one : all.collectives) {
    if (one.operation >= all.names.size() || one.algorithm >= all.names.size())
      from.refuse("a collective has no name");
    if (one.members == 0 || one.members > all.ranks || one.root >= one.members)
      from.refuse("a collective has other ranks than there are");
    if (one.element_bytes == 0) from.refuse("a collective has elements without bytes");
  }
  std::uint64_t items = 0;
  for (const recorded_part& part : all.parts) check_part(from, all, part, items);
  for (const recorded_message& one : all.messages) {
    if (one.called >= all.names.size()) from.refuse("a collective has no name");
    const bool has_peer = one.what == recorded_message::kind::point_to_point;
    if (has_peer && one.peer >= all.ranks)
      from.refuse("a message of rank " + std::to_string(one.peer));
  }
}

}  // namespace

std::string recording_file(std::uint32_t rank) {
  return "rank" + std::to_string(rank) + ".plaitrec";
}

/// FNV-1a over words of eight bytes: one byte that differs changes it.
std::uint64_t recording_checksum(std::string_view bytes) noexcept {
  constexpr std::uint64_t prime = 0x100000001B3U;
  std::uint64_t sum = 0xCBF29CE484222325U ^ bytes.size();
  while (!bytes.empty()) {
    std::uint64_t word = 0;
    const std::size_t length = bytes.size() < sizeof word ? bytes.size() : sizeof word;
    std::memcpy(&word, bytes.data(), length);
    sum = (sum ^ word) * prime;
    sum ^= sum >> 29;
    bytes.remove_prefix(length);
  }
  return sum;
}

std::string pack_recording(const recording& one) {
  writer to;
  to.number(recording::version);
  fields_of(to, one);
  to.number(recording_checksum(to.done()));
  return std::move(to.done());
}

recording unpack_recording(std::string_view packed, const std::string& path) {
  reader from(packed, path);
  if (!packed.starts_with(magic)) throw usage_error(path + ": not a recording of plait");
  std::string_view rest = packed.substr(magic.size());
  std::uint32_t version = 0;
  std::uint64_t sum = 0;
  if (rest.size() < sizeof version + sizeof sum) from.refuse("it is cut off");
  std::memcpy(&version, rest.data(), sizeof version);
  if (version < recording::oldest_version || version > recording::version) {
    throw usage_error(path + ": a recording of version " + std::to_string(version) +
                      "; this plait reads versions " + std::to_string(recording::oldest_version) +
                      " to " + std::to_string(recording::version));
  }
  std::memcpy(&sum, packed.data() + packed.size() - sizeof sum, sizeof sum);
  if (sum != recording_checksum(packed.substr(0, packed.size() - sizeof sum)))
    from.refuse("its checksum is wrong; was the program ended while it wrote?");
  rest.remove_prefix(sizeof version);
  rest.remove_suffix(sizeof sum);
  reader body(rest, path, version);
  recording all;
  fields_of(body, all);
  body.expect_end();
  check(body, all);
  return all;
}

}  // namespace plait
