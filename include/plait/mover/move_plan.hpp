// SPDX-License-Identifier: BSD-3-Clause
/// Plans one rank's copies, sends and receives that bring boxes of distributed arrays to other
/// boxes.  A plan is built once and carried out any number of times.  Not here: which boxes
/// (array_moves.hpp), and carrying a plan out (mover.hpp, runtime::move).
#pragma once

#include <array>
#include <atomic>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <plait/mover/box_copy.hpp>
#include <plait/task/task_name.hpp>

namespace plait {

/// Says how boxes become messages.  The same on all ranks.
enum class messages_per : std::uint8_t {
  rank,  ///< all that one rank has for another in one message
  box,   ///< each box by itself: it leaves as soon as it is final
};

/// Says how a move is named, and cut into messages.
struct move_options {
  /// Name in tasks, messages, traces and stall reports.
  std::string name = "move";
  messages_per message = messages_per::rank;
};

namespace detail {

/// Elements moved one by one, and the accesses of the task that does so.
struct element_list {
  /// Destination and source of each element.  An empty list stands for the bytes of the message, in
  /// order.
  std::vector<std::byte*> to = {};
  std::vector<const std::byte*> from = {};
  std::byte* message = nullptr;
  std::size_t element_bytes = 0;
  void (*run)(const element_list& all) noexcept = nullptr;
  std::vector<patch> read = {};
  std::vector<patch> written = {};
  std::vector<patch> updated = {};  ///< added to, or written in parts

  [[nodiscard]] std::size_t size_bytes() const noexcept {
    return (to.empty() ? from.size() : to.size()) * element_bytes;
  }
};

/// Copies [first, last) of a plan, which are carried out together, or one list of elements.
struct copy_group {
  static constexpr std::int32_t no_list = -1;
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  std::int32_t list = no_list;
};

/// A message of a plan.  `bytes` are the plan's own, or a box of an array that lies in one piece;
/// then it has no groups.
struct moved_message {
  int peer = 0;
  std::span<std::byte> bytes;
  std::uint32_t first_group =
      0;  ///< what packs it (by source block) or unpacks it (by destination)
  std::uint32_t last_group = 0;
  task_name name = "move";
};

/// A computation beside a move, such as boundary conditions of one block.
struct finishing_touch {
  bool needs_messages = false;  ///< it reads what they bring; if not, it may come first
  std::vector<patch> written = {};
  std::vector<patch> read = {};
  std::function<void()> apply = {};
};

/// One rank's part of a plan.  Messages between two ranks are in the same order on both.
struct move_parts {
  std::vector<box_copy> copies;
  std::vector<copy_group> groups;
  std::vector<element_list> lists;
  /// True if messages add to the cells that they reach.  Messages that reach common cells are then
  /// unpacked in the order of `receives`, not as they arrive, so that sums do not depend on the
  /// order of arrival.
  bool adds = false;
  std::vector<moved_message> sends;
  std::vector<moved_message> receives;
  std::uint32_t first_local = 0;  ///< groups that need no message
  std::uint32_t last_local = 0;
  std::vector<finishing_touch> touches;
  task_name packing = "pack";
  task_name unpacking = "unpack";
  task_name copying = "copy";
  task_name finishing = "boundary";
  std::shared_ptr<std::byte[]> outgoing;
  std::shared_ptr<std::byte[]> incoming;
  mutable std::atomic<bool> in_a_mover{false};  ///< which uses the buffers, from `start` on

  [[nodiscard]] std::span<const box_copy> copies_of(std::uint32_t group) const noexcept {
    const copy_group& g = groups[group];
    return std::span(copies).subspan(g.first, g.last - g.first);
  }
  /// Null for a group of copies.
  [[nodiscard]] const element_list* list_of(std::uint32_t group) const noexcept {
    const std::int32_t list = groups[group].list;
    return list == copy_group::no_list ? nullptr : &lists[static_cast<std::size_t>(list)];
  }
  void run(std::uint32_t group) const noexcept {
    for (const box_copy& copy : copies_of(group)) copy.run();
    if (const element_list* const list = list_of(group)) list->run(*list);
  }
};

}  // namespace detail

/// A handle; copies share the plan and its buffers, so that either one mover at a time carries it
/// out, or `runtime::move` does.  The arrays it names must outlive its use, in place.  Carried out
/// from one thread, as KeLP's persistent Mover is [multitier-kelp, section 3.3].
class move_plan {
 public:
  [[nodiscard]] std::size_t messages_sent() const noexcept { return parts_->sends.size(); }
  [[nodiscard]] std::size_t messages_received() const noexcept { return parts_->receives.size(); }
  [[nodiscard]] std::size_t bytes_sent() const noexcept;
  [[nodiscard]] std::size_t bytes_received() const noexcept;
  /// Boxes that are copied within this rank.
  [[nodiscard]] std::size_t boxes_copied() const noexcept;

  /// Returns the number of tasks that `runtime::move` makes of the plan, messages included.
  [[nodiscard]] std::size_t tasks() const noexcept;

  /// Returns the parts of the plan, for layers that carry the plan out.
  [[nodiscard]] const std::shared_ptr<const detail::move_parts>& parts() const noexcept {
    return parts_;
  }

 private:
  friend class move_builder;
  explicit move_plan(std::shared_ptr<const detail::move_parts> parts) noexcept
      : parts_(std::move(parts)) {}
  std::shared_ptr<const detail::move_parts> parts_;
};

/// Collects the boxes of one rank's part.  All ranks give the same boxes as far as both ends are
/// concerned; in which order does not matter.
class move_builder {
 public:
  /// Destination of a box of the move.  `low`, its first cell in the destination block, tells the
  /// boxes between two blocks apart.  Missing axes are 0.
  struct place {
    std::int64_t to_block = 0;
    std::int64_t from_block = 0;
    std::array<std::int64_t, 4> low{};
    friend auto operator<=>(const place&, const place&) = default;
  };

  void reserve(std::size_t boxes) { parts_->copies.reserve(boxes); }
  /// A box copied within this rank.  Boxes of one destination block are carried out together if
  /// they are added one after another.
  void copy(std::int64_t to_block, const box_copy& both);
  /// A box sent: `from` of `cells` is memory of the array.
  void send(int peer, const place& where, const box_copy& from);
  /// A box received: `to` of `cells` is memory of the array.
  void receive(int peer, const place& where, const box_copy& to);
  void finish_with(detail::finishing_touch touch);
  /// Elements copied within this rank, sent (`to` empty), or received (`from` empty): at most one
  /// list for each peer and direction, peers ascending.  A plan has boxes or lists.
  void copy(detail::element_list elements);
  void send(int peer, detail::element_list elements);
  void receive(int peer, detail::element_list elements);
  /// See `move_parts::adds`.
  void add_what_arrives() { parts_->adds = true; }

  /// Nothing may be added afterwards.
  [[nodiscard]] move_plan finish(const move_options& options);

 private:
  struct item {
    int peer;
    place where;
    box_copy cells;
  };
  void add_messages(std::vector<item>& items, bool sending, messages_per how);
  void group(std::span<item> message, bool sending);
  struct listed {
    int peer;
    detail::element_list elements;
  };
  void add_messages(std::vector<listed>& lists, bool sending);
  void add_group(detail::element_list elements);

  std::shared_ptr<detail::move_parts> parts_ = std::make_shared<detail::move_parts>();
  std::vector<item> sends_;
  std::vector<item> receives_;
  std::vector<listed> listed_sends_;
  std::vector<listed> listed_receives_;
  std::int64_t last_to_block_ = -1;
};

}  // namespace plait
