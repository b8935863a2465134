! SPDX-License-Identifier: BSD-3-Clause
! The program heat.f90 on a grid of blocks, with ghosts on all four sides.  plait_ghosts plans the messages once, from
! where each block lies in the plate.  Rows, whose elements lie apart, are sent as they are.
module tile_tasks
  use, intrinsic :: iso_c_binding
  implicit none
  type, bind(C) :: tile  ! cells of a block, counted from its first ghost
    type(c_ptr) :: from, to
    integer(c_int) :: extent(2), low(2), high(2)
  end type
contains
  recursive integer(c_int) function relax(argument) bind(C) result(code)
    type(c_ptr), value :: argument
    type(tile), pointer :: t
    real(c_double), pointer :: u(:, :), v(:, :)
    integer :: i, j
    call c_f_pointer(argument, t)
    call c_f_pointer(t%from, u, t%extent)
    call c_f_pointer(t%to, v, t%extent)
    do j = t%low(2), t%high(2)
      do i = t%low(1), t%high(1)
        v(i, j) = 0.25d0*(u(i, j - 1) + u(i, j + 1) + u(i - 1, j) + u(i + 1, j))
      end do
    end do
    code = 0
  end function
end module

program heat_blocks
  use mpi
  use plait
  use tile_tasks
  implicit none
  integer, parameter :: plate(2) = [120, 200], steps = 100, largest(2) = [24, 40]
  real(c_double), allocatable, target, asynchronous :: u(:, :), v(:, :)
  integer(c_int64_t), target :: mine, all
  integer :: rank, ranks, provided, ierr, grid(2), place(2), first(2), cells(2), low(2), high(2)
  type(plait_runtime) :: rt
  type(plait_mover) :: ghosts_of_u, ghosts_of_v
  type(plait_graph) :: there_and_back

  call plait_prepare()
  call MPI_Init_thread(MPI_THREAD_SERIALIZED, provided, ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  grid = 0
  call MPI_Dims_create(ranks, 2, grid, ierr)
  call plait_init(MPI_COMM_WORLD, rt)
  place = [mod(rank, grid(1)), rank/grid(1)]
  first = 1 + plate*place/grid  ! this rank's block, in cells of the plate
  cells = plate*(place + 1)/grid - plate*place/grid
  allocate (u(0:cells(1) + 1, 0:cells(2) + 1))
  u = 0
  if (first(1) == 1) u(0, :) = 1  ! the wall
  v = u
  call plait_ghosts(rt, 'ghosts', u, first, plate, [1, 1], ghosts_of_u)
  call plait_ghosts(rt, 'ghosts', v, first, plate, [1, 1], ghosts_of_v)

  ! The first and the last column of the plate stay cold.
  low = [1, merge(2, 1, first(2) == 1)]
  high = [cells(1), merge(cells(2) - 1, cells(2), first(2) + cells(2) - 1 == plate(2))]
  call plait_record_begin(rt)
  call step(u, v, ghosts_of_u)
  call step(v, u, ghosts_of_v)
  call plait_record_end(rt, there_and_back)
  call plait_replay(rt, there_and_back, steps/2)
  call plait_graph_free(there_and_back)  ! waits

  mine = sum(int(1d6*u(1:cells(1), 1:cells(2)), c_int64_t))
  call plait_reduce(rt, 'heat', mine, all, plait_sum, 0)
  call plait_wait(rt)
  if (rank == 0) print '(a, i0, a)', 'heat in the plate: ', all, ' millionths'
  call plait_mover_free(ghosts_of_u)
  call plait_mover_free(ghosts_of_v)
  call plait_finalize(rt)
  call MPI_Finalize(ierr)

contains

  subroutine step(u, v, ghosts)
    real(c_double), intent(inout), target, asynchronous :: u(0:, 0:), v(0:, 0:)
    type(plait_mover), intent(in) :: ghosts
    integer :: i, j, a(2), b(2)
    call plait_move(rt, ghosts)  ! returns at once
    do j = low(2), high(2), largest(2)
      do i = low(1), high(1), largest(1)
        a = [i, j]
        b = min(a + largest - 1, high)
        call plait_task(rt, 'relax', relax, tile(c_loc(u), c_loc(v), shape(u), a + 1, b + 1), &
                        [plait_in(u(a(1) - 1:b(1) + 1, a(2) - 1:b(2) + 1)), plait_out(v(a(1):b(1), a(2):b(2)))])
      end do
    end do
  end subroutine
end program
