// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "faces.hpp"
#include "kernel.hpp"
#include "tasks/relax_task.hpp"
#include "tasks/sweep.hpp"

namespace jacobi3d {
namespace {

using plait::in;
using plait::out;

// Pieces of about a millisecond: the worker then looks after messages between two of them before
// the proxy has to interrupt it, and the planes two pieces share are still in the cache.  (Compared
// with twice and half of it, interleaved, on two nodes: the least time over `ideal` of the three.)
constexpr std::int64_t cells_per_piece = std::int64_t{1} << 20;

/// Part of a face: cut across its longer side, the same way on both ranks.
struct part {
  face of;
  box edge;
  box ghost;
  int number = 0;
  plait::task_name sending = "send";
  plait::task_name receiving = "receive";
  std::vector<double> outgoing;  ///< only where cells must be packed
  std::vector<double> incoming;

  [[nodiscard]] int send_tag() const noexcept { return 6 * number + of.send_tag(); }
  [[nodiscard]] int receive_tag() const noexcept { return 6 * number + of.receive_tag(); }
};

/// Cuts a box one cell thick along z (faces in x and y) or y (faces in z) into parts of about
/// `cells`.
template <class Visitor>
void for_each_part(const box& whole_box, plait::axis normal, std::int64_t cells, Visitor&& visit) {
  const bool along_y = normal == plait::axis::z;
  const std::int64_t first = along_y ? whole_box.low[axis::y] : whole_box.low[axis::z];
  const std::int64_t last = along_y ? whole_box.high[axis::y] : whole_box.high[axis::z];
  const std::int64_t row =
      std::max<std::int64_t>(1, whole_box.size() / std::max<std::int64_t>(1, last - first));
  const std::int64_t rows = std::max<std::int64_t>(1, cells / row);
  for (std::int64_t at = first; at < last; at += rows) {
    box piece = whole_box;
    (along_y ? piece.low[axis::y] : piece.low[axis::z]) = at;
    (along_y ? piece.high[axis::y] : piece.high[axis::z]) = std::min(at + rows, last);
    visit(piece);
  }
}

class step_by_step final : public sweep {
 public:
  step_by_step(const problem& p, step_times& times) : times_(times) {
    const std::vector<face> faces = faces_of(p.blocks(), p.rank());
    for (const face& f : faces) cut_face(f);
    const interior_and_rim block = cut(p.size(), faces);
    for (std::size_t i = 0; i < block.rim.size(); ++i) {
      for_each_part(block.rim[i], faces[i].along, 4 * cells_per_message,
                    [&](const box& b) { rim_.push_back({.cells = b}); });
    }
    for_each_piece(p.u, block.interior, cells_per_piece,
                   [&](const box& b) { interior_.push_back({.cells = b}); });
  }

  [[nodiscard]] int steps() const noexcept override { return 2; }

  [[nodiscard]] std::size_t tasks() const noexcept override {
    std::size_t of_a_step = interior_.size() + rim_.size();
    for (const part& one : parts_) of_a_step += one.of.contiguous() ? 2 : 4;
    return 2 * of_a_step;
  }

  void submit(plait::runtime& rt, problem& p, int count) override {
    submit_step(rt, p.u, p.b, p.v);
    if (count > 1) submit_step(rt, p.v, p.b, p.u);
  }

 private:
  void cut_face(const face& f) {
    std::vector<box> ghosts;
    for_each_part(f.ghost, f.along, cells_per_message, [&](const box& b) { ghosts.push_back(b); });
    int number = 0;
    for_each_part(f.edge, f.along, cells_per_message, [&](const box& edge) {
      part& one = parts_.emplace_back();
      one.of = f;
      one.edge = edge;
      one.ghost = ghosts[static_cast<std::size_t>(number)];
      one.number = number++;
      one.sending = plait::task_name::intern("send to " + std::to_string(f.peer));
      one.receiving = plait::task_name::intern("receive from " + std::to_string(f.peer));
      if (!f.contiguous()) {
        one.outgoing.resize(static_cast<std::size_t>(edge.size()));
        one.incoming.resize(static_cast<std::size_t>(edge.size()));
      }
    });
  }

  /// One step from u to v.  Packed ghosts are unpacked after the interior is submitted: where x
  /// is divided, the rows the interior reads enclose ghosts, and program order decides who comes
  /// first.
  void submit_step(plait::runtime& rt, field& u, const field& b, field& v) {
    for (part& one : parts_) exchange(rt, u, one);
    for (piece& one : interior_)
      submit_relax(rt, "interior", plait::normal, u, b, v, one, stores::by_size, times_);
    for (part& one : parts_) {
      if (!one.of.contiguous()) unpack_ghosts(rt, u, one);
    }
    for (piece& one : rim_)
      submit_relax(rt, "rim", plait::high, u, b, v, one, stores::by_size, times_);
  }

  static void exchange(plait::runtime& rt, field& u, part& one) {
    const int peer = one.of.peer;
    if (one.of.contiguous()) {
      rt.recv(one.receiving, out(cells_of_plane(u, one.ghost, one.ghost.low[axis::z])), peer,
              one.receive_tag());
      rt.send(one.sending, in(cells_of_plane(u, one.edge, one.edge.low[axis::z])), peer,
              one.send_tag());
      return;
    }
    rt.recv(one.receiving, out(one.incoming), peer, one.receive_tag());
    {
      auto packing = rt.task(
          "pack",
          [](const field* source, const box& from, std::vector<double>& buffer) {
            pack(*source, from, buffer);
          },
          &u, one.edge, out(one.outgoing));
      packing.priority(plait::high);
      for (std::int64_t z = one.edge.low[axis::z]; z < one.edge.high[axis::z]; ++z) {
        packing.also(in(cells_of_plane(u, one.edge, z)));
      }
    }
    rt.send(one.sending, in(one.outgoing), peer, one.send_tag());
  }

  static void unpack_ghosts(plait::runtime& rt, field& u, part& one) {
    auto unpacking = rt.task(
        "unpack",
        [](field* target, const box& to, const std::vector<double>& buffer) {
          unpack(*target, to, buffer);
        },
        &u, one.ghost, in(one.incoming));
    unpacking.priority(plait::high);
    for (std::int64_t z = one.ghost.low[axis::z]; z < one.ghost.high[axis::z]; ++z) {
      unpacking.also(out(cells_of_plane(u, one.ghost, z)));
    }
  }

  std::vector<part> parts_;
  std::vector<piece> interior_;
  std::vector<piece> rim_;
  step_times& times_;
};

}  // namespace

std::unique_ptr<sweep> make_step_by_step(const problem& p, step_times& times) {
  return std::make_unique<step_by_step>(p, times);
}

}  // namespace jacobi3d
