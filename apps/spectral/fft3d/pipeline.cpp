// SPDX-License-Identifier: BSD-3-Clause
// Variants `library`, `tested` and `threaded`: LibNBC's pipeline.  A tile of planes is transformed
// and its MPI_Ialltoallv started, then the next; then tile by tile is waited for and transformed.
// They differ in who lets the library progress meanwhile: nobody, the program between pieces of
// work, or a thread.  [libnbc-slides, slides 17-26]
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include <plait/comm/mpi.hpp>

#include "common/transport.hpp"
#include "measure/compare/timeline.hpp"
#include "variant.hpp"

namespace fft3d {
namespace {

using plait::activity;

constexpr index cells_between_looks = index{1} << 15;
constexpr std::chrono::microseconds between_looks_of_thread{400};

/// Lets transports progress in a thread of its own, while some are there.  MPI's calls take turns:
/// MPI_THREAD_SERIALIZED is enough.
class progress_thread {
 public:
  explicit progress_thread(std::vector<spectral::transport*> of) : transports_(std::move(of)) {
    thread_ = std::thread([this] {
      while (!ends_.load()) {
        {
          const std::lock_guard turn(calls_);
          for (spectral::transport* one : transports_) one->test();
        }
        std::this_thread::sleep_for(between_looks_of_thread);
      }
    });
  }
  ~progress_thread() {
    ends_.store(true);
    thread_.join();
  }
  progress_thread(const progress_thread&) = delete;
  progress_thread& operator=(const progress_thread&) = delete;

  std::mutex& calls() noexcept { return calls_; }

 private:
  std::vector<spectral::transport*> transports_;
  std::mutex calls_;
  std::atomic<bool> ends_{false};
  std::thread thread_;
};

class pipeline final : public variant {
 public:
  pipeline(plait::environment& env, looks who) : communicator_(plait::native(env)), who_(who) {}

  void prepare(problem& p) override {
    const auto made = [&](spectral::transpose way) {
      return spectral::by_library(communicator_, {p.shape(), p.where.buffers(), way});
    };
    to_lines_ = made(spectral::transpose::to_lines);
    to_planes_ = made(spectral::transpose::to_planes);
    const spectral::slabs& s = p.shape();
    const auto pieces = [](index cells) { return 1 + cells / cells_between_looks; };
    const index x = s.x_of(0).size();
    z_pieces_ = cut(s.own_z(), pieces(s.own_z().size() * s.ny() * x));
    y_pieces_ = cut(s.own_y(), pieces(s.own_y().size() * s.nz() * x));
    row_pieces_ = cut(s.own_z(), pieces(s.planes_size()));
  }

  void run(problem& p, int steps, const step_range& recorded) override {
    watch_.start();
    // In the run alone: before and after it others call MPI, without this thread's turns.
    if (who_ == looks::thread)
      thread_ = std::make_unique<progress_thread>(
          std::vector<spectral::transport*>{to_lines_.get(), to_planes_.get()});
    for (int step = 0; step < steps; ++step) {
      watch_.begin_step(step, recorded);
      forward(p);
      backward(p);
    }
    thread_.reset();
    watch_.stop();
  }

  [[nodiscard]] run_report finish(problem&) override {
    to_lines_.reset();
    to_planes_.reset();
    return watch_.report();
  }

 private:
  template <class Call>
  void call(activity what, const char* name, Call&& mpi) {
    if (thread_ != nullptr) {
      const std::lock_guard turn(thread_->calls());
      mpi();
    } else {
      mpi();
    }
    watch_.lap(what, name);
  }

  template <class Body>
  void compute(const std::vector<range>& pieces, const char* name, Body&& body) {
    for (const range& piece : pieces) {
      body(piece);
      watch_.lap(activity::compute, name);
      if (who_ != looks::tests) continue;
      to_lines_->test();
      to_planes_->test();
      watch_.lap(activity::posting, "test");
    }
  }

  void start(spectral::transport& tiles, int tile) {
    call(activity::posting, "start", [&] { tiles.start(tile); });
  }
  void wait(spectral::transport& tiles, int tile) {
    call(activity::exposed, "wait", [&] { tiles.wait_received(tile); });
  }

  void forward(problem& p) {
    const spectral::transform_memory memory = p.where.all();
    compute(row_pieces_, "x lines", [&](const range& z) { p.kernel().spread_x(memory, z); });
    for (int tile = 0; tile < p.shape().tiles(); ++tile) {
      compute(z_pieces_, "y lines", [&](const range& z) { p.kernel().spread_y(memory, tile, z); });
      start(*to_lines_, tile);
    }
    for (int tile = 0; tile < p.shape().tiles(); ++tile) {
      wait(*to_lines_, tile);
      compute(y_pieces_, "z lines", [&](const range& y) { p.kernel().gather_z(memory, tile, y); });
    }
  }

  void backward(problem& p) {
    const spectral::transform_memory memory = p.where.all();
    for (int tile = 0; tile < p.shape().tiles(); ++tile) {
      compute(y_pieces_, "z lines",
              [&](const range& y) { p.kernel().spread_z(memory, tile, y, &p.normalising()); });
      start(*to_planes_, tile);
    }
    for (int tile = 0; tile < p.shape().tiles(); ++tile) {
      wait(*to_planes_, tile);
      compute(z_pieces_, "y lines", [&](const range& z) { p.kernel().gather_y(memory, tile, z); });
    }
    compute(row_pieces_, "x lines", [&](const range& z) { p.kernel().gather_x(memory, z); });
  }

  MPI_Comm communicator_;
  looks who_;
  std::unique_ptr<spectral::transport> to_lines_, to_planes_;
  std::unique_ptr<progress_thread> thread_;  // ends before what it looks after
  std::vector<range> z_pieces_, y_pieces_, row_pieces_;
  plait::measure::stopwatch watch_;
};

}  // namespace

std::unique_ptr<variant> make_pipeline(plait::environment& env, looks who) {
  return std::make_unique<pipeline>(env, who);
}

}  // namespace fft3d
