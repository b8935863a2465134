! SPDX-License-Identifier: BSD-3-Clause
! Everything that module plait can do, done right: a halo exchange against its twin of MPI_Isend and subarrays, sections
! of rank 1 to 5, variables that tasks write, collective operations, windows, graphs.  USE_F08: with mpi_f08.
module work_tasks
  use, intrinsic :: iso_c_binding
  implicit none
  type, bind(C) :: tile
    type(c_ptr) :: u, v
    integer(c_int) :: nx, ny, i1, i2, j1, j2
  end type
  type, bind(C) :: sum_of
    type(c_ptr) :: x, total
    integer(c_int) :: n
  end type
contains
  recursive integer(c_int) function relax(argument) bind(C) result(code)
    type(c_ptr), value :: argument
    type(tile), pointer :: t
    real(c_double), pointer :: u(:, :), v(:, :)
    call c_f_pointer(argument, t)
    call c_f_pointer(t%u, u, [t%nx + 2, t%ny + 2])
    call c_f_pointer(t%v, v, [t%nx + 2, t%ny + 2])
    call five_points(u, v, t%i1, t%i2, t%j1, t%j2)
    code = 0
  end function
  recursive subroutine five_points(u, v, i1, i2, j1, j2)
    real(c_double), intent(in) :: u(:, :)
    real(c_double), intent(inout) :: v(:, :)
    integer, intent(in) :: i1, i2, j1, j2
    integer :: i, j
    do j = j1, j2
      do i = i1, i2
        v(i, j) = 0.25d0*(u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1))
      end do
    end do
  end subroutine
  recursive integer(c_int) function add_up(argument) bind(C) result(code)
    type(c_ptr), value :: argument
    type(sum_of), pointer :: s
    real(c_double), pointer :: x(:), total
    call c_f_pointer(argument, s)
    call c_f_pointer(s%x, x, [s%n])
    call c_f_pointer(s%total, total)
    total = sum(x)
    code = 0
  end function
end module

program work
#ifdef USE_F08
  use mpi_f08
#else
  use mpi
#endif
  use, intrinsic :: iso_c_binding
  use plait
  use work_tasks
  implicit none
  type(plait_runtime) :: rt
  type(plait_options) :: options
  integer :: provided, rank, ranks, world, right, left, code

  call plait_prepare()
  call MPI_Init_thread(MPI_THREAD_SERIALIZED, provided, code)
#ifdef USE_F08
  world = MPI_COMM_WORLD%mpi_val
#else
  world = MPI_COMM_WORLD
