// SPDX-License-Identifier: BSD-3-Clause
/// Shows the functions of plait.h to other libraries, and nothing else: all layers are compiled
/// with hidden names.
#pragma once

#pragma GCC visibility push(default)
#include <plait/plait.h>
#pragma GCC visibility pop
