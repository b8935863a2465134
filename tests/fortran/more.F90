! SPDX-License-Identifier: BSD-3-Clause
! Messages with counts, collective operations on parts of different sizes, in place and among neighbours, memory that
! plait finds, held tasks, resources and figures.  USE_F08: with mpi_f08.
module more_tasks
  use, intrinsic :: iso_c_binding
  use plait
  implicit none
  type, bind(C) :: counting
    type(c_ptr) :: count
    integer(c_int) :: rank
  end type
  type, bind(C) :: summing
    type(c_ptr) :: x
    type(plait_runtime) :: rt
    integer(c_int) :: comm
  end type
contains
  ! Says how many numbers will be sent.
  recursive integer(c_int) function decide(argument) bind(C) result(code)
    type(c_ptr), value :: argument
    type(counting), pointer :: c
    integer(c_size_t), pointer :: count
    call c_f_pointer(argument, c)
    call c_f_pointer(c%count, count)
    count = 2 + c%rank
    code = 0
  end function
  recursive integer(c_int) function double_it(argument, until) bind(C) result(code)
    type(c_ptr), value :: argument
    type(plait_hold), value :: until
    type(counting), pointer :: c
    integer(c_size_t), pointer :: count
    type(plait_hold) :: other
    call c_f_pointer(argument, c)
    call c_f_pointer(c%count, count)
    call plait_hold_another(until, other)
    count = 2*count
    call plait_hold_release(until)
    call plait_hold_release(other)
    code = 0
  end function
  recursive integer(c_int) function fail_it(argument, until) bind(C) result(code)
    type(c_ptr), value :: argument
    type(plait_hold), value :: until
    call plait_hold_fail(until, 'the disk is full')
    code = merge(0, 1, c_associated(argument))
  end function
end module

module summing_tasks
#ifdef USE_F08
  use mpi_f08
#else
  use mpi
#endif
  use, intrinsic :: iso_c_binding
  use plait
  use more_tasks
  implicit none
contains
  ! A collective operation of the program's own finishes the task.
  recursive integer(c_int) function sum_up(argument, until) bind(C) result(code)
    type(c_ptr), value :: argument
    type(plait_hold), value :: until
    type(summing), pointer :: s
    real(c_double), pointer, asynchronous :: x
#ifdef USE_F08
    type(MPI_Request) :: request
    type(MPI_Comm) :: comm
#else
    integer :: request, comm
#endif
    call c_f_pointer(argument, s)
    call c_f_pointer(s%x, x)
    call plait_mpi_begin(s%rt)
#ifdef USE_F08
    comm%mpi_val = s%comm
#else
    comm = s%comm
#endif
    call MPI_Iallreduce(MPI_IN_PLACE, x, 1, MPI_DOUBLE_PRECISION, MPI_SUM, comm, request, code)
    call plait_mpi_end(s%rt)
#ifdef USE_F08
    call plait_finish_with(until, request%mpi_val)
#else
    call plait_finish_with(until, request)
#endif
    code = 0
  end function
end module

program more
#ifdef USE_F08
  use mpi_f08
#else
  use mpi
