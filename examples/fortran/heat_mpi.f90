! SPDX-License-Identifier: BSD-3-Clause
! A hot wall beside a cold plate, in bands of rows: plain MPI, as many programs are.  A band's edge is a row of a Fortran
! array, whose elements lie apart.
program heat_mpi
  use mpi
  use, intrinsic :: iso_fortran_env, only: int64
  implicit none
  integer, parameter :: height = 120, width = 200, steps = 100
  real(8), allocatable :: u(:, :), v(:, :), edge(:, :), ghost(:, :)
  integer :: rank, ranks, rows, up, down, step, j, requests(4), ierr
  integer(int64) :: mine, all

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  rows = height*(rank + 1)/ranks - height*rank/ranks
  up = merge(rank - 1, MPI_PROC_NULL, rank > 0)
  down = merge(rank + 1, MPI_PROC_NULL, rank + 1 < ranks)
  allocate (u(0:rows + 1, width), edge(width, 2), ghost(width, 2))  ! rows 0 and rows + 1 are ghosts
  u = 0
  if (rank == 0) u(0, :) = 1
  v = u
  ghost(:, 1) = u(0, :)
  ghost(:, 2) = 0

  do step = 1, steps
    edge(:, 1) = u(1, :)
    edge(:, 2) = u(rows, :)
    call MPI_Irecv(ghost(:, 1), width, MPI_DOUBLE_PRECISION, up, 0, MPI_COMM_WORLD, requests(1), ierr)
    call MPI_Irecv(ghost(:, 2), width, MPI_DOUBLE_PRECISION, down, 1, MPI_COMM_WORLD, requests(2), ierr)
    call MPI_Isend(edge(:, 1), width, MPI_DOUBLE_PRECISION, up, 1, MPI_COMM_WORLD, requests(3), ierr)
    call MPI_Isend(edge(:, 2), width, MPI_DOUBLE_PRECISION, down, 0, MPI_COMM_WORLD, requests(4), ierr)
    call MPI_Waitall(4, requests, MPI_STATUSES_IGNORE, ierr)
    u(0, :) = ghost(:, 1)
    u(rows + 1, :) = ghost(:, 2)
    do j = 2, width - 1
      v(1:rows, j) = 0.25d0*(u(1:rows, j - 1) + u(1:rows, j + 1) + u(0:rows - 1, j) + u(2:rows + 1, j))
    end do
    u(1:rows, :) = v(1:rows, :)
  end do

  mine = sum(int(1d6*u(1:rows, :), int64))
  call MPI_Reduce(mine, all, 1, MPI_INTEGER8, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
  if (rank == 0) print '(a, i0, a)', 'heat in the plate: ', all, ' millionths'
  call MPI_Finalize(ierr)
end program
