// SPDX-License-Identifier: BSD-3-Clause
/// The sockets through which the MPI library sends, and what the kernel knows of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <plait/core/clock.hpp>

namespace plait {

/// News of sockets that the kernel has collected since it was last asked.
struct socket_news {
  bool arrived = false;           ///< bytes, at one of them
  bool room = false;              ///< in a send buffer that was full
  std::size_t waiting_bytes = 0;  ///< to be read, where some have arrived
};

/// Bytes that wait to be read, and bytes that have been read since the connection was made, at
/// least and at most: some may arrive while they are counted.
struct socket_bytes {
  std::size_t waiting = 0;
  std::uint64_t read_at_least = 0;
  std::uint64_t read_at_most = 0;
};

/// The connected TCP sockets of this process.  An MPI library opens them when it first sends to a
/// rank, and tells nobody, so they are looked for among the open files.  A thread can sleep until
/// one of them has news: that costs two switches, where a timer may cost a virtual machine ten
/// times as much, and a look of the library that finds nothing costs as much as both.
///
/// The library's own use of its sockets is left alone: they are watched, edge-triggered, in sets of
/// this object's own, which a socket leaves when it is closed.  A socket of the program's own is
/// let go once several looks of the library have left alone what waits there.
///
/// One thread at a time, but for `wake`.
class transport_sockets {
 public:
  transport_sockets();
  ~transport_sockets();
  transport_sockets(const transport_sockets&) = delete;
  transport_sockets& operator=(const transport_sockets&) = delete;

  /// Looks for sockets that were opened since, unless it has lately.
  void find(ticks now);
  /// Sleeps until there is news or `wake` is called, at most so long; negative: for ever.  Without
  /// `to_news` it is woken by `wake` alone, and news stays for later.
  [[nodiscard]] socket_news wait(ticks at_most, bool to_news = true);
  /// Ends a `wait`, or the next one.  Any thread.
  void wake() noexcept;
  /// Notes that the library has looked, because of the last news.
  void looked();
  /// Returns what the kernel counts of all sockets that are watched.
  [[nodiscard]] socket_bytes bytes() const noexcept;
  /// Returns true if the library has read, from one of the sockets, bytes that there was news of.
  [[nodiscard]] bool carry_messages() const noexcept { return carry_messages_; }

 private:
  struct socket {
    int descriptor;
    std::uint64_t inode;
    socket_bytes news;  ///< the last, for which the library has not looked yet; else none wait
    int left_alone = 0;
  };
  [[nodiscard]] socket* find_known(int descriptor, std::uint64_t inode) noexcept;
  [[nodiscard]] bool watch(int descriptor) const noexcept;
  void read_arrivals(socket_news& found);

  int arrivals_;  ///< an epoll set of all sockets that are watched, for what they receive
  int room_;      ///< another, for room to send
  int wakes_;     ///< an eventfd
  std::vector<socket> known_;
  bool carry_messages_ = false;
  ticks next_find_ = 0;
  ticks find_distance_ = 0;
};

}  // namespace plait
