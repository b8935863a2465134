! SPDX-License-Identifier: BSD-3-Clause
! Three-dimensional arrays with halos as they lie in memory: every bit of them is that of a twin whose faces travel by
! MPI_Isend and subarrays; and redistributions.  USE_F08: with mpi_f08.
module array_tasks
  use, intrinsic :: iso_c_binding
  implicit none
  type, bind(C) :: block
    type(c_ptr) :: u
    integer(c_int) :: extent(3), ghosts(3)
  end type
contains
  recursive integer(c_int) function relax(argument) bind(C) result(code)
    type(c_ptr), value :: argument
    type(block), pointer :: b
    real(c_double), pointer :: u(:, :, :)
    call c_f_pointer(argument, b)
    call c_f_pointer(b%u, u, b%extent)
    call seven_points(u, b%ghosts)
    code = 0
  end function
  ! In place, so that the order counts.
  recursive subroutine seven_points(u, ghosts)
    real(c_double), intent(inout) :: u(:, :, :)
    integer(c_int), intent(in) :: ghosts(3)
    integer :: i, j, k
    do k = 1 + ghosts(3), size(u, 3) - ghosts(3)
      do j = 1 + ghosts(2), size(u, 2) - ghosts(2)
        do i = 1 + ghosts(1), size(u, 1) - ghosts(1)
          u(i, j, k) = 0.4d0*u(i, j, k) + 0.1d0*(u(i - 1, j, k) + u(i + 1, j, k)) &
                       + 0.1d0*(u(i, j - 1, k) + u(i, j + 1, k)) + 0.1d0*(u(i, j, k - 1) + u(i, j, k + 1))
        end do
      end do
    end do
  end subroutine
end module

program arrays
#ifdef USE_F08
  use mpi_f08
#else
  use mpi
#endif
  use, intrinsic :: iso_c_binding
  use plait
  use array_tasks
  implicit none
  integer, parameter :: steps = 4
  type(plait_runtime) :: rt
  integer :: provided, rank, ranks, world, code

  call plait_prepare()
  call MPI_Init_thread(MPI_THREAD_SERIALIZED, provided, code)
#ifdef USE_F08
  world = MPI_COMM_WORLD%mpi_val
#else
  world = MPI_COMM_WORLD
#endif
  call plait_init(world, rt)
  call plait_rank(rt, rank)
  call plait_size(rt, ranks)
  call test_halo([13, 11, 9], [1, 1, 1], [0, 0, 0], 0, .false.)
  call test_halo([9, 11, 16], [1, 2, 1], [0, 1, 0], 0, .true.)
  call test_halo([16, 10, 12], [2, 1, 1], [1, 1, 1], 1, .false.)
  call test_halo([14, 14, 14], [1, 1, 2], [1, 1, 1], 1, .true.)
  call test_boundary()
  call test_components()
  call test_redistribution()
  call plait_finalize(rt)
  call MPI_Finalize(code)
  if (rank == 0) print '(a)', 'all is well'