#endif
  options%workers = 2
  call plait_init(world, rt, options)
  call plait_rank(rt, rank)
  call plait_size(rt, ranks)
  right = mod(rank + 1, ranks)
  left = mod(rank + ranks - 1, ranks)
  call test_halo(.false.)
  call test_halo(.true.)
  call test_sections()
  call test_written_variables()
  call test_collectives()
  call test_windows()
  call test_communicators()
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

  ! Columns of a grid on each rank; the neighbours' rows are strided.
  subroutine test_halo(recorded)
    logical, intent(in) :: recorded
    integer, parameter :: nx = 9, ny = 14, steps = 6
    real(c_double), target, allocatable :: u(:, :), v(:, :), theirs(:, :), next(:, :)
    type(plait_graph) :: graph
    integer :: west, east, i, j, step
    west = merge(rank - 1, MPI_PROC_NULL, rank > 0)
    east = merge(rank + 1, MPI_PROC_NULL, rank + 1 < ranks)
    allocate (u(nx + 2, ny + 2), theirs(nx + 2, ny + 2))
    do j = 1, ny + 2
      do i = 1, nx + 2
        u(i, j) = sin(real(i + rank*nx, c_double)) + cos(real(3*j, c_double))
      end do
    end do
    if (rank > 0) u(1, :) = 0
    if (rank + 1 < ranks) u(nx + 2, :) = 0
    v = u
    theirs = u
    next = u
    do step = 1, steps
      call exchange_by_mpi(theirs, west, east)
      call five_points(theirs, next, 2, nx + 1, 2, ny + 1)
      theirs(2:nx + 1, 2:ny + 1) = next(2:nx + 1, 2:ny + 1)
    end do
    if (recorded) then
      call plait_record_begin(rt)
      call step_by_plait(u, v, west, east)
      call step_by_plait(v, u, west, east)
      call plait_record_end(rt, graph)
      call plait_replay(rt, graph, steps/2)
      call plait_graph_free(graph)
    else
      do step = 1, steps/2
        call step_by_plait(u, v, west, east)
        call step_by_plait(v, u, west, east)
      end do
    end if
    call plait_wait(rt)
    call expect(all(u(2:nx + 1, 2:ny + 1) == theirs(2:nx + 1, 2:ny + 1)), 'halo')
  end subroutine

  subroutine step_by_plait(u, v, west, east)
    real(c_double), intent(inout), target, asynchronous :: u(:, :), v(:, :)
    integer, intent(in) :: west, east
    integer :: nx, ny, j
    nx = size(u, 1) - 2
    ny = size(u, 2) - 2
    call plait_recv(rt, 'west', u(1, 2:ny + 1), west, 0)
    call plait_recv(rt, 'east', u(nx + 2, 2:ny + 1), east, 1)
    call plait_send(rt, 'to west', u(2, 2:ny + 1), west, 1)
    call plait_send(rt, 'to east', u(nx + 1, 2:ny + 1), east, 0)
    do j = 2, ny + 1, 7
      call plait_task(rt, 'relax', relax, tile(c_loc(u), c_loc(v), nx, ny, 2, nx + 1, j, j + 6), &
                      [plait_in(u(1:nx + 2, j:j + 6)), plait_in(u(2:nx + 1, j - 1:j + 7)), &
                       plait_out(v(2:nx + 1, j:j + 6))])
    end do
  end subroutine

  subroutine exchange_by_mpi(u, west, east)
    real(c_double), intent(inout), asynchronous :: u(:, :)
    integer, intent(in) :: west, east
#ifdef USE_F08
    type(MPI_Datatype) :: rows(4)
    type(MPI_Request) :: requests(4)
#else
    integer :: rows(4), requests(4)
