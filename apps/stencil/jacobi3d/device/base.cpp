// SPDX-License-Identifier: BSD-3-Clause
// Row `device_base`: a kernel, a wait, a copy, blocking MPI, a copy, as programs for accelerators
// are usually written.  Row `device_ideal`: its kernels alone, each block on a problem of its own.
#include <optional>
#include <span>
#include <vector>

#include <plait/comm/mpi.hpp>

#include "device/row.hpp"
#include "device/rows.hpp"
#include "measure/rows/plain_exchange.hpp"

namespace jacobi3d {
namespace {

using plait::activity;
using plait::device_queue;

/// Messages between pinned memories, one for each face.
class pinned_exchange final : public plait::measure::plain_exchange {
 public:
  pinned_exchange(device_block& on, MPI_Comm communicator) : plain_exchange(communicator) {
    for (const plait::stencil::face& f : on.faces()) {
      const std::size_t size = on.lies().message_size(f.edge);
      incoming.emplace_back(on.gpu(), size);
      outgoing.emplace_back(on.gpu(), size);
      add_receive(std::span(incoming.back().data(), size), f.peer, f.receive_tag());
    }
    for (std::size_t i = 0; i < on.faces().size(); ++i) {
      const plait::stencil::face& f = on.faces()[i];
      add_send(std::span(outgoing[i].data(), outgoing[i].size()), f.peer, f.send_tag());
    }
  }

  std::vector<plait::pinned<double>> incoming, outgoing;  ///< by face
};

class base_row final : public row_by_hand {
 public:
  base_row(MPI_Comm communicator, const device_options& how)
      : row_by_hand(setting::distributed, how), communicator_(communicator) {}

 private:
  void make() override { messages_.emplace(block(), communicator_); }
  void unmake() noexcept override { messages_.reset(); }

  void advance(int steps) override {
    for (int step = 0; step < steps; ++step) {
      begin(step);
      copy_edges(step);
      messages_->run(watch());
      copy_ghosts(step);
      const plait::queue q = queue(device_queue::compute, "sweep");
      relax(q, step, block().whole());
      plait::by_hand::await(block().gpu(), plait::by_hand::record(q));
      watch().lap(activity::compute, "sweep");
    }
  }

  void copy_edges(int step) {
    const plait::queue q = queue(device_queue::to_host, "edge");
    for (std::size_t i = 0; i < block().faces().size(); ++i)
      plait::by_hand::copy<double>(
          q, block().lies().message(block().iterate(step), block().faces()[i].edge).as_const(),
          {messages_->outgoing[i].data(), messages_->outgoing[i].size()});
    plait::by_hand::await(block().gpu(), plait::by_hand::record(q));
    watch().lap(activity::exposed, "edges to the host");
  }

  void copy_ghosts(int step) {
    const plait::queue q = queue(device_queue::to_device, "ghost");
    for (std::size_t i = 0; i < block().faces().size(); ++i)
      plait::by_hand::copy<double>(
          q, std::span<const double>(messages_->incoming[i].data(), messages_->incoming[i].size()),
          block().lies().message(block().iterate(step), block().faces()[i].ghost));
    plait::by_hand::await(block().gpu(), plait::by_hand::record(q));
    watch().lap(activity::exposed, "ghosts to the device");
  }

  MPI_Comm communicator_;
  std::optional<pinned_exchange> messages_;
};

class ideal_row final : public row_by_hand {
 public:
  explicit ideal_row(const device_options& how) : row_by_hand(setting::isolated, how) {}

 private:
  void advance(int steps) override {
    for (int step = 0; step < steps; ++step) {
      begin(step);
      relax(queue(device_queue::compute, "sweep"), step, block().whole());
      watch().lap(activity::posting, "enqueue");
    }
  }
};

}  // namespace

std::unique_ptr<variant> make_device_base(plait::environment& env, const device_options& how) {
  return std::make_unique<base_row>(plait::native(env), how);
}

std::unique_ptr<variant> make_ideal_by_hand(const device_options& how) {
  return std::make_unique<ideal_row>(how);
}

}  // namespace jacobi3d
