// SPDX-License-Identifier: BSD-3-Clause
/// The transport's processor time of an operation, measured the same way by benchmarks and
/// probes.
#pragma once

#include <functional>

#include <plait/plait.hpp>

namespace plait::bench {

/// Whether an operation takes long enough; below, sleeping between looks costs more than the
/// transport does.
[[nodiscard]] bool transport_is_measurable(double operation_s) noexcept;

/// Seconds of processor time of `operation`, which sleeps `measure::between_looks` whenever it has
/// found nothing to do and takes about `operation_s`, on this rank's processing unit (see
/// measure::transport_cpu_s).  Not finite where other programs left the counting thread no
/// processor. Collective.
[[nodiscard]] double transport_s(environment& env, const std::function<void()>& operation,
                                 double operation_s);

}  // namespace plait::bench
