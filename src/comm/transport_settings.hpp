// SPDX-License-Identifier: BSD-3-Clause
/// Settings of the MPI library's transport that let messages be hidden.
#pragma once

namespace plait {

/// Sets, in this process's environment, what the user has left unset.  Before MPI begins, one
/// thread.
void prefer_settings_that_hide() noexcept;

}  // namespace plait
