// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <new>
#include <tuple>
#include <utility>

#include <plait/core/error.hpp>
#include <plait/mover/move_plan.hpp>

namespace plait {
namespace {

using detail::moved_message;

constexpr std::size_t alignment = 64;  // messages share no cache line

[[nodiscard]] constexpr std::size_t rounded_up(std::size_t bytes) noexcept {
  return (bytes + alignment - 1) / alignment * alignment;
}

[[nodiscard]] std::shared_ptr<std::byte[]> allocate(std::size_t size_bytes) {
  constexpr std::align_val_t align{alignment};
  return {static_cast<std::byte*>(::operator new(size_bytes, align)),
          [](std::byte* bytes) { ::operator delete(bytes, align); }};
}

template <class Pointer>
[[nodiscard]] bool lies_in_one_piece(const std::vector<Pointer>& cells, std::size_t element_bytes) {
  const auto is_gap = [&](const std::byte* a, const std::byte* b) {
    return b != a + element_bytes;
  };
  return std::ranges::adjacent_find(cells, is_gap) == cells.end();
}

[[nodiscard]] std::size_t sum_of(const std::vector<moved_message>& messages) noexcept {
  std::size_t bytes = 0;
  for (const moved_message& m : messages) bytes += m.bytes.size();
  return bytes;
}

}  // namespace

std::size_t move_plan::bytes_sent() const noexcept {
  return sum_of(parts_->sends);
}

std::size_t move_plan::bytes_received() const noexcept {
  return sum_of(parts_->receives);
}

std::size_t move_plan::tasks() const noexcept {
  return messages_sent() + messages_received() + parts_->groups.size() + parts_->touches.size();
}

std::size_t move_plan::boxes_copied() const noexcept {
  const detail::move_parts& parts = *parts_;
  if (parts.first_local == parts.last_local) return 0;
  return parts.groups[parts.last_local - 1].last - parts.groups[parts.first_local].first;
}

void move_builder::copy(std::int64_t to_block, const box_copy& both) {
  detail::move_parts& parts = *parts_;
  if (both.size_bytes() == 0) return;
  const auto next = static_cast<std::uint32_t>(parts.copies.size());
  parts.copies.push_back(both);
  if (parts.groups.empty() || to_block != last_to_block_) {
    parts.groups.push_back({next, next + 1});
    parts.last_local = static_cast<std::uint32_t>(parts.groups.size());
    last_to_block_ = to_block;
  } else {
    parts.groups.back().last = next + 1;
  }
}

void move_builder::send(int peer, const place& where, const box_copy& from) {
  if (from.size_bytes() > 0) sends_.push_back({peer, where, from});
}

void move_builder::receive(int peer, const place& where, const box_copy& to) {
  if (to.size_bytes() > 0) receives_.push_back({peer, where, to});
}

void move_builder::finish_with(detail::finishing_touch touch) {
  parts_->touches.push_back(std::move(touch));
}

void move_builder::add_group(detail::element_list elements) {
  detail::move_parts& parts = *parts_;
  const auto next = static_cast<std::uint32_t>(parts.copies.size());
  parts.groups.push_back({next, next, static_cast<std::int32_t>(parts.lists.size())});
  parts.lists.push_back(std::move(elements));
}

void move_builder::copy(detail::element_list elements) {
  if (elements.size_bytes() == 0) return;
  add_group(std::move(elements));
  parts_->last_local = static_cast<std::uint32_t>(parts_->groups.size());
}

void move_builder::send(int peer, detail::element_list elements) {
  if (elements.size_bytes() > 0) listed_sends_.push_back({peer, std::move(elements)});
}

void move_builder::receive(int peer, detail::element_list elements) {
  if (elements.size_bytes() > 0) listed_receives_.push_back({peer, std::move(elements)});
}

void move_builder::add_messages(std::vector<listed>& lists, bool sending) {
  if (lists.empty()) return;
  detail::move_parts& parts = *parts_;
  std::shared_ptr<std::byte[]>& buffer = sending ? parts.outgoing : parts.incoming;
  PLAIT_EXPECTS(buffer == nullptr, "boxes and lists in one plan");
  const auto in_place = [&](const detail::element_list& one) {
    if (sending) return lies_in_one_piece(one.from, one.element_bytes);
    return !parts.adds && lies_in_one_piece(one.to, one.element_bytes);
  };
  std::size_t used = 0;
  for (const listed& one : lists)
    if (!in_place(one.elements)) used += rounded_up(one.elements.size_bytes());
  buffer = allocate(used);
  used = 0;
  for (auto& [peer, elements] : lists) {
    moved_message message;
    message.peer = peer;
    message.first_group = message.last_group = static_cast<std::uint32_t>(parts.groups.size());
    const std::size_t bytes = elements.size_bytes();
    if (in_place(elements)) {
      std::byte* const cells =
          sending ? const_cast<std::byte*>(elements.from.front()) : elements.to.front();
      message.bytes = {cells, bytes};
    } else {
      elements.message = buffer.get() + used;
      message.bytes = {elements.message, bytes};
      used += rounded_up(bytes);
      const patch dense{.first = elements.message, .run_bytes = bytes};
      (sending ? elements.written : elements.read).push_back(dense);
      add_group(std::move(elements));
      message.last_group = static_cast<std::uint32_t>(parts.groups.size());
    }
    (sending ? parts.sends : parts.receives).push_back(message);
  }
}

/// Messages to or from one rank in the order of places, which both ends know.
void move_builder::add_messages(std::vector<item>& items, bool sending, messages_per how) {
  detail::move_parts& parts = *parts_;
  std::sort(items.begin(), items.end(), [](const item& a, const item& b) {
    return std::tie(a.peer, a.where) < std::tie(b.peer, b.where);
  });
  const auto end_of_message = [&](std::vector<item>::iterator first) {
    if (how == messages_per::box) return first + 1;
    return std::find_if(first, items.end(), [&](const item& i) { return i.peer != first->peer; });
  };
  const auto in_place = [](auto first, auto last) {
    return last - first == 1 && first->cells.contiguous();
  };

  std::size_t used = 0;
  for (auto first = items.begin(), last = first; first != items.end(); first = last) {
    last = end_of_message(first);
    if (in_place(first, last)) continue;
    used = rounded_up(used);
    for (auto i = first; i != last; ++i) used += i->cells.size_bytes();
  }
  std::shared_ptr<std::byte[]>& buffer = sending ? parts.outgoing : parts.incoming;
  if (!items.empty()) buffer = allocate(used);

  std::vector<moved_message>& messages = sending ? parts.sends : parts.receives;
  used = 0;
  for (auto first = items.begin(), last = first; first != items.end(); first = last) {
    last = end_of_message(first);
    moved_message& message = messages.emplace_back();
    message.peer = first->peer;
    message.first_group = message.last_group = static_cast<std::uint32_t>(parts.groups.size());
    if (in_place(first, last)) {
      std::byte* const cells =
          sending ? const_cast<std::byte*>(first->cells.from) : first->cells.to;
      message.bytes = {cells, first->cells.size_bytes()};
      continue;
    }
    used = rounded_up(used);
    const std::size_t begin = used;
    for (auto i = first; i != last; ++i) {
      if (sending) {
        i->cells.to = buffer.get() + used;
      } else {
        i->cells.from = buffer.get() + used;
      }
      used += i->cells.size_bytes();
    }
    message.bytes = {buffer.get() + begin, used - begin};
    group(std::span(first, last), sending);
    message.last_group = static_cast<std::uint32_t>(parts.groups.size());
  }
}

/// Puts all that one block has in a message into one group, to be packed or unpacked together.
void move_builder::group(std::span<item> message, bool sending) {
  detail::move_parts& parts = *parts_;
  const auto block = [sending](const item& i) {
    return sending ? i.where.from_block : i.where.to_block;
  };
  if (sending) {
    std::stable_sort(message.begin(), message.end(),
                     [&](const item& a, const item& b) { return block(a) < block(b); });
  }
  for (std::size_t i = 0; i < message.size(); ++i) {
    const auto next = static_cast<std::uint32_t>(parts.copies.size());
    if (i == 0 || block(message[i]) != block(message[i - 1])) parts.groups.push_back({next, next});
    parts.copies.push_back(message[i].cells);
    parts.groups.back().last = next + 1;
  }
}

move_plan move_builder::finish(const move_options& options) {
  detail::move_parts& parts = *parts_;
  add_messages(sends_, true, options.message);
  add_messages(receives_, false, options.message);
  add_messages(listed_sends_, true);
  add_messages(listed_receives_, false);
  const auto name = [&](const std::string& text) { return task_name::intern(text); };
  for (moved_message& m : parts.sends) {
    m.name = name(options.name + " to " + std::to_string(m.peer));
  }
  for (moved_message& m : parts.receives) {
    m.name = name(options.name + " from " + std::to_string(m.peer));
  }
  parts.packing = name("pack " + options.name);
  parts.unpacking = name("unpack " + options.name);
  parts.copying = name("copy " + options.name);
  parts.finishing = name("boundary of " + options.name);
  return move_plan(std::exchange(parts_, nullptr));
}

}  // namespace plait
