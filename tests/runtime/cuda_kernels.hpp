// SPDX-License-Identifier: BSD-3-Clause
// Kernels for tests of devices by CUDA and HIP, launched by the driver's own functions.  They are
// in PTX, so that tests need no compiler but the driver's.
#pragma once

#include <array>
#include <cstddef>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <plait/core/error.hpp>
#include <plait/device/cuda.hpp>
#include <plait/device/device_array.hpp>

#include "device/cuda/cuda_functions.hpp"

namespace plait::test {

enum class driver { cuda, hip };
[[nodiscard]] inline const char* to_string(driver which) {
  return which == driver::cuda ? "CUDA" : "HIP";
}

/// Tests run on the stand-in, or else on real devices of CUDA: HIP's take no PTX.
[[nodiscard]] inline bool is_stand_in() {
  return std::getenv("PLAIT_TEST_CUDA") != nullptr;
}
[[nodiscard]] inline std::vector<device> devices_of(driver which) {
  if (which == driver::cuda) return cuda_devices();
  return is_stand_in() ? hip_devices() : std::vector<device>{};
}
/// Says why tests are not run; empty: they are.  Without the stand-in's devices a test has failed.
[[nodiscard]] inline std::string why_not(driver which) {
  if (!devices_of(which).empty()) return "";
  EXPECT_FALSE(is_stand_in()) << "the stand-in has no device of " << to_string(which);
  return std::string("not run: no ") + to_string(which) + " device";
}

/// Functions of a driver that plait does not call itself; those of the stand-in may be null.
struct driver_functions {
  int (*load)(void** module, const void* image) = nullptr;
  int (*function_of)(void** function, void* module, const char* name) = nullptr;
  int (*launch)(void* function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                unsigned shared, detail::cuda_stream, void** arguments, void** extra) = nullptr;
  int (*priority_of)(detail::cuda_stream, int*) = nullptr;
  int (*begin_capture)(detail::cuda_stream, int mode) = nullptr;
  std::size_t (*left)() = nullptr;
  std::size_t (*called)() = nullptr;
  void (*begin_again)() = nullptr;
  const detail::cuda_functions* common = nullptr;

  [[nodiscard]] static const driver_functions& of(driver which) {
    static const driver_functions cuda(
        "libcuda.so.1", "cuModuleLoadData", "cuModuleGetFunction", "cuLaunchKernel",
        "cuStreamGetPriority", "cuStreamBeginCapture_v2", detail::cuda_functions::find_cuda());
    if (which == driver::cuda) return cuda;
    static const driver_functions hip("libamdhip64.so", "hipModuleLoadData", "hipModuleGetFunction",
                                      "hipModuleLaunchKernel", "hipStreamGetPriority",
                                      "hipStreamBeginCapture", detail::cuda_functions::find_hip());
    return hip;
  }

