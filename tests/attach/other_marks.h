// SPDX-License-Identifier: BSD-3-Clause
// What programs see of Caliper and of DLB, as far as they mark regions.
#ifndef PLAIT_TESTS_OTHER_MARKS_H
#define PLAIT_TESTS_OTHER_MARKS_H

typedef struct dlb_monitor_t {
  const char* name;
  int num_measurements;
} dlb_monitor_t;

#define DLB_LAST_OPEN_REGION ((dlb_monitor_t*)1)

#ifdef __cplusplus
extern "C" {
#endif
void cali_begin_region(const char* name);
void cali_end_region(const char* name);
void cali_begin_phase(const char* name);
void cali_end_phase(const char* name);
void cali_begin_comm_region(const char* name);
void cali_end_comm_region(const char* name);
dlb_monitor_t* DLB_MonitoringRegionRegister(const char* name);
int DLB_MonitoringRegionStart(dlb_monitor_t* handle);
int DLB_MonitoringRegionStop(dlb_monitor_t* handle);
/// Of the stand-ins: how often each was called.
int marks_begun(void);
int marks_ended(void);
#ifdef __cplusplus
}
namespace cali {
class Function {
 public:
  explicit Function(const char* name);
  ~Function();
};
class ScopeAnnotation {
 public:
  explicit ScopeAnnotation(const char* name);
  ~ScopeAnnotation();
};
}  // namespace cali
#endif

#endif
