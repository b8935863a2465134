! SPDX-License-Identifier: BSD-3-Clause
! The program heat_mpi.f90 with plait.  A row is sent as it lies in the array: no copy of the program's own, no derived
! type.  The columns inside are computed while rows are on their way.
module heat_tasks
  use, intrinsic :: iso_c_binding
  implicit none
  type, bind(C) :: piece  ! a task's argument, which the task copies
    type(c_ptr) :: from, to
    integer(c_int) :: rows, width, i1, i2
  end type
contains
  recursive integer(c_int) function relax(argument) bind(C) result(code)
    type(c_ptr), value :: argument
    type(piece), pointer :: p
    real(c_double), pointer :: u(:, :), v(:, :)
    integer :: j
    call c_f_pointer(argument, p)
    call c_f_pointer(p%from, u, [p%rows + 2, p%width])
    call c_f_pointer(p%to, v, [p%rows + 2, p%width])
    do j = 2, p%width - 1
      v(p%i1:p%i2, j) = 0.25d0*(u(p%i1:p%i2, j - 1) + u(p%i1:p%i2, j + 1) &
                                + u(p%i1 - 1:p%i2 - 1, j) + u(p%i1 + 1:p%i2 + 1, j))
    end do
    code = 0  ! another value fails the task, and the next plait_wait says so
  end function
end module

program heat
  use mpi
  use plait
  use heat_tasks
  implicit none
  integer, parameter :: height = 120, width = 200, steps = 100, rows_of_a_task = 8
  real(c_double), allocatable, target, asynchronous :: u(:, :), v(:, :)
  integer(c_int64_t), target :: mine, all
  integer :: rank, ranks, rows, up, down, provided, ierr
  type(plait_runtime) :: rt
  type(plait_graph) :: there_and_back

  call plait_prepare()
  call MPI_Init_thread(MPI_THREAD_SERIALIZED, provided, ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  call plait_init(MPI_COMM_WORLD, rt)  ! without ierr an error ends the job with its text
  rows = height*(rank + 1)/ranks - height*rank/ranks
  up = merge(rank - 1, MPI_PROC_NULL, rank > 0)
  down = merge(rank + 1, MPI_PROC_NULL, rank + 1 < ranks)
  allocate (u(rows + 2, width), v(rows + 2, width))  ! the first and the last row are ghosts
  u = 0
  if (rank == 0) u(1, :) = 1
  v = u

  call plait_record_begin(rt)  ! kept, not run: two steps
  call step(u, v)
  call step(v, u)
  call plait_record_end(rt, there_and_back)
  call plait_replay(rt, there_and_back, steps/2)
  call plait_graph_free(there_and_back)  ! waits

  mine = sum(int(1d6*u(2:rows + 1, :), c_int64_t))
  call plait_reduce(rt, 'heat', mine, all, plait_sum, 0)
  call plait_wait(rt)
  if (rank == 0) print '(a, i0, a)', 'heat in the plate: ', all, ' millionths'
  call plait_finalize(rt)
  call MPI_Finalize(ierr)

contains

  subroutine step(u, v)
    real(c_double), intent(inout), target, asynchronous :: u(:, :), v(:, :)
    integer :: i, last
    call plait_recv(rt, 'ghost', u(1, :), up, 0)
    call plait_recv(rt, 'ghost', u(rows + 2, :), down, 1)
    call plait_send(rt, 'edge', u(2, :), up, 1)
    call plait_send(rt, 'edge', u(rows + 1, :), down, 0)
    do i = 2, rows + 1, rows_of_a_task
      last = min(i + rows_of_a_task - 1, rows + 1)
      call plait_task(rt, 'relax', relax, piece(c_loc(u), c_loc(v), rows, width, i, last), &
                      [plait_in(u(i - 1:last + 1, :)), plait_out(v(i:last, 2:width - 1))])
    end do
  end subroutine
end program