#endif
    integer :: k, nx, ny, at(4)
    nx = size(u, 1) - 2
    ny = size(u, 2) - 2
    at = [0, nx + 1, 1, nx]
    do k = 1, 4
      call MPI_Type_create_subarray(2, [nx + 2, ny + 2], [1, ny], [at(k), 1], MPI_ORDER_FORTRAN, &
                                    MPI_DOUBLE_PRECISION, rows(k), code)
      call MPI_Type_commit(rows(k), code)
    end do
    call plait_mpi_begin(rt)
    call MPI_Irecv(u, 1, rows(1), west, 7, MPI_COMM_WORLD, requests(1), code)
    call MPI_Irecv(u, 1, rows(2), east, 8, MPI_COMM_WORLD, requests(2), code)
    call MPI_Isend(u, 1, rows(3), west, 8, MPI_COMM_WORLD, requests(3), code)
    call MPI_Isend(u, 1, rows(4), east, 7, MPI_COMM_WORLD, requests(4), code)
    call MPI_Waitall(4, requests, MPI_STATUSES_IGNORE, code)
    call plait_mpi_end(rt)
    do k = 1, 4
      call MPI_Type_free(rows(k), code)
    end do
  end subroutine

  ! What left the left neighbour in a section arrives in another section.
  subroutine test_sections()
    type :: pair
      real(c_double) :: x, y
    end type
    integer, target :: a(6, 5, 4, 3, 2), b(6, 5, 4, 3, 2), mine(6, 5, 4, 3, 2), got(720), flat(720)
    integer, pointer :: every_other(:)
    type(pair), target :: pairs(9)
    real(c_double), target :: xs(9)
    character(len=5), target :: words(3), other_words(3)
    integer :: k, lo(5), hi(5), st(5), n
    real :: drawn(15)
    flat = [(k, k=1, 720)]
    mine = reshape(flat, shape(mine))
    do k = 1, 40
      call random_number(drawn)
      lo = 1 + int(drawn(1:5)*[6, 5, 4, 3, 2])
      hi = 1 + int(drawn(6:10)*[6, 5, 4, 3, 2])
      st = 1 + int(drawn(11:15)*3)
      where (hi < lo) st = -st
      if (hi(1) < lo(1)) lo(1:1) = hi(1:1)  ! the elements of rows lie side by side
      st(1) = 1
      call MPI_Bcast(lo, 5, MPI_INTEGER, 0, MPI_COMM_WORLD, code)
      call MPI_Bcast(hi, 5, MPI_INTEGER, 0, MPI_COMM_WORLD, code)
      call MPI_Bcast(st, 5, MPI_INTEGER, 0, MPI_COMM_WORLD, code)
      a = mine + 1000*rank
      b = -1
      got = -1
      n = size(a(lo(1):hi(1):st(1), lo(2):hi(2):st(2), lo(3):hi(3):st(3), lo(4):hi(4):st(4), lo(5):hi(5):st(5)))
      call plait_send(rt, 'there', a(lo(1):hi(1):st(1), lo(2):hi(2):st(2), lo(3):hi(3):st(3), lo(4):hi(4):st(4), &
                                     lo(5):hi(5):st(5)), right, 3)
      call plait_recv(rt, 'there', got(1:n), left, 3)
      call plait_send(rt, 'back', got(1:n), left, 4)
      call plait_recv(rt, 'back', b(lo(1):hi(1):st(1), lo(2):hi(2):st(2), lo(3):hi(3):st(3), lo(4):hi(4):st(4), &
                                    lo(5):hi(5):st(5)), right, 4)
      call plait_wait(rt)
      call expect(all(b(lo(1):hi(1):st(1), lo(2):hi(2):st(2), lo(3):hi(3):st(3), lo(4):hi(4):st(4), lo(5):hi(5):st(5)) &
                      == a(lo(1):hi(1):st(1), lo(2):hi(2):st(2), lo(3):hi(3):st(3), lo(4):hi(4):st(4), &
                           lo(5):hi(5):st(5))), 'sections of rank 5')
      call expect(count(b /= -1) == n, 'nothing beside the section')
    end do
    every_other => flat(1:19:2)
    got = -1
    call plait_send(rt, 'pointer', every_other, right, 5)
    call plait_recv(rt, 'pointer', got(10:1:-1), left, 5)
    pairs%x = [(real(rank + k, c_double), k=1, 9)]
    pairs%y = -1
    call plait_send(rt, 'component', pairs%x, right, 6)
    call plait_recv(rt, 'component', xs, left, 6)
    words = ['one  ', 'two  ', 'three']
    words(2) (5:5) = achar(iachar('a') + rank)
    call plait_send(rt, 'words', words, right, 8)
    call plait_recv(rt, 'words', other_words, left, 8)
    call plait_wait(rt)
    call expect(all(got(10:1:-1) == [(k, k=1, 19, 2)]), 'pointer')
    call expect(all(xs == [(real(left + k, c_double), k=1, 9)]), 'component')
    call expect(other_words(2) == 'two '//achar(iachar('a') + left) .and. other_words(3) == 'three', 'words')
  end subroutine

  ! A variable that a task writes has the new value after plait_wait, however the compiler optimises.
  subroutine test_written_variables()
    real(c_double), target :: x(50), total, from_left
    type(plait_event) :: done
    integer :: k
    do k = 1, 5
      x = k
      total = -1
      from_left = -2
      call plait_task(rt, 'add up', add_up, sum_of(c_loc(x), c_loc(total), 50), [plait_in(x), plait_out(total)], &
                      priority=plait_high)
      call plait_send(rt, 'total', total, right, 9)
      call plait_recv(rt, 'total', from_left, left, 9)
      call plait_wait(rt)
      call expect(total == 50*k .and. from_left == 50*k, 'a variable that a task and a message wrote')
      total = 0
      call plait_task(rt, 'again', add_up, sum_of(c_loc(x), c_loc(total), 25), [plait_in(x), plait_out(total)])
      call plait_wait_on(rt, total)
      call expect(total == 25*k, 'a variable that was waited for')
      total = 0
      call plait_task(rt, 'event', add_up, sum_of(c_loc(x), c_loc(total), 10), [plait_in(x), plait_out(total)], event=done)
      call plait_event_wait(done)
      call expect(total == 10*k, 'an event')
    end do
  end subroutine

  subroutine test_collectives()
    integer(c_int64_t), target :: one, all_of, x(3), y(3), parts(3, 16), others(3, 16)
    real(c_double), target :: matrix(4, 5), column(5)
    complex(c_double), target :: z, w
    integer :: k, r
    one = rank + 1
    call plait_allreduce(rt, 'sum', one, all_of, plait_sum)
    z = (0d0, 1d0)
    call plait_allreduce(rt, 'power', z, w, plait_product)
    matrix = rank
    call plait_allreduce(rt, 'row', matrix(2, :), column, plait_max)
    call plait_wait(rt)
    call expect(all_of == ranks*(ranks + 1)/2, 'allreduce')
    call expect(w == (0d0, 1d0)**ranks, 'product of complex numbers')
    call expect(all(column == ranks - 1), 'allreduce of a row')
    x = [1, 2, 3] + 10*rank
    call plait_allreduce_in_place(rt, 'least', x, plait_min)
    call plait_wait(rt)
    call expect(all(x == [1, 2, 3]), 'allreduce in place')
    x = rank + 1
    call plait_scan(rt, 'prefix', x, y, plait_sum)
    call plait_wait(rt)
    call expect(all(y == (rank + 1)*(rank + 2)/2), 'scan')
    y = 0
    call plait_exscan(rt, 'exclusive', x, y, plait_sum)
    call plait_wait(rt)
    call expect(all(y == rank*(rank + 1)/2), 'exscan')
    call plait_reduce(rt, 'to the last', x, y, plait_sum, ranks - 1)
    call plait_wait(rt)
    if (rank == ranks - 1) call expect(all(y == ranks*(ranks + 1)/2), 'reduce')
    x = rank*100 + [1, 2, 3]
    call plait_allgather(rt, 'all', x, parts(:, 1:ranks))
    call plait_gather(rt, 'to 0', x, others(:, 1:ranks), 0)
    call plait_wait(rt)
    do r = 1, ranks
      call expect(all(parts(:, r) == (r - 1)*100 + [1, 2, 3]), 'allgather')
      if (rank == 0) call expect(all(others(:, r) == parts(:, r)), 'gather')
    end do
    do r = 1, ranks
      parts(:, r) = [(rank*10000 + (r - 1)*100 + k, k=1, 3)]
    end do
    call plait_alltoall(rt, 'each to each', parts(:, 1:ranks), others(:, 1:ranks))
    call plait_scatter(rt, 'from 0', parts(:, 1:ranks), y, 0)
    call plait_wait(rt)
    do r = 1, ranks
      call expect(all(others(:, r) == [((r - 1)*10000 + rank*100 + k, k=1, 3)]), 'alltoall')
    end do
    call expect(all(y == [(rank*100 + k, k=1, 3)]), 'scatter')
    x = rank
    call plait_bcast(rt, 'from the last', x, ranks - 1)
    call plait_barrier(rt, 'all', x)
    call plait_wait(rt)
    call expect(all(x == ranks - 1), 'bcast')
  end subroutine

  subroutine test_windows()
    real(c_double), target :: memory(4), x(2), y(2), done
    type(plait_window) :: window
    memory = -1
    done = 0
    call plait_window_create(rt, memory, window)
    x = [rank, 10*rank]
    call plait_put(rt, 'edge', x, window, right, 16_c_size_t, flag=0)
    call plait_await_signal(rt, 'edge', window, left, 0, memory(3:4))
    call plait_wait(rt)
    call expect(all(memory == [-1d0, -1d0, real(left, c_double), 10d0*left]), 'put with a signal')
    call plait_get(rt, 'theirs', window, right, 16_c_size_t, y)
    call plait_signal(rt, 'read', window, right, 1, [plait_inout(y)])
    call plait_await_signal(rt, 'read', window, left, 1, done)
    call plait_wait(rt)
    call expect(all(y == x), 'get')
    call plait_window_free(window)
  end subroutine

  subroutine test_communicators()
    type(plait_comm) :: all_again, parity
    integer(c_int), target :: x, y
    call plait_adopt(rt, world, 'all again', all_again)
    call plait_split(rt, 'parity', mod(rank, 2), rank, parity, whole=all_again)
    x = 1
    call plait_allreduce(rt, 'count', x, y, plait_sum, among=parity)
    call plait_wait(rt)
    call expect(y == (ranks + 1 - mod(rank, 2))/2, 'split')
  end subroutine
end program
