// SPDX-License-Identifier: BSD-3-Clause
// A program that marks its regions for Caliper and for TALP.
#include "other_marks.h"

#include <cstdio>

#include <mpi.h>

static void meet() {
  MPI_Barrier(MPI_COMM_WORLD);
}

static void function() {
  const cali::Function here("function");
  const cali::ScopeAnnotation within("scope");
  meet();
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  dlb_monitor_t* const first = DLB_MonitoringRegionRegister("first");
  dlb_monitor_t* const second = DLB_MonitoringRegionRegister("second");
  DLB_MonitoringRegionStart(nullptr);
  for (int i = 0; i < 3; ++i) {
    cali_begin_phase("phase");
    cali_begin_region("region");
    function();
    cali_end_region("region");
    cali_begin_comm_region("exchange");
    meet();
    cali_end_comm_region("exchange");
    cali_end_phase("phase");
    DLB_MonitoringRegionStart(first);
    DLB_MonitoringRegionStart(second);
    meet();
    DLB_MonitoringRegionStop(DLB_LAST_OPEN_REGION);
    DLB_MonitoringRegionStop(first);
  }
  DLB_MonitoringRegionStop(nullptr);
  std::printf("begun %d ended %d measured %d\n", marks_begun(), marks_ended(),
              second->num_measurements);
  MPI_Finalize();
}
