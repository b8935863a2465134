! SPDX-License-Identifier: BSD-3-Clause
program steps
  use mpi
  use plait_regions
  implicit none
  integer, parameter :: cells = 2**18
  double precision :: field(cells), total
  integer :: step, error

  call MPI_Init(error)
  field = 1
  do step = 1, 50
    call plait_region_begin("step")
    call plait_region_begin("compute")
    field(2:cells - 1) = 0.5 * field(2:cells - 1) + 0.25 * (field(1:cells - 2) + field(3:cells))
    call plait_region_end("compute")
    call plait_region_begin("sum")
    call MPI_Allreduce(sum(field), total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
    call plait_region_end("sum")
    call plait_region_end("step")
  end do
  call MPI_Finalize(error)
end program
