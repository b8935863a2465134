// SPDX-License-Identifier: BSD-3-Clause
// Tasks that the kernel finishes: pages of a file are read and written through io_uring, beside
// tasks that compute on the pages that are there.
#include <atomic>
#include <cstdio>
#include <exception>
#include <memory>
#include <mutex>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <liburing.h>
#include <plait/plait.hpp>
#include <unistd.h>

using plait::in, plait::inout, plait::out;

constexpr std::size_t pages = 32, page_numbers = 4096;
constexpr std::size_t page_bytes = page_numbers * sizeof(double);

/// Requests to the kernel.  Workers with nothing to run, and now and then the others, take what is
/// done from the ring, and let its tasks go.
class file_ring final : public plait::progress_source {
 public:
  explicit file_ring(unsigned entries) : is_there_(io_uring_queue_init(entries, &ring_, 0) == 0) {}
  ~file_ring() override {
    if (is_there_) io_uring_queue_exit(&ring_);
  }

  void read(int file, std::span<double> to, std::size_t page, plait::hold until) {
    if (!is_there_) return end(until, pread(file, to.data(), page_bytes, offset_of(page)));
    begin(std::move(until), [&](io_uring_sqe* entry) {
      io_uring_prep_read(entry, file, to.data(), page_bytes, page * page_bytes);
    });
  }
  void write(int file, std::span<const double> from, std::size_t page, plait::hold until) {
    if (!is_there_) return end(until, pwrite(file, from.data(), page_bytes, offset_of(page)));
    begin(std::move(until), [&](io_uring_sqe* entry) {
      io_uring_prep_write(entry, file, from.data(), page_bytes, page * page_bytes);
    });
  }

  bool poll(bool) override {
    const std::unique_lock lock(mutex_, std::try_to_lock);  // else another thread takes them
    if (!lock.owns_lock() || under_way_ == 0) return false;
    bool worked = false;
    io_uring_cqe* done = nullptr;
    while (io_uring_peek_cqe(&ring_, &done) == 0) {
      const std::unique_ptr<plait::hold> until(
          static_cast<plait::hold*>(io_uring_cqe_get_data(done)));
      end(*until, done->res);
      io_uring_cqe_seen(&ring_, done);
      --under_way_;
      worked = true;
    }
    return worked;
  }
  plait::ticks idle_wait(plait::ticks) override { return interval(); }
  plait::ticks due_at() const noexcept override {
    return under_way_ == 0 ? never : polled_ + interval();
  }
  void passed(plait::ticks now) noexcept override {
    if (now >= due_at()) polled_ = now;
  }
  bool needs_idle_workers() const noexcept override { return true; }
  plait::ticks in_flight_until(plait::ticks) const override { return 0; }
  bool cancel() override { return true; }  // all that is under way ends by itself

 private:
  [[nodiscard]] static off_t offset_of(std::size_t page) {
    return static_cast<off_t>(page * page_bytes);
  }
  static void end(plait::hold& until, long moved) {
    if (moved == static_cast<long>(page_bytes)) {
      until.release();
    } else {
      until.fail(std::make_exception_ptr(plait::error("a page was not read or written")));
    }
  }
  template <class Prepare>
  void begin(plait::hold until, Prepare prepare) {
    const std::lock_guard lock(mutex_);
    io_uring_sqe* const entry = io_uring_get_sqe(&ring_);
    if (entry == nullptr) throw plait::error("the ring is full");
    prepare(entry);
    io_uring_sqe_set_data(entry, new plait::hold(std::move(until)));
    ++under_way_;
    io_uring_submit(&ring_);
  }
  plait::ticks interval() const noexcept {
    return under_way_ == 0 ? never : plait::seconds_to_ticks(50e-6);
  }

  io_uring ring_{};
  const bool is_there_;  // else the kernel has none, or refuses it
  std::mutex mutex_;     // one thread at a time uses the ring
  std::atomic<int> under_way_{0};
  std::atomic<plait::ticks> polled_{0};
};

void read_page(std::span<double> to, file_ring* ring, int file, std::size_t page,
               plait::hold until) {
  ring->read(file, to, page, std::move(until));
}
void write_page(std::span<const double> from, file_ring* ring, int file, std::size_t page,
                plait::hold until) {
  ring->write(file, from, page, std::move(until));
}

int main(int argc, char** argv) {
  plait::environment env{argc, argv};
  file_ring ring(2 * pages);
  plait::runtime rt{env};
  rt.add_progress(ring);
  std::FILE* const stream = std::tmpfile();
  const int file = fileno(stream);

  std::vector<std::vector<double>> data(pages, std::vector<double>(page_numbers));
  std::vector<std::vector<double>> again(pages, std::vector<double>(page_numbers));
  std::vector<double> sums(pages);
  std::vector<char> on_disk(pages);  // orders the reading of a page behind its writing
  for (std::size_t p = 0; p < pages; ++p) {
    const std::span page(data[p]);
    rt.task(
        "fill", [](std::span<double> x, double from) { std::iota(x.begin(), x.end(), from); },
        out(page), static_cast<double>(p));
    rt.task("write", write_page, in(page), &ring, file, p, plait::held).also(out(on_disk[p]));
    rt.task("read", read_page, out(std::span(again[p])), &ring, file, p, plait::held)
        .also(in(on_disk[p]));
    rt.task(
        "sum",
        [](std::span<const double> x, double& sum) {
          sum = std::accumulate(x.begin(), x.end(), 0.0);
        },
        in(std::span(again[p])), out(sums[p]));
  }
  double total = 0;
  rt.task(
      "total",
      [](std::span<const double> each, double& sum) {
        sum = std::accumulate(each.begin(), each.end(), 0.0);
      },
      in(std::span(sums)), out(total));
  rt.wait();
  rt.remove_progress(ring);
  std::fclose(stream);
  int right = again == data ? 1 : 0;
  rt.allreduce("right", inout(right));
  rt.wait();
  if (env.rank() != 0) return 0;
  std::printf("%zu pages written and read by the kernel, sum %.0f\n", pages, total);
  std::printf("%s\n",
              right == env.size() ? "every rank has read what it wrote" : "a page is wrong");
}
