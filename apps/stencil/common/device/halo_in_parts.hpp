// SPDX-License-Identifier: BSD-3-Clause
/// The ghosts of an emulated device's arrays as an expert brings them by hand, with nothing of
/// plait's runtime.  Faces are cut in parts, and each goes its own way: it is copied to the host
/// behind a mark of the queue that computes it, sent, and copied to the other device.  The host
/// never waits: it asks MPI (MPI_Testsome) and the device in turns.
#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <span>
#include <vector>

#include <plait/comm/mpi.hpp>
#include <plait/plait.hpp>

#include "common/face.hpp"
#include "layout.hpp"
#include "measure/compare/timeline.hpp"

namespace plait::stencil {

/// Of two steps that follow each other.
template <class T>
class in_turns {
 public:
  T& operator[](int step) noexcept { return both_[static_cast<std::size_t>(step & 1)]; }
  const T& operator[](int step) const noexcept { return both_[static_cast<std::size_t>(step & 1)]; }

 private:
  std::array<T, 2> both_{};
};

/// Ghosts and edges of steps 0, 1, …, one exchange each.  One thread.
class halo_in_parts {
 public:
  /// Rows of a face, by number as `parts()` has them.
  struct part {
    std::size_t face = 0;
    std::size_t place = 0;  ///< among the parts of its face
    box<3> edge, ghost;
  };
  /// Answers of a row about its steps.
  class user {
   public:
    /// Returns the array whose ghosts a step fills.
    [[nodiscard]] virtual span_there array_of(int step) = 0;
    /// Returns the mark behind which nothing reads the ghosts any more that lie where those of a
    /// step go.
    [[nodiscard]] virtual by_hand::mark last_reader(std::size_t number, int step) = 0;
    /// Is called when the copy of a ghost to the device has been enqueued.
    virtual void ghost_comes(std::size_t number, int step) = 0;

   protected:
    ~user() = default;
  };

  /// Each face in so many parts, or fewer; both ends of a message cut alike.  Precondition: faces
  /// across z.
  halo_in_parts(const device& gpu, const device_layout& lies, const std::vector<face>& faces,
                int parts, MPI_Comm communicator);
  halo_in_parts(const halo_in_parts&) = delete;
  halo_in_parts& operator=(const halo_in_parts&) = delete;

  [[nodiscard]] std::size_t parts() const noexcept { return parts_.size(); }
  [[nodiscard]] const part& operator[](std::size_t number) const { return parts_[number]; }

  /// Has the ghost of a step received, once its memory is free.  Each part's steps in their order.
  void expect(std::size_t number, int step) { to_receive_.push_back({number, step, {}}); }
  /// Has the edge of a step copied to the host behind a mark, and sent.
  void send(std::size_t number, int step, const by_hand::mark& computed) {
    to_copy_.push_back({number, step, computed});
  }

  /// Does what can be done at once.  Returns whether that was something.
  [[nodiscard]] bool look(user& of, measure::stopwatch& watch);

  /// Returns the number of steps whose ghosts are on the device or being copied there.
  [[nodiscard]] int received(std::size_t number) const { return ways_[number].received; }
  /// Returns the mark behind the last copy of a ghost, or of an edge, of a step like this one.
  [[nodiscard]] const by_hand::mark& ghost_copied(std::size_t number, int step) const {
    return ways_[number].ghost_copied[step];
  }
  [[nodiscard]] const by_hand::mark& edge_copied(std::size_t number, int step) const {
    return ways_[number].edge_copied[step];
  }

  /// Returns whether all that was to be sent has been sent.
  [[nodiscard]] bool has_sent() const noexcept {
    return to_copy_.empty() && copying_.empty() && sending_ == 0;
  }
  /// Gives up what was expected and not sent by anybody.
  void expect_no_more();

 private:
  /// Memory of the host for what leaves and for what arrives, and how far both are.
  struct way {
    int peer = 0;
    int receive_tag = 0;
    int send_tag = 0;
    in_turns<std::span<double>> arriving = {}, leaving = {};
    in_turns<ticks> receive_posted = {}, send_posted = {};
    in_turns<by_hand::mark> ghost_copied = {}, edge_copied = {};
    in_turns<int> sent = {};  ///< the steps of what leaves
    int received = 0;
  };
  /// A part and a step, for which something is to be done, behind a mark.
  struct due {
    std::size_t number;
    int step;
    by_hand::mark after;
  };

  [[nodiscard]] std::span<double> pinned_of(std::size_t size);
  [[nodiscard]] bool post_receives();
  [[nodiscard]] bool take_ghosts(user& of, measure::stopwatch& watch);
  [[nodiscard]] bool copy_edges(user& of);
  [[nodiscard]] bool send_edges();
  [[nodiscard]] bool end_sends(measure::stopwatch& watch);
  [[nodiscard]] std::span<const int> completed_of(std::vector<MPI_Request>& requests);
  [[nodiscard]] MPI_Request& send_of(const due& one) {
    return sends_[2 * one.number + static_cast<std::size_t>(one.step & 1)];
  }

  const device gpu_;
  const device_layout lies_;
  MPI_Comm communicator_;
  std::vector<part> parts_;
  std::vector<way> ways_;  ///< by part
  std::deque<pinned<double>> memory_;
  std::vector<MPI_Request> receives_, sends_;  ///< sends: two a part
  std::vector<int> completed_;
  std::deque<due> to_receive_, to_copy_, copying_;
  std::size_t sending_ = 0;
};

}  // namespace plait::stencil