#endif
  use, intrinsic :: iso_c_binding
  use plait
  use more_tasks
  use summing_tasks
  implicit none
  type(plait_runtime) :: rt
  type(plait_options) :: options
  integer :: provided, rank, ranks, world, right, left, code

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
  call test_counts()
  call test_parts()
  call test_in_place()
  call test_reductions_in_place()
  call test_parts_in_place()
  call test_parts_of_a_half()
  call test_neighbours()
  call test_memory_of_a_window()
  call test_holds()
  call test_figures()
  call test_refusals()
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

  subroutine test_counts()
    integer(c_size_t), target, asynchronous :: sent, got
    integer, target :: x(30), y(30)
    integer :: k
    x = [(100*rank + k, k=1, 30)]
    y = -1
    sent = 0
    got = 99
    call plait_task(rt, 'decide', decide, counting(c_loc(sent), rank), [plait_out(sent)])
    call plait_send_counted(rt, 'some', x, sent, right, 1)
    call plait_recv_counted(rt, 'some', y, got, left, 1)
    call plait_wait(rt)
    call expect(got == 2 + left, 'the number that came')
    call expect(all(y(1:2 + left) == [(100*left + k, k=1, 2 + left)]) .and. all(y(3 + left:) == -1), 'counted message')
  end subroutine

  ! Rank r has r + 1 numbers, each 10 r.
  subroutine test_parts()
    integer, target :: mine(ranks), everyone(2*ranks*ranks), got(2*ranks*ranks)
    integer :: counts(0:ranks - 1), at(0:ranks - 1), r, k, n
    counts = [(r + 1, r=0, ranks - 1)]
    at = [(2*ranks*r, r=0, ranks - 1)]
    n = sum(counts)
    mine = 10*rank
    everyone = -1
    call plait_gatherv(rt, 'to the last', mine(1:rank + 1), everyone(1:n), counts, ranks - 1)
    call plait_wait(rt)
    if (rank == ranks - 1) call expect(all(everyone(1:n) == [((10*r, k=0, r), r=0, ranks - 1)]), 'gatherv')
    everyone = -1
    call plait_allgatherv(rt, 'to all', mine(1:rank + 1), everyone, counts, displacements=at)
    call plait_wait(rt)
    do r = 0, ranks - 1
      call expect(all(everyone(at(r) + 1:at(r) + r + 1) == 10*r), 'allgatherv')
      call expect(all(everyone(at(r) + r + 2:at(r) + 2*ranks) == -1), 'nothing beside the parts')
    end do
    got = -1
    call plait_scatterv(rt, 'from 0', everyone, got(1:rank + 1), counts, 0, displacements=at)
    call plait_wait(rt)
    call expect(all(got(1:rank + 1) == 10*rank) .and. got(rank + 2) == -1, 'scatterv')
    ! To rank r go r + 1 numbers, so rank + 1 come from each.
    everyone(1:n) = [((100*rank + r, k=0, r), r=0, ranks - 1)]
    got = -1
    call plait_alltoallv(rt, 'each to each', everyone(1:n), got(1:ranks*(rank + 1)), counts, [(rank + 1, r=1, ranks)])
    call plait_wait(rt)
    call expect(all(got(1:ranks*(rank + 1)) == [((100*r + rank, k=0, rank), r=0, ranks - 1)]), 'alltoallv')
    everyone(1:n) = 1
    call plait_reduce_scatter(rt, 'sums', everyone(1:n), got(1:rank + 1), counts, plait_sum)
    call plait_wait(rt)
    call expect(all(got(1:rank + 1) == ranks), 'reduce_scatter')
    everyone(1:2*ranks) = rank
    call plait_reduce_scatter_block(rt, 'largest', everyone(1:2*ranks), got(1:2), plait_max)
    call plait_wait(rt)
    call expect(all(got(1:2) == ranks - 1), 'reduce_scatter_block')
  end subroutine

  subroutine test_in_place()
    integer, target :: x(ranks), part
    integer :: r
    x = rank + 1
    call plait_allreduce(rt, 'sum', y=x, operation=plait_sum)
    call plait_wait(rt)
    call expect(all(x == ranks*(ranks + 1)/2), 'allreduce in place')
    x = -1
    x(rank + 1) = rank
    call plait_allgather(rt, 'all', y=x)
    call plait_wait(rt)
    call expect(all(x == [(r, r=0, ranks - 1)]), 'allgather in place')
    part = -1
    if (rank == 0) then
      call plait_scatter(rt, 'from 0', x, root=0)
      part = 0
    else
      call plait_scatter(rt, 'from 0', x, part, 0)
    end if
    call plait_wait(rt)
    call expect(part == rank, 'scatter, whose root keeps its part')
    x = -1
    x(rank + 1) = rank
    part = rank
    if (rank == ranks - 1) then
      call plait_gather(rt, 'to the last', y=x, root=ranks - 1)
    else
      call plait_gather(rt, 'to the last', part, x, ranks - 1)
    end if
    call plait_wait(rt)
    if (rank == ranks - 1) call expect(all(x == [(r, r=0, ranks - 1)]), 'gather in place')
    x = [(100*rank + r, r=0, ranks - 1)]
    call plait_alltoall(rt, 'each to each', y=x)
    call plait_wait(rt)
    call expect(all(x == [(100*r + rank, r=0, ranks - 1)]), 'alltoall in place')
  end subroutine

  subroutine test_reductions_in_place()
    integer, target :: x(2), all_of(2*ranks)
    integer :: counts(ranks)
    integer(c_int64_t), target :: big
    x = rank + [1, 2]
    big = 0
    if (rank == ranks - 1) then
      call plait_reduce(rt, 'to the last', y=x, operation=plait_sum, root=ranks - 1)
    else
      call plait_reduce(rt, 'to the last', x, big, plait_sum, ranks - 1, ierr=code)
      call expect(code == plait_err_usage, 'two types')
      call plait_reduce(rt, 'to the last', x, all_of(1:2), plait_sum, ranks - 1)
    end if
    call plait_wait(rt)
    if (rank == ranks - 1) call expect(all(x == ranks*(ranks - 1)/2 + [1, 2]*ranks), 'reduce in place')
    x = rank + 1
    call plait_scan(rt, 'up to here', y=x, operation=plait_sum)
    call plait_wait(rt)
    call expect(all(x == (rank + 1)*(rank + 2)/2), 'scan in place')
    x = rank + 1
    call plait_exscan(rt, 'before here', y=x, operation=plait_sum)
    call plait_wait(rt)
    call expect(all(x == merge(1, rank*(rank + 1)/2, rank == 0)), 'exscan in place, which leaves that of rank 0')
    all_of = rank
    call plait_reduce_scatter_block(rt, 'largest', y=all_of, operation=plait_max)
    call plait_wait(rt)
    call expect(all(all_of(1:2) == ranks - 1), 'reduce_scatter_block in place')
    all_of = 1
    counts = 1
    counts(ranks) = ranks + 1
    call plait_reduce_scatter(rt, 'sums', y=all_of, counts=counts, operation=plait_sum)
    call plait_wait(rt)
    call expect(all(all_of(1:counts(rank + 1)) == ranks), 'reduce_scatter in place')
  end subroutine

  ! Part r, of r + 1 numbers, lies at 2 ranks r.
  subroutine test_parts_in_place()
    integer, target :: parts(0:2*ranks*ranks - 1), mine(ranks)
    integer :: own(0:2*ranks*ranks - 1), whole(0:2*ranks*ranks - 1)
    integer :: counts(0:ranks - 1), at(0:ranks - 1), same(ranks), r
    counts = [(r + 1, r=0, ranks - 1)]
    at = [(2*ranks*r, r=0, ranks - 1)]
    same = 2
    own = -1
    own(at(rank):at(rank) + rank) = 10*rank
    whole = -1
    do r = 0, ranks - 1
      whole(at(r):at(r) + r) = 10*r
    end do
    parts = own
    mine = 10*rank
    if (rank == 0) then
      call plait_gatherv(rt, 'to 0', y=parts, counts=counts, root=0, displacements=at)
    else  ! the counts of other ranks are not read
      call plait_gatherv(rt, 'to 0', mine(1:rank + 1), parts, [-1], 0)
    end if
    call plait_wait(rt)
    if (rank == 0) call expect(all(parts == whole), 'gatherv in place')
    parts = own
    call plait_allgatherv(rt, 'to all', y=parts, counts=counts, displacements=at)
    call plait_wait(rt)
    call expect(all(parts == whole), 'allgatherv in place')
    mine = -1
    if (rank == ranks - 1) then
      call plait_scatterv(rt, 'from the last', parts, counts=counts, root=ranks - 1, displacements=at)
      mine(1:rank + 1) = 10*rank
    else
      call plait_scatterv(rt, 'from the last', parts, mine(1:rank + 1), [-1], ranks - 1)
    end if
    call plait_wait(rt)
    call expect(all(mine(1:rank + 1) == 10*rank) .and. all(parts == whole), 'scatterv, whose root keeps its part')
    parts = -1
    do r = 0, ranks - 1
      parts(at(r):at(r) + 1) = 100*rank + r
    end do
    call plait_alltoallv(rt, 'each to each', y=parts, sent=same, received=same, received_at=at)
    call plait_wait(rt)
    call expect(all([(parts(at(r):at(r) + 1) == 100*r + rank, r=0, ranks - 1)]), 'alltoallv in place')
  end subroutine

  ! Counts are those of the ranks of a communicator, and a recording keeps them.
  subroutine test_parts_of_a_half()
    type(plait_comm) :: half
    type(plait_graph) :: graph
    integer, allocatable, target :: x(:), y(:)
    integer, allocatable :: counts(:), at(:)
    integer :: halves, own, r, number
    call plait_split(rt, 'half', mod(rank, 2), rank, half)
    call plait_comm_size(rt, half, halves)
    call plait_comm_rank(rt, half, own)
    call expect(halves == (ranks + 1 - mod(rank, 2))/2 .and. own == rank/2, 'a half')
    allocate (x(0:3*halves - 1), y(0:3*halves - 1))
    counts = [(2, r=1, halves)]
    at = [(3*r, r=0, halves - 1)]
    x = [(100*rank + number, number=0, 3*halves - 1)]
    y = -1
    call plait_record_begin(rt)
    call plait_alltoallv(rt, 'halves', x, y, counts, counts, at, at, among=half)
    call plait_record_end(rt, graph)
    counts = 0
    at = 0
    call plait_replay(rt, graph, 2)
    call plait_graph_free(graph)
    do r = 0, halves - 1
      number = 100*(2*r + mod(rank, 2)) + 3*own
      call expect(all(y(3*r:3*r + 2) == [number, number + 1, -1]), 'alltoallv in a half, with displacements')
    end do
  end subroutine

  subroutine test_neighbours()
    integer, target :: mine(3), around(6)
    mine = 10*rank + [1, 2, 3]
    around = -1
    call plait_neighbour_allgather(rt, 'around', mine, around, [left, right], [left, right])
    call plait_wait(rt)
    call expect(all(around == [10*left + [1, 2, 3], 10*right + [1, 2, 3]]), 'neighbour_allgather')
    around = -1
    call plait_neighbour_allgatherv(rt, 'around', mine, around(1:3), [3], [left], [right])
    call plait_wait(rt)
    call expect(all(around(1:3) == 10*left + [1, 2, 3]), 'neighbour_allgatherv')
    around = -1
    call plait_neighbour_alltoall(rt, 'around', mine(1:2), around(1:2), [left, plait_nobody], [right, plait_nobody])
    call plait_wait(rt)
    call expect(around(1) == 10*left + 1 .and. around(2) == -1, 'neighbour_alltoall')
    call plait_neighbour_alltoallv(rt, 'around', mine, around(1:3), [3], [3], [left], [right])
    call plait_wait(rt)
    call expect(all(around(1:3) == 10*left + [1, 2, 3]), 'neighbour_alltoallv')
  end subroutine

  subroutine test_memory_of_a_window()
    type(plait_window) :: window
    type(c_ptr) :: begin
    real(c_double), pointer :: memory(:)
    real(c_double), target :: x
    integer(c_size_t) :: bytes
    call plait_window_allocate(rt, 32_c_size_t, begin, window)
    call c_f_pointer(begin, memory, [4])
    call plait_window_bytes(window, right, bytes)
    call expect(bytes == 32 .and. all(memory == 0), 'memory of a window')
    x = rank + 1
    call plait_put(rt, 'third', x, window, right, 16_c_size_t, flag=0)
    call plait_await_signal(rt, 'third', window, left, 0, memory(3))
    call plait_wait(rt)
    call expect(memory(3) == left + 1, 'put into memory of a window')
    call plait_window_free(window)
  end subroutine

  subroutine test_holds()
    integer(c_size_t), target, asynchronous :: count
    real(c_double), target, asynchronous :: x
    type(plait_event) :: done
    type(plait_resource) :: io
    integer(c_int) :: is_over
    count = 3
    call plait_make_resource(rt, 'io', 1, io)
    call plait_task_held(rt, 'twice', double_it, counting(c_loc(count), rank), [plait_inout(count)])
    call plait_task_held(rt, 'again', double_it, counting(c_loc(count), rank), [plait_inout(count)], event=done, &
                         resource=io)
    call plait_wait(rt)
    call plait_event_test(done, is_over)
    call plait_event_free(done)
    call expect(count == 12 .and. is_over == 1, 'held tasks')
    call plait_task(rt, 'decide', decide, counting(c_loc(count), rank), [plait_out(count)], resource=io)
    call plait_wait(rt)
    call expect(count == 2 + rank, 'a task on a resource')
    x = rank + 1
    call plait_task_held(rt, 'sum', sum_up, summing(c_loc(x), rt, world), [plait_inout(x)])
    call plait_wait(rt)
    call expect(x == ranks*(ranks + 1)/2, 'a request finishes a task')
  end subroutine

  subroutine test_figures()
    type(plait_ledger) :: ledger
    type(plait_comm) :: everyone
    character(len=20) :: policy
    integer(c_int) :: number
    call plait_get_ledger(rt, plait_mean, ledger)
    call expect(ledger%wall_s > 0, 'ledger')
    call plait_reset_ledger(rt)
    call plait_workers(rt, number)
    call expect(number == 2, 'workers')
    call plait_get_policy(rt, policy)
    call expect(len_trim(policy) > 0, 'policy')
    call plait_comm_size(rt, everyone, number)
    call expect(number == ranks, 'all ranks')
    call plait_comm_rank(rt, everyone, number)
    call expect(number == rank, 'rank among all')
  end subroutine

  subroutine test_refusals()
    character(len=plait_error_length) :: text
    type(plait_hold) :: none
    integer, target :: x(3)
    integer :: k
    x = 0
    call plait_hold_release(none, code)
    call expect(code == plait_err_usage, 'no hold')
    call plait_allgatherv(rt, 'few', x, x, [(1, k=0, ranks)], ierr=code)
    call plait_error_text(text)
    call expect(code == plait_err_usage .and. index(text, "'few': it has counts for another number") > 0, 'counts')
    call plait_allgatherv(rt, 'few', x, x, [(1, k=1, ranks)], displacements=[(0, k=0, ranks)], ierr=code)
    call plait_error_text(text)
    call expect(code == plait_err_usage .and. index(text, "'few': it has displacements for another") > 0, 'displacements')
    call plait_allgatherv(rt, 'few', x, x, [(-1, k=1, ranks)], ierr=code)
    call plait_error_text(text)
    call expect(code == plait_err_usage .and. index(text, "'few': a count or a displacement is negative") > 0, 'signs')
    call plait_task_held(rt, 'no disk', fail_it, 1, [plait_inout(x)])
    call plait_wait(rt, code)
    call plait_error_text(text)
    call expect(code == plait_err_task .and. index(text, 'the disk is full') > 0, 'a hold that was failed')
  end subroutine
end program