 private:
  /// Keeps the devices' contexts, so that kernels in them stay.
  driver_functions(const char* library, const char* load_name, const char* function_name,
                   const char* launch_name, const char* priority_name, const char* capture_name,
                   const detail::cuda_functions* by)
      : common(by) {
    detail::loaded_library driver({library});
    driver.look_up(load, load_name);
    driver.look_up(function_of, function_name);
    driver.look_up(launch, launch_name);
    driver.look_up(priority_of, priority_name);
    driver.look_up(begin_capture, capture_name);
    driver.look_up(left, "stand_in_left");
    driver.look_up(called, "stand_in_called");
    driver.look_up(begin_again, "stand_in_begin_again");
    int count = 0;
    by->device_count(&count);
    for (int ordinal = 0; ordinal < count; ++ordinal) {
      int handle = 0;
      detail::cuda_context context = nullptr;
      by->device_get(&handle, ordinal);
      by->retain_context(&context, handle);
    }
  }
};

/// One element a block.  "mix_or_fail" is the stand-in's.
inline constexpr char ptx[] = R"(
.version 6.4
.target sm_75
.address_size 64
.visible .entry add_one(.param .u64 x) {
  .reg .b32 %r<4>;
  .reg .b64 %a<4>;
  ld.param.u64 %a1, [x];
  cvta.to.global.u64 %a1, %a1;
  mov.u32 %r1, %ctaid.x;
  mul.wide.u32 %a2, %r1, 4;
  add.s64 %a1, %a1, %a2;
  ld.global.u32 %r2, [%a1];
  add.s32 %r2, %r2, 1;
  st.global.u32 [%a1], %r2;
  ret;
}
.visible .entry scale_into(.param .u64 x, .param .u64 y, .param .u32 by) {
  .reg .b32 %r<4>;
  .reg .b64 %a<4>;
  ld.param.u64 %a1, [x];
  ld.param.u64 %a2, [y];
  ld.param.u32 %r3, [by];
  cvta.to.global.u64 %a1, %a1;
  cvta.to.global.u64 %a2, %a2;
  mov.u32 %r1, %ctaid.x;
  mul.wide.u32 %a3, %r1, 4;
  add.s64 %a1, %a1, %a3;
  add.s64 %a2, %a2, %a3;
  ld.global.u32 %r2, [%a1];
  mul.lo.s32 %r2, %r2, %r3;
  st.global.u32 [%a2], %r2;
  ret;
}
.visible .entry mix_into(.param .u64 from, .param .u64 to, .param .u64 salt) {
  .reg .b32 %r<2>;
  .reg .b64 %a<8>;
  ld.param.u64 %a1, [from];
  ld.param.u64 %a2, [to];
  ld.param.u64 %a3, [salt];
  cvta.to.global.u64 %a1, %a1;
  cvta.to.global.u64 %a2, %a2;
  mov.u32 %r1, %ctaid.x;
  cvt.u64.u32 %a4, %r1;
  add.s64 %a3, %a3, %a4;
  mul.wide.u32 %a5, %r1, 8;
  add.s64 %a1, %a1, %a5;
  add.s64 %a2, %a2, %a5;
  ld.global.u64 %a6, [%a1];
  ld.global.u64 %a7, [%a2];
  mad.lo.s64 %a3, %a6, 5, %a3;
  mad.lo.s64 %a3, %a7, 3, %a3;
  st.global.u64 [%a2], %a3;
  ret;
}
// and of the stand-in: mix_or_fail
)";

/// A kernel for all devices of a driver.  Copies are the same one.  Any thread launches it, in the
/// function of a task.
class driver_kernel {
 public:
  driver_kernel(driver of, std::string name) : of_(of), built_(std::make_shared<built>()) {
    built_->name = std::move(name);
  }

  template <class... Arguments>
  void launch(queue to, std::size_t items, const Arguments&... arguments) const {
    const auto value = []<class T>(const T& one) {
      if constexpr (is_device_span<T>) {
        return one.data();
      } else {
        return one;
      }
    };
    auto values = std::tuple(value(arguments)...);
    std::apply(
        [&](auto&... each) {
          std::array<void*, sizeof...(each)> places{
              const_cast<void*>(static_cast<const void*>(&each))...};
          enqueue(to, items, places.data());
        },
        values);
  }

 private:
  struct built {
    std::string name;
    std::mutex mutex;
    std::map<detail::cuda_context, void*> in;
  };

  void enqueue(const queue& to, std::size_t items, void** arguments) const {
    if (items == 0) return;
    const driver_functions& by = driver_functions::of(of_);
    const auto expect = [&](int code) {
      if (code != 0)
        throw error(std::string("task '") + to.task() + "': " + by.common->code_text(code));
    };
    detail::cuda_context here = nullptr;
    expect(by.common->get_current(&here));
    void* function = nullptr;
    {
      std::lock_guard lock(built_->mutex);
      void*& known = built_->in[here];
      if (known == nullptr) {
        void* module = nullptr;
        expect(by.load(&module, ptx));
        expect(by.function_of(&known, module, built_->name.c_str()));
      }
      function = known;
    }
    const detail::cuda_stream stream = of_ == driver::cuda
                                           ? cuda::stream(to)
                                           : reinterpret_cast<detail::cuda_stream>(hip::stream(to));
    const auto blocks = static_cast<unsigned>(items);
    expect(by.launch(function, blocks, 1, 1, 1, 1, 1, 0, stream, arguments, nullptr));
  }

  driver of_;
  std::shared_ptr<built> built_;
};

}  // namespace plait::test
