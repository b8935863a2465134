// SPDX-License-Identifier: BSD-3-Clause
// MPI/SMPSs as its paper has it, and the same in plait.  [Marjanovic, Labarta, Ayguade, Valero
// 2010, sections 2.1 and 2.2]  The functions are the program's own, with the pragmas SMPSs would
// read; what SMPSs makes of a call, plait makes of `rt.task`.  Linked to plait::blocking_mpi, a
// task that waits in MPI_Recv gives its worker to other tasks.
#include <cstdio>
#include <span>
#include <vector>

#include <plait/comm/mpi.hpp>
#include <plait/plait.hpp>

constexpr int n = 1000;
using plait::in, plait::inout, plait::out;
using column = std::span<double>;
using read_only = std::span<const double>;

#pragma css task input(A) output(panel) highpriority
void factorization(read_only A, column panel) {
  for (int i = 0; i < n; ++i) panel[i] = 1 / A[i];
}

#pragma css task input(panel) inout(A)
void update(read_only panel, column A) {
  for (int i = 0; i < n; ++i) A[i] += panel[i];
}

#pragma css task input(buf) target(comm_thread)
void send(read_only buf, int to, MPI_Comm on) {
  MPI_Ssend(buf.data(), n, MPI_DOUBLE, to, 0, on);
}

#pragma css task output(buf, status) target(comm_thread)
void recv(column buf, MPI_Status& status, int from, MPI_Comm on) {
  MPI_Recv(buf.data(), n, MPI_DOUBLE, from, 0, on, &status);
}

int main(int argc, char** argv) {
  plait::environment env{argc, argv};
  plait::runtime rt{env, {.tasks = {.workers = 1}}};  // one worker, and yet nothing blocks
  const MPI_Comm on = plait::native(env);
  const int left = (env.rank() + env.size() - 1) % env.size();
  const int right = (env.rank() + 1) % env.size();

  std::vector<double> A(n, env.rank() + 1.0), panel(n), theirs(n);
  std::vector<std::vector<double>> trailing(4, std::vector<double>(n, 0.0));
  MPI_Status status;
  for (int step = 0; step < 10; ++step) {
    // recv(theirs, &status, left, on);      before the send that answers it
    rt.task("recv", recv, out(std::span(theirs)), out(status), left, on).target(plait::comm);
    // factorization(A, panel);
    rt.task("factorization", factorization, in(std::span(A)), out(std::span(panel)))
        .priority(plait::high);
    // send(panel, right, on);
    rt.task("send", send, in(std::span(panel)), right, on).target(plait::comm);
    // for (int i = 0; i < 4; i++) update(theirs, trailing[i]);
    for (auto& block : trailing)
      rt.task("update", update, in(std::span(theirs)), inout(std::span(block)));
  }
  // #pragma css wait on(status)
  rt.wait_on(status);
  if (env.rank() == 0) std::printf("the last message came from rank %d\n", status.MPI_SOURCE);
  // #pragma css barrier
  rt.wait();

  double sum = 0;
  for (const auto& block : trailing) sum += block[0] * n;
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, on);
  if (env.rank() == 0) std::printf("sum over all blocks: %.3f\n", sum);
}