contains

  subroutine expect(right_one, what)
    logical, intent(in) :: right_one
    character(len=*), intent(in) :: what
    if (right_one) return
    print '(a, i0, 2a)', 'rank ', rank, ': wrong: ', what
    call plait_abort(rt, what)
  end subroutine

  ! The first cell and the number of cells of this rank's block.
  subroutine divide(cells, place, grid, first, own)
    integer, intent(in) :: cells(3)
    integer, intent(out) :: place(3), grid(3), first(3), own(3)
    grid = 0
    call MPI_Dims_create(ranks, 3, grid, code)
    place = [mod(rank, grid(1)), mod(rank/grid(1), grid(2)), rank/(grid(1)*grid(2))]
    first = 1 + cells*place/grid
    own = cells*(place + 1)/grid - cells*place/grid
  end subroutine

  subroutine test_halo(cells, ghosts, periodic, corners, recorded)
    integer, intent(in) :: cells(3), ghosts(3), periodic(3), corners
    logical, intent(in) :: recorded
    real(c_double), allocatable, target, asynchronous :: u(:, :, :)
    real(c_double), allocatable :: theirs(:, :, :)
    integer :: place(3), grid(3), first(3), own(3), low(3), high(3), i, j, k, step
    type(plait_mover) :: mover
    type(plait_graph) :: graph
    call divide(cells, place, grid, first, own)
    low = first - ghosts  ! bounds are those of the whole array, and do not matter
    high = first + own - 1 + ghosts
    allocate (u(low(1):high(1), low(2):high(2), low(3):high(3)))
    do k = low(3), high(3)
      do j = low(2), high(2)
        do i = low(1), high(1)
          u(i, j, k) = sin(real(i, c_double)) + cos(real(3*j, c_double)) + sin(real(7*k + rank, c_double))
        end do
      end do
    end do
    theirs = u
    do step = 1, steps
      call exchange_by_mpi(theirs, shape(theirs), own, ghosts, place, grid, periodic, corners)
      call seven_points(theirs, ghosts)
    end do
    call plait_ghosts(rt, 'halo', u, first, cells, ghosts, mover, periodic=periodic, corners=corners)
    if (recorded) then
      call plait_record_begin(rt)
      call move_and_relax(u, ghosts, mover)
      call plait_record_end(rt, graph)
      call plait_mover_free(mover)
      call plait_replay(rt, graph, steps)
      call plait_graph_free(graph)
    else
      do step = 1, steps
        call move_and_relax(u, ghosts, mover)
      end do
      call plait_mover_free(mover)
    end if
    call plait_wait(rt)
    call expect(all(transfer(u, [0_c_int64_t]) == transfer(theirs, [0_c_int64_t])), 'bits of the halo and its twin')
  end subroutine

  subroutine move_and_relax(u, ghosts, mover)
    real(c_double), intent(inout), target, asynchronous :: u(:, :, :)
    integer, intent(in) :: ghosts(3)
    type(plait_mover), intent(in) :: mover
    call plait_move(rt, mover)
    call plait_task(rt, 'relax', relax, block(c_loc(u), shape(u), ghosts), [plait_inout(u)])
  end subroutine

  ! One axis after the other; with corners each sends what the axes before have brought.
  subroutine exchange_by_mpi(u, extent, own, ghosts, place, grid, periodic, corners)
    integer, intent(in) :: extent(3), own(3), ghosts(3), place(3), grid(3), periodic(3), corners
    real(c_double), intent(inout), asynchronous :: u(extent(1), extent(2), extent(3))
#ifdef USE_F08
    type(MPI_Datatype) :: slabs(4)
    type(MPI_Request) :: requests(4)
#else
    integer :: slabs(4), requests(4)
