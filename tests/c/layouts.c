/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints size and members of each struct of plait.h, for check_library.py. */
#include <plait/plait.h>
#include <stdio.h>

#define STRUCT(name) printf("%s %zu:", #name, sizeof(name))
#define MEMBER(name, member) printf(" %s %zu", #member, offsetof(name, member))
#define END printf("\n")

int main(void) {
  STRUCT(plait_memory);
  MEMBER(plait_memory, begin);
  MEMBER(plait_memory, row_bytes);
  MEMBER(plait_memory, axes);
  END;
  STRUCT(plait_axis);
  MEMBER(plait_axis, rows);
  MEMBER(plait_axis, stride);
  END;
  STRUCT(plait_access);
  MEMBER(plait_access, memory);
  MEMBER(plait_access, mode);
  END;
  STRUCT(plait_options);
  MEMBER(plait_options, struct_size);
  MEMBER(plait_options, workers);
  MEMBER(plait_options, policy);
  MEMBER(plait_options, in_flight);
  MEMBER(plait_options, worst_delay_s);
  MEMBER(plait_options, stall_report_s);
  MEMBER(plait_options, stall_aborts);
  MEMBER(plait_options, checked);
  MEMBER(plait_options, trusts_sizes);
  MEMBER(plait_options, reserved);
  END;
  STRUCT(plait_call);
  MEMBER(plait_call, struct_size);
  MEMBER(plait_call, name);
  MEMBER(plait_call, run);
  MEMBER(plait_call, argument);
  MEMBER(plait_call, argument_bytes);
  MEMBER(plait_call, release);
  MEMBER(plait_call, accesses);
  MEMBER(plait_call, access_count);
  MEMBER(plait_call, priority);
  MEMBER(plait_call, flags);
  MEMBER(plait_call, resource);
  MEMBER(plait_call, event);
  END;
  STRUCT(plait_progress_options);
  MEMBER(plait_progress_options, struct_size);
  MEMBER(plait_progress_options, interval_s);
  END;
  STRUCT(plait_ledger);
  MEMBER(plait_ledger, struct_size);
  MEMBER(plait_ledger, compute_s);
  MEMBER(plait_ledger, posting_s);
  MEMBER(plait_ledger, exposed_s);
  MEMBER(plait_ledger, overhead_s);
  MEMBER(plait_ledger, idle_s);
  MEMBER(plait_ledger, wall_s);
  END;
  STRUCT(plait_operation);
  MEMBER(plait_operation, combination);
  MEMBER(plait_operation, type);
  MEMBER(plait_operation, function);
  MEMBER(plait_operation, element_bytes);
  MEMBER(plait_operation, argument);
  END;
  STRUCT(plait_collective);
  MEMBER(plait_collective, struct_size);
  MEMBER(plait_collective, among);
  MEMBER(plait_collective, algorithm);
  MEMBER(plait_collective, fragment_bytes);
  MEMBER(plait_collective, keeps_order);
  MEMBER(plait_collective, back_end);
  END;
  STRUCT(plait_block);
  MEMBER(plait_block, count);
  MEMBER(plait_block, displacement);
  END;
  STRUCT(plait_neighbours);
  MEMBER(plait_neighbours, sources);
  MEMBER(plait_neighbours, destinations);
  MEMBER(plait_neighbours, source_count);
  MEMBER(plait_neighbours, destination_count);
  END;
  STRUCT(plait_array_block);
  MEMBER(plait_array_block, first);
  MEMBER(plait_array_block, cells);
  MEMBER(plait_array_block, stride);
  MEMBER(plait_array_block, begin);
  END;
  STRUCT(plait_array);
  MEMBER(plait_array, struct_size);
  MEMBER(plait_array, axes);
  MEMBER(plait_array, block_count);
  MEMBER(plait_array, blocks);
  MEMBER(plait_array, element_bytes);
  MEMBER(plait_array, cells);
  MEMBER(plait_array, ghosts);
  MEMBER(plait_array, periodic);
  END;
  STRUCT(plait_ghost_options);
  MEMBER(plait_ghost_options, struct_size);
  MEMBER(plait_ghost_options, name);
  MEMBER(plait_ghost_options, corners);
  MEMBER(plait_ghost_options, boundary);
  MEMBER(plait_ghost_options, value);
  MEMBER(plait_ghost_options, message_a_box);
  MEMBER(plait_ghost_options, reserved);
  END;
  STRUCT(plait_window_options);
  MEMBER(plait_window_options, struct_size);
  MEMBER(plait_window_options, flags);
  MEMBER(plait_window_options, carrier);
  END;
  return 0;
}
