// SPDX-License-Identifier: BSD-3-Clause
#include "ways.hpp"

#include <algorithm>
#include <cstring>
#include <thread>

#include <fmt/format.h>
#include <plait/comm/mpi.hpp>

#include "measure/base/mpi_check.hpp"
#include "measure/load/transport_cost.hpp"
#include "measure/rows/network_options.hpp"

namespace plait::network::overlap {
namespace {

using measure::check_mpi;

std::byte pattern_at(std::size_t index) {
  return static_cast<std::byte>(index % 251);
}

MPI_Request posted(environment& env, message& data) {
  MPI_Request request = MPI_REQUEST_NULL;
  if (data.leaves()) {
    check_mpi(MPI_Isend(data.bytes().data(), data.size(), MPI_BYTE, data.peer(), 0, native(env),
                        &request),
              "MPI_Isend");
  } else {
    check_mpi(MPI_Irecv(data.bytes().data(), data.size(), MPI_BYTE, data.peer(), 0, native(env),
                        &request),
              "MPI_Irecv");
  }
  return request;
}

bool test(MPI_Request& request) {
  int done = 0;
  check_mpi(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
  return done != 0;
}

class mpi_way final : public way {
 public:
  mpi_way(environment& env, message& data, bool tests) : env_(env), data_(data), tests_(tests) {}

  void beside(measure::cut_work& what) override {
    MPI_Request request = posted(env_, data_);
    if (tests_) {
      what.run([&] { (void)test(request); });
    } else {
      what.run();
    }
    check_mpi(MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");
  }
  void opposite() override {
    if (data_.leaves()) {
      check_mpi(
          MPI_Send(data_.bytes().data(), data_.size(), MPI_BYTE, data_.peer(), 0, native(env_)),
          "MPI_Send");
    } else {
      check_mpi(MPI_Recv(data_.bytes().data(), data_.size(), MPI_BYTE, data_.peer(), 0,
                         native(env_), MPI_STATUS_IGNORE),
                "MPI_Recv");
    }
  }

 private:
  environment& env_;
  message& data_;
  bool tests_;
};

class task_way final : public way {
 public:
  task_way(environment& env, message& data, progress policy)
      : data_(data), rt_(env, {.engine = {.policy = policy}, .tasks = {.workers = 1}}) {}

  void beside(measure::cut_work& what) override {
    submit_message();
    what.submit(rt_);
    rt_.wait();
  }
  void opposite() override {
    submit_message();
    rt_.wait();
  }

 private:
  void submit_message() {
    if (data_.leaves()) {
      rt_.send("send", in(data_.bytes()), data_.peer());
    } else {
      rt_.recv("receive", out(data_.bytes()), data_.peer());
    }
  }

  message& data_;
  runtime rt_;
};

std::vector<named_way> make_all() {
  std::vector<named_way> all;
  all.push_back({measure::nonblocking_row, "MPI_Isend or MPI_Irecv, the work, MPI_Wait",
                 [](environment& env, message& data) {
                   return std::make_unique<mpi_way>(env, data, false);
                 }});
  all.push_back(
      {measure::tested_row, "as nonblocking, MPI_Test after each piece of the work",
       [](environment& env, message& data) { return std::make_unique<mpi_way>(env, data, true); }});
  for (const progress policy : measure::task_policies())
    all.push_back({measure::row_of(policy),
                   "a message task and tasks of work; progress: " + std::string(to_string(policy)),
                   [policy](environment& env, message& data) {
                     return std::make_unique<task_way>(env, data, policy);
                   }});
  return all;
}

}  // namespace

std::string_view to_string(direction which) noexcept {
  return which == direction::send ? "send" : "receive";
}

message::message(environment& env, direction which, std::size_t size_bytes)
    : leaves_((which == direction::send) == (env.rank() == 0)),
      peer_(1 - env.rank()),
      bytes_(size_bytes) {
  if (!leaves_) return;
  for (std::size_t i = 0; i < bytes_.size(); ++i) bytes_[i] = pattern_at(i);
}

void message::prepare() {
  ++steps_;
  const std::uint64_t first = leaves_ ? steps_ : 0;
  std::memcpy(bytes_.data(), &first, sizeof first);
  if (!leaves_ && bytes_.size() > sizeof first) bytes_.back() = ~pattern_at(bytes_.size() - 1);
}

void message::expect_right() const {
  if (leaves_) return;
  std::uint64_t first = 0;
  std::memcpy(&first, bytes_.data(), sizeof first);
  if (first != steps_)
    throw error(
        fmt::format("the message of step {} was expected, that of step {} came", steps_, first));
  for (std::size_t i = sizeof first; i < bytes_.size(); ++i) {
    if (bytes_[i] != pattern_at(i))
      throw error(fmt::format("byte {} of a message of {} bytes is {} and should be {}", i,
                              bytes_.size(), static_cast<int>(bytes_[i]),
                              static_cast<int>(pattern_at(i))));
  }
}

const std::vector<named_way>& all_ways() {
  static const std::vector<named_way> all = make_all();
  return all;
}

void transfer_sparsely(environment& env, message& data) {
  MPI_Request request = posted(env, data);
  while (!test(request)) std::this_thread::sleep_for(measure::between_looks);
}

}  // namespace plait::network::overlap
