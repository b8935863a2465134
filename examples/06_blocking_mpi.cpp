// SPDX-License-Identifier: BSD-3-Clause
// MPI/SMPSs: tasks that call blocking MPI.  [Marjanovic, Labarta, Ayguade, Valero 2010]  Linked to
// plait::blocking_mpi, a task that waits in MPI_Recv gives its worker to other tasks.
//
//     #pragma css task input(A) output(panel) highpriority    rt.task("factor", factor, in(a),
//     void factor(double A[n], double panel[n]);                      out(panel)).priority(high);
//     #pragma css task output(buf) target(comm_thread)        rt.task("recv", recv, out(buf), …);
//     void recv(double buf[n]) { MPI_Recv(buf, …); }
//     #pragma css wait on(sum)                                rt.wait();
#include <cstdio>
#include <numeric>
#include <vector>

#include <plait/comm/mpi.hpp>
#include <plait/plait.hpp>

using plait::in, plait::inout, plait::out;

void factor(const std::vector<double>& a, std::vector<double>& panel) {
  for (std::size_t i = 0; i < a.size(); ++i) panel[i] = 1 / a[i];
}

void send(const std::vector<double>& panel, int target, MPI_Comm comm) {
  MPI_Ssend(panel.data(), static_cast<int>(panel.size()), MPI_DOUBLE, target, 0, comm);
}

void receive(std::vector<double>& panel, int source, MPI_Comm comm) {
  MPI_Recv(panel.data(), static_cast<int>(panel.size()), MPI_DOUBLE, source, 0, comm,
           MPI_STATUS_IGNORE);
}

void update(const std::vector<double>& panel, std::vector<double>& block) {
  for (std::size_t i = 0; i < block.size(); ++i) block[i] += panel[i];
}

int main(int argc, char** argv) {
  plait::environment env{argc, argv};
  plait::runtime rt{env, {.workers = 1}};  // one worker, and yet nothing blocks
  const MPI_Comm comm = plait::native(env);
  const int left = (env.rank() + env.size() - 1) % env.size();
  const int right = (env.rank() + 1) % env.size();

  std::vector<double> a(1000, env.rank() + 1.0), mine(1000), theirs(1000);
  std::vector<std::vector<double>> blocks(4, std::vector<double>(1000, 0.0));
  for (int step = 0; step < 10; ++step) {
    rt.task("receive", receive, out(theirs), left, comm);  // before the send that answers it
    rt.task("factor", factor, in(a), out(mine)).priority(plait::high);
    rt.task("send", send, in(mine), right, comm);
    for (auto& block : blocks) rt.task("update", update, in(theirs), inout(block));
  }
  rt.wait();

  double sum = 0;
  for (const auto& block : blocks) sum = std::accumulate(block.begin(), block.end(), sum);
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, comm);
  if (env.rank() == 0) std::printf("sum over all blocks: %.3f\n", sum);
}
