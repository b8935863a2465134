// SPDX-License-Identifier: BSD-3-Clause
// Regions that a program marks for Caliper or for DLB's TALP.  Their functions stand here in front
// of the tool's, and pass on to them: what the tool itself takes is outside the region.
#include <dlfcn.h>

#define PLAIT_MARK extern "C" __attribute__((visibility("default")))

extern "C" void plait_region_begin(const char* name);
extern "C" void plait_region_end(const char* name);

namespace {

/// The tool's own function, or null: a program may have a reference to one that nobody has.
template <class Function>
[[nodiscard]] Function* next_of(Function*, const char* name) noexcept {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}
#define PLAIT_NEXT_OF(name) static const auto next = next_of(&name, #name)

/// Results of DLB's functions.
constexpr int success = 0;
constexpr int error_unknown = -1;

/// The beginning of `dlb_monitor_t`, in all versions of DLB.
struct monitor {
  const char* name;
};
/// Names that TALP gives to the whole program, and to what was started last.
[[nodiscard]] bool is_whole_program(const monitor* handle) noexcept {
  return handle == nullptr;
}
[[nodiscard]] bool is_last_open(const monitor* handle) noexcept {
  return reinterpret_cast<unsigned long>(handle) == 1;
}

/// Regions that a thread has started and that are not ended by a name.
struct started {
  static constexpr int most = 32;
  const char* names[most] = {};
  int count = 0;  ///< more than there is room for are counted
};
thread_local constinit started own_started __attribute__((tls_model("initial-exec")));

void start(const char* name) noexcept {
  started& own = own_started;
  if (own.count < started::most) own.names[own.count] = name;
  ++own.count;
  plait_region_begin(name);
}

/// The region is the last that was started, or of that name one before it.
void stop(const char* name) noexcept {
  started& own = own_started;
  int at = own.count - 1;
  if (name != nullptr) {
    while (at >= 0 && (at >= started::most || own.names[at] != name)) --at;
  }
  if (at >= started::most) --own.count;
  if (at < 0 || at >= started::most) return;
  const char* const ended = own.names[at];
  --own.count;
  for (int i = at; i < own.count && i + 1 < started::most; ++i) own.names[i] = own.names[i + 1];
  plait_region_end(ended);
}

}  // namespace

#define PLAIT_CALIPER(name, region_call, is_end)             \
  PLAIT_MARK void name(const char* region) {                 \
    PLAIT_NEXT_OF(name);                                     \
    if ((is_end) && region != nullptr) region_call(region);  \
    if (next != nullptr) next(region);                       \
    if (!(is_end) && region != nullptr) region_call(region); \
  }
PLAIT_CALIPER(cali_begin_region, plait_region_begin, false)
PLAIT_CALIPER(cali_end_region, plait_region_end, true)
PLAIT_CALIPER(cali_begin_phase, plait_region_begin, false)
PLAIT_CALIPER(cali_end_phase, plait_region_end, true)
PLAIT_CALIPER(cali_begin_comm_region, plait_region_begin, false)
PLAIT_CALIPER(cali_end_comm_region, plait_region_end, true)

/// Objects of C++ whose scope is a region: their constructors and destructors.
#define PLAIT_CALIPER_SCOPE(name, constructor, destructor)                           \
  PLAIT_MARK void name##_begin(void* self, const char* region) __asm__(constructor); \
  PLAIT_MARK void name##_end(void* self) __asm__(destructor);                        \
  void name##_begin(void* self, const char* region) {                                \
    static const auto next = next_of(&name##_begin, constructor);                    \
    if (next != nullptr) next(self, region);                                         \
    if (region != nullptr) start(region);                                            \
  }                                                                                  \
  void name##_end(void* self) {                                                      \
    static const auto next = next_of(&name##_end, destructor);                       \
    stop(nullptr);                                                                   \
    if (next != nullptr) next(self);                                                 \
  }
PLAIT_CALIPER_SCOPE(caliper_function, "_ZN4cali8FunctionC1EPKc", "_ZN4cali8FunctionD1Ev")
PLAIT_CALIPER_SCOPE(caliper_scope, "_ZN4cali15ScopeAnnotationC1EPKc",
                    "_ZN4cali15ScopeAnnotationD1Ev")

/// A region that TALP does not start is none: where TALP is off, nobody has told its name.
PLAIT_MARK int DLB_MonitoringRegionStart(monitor* handle) {
  PLAIT_NEXT_OF(DLB_MonitoringRegionStart);
  const int result = next == nullptr ? error_unknown : next(handle);
  const bool is_named = !is_whole_program(handle) && !is_last_open(handle);
  if (result == success && is_named) start(handle->name);
  return result;
}
PLAIT_MARK int DLB_MonitoringRegionStop(monitor* handle) {
  PLAIT_NEXT_OF(DLB_MonitoringRegionStop);
  if (!is_whole_program(handle)) stop(is_last_open(handle) ? nullptr : handle->name);
  return next == nullptr ? error_unknown : next(handle);
}