#endif
    integer :: a, k, below, above, at(4), size_of(3), start(3), there(3)
    call plait_mpi_begin(rt)
    do a = 1, 3
      there = place
      there(a) = modulo(place(a) - 1, grid(a))
      below = merge(rank_at(there, grid), MPI_PROC_NULL, place(a) > 0 .or. periodic(a) /= 0)
      there(a) = modulo(place(a) + 1, grid(a))
      above = merge(rank_at(there, grid), MPI_PROC_NULL, place(a) + 1 < grid(a) .or. periodic(a) /= 0)
      at = [0, ghosts(a) + own(a), ghosts(a), own(a)]  ! both ghosts, and both edges
      do k = 1, 4
        size_of = own
        start = ghosts
        if (corners /= 0) then
          size_of(1:a) = extent(1:a)
          start(1:a) = 0
        end if
        size_of(a) = ghosts(a)
        start(a) = at(k)
        call MPI_Type_create_subarray(3, extent, size_of, start, MPI_ORDER_FORTRAN, MPI_DOUBLE_PRECISION, slabs(k), code)
        call MPI_Type_commit(slabs(k), code)
      end do
      call MPI_Irecv(u, 1, slabs(1), below, 7, MPI_COMM_WORLD, requests(1), code)
      call MPI_Irecv(u, 1, slabs(2), above, 8, MPI_COMM_WORLD, requests(2), code)
      call MPI_Isend(u, 1, slabs(3), below, 8, MPI_COMM_WORLD, requests(3), code)
      call MPI_Isend(u, 1, slabs(4), above, 7, MPI_COMM_WORLD, requests(4), code)
      call MPI_Waitall(4, requests, MPI_STATUSES_IGNORE, code)
      do k = 1, 4
        call MPI_Type_free(slabs(k), code)
      end do
    end do
    call plait_mpi_end(rt)
  end subroutine

  integer function rank_at(place, grid)
    integer, intent(in) :: place(3), grid(3)
    rank_at = place(1) + grid(1)*(place(2) + grid(2)*place(3))
  end function

  ! The ends of a line that the last rank has no part of; every other element of an array.
  subroutine test_boundary()
    integer(c_int), target, asynchronous :: memory(2, 0:7)
    integer(c_int), allocatable, target, asynchronous :: nothing(:)
    integer :: i, owners, first
    type(plait_mover) :: mover
    owners = max(ranks - 1, 1)
    allocate (nothing(0))
    memory = -7
    first = 1 + 6*rank
    memory(1, 1:6) = [(i, i=first, first + 5)]
    if (rank < owners) then
      call plait_ghosts(rt, 'ends', memory(1, :), [first], [6*owners], [1], mover, nearest=1)
    else
      call plait_ghosts(rt, 'ends', nothing, [1], [6*owners], [1], mover, nearest=1)
    end if
    call plait_move(rt, mover)
    call plait_wait(rt)
    if (rank < owners) then
      call expect(all(memory(1, :) == [max(first - 1, 1), memory(1, 1:6), min(first + 6, 6*owners)]), 'nearest')
    end if
    call plait_mover_free(mover)
    if (rank < owners) then
      call plait_ghosts(rt, 'ends', memory(1, :), [first], [6*owners], [1], mover, value=42_c_int)
    else
      call plait_ghosts(rt, 'ends', nothing, [1], [6*owners], [1], mover, value=42_c_int)
    end if
    call plait_move(rt, mover)
    call plait_wait(rt)
    if (rank == 0) call expect(memory(1, 0) == 42, 'value at the low end')
    if (rank == owners - 1) call expect(memory(1, 7) == 42, 'value at the high end')
    call expect(all(memory(2, :) == -7), 'what lies between')
    call plait_mover_free(mover)
  end subroutine

  ! Five numbers a cell, in the first dimension: it has no ghosts.
  subroutine test_components()
    integer, parameter :: nx = 4, ny = 3
    real(c_float), target, asynchronous :: u(5, 0:nx + 1, ny)
    integer :: i, j, m, from
    type(plait_mover) :: mover
    u = -1
    do j = 1, ny
      do i = 1, nx
        u(:, i, j) = [(real(m + 10*j + 100*(i + nx*rank), c_float), m=1, 5)]
      end do
    end do
    call plait_ghosts(rt, 'states', u, [1, 1 + nx*rank, 1], [5, nx*ranks, ny], [0, 1, 0], mover, periodic=[0, 1, 0])
    call plait_move(rt, mover)
    call plait_mover_free(mover)
    call plait_wait(rt)
    do j = 1, ny
      do i = 0, nx + 1
        from = 1 + modulo(i + nx*rank - 1, nx*ranks)
        call expect(all(u(:, i, j) == [(real(m + 10*j + 100*from, c_float), m=1, 5)]), 'states')
      end do
    end do
  end subroutine

  ! From bands of columns with ghosts to bands of rows without.
  subroutine test_redistribution()
    integer, parameter :: n = 15
    real(c_double), allocatable, target, asynchronous :: u(:, :), v(:, :)
    integer :: i, j, first, last
    type(plait_mover) :: mover
    first = 1 + n*rank/ranks
    last = n*(rank + 1)/ranks
    allocate (u(n, first - 1:last + 1), v(first:last, n))
    u = -1
    v = -1
    do j = first, last
      u(:, j) = [(real(i + 100*j, c_double), i=1, n)]
    end do
    call plait_redistribution(rt, 'turn', [n, n], u, [1, first], [0, 1], v, [first, 1], [0, 0], mover)
    call plait_move(rt, mover)
    call plait_mover_free(mover)
    call plait_wait(rt)
    do j = 1, n
      call expect(all(v(:, j) == [(real(i + 100*j, c_double), i=first, last)]), 'turned')
    end do
  end subroutine
end program
