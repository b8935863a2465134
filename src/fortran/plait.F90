! SPDX-License-Identifier: BSD-3-Clause
! plait for Fortran: types and interfaces; descriptors.c and blocks.c have the procedures.  The module of one compiler
! is not another's, so these sources are installed too.  It uses no MPI module: `comm` is an integer, so programs that
! use `mpi` pass comm, and programs that use `mpi_f08` pass comm%mpi_val.
!
! Every call has `ierr`, optional and last.  Without it an error ends the job with the text.  Data that tasks and
! messages name is any variable or section of any type, up to rank 5 (4 if the first dimension has a stride): nothing is
! copied, and it must live until they have finished.  A variable that tasks write is best declared `target` or `asynchronous`.
! What is only read may be an expression in `plait_send` and `plait_in` for the compiler, but is gone when the task
! runs: name variables.
module plait
  use, intrinsic :: iso_c_binding
  implicit none

  integer(c_int), parameter :: plait_success = 0, plait_err_usage = 1, plait_err_mpi = 2, plait_err_task = 3, &
    plait_err_memory = 4, plait_err_state = 5, plait_err_version = 6, plait_err_internal = 7
  integer(c_int), parameter :: plait_nobody = -huge(0_c_int) - 1, plait_no_colour = -1
  integer(c_int), parameter :: plait_high = 1, plait_normal = 2, plait_low = 3
  integer(c_int), parameter :: plait_sum = 1, plait_product = 2, plait_min = 3, plait_max = 4
  integer(c_int), parameter :: plait_policy_automatic = 0, plait_policy_dedicated = 1, plait_policy_sleeping = 2, &
    plait_policy_workers = 3, plait_policy_none = 4
  integer(c_int), parameter :: plait_error_length = 512

  type, bind(C) :: plait_runtime
    type(c_ptr) :: handle = c_null_ptr
  end type
  type, bind(C) :: plait_comm
    type(c_ptr) :: handle = c_null_ptr
  end type
  type, bind(C) :: plait_graph
    type(c_ptr) :: handle = c_null_ptr
  end type
  type, bind(C) :: plait_window
    type(c_ptr) :: handle = c_null_ptr
  end type
  type, bind(C) :: plait_event
    type(c_ptr) :: handle = c_null_ptr
  end type

  type, bind(C) :: plait_mover
    type(c_ptr) :: handle = c_null_ptr
  end type
  type, bind(C) :: plait_resource
    type(c_ptr) :: handle = c_null_ptr
  end type
  type, bind(C) :: plait_hold
    type(c_ptr) :: handle = c_null_ptr
  end type

  type, bind(C) :: plait_axis
    integer(c_int64_t) :: rows = 1, stride = 0
  end type
  ! What plait_in, plait_out, plait_inout and plait_commutative return.
  type, bind(C) :: plait_access
    type(c_ptr) :: begin = c_null_ptr
    integer(c_size_t) :: row_bytes = 0
    type(plait_axis) :: axes(4)
    integer(c_int8_t) :: mode = 0, reserved(7) = 0
  end type

  ! What is 0 is chosen by plait; see plait.h.
  type, bind(C) :: plait_options
    integer(c_size_t) :: struct_size = 56  ! as descriptors.c checks
    integer(c_int) :: workers = 0, policy = plait_policy_automatic
    integer(c_size_t) :: in_flight = 0
    real(c_double) :: worst_delay_s = 0, stall_report_s = 0
    integer(c_int) :: stall_aborts = 0, checked = 0, trusts_sizes = 0, reserved = 0
  end type

  integer(c_int), parameter :: plait_mean = -1  ! of all workers
  type, bind(C) :: plait_ledger
    integer(c_size_t) :: struct_size = 56  ! as descriptors.c checks
    real(c_double) :: compute_s = 0, posting_s = 0, exposed_s = 0, overhead_s = 0, idle_s = 0, wall_s = 0
  end type

  ! A task: a procedure of a module with bind(C), which gets the address of its copy of the argument and returns 0.
  ! Another value fails the task.
  abstract interface
    integer(c_int) function plait_function(argument) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: argument
    end function
    ! A task that something else finishes: it is over when `until` and all others of its holds are released or failed.
    integer(c_int) function plait_held_function(argument, until) bind(C)
      import :: c_int, c_ptr, plait_hold
      type(c_ptr), value :: argument
      type(plait_hold), value :: until
    end function
  end interface

  interface
    ! --- start and end
    subroutine plait_prepare(ierr) bind(C, name='plait_fortran_prepare')
      import
      integer(c_int), intent(out), optional :: ierr
    end subroutine
    subroutine plait_init(comm, rt, options, ierr) bind(C, name='plait_fortran_init')
      import
      integer(c_int), intent(in) :: comm
      type(plait_runtime), intent(out) :: rt
      type(plait_options), intent(in), optional :: options
      integer(c_int), intent(out), optional :: ierr
    end subroutine
    subroutine plait_finalize(rt, ierr) bind(C, name='plait_fortran_finalize')
      import
      type(plait_runtime), intent(inout) :: rt
      integer(c_int), intent(out), optional :: ierr
    end subroutine
    subroutine plait_abort(rt, text) bind(C, name='plait_fortran_abort')
      import
      type(plait_runtime), intent(in) :: rt
      character(len=*), intent(in) :: text
    end subroutine
    ! The sentence of the last call that failed.
    subroutine plait_error_text(text) bind(C, name='plait_fortran_error_text')
      import
      character(len=*), intent(inout) :: text
    end subroutine
    subroutine plait_rank(rt, rank, ierr) bind(C, name='plait_fortran_rank')
      import
      type(plait_runtime), intent(in) :: rt
      integer(c_int), intent(out) :: rank
      integer(c_int), intent(out), optional :: ierr
    end subroutine
    subroutine plait_size(rt, size, ierr) bind(C, name='plait_fortran_size')
      import
      type(plait_runtime), intent(in) :: rt
      integer(c_int), intent(out) :: size
      integer(c_int), intent(out), optional :: ierr
    end subroutine
    subroutine plait_adopt(rt, comm, name, made, ierr) bind(C, name='plait_fortran_adopt')
      import
      type(plait_runtime), intent(in) :: rt
      integer(c_int), intent(in) :: comm
      character(len=*), intent(in) :: name
      type(plait_comm), intent(out) :: made
      integer(c_int), intent(out), optional :: ierr
    end subroutine
    subroutine plait_split(rt, name, colour, key, made, whole, ierr) bind(C, name='plait_fortran_split')
      import
      type(plait_runtime), intent(in) :: rt
      character(len=*), intent(in) :: name
      integer(c_int), intent(in) :: colour, key
      type(plait_comm), intent(out) :: made
      type(plait_comm), intent(in), optional :: whole
      integer(c_int), intent(out), optional :: ierr
    end subroutine

    ! --- tasks.  What a task writes is no expression: the compiler refuses that.
    type(plait_access) function plait_in(x) bind(C, name='plait_fortran_in')
      import
      type(*), dimension(..), intent(in), asynchronous, target :: x
    end function
    type(plait_access) function plait_out(x) bind(C, name='plait_fortran_out')
      import
      type(*), dimension(..), intent(inout), asynchronous, target :: x
    end function
    type(plait_access) function plait_inout(x) bind(C, name='plait_fortran_inout')
      import
      type(*), dimension(..), intent(inout), asynchronous, target :: x
    end function
    type(plait_access) function plait_commutative(x) bind(C, name='plait_fortran_commutative')
      import
      type(*), dimension(..), intent(inout), asynchronous, target :: x
    end function
    ! `argument` is copied, so it may be an expression: a structure of addresses and numbers.
    subroutine plait_task(rt, name, f, argument, accesses, priority, event, resource, ierr) &
        bind(C, name='plait_fortran_task')
      import
      type(plait_runtime), intent(in) :: rt
      character(len=*), intent(in) :: name
      procedure(plait_function) :: f
      type(*), dimension(..), intent(in), target :: argument
      type(plait_access), intent(in) :: accesses(:)
      integer(c_int), intent(in), optional :: priority
      type(plait_event), intent(inout), optional :: event
      type(plait_resource), intent(in), optional :: resource
      integer(c_int), intent(out), optional :: ierr
    end subroutine
    subroutine plait_task_held(rt, name, f, argument, accesses, priority, event, resource, ierr) &
        bind(C, name='plait_fortran_task_held')
      import
      type(plait_runtime), intent(in) :: rt
      character(len=*), intent(in) :: name
      procedure(plait_held_function) :: f
      type(*), dimension(..), intent(in), target :: argument
      type(plait_access), intent(in) :: accesses(:)
      integer(c_int), intent(in), optional :: priority
      type(plait_event), intent(inout), optional :: event
      type(plait_resource), intent(in), optional :: resource
      integer(c_int), intent(out), optional :: ierr
    end subroutine

    ! Any thread lets a held task go, or has it fail, once; the hold is gone then.
    subroutine plait_hold_release(hold, ierr) bind(C, name='plait_fortran_hold_release')
      import
      type(plait_hold), intent(inout) :: hold
      integer(c_int), intent(out), optional :: ierr
    end subroutine
    subroutine plait_hold_fail(hold, why, ierr) bind(C, name='plait_fortran_hold_fail')
      import
      type(plait_hold), intent(inout) :: hold
      character(len=*), intent(in) :: why
      integer(c_int), intent(out), optional :: ierr
    end subroutine
    subroutine plait_hold_another(hold, made, ierr) bind(C, name='plait_fortran_hold_another')
      import
      type(plait_hold), intent(in) :: hold
      type(plait_hold), intent(out) :: made
      integer(c_int), intent(out), optional :: ierr
    end subroutine
    ! The request of MPI is plait's from now on; of mpi_f08 request%mpi_val.
    subroutine plait_finish_with(hold, request, ierr) bind(C, name='plait_fortran_finish_with')
      import
      type(plait_hold), intent(inout) :: hold
      integer(c_int), intent(in) :: request
      integer(c_int), intent(out), optional :: ierr
    end subroutine
    subroutine plait_make_resource(rt, name, threads, made, ierr) bind(C, name='plait_fortran_make_resource')
      import
      type(plait_runtime), intent(in) :: rt
      character(len=*), intent(in) :: name
      integer(c_int), intent(in) :: threads
      type(plait_resource), intent(out) :: made
      integer(c_int), intent(out), optional :: ierr
    end subroutine
    subroutine plait_event_test(event, done, ierr) bind(C, name='plait_fortran_event_test')
      import
      type(plait_event), intent(in) :: event
      integer(c_int), intent(out) :: done  ! 1: over, or dropped
      integer(c_int), intent(out), optional :: ierr
    end subroutine
    subroutine plait_event_free(event, ierr) bind(C, name='plait_fortran_event_free')
      import
      type(plait_event), intent(inout) :: event
      integer(c_int), intent(out), optional :: ierr
    end subroutine

    ! --- messages, between plait's ranks only
    subroutine plait_send(rt, name, x, peer, tag, among, ierr) bind(C, name='plait_fortran_send')
      import
      type(plait_runtime), intent(in) :: rt
      character(len=*), intent(in) :: name
      type(*), dimension(..), intent(in), asynchronous, target :: x
      integer(c_int), intent(in) :: peer, tag
      type(plait_comm), intent(in), optional :: among
      integer(c_int), intent(out), optional :: ierr
    end subroutine
    subroutine plait_recv(rt, name, x, peer, tag, among, ierr) bind(C, name='plait_fortran_recv')
      import
      type(plait_runtime), intent(in) :: rt
      character(len=*), intent(in) :: name
      type(*), dimension(..), intent(inout), asynchronous, target :: x
      integer(c_int), intent(in) :: peer, tag
      type(plait_comm), intent(in), optional :: among
      integer(c_int), intent(out), optional :: ierr
    end subroutine

    ! The number of elements is known when the message starts: an earlier task may write `count`.  A receive has room
    ! for all of `x` and writes the number that came.
    subroutine plait_send_counted(rt, name, x, count, peer, tag, among, ierr) bind(C, name='plait_fortran_send_counted')
      import
      type(plait_runtime), intent(in) :: rt
      character(len=*), intent(in) :: name
      type(*), dimension(..), intent(in), asynchronous, target :: x
      integer(c_size_t), intent(inout), asynchronous, target :: count
      integer(c_int), intent(in) :: peer, tag
      type(plait_comm), intent(in), optional :: among
      integer(c_int), intent(out), optional :: ierr
    end subroutine
    subroutine plait_recv_counted(rt, name, x, count, peer, tag, among, ierr) bind(C, name='plait_fortran_recv_counted')
      import
      type(plait_runtime), intent(in) :: rt
      character(len=*), intent(in) :: name
      type(*), dimension(..), intent(inout), asynchronous, target :: x
      integer(c_size_t), intent(inout), asynchronous, target :: count
      integer(c_int), intent(in) :: peer, tag
      type(plait_comm), intent(in), optional :: among
      integer(c_int), intent(out), optional :: ierr
    end subroutine

    ! --- collective operations.  The type of the elements is that of the variables.  Where `x` is left out the result
    ! replaces what is in `y`, as with MPI_IN_PLACE; in scatter and scatterv the root leaves `y` out.
    subroutine plait_barrier(rt, name, x, among, ierr) bind(C, name='plait_fortran_barrier')
      import
      type(plait_runtime), intent(in) :: rt
      character(len=*), intent(in) :: name
      type(*), dimension(..), intent(inout), asynchronous, target :: x
      type(plait_comm), intent(in), optional :: among
      integer(c_int), intent(out), optional :: ierr
    end subroutine
    subroutine plait_bcast(rt, name, x, root, among, ierr) bind(C, name='plait_fortran_bcast')
      import
      type(plait_runtime), intent(in) :: rt
      character(len=*), intent(in) :: name
      type(*), dimension(..), intent(inout), asynchronous, target :: x
      integer(c_int), intent(in) :: root
      type(plait_comm), intent(in), optional :: among
      integer(c_int), intent(out), optional :: ierr
    end subroutine
    subroutine plait_allreduce(rt, name, x, y, operation, among, ierr) bind(C, name='plait_fortran_allreduce')
      import
      type(plait_runtime), intent(in) :: rt
      character(len=*), intent(in) :: name
      type(*), dimension(..), intent(in), asynchronous, target, optional :: x
      type(*), dimension(..), intent(inout), asynchronous, target :: y
      integer(c_int), intent(in) :: operation
      type(plait_comm), intent(in), optional :: among
      integer(c_int), intent(out), optional :: ierr
    end subroutine
    subroutine plait_allreduce_in_place(rt, name, x, operation, among, ierr) &
        bind(C, name='plait_fortran_allreduce_in_place')
      import
      type(plait_runtime), intent(in) :: rt
      character(len=*), intent(in) :: name
      type(*), dimension(..), intent(inout), asynchronous, target :: x
      integer(c_int), intent(in) :: operation
      type(plait_comm), intent(in), optional :: among
      integer(c_int), intent(out), optional :: ierr
    end subroutine
    subroutine plait_reduce(rt, name, x, y, operation, root, among, ierr) bind(C, name='plait_fortran_reduce')
      import
      type(plait_runtime), intent(in) :: rt
      character(len=*), intent(in) :: name
      type(*), dimension(..), intent(in), asynchronous, target, optional :: x
      type(*), dimension(..), intent(inout), asynchronous, target :: y
      integer(c_int), intent(in) :: operation, root
      type(plait_comm), intent(in), optional :: among
      integer(c_int), intent(out), optional :: ierr
    end subroutine
    subroutine plait_scan(rt, name, x, y, operation, among, ierr) bind(C, name='plait_fortran_scan')
      import
      type(plait_runtime), intent(in) :: rt
      character(len=*), intent(in) :: name
      type(*), dimension(..), intent(in), asynchronous, target, optional :: x
      type(*), dimension(..), intent(inout), asynchronous, target :: y
      integer(c_int), intent(in) :: operation
      type(plait_comm), intent(in), optional :: among
      integer(c_int), intent(out), optional :: ierr
    end subroutine
    subroutine plait_exscan(rt, name, x, y, operation, among, ierr) bind(C, name='plait_fortran_exscan')
      import
      type(plait_runtime), intent(in) :: rt
      character(len=*), intent(in) :: name
      type(*), dimension(..), intent(in), asynchronous, target, optional :: x
      type(*), dimension(..), intent(inout), asynchronous, target :: y
      integer(c_int), intent(in) :: operation
      type(plait_comm), intent(in), optional :: among
      integer(c_int), intent(out), optional :: ierr
    end subroutine
    subroutine plait_gather(rt, name, x, y, root, among, ierr) bind(C, name='plait_fortran_gather')
      import
      type(plait_runtime), intent(in) :: rt
      character(len=*), intent(in) :: name
      type(*), dimension(..), intent(in), asynchronous, target, optional :: x
      type(*), dimension(..), intent(inout), asynchronous, target :: y
      integer(c_int), intent(in) :: root
      type(plait_comm), intent(in), optional :: among
      integer(c_int), intent(out), optional :: ierr
    end subroutine
    subroutine plait_scatter(rt, name, x, y, root, among, ierr) bind(C, name='plait_fortran_scatter')
      import
      type(plait_runtime), intent(in) :: rt
      character(len=*), intent(in) :: name
      type(*), dimension(..), intent(in), asynchronous, target :: x
      type(*), dimension(..), intent(inout), asynchronous, target, optional :: y
      integer(c_int), intent(in) :: root
      type(plait_comm), intent(in), optional :: among
      integer(c_int), intent(out), optional :: ierr
    end subroutine
    subroutine plait_allgather(rt, name, x, y, among, ierr) bind(C, name='plait_fortran_allgather')
      import
      type(plait_runtime), intent(in) :: rt
      character(len=*), intent(in) :: name
      type(*), dimension(..), intent(in), asynchronous, target, optional :: x
      type(*), dimension(..), intent(inout), asynchronous, target :: y
      type(plait_comm), intent(in), optional :: among
      integer(c_int), intent(out), optional :: ierr
    end subroutine
    subroutine plait_alltoall(rt, name, x, y, among, ierr) bind(C, name='plait_fortran_alltoall')
      import
      type(plait_runtime), intent(in) :: rt
      character(len=*), intent(in) :: name
      type(*), dimension(..), intent(in), asynchronous, target, optional :: x
      type(*), dimension(..), intent(inout), asynchronous, target :: y
      type(plait_comm), intent(in), optional :: among
      integer(c_int), intent(out), optional :: ierr
    end subroutine

    subroutine plait_reduce_scatter_block(rt, name, x, y, operation, among, ierr) &
        bind(C, name='plait_fortran_reduce_scatter_block')
      import
      type(plait_runtime), intent(in) :: rt
      character(len=*), intent(in) :: name
      type(*), dimension(..), intent(in), asynchronous, target, optional :: x
      type(*), dimension(..), intent(inout), asynchronous, target :: y
      integer(c_int), intent(in) :: operation
      type(plait_comm), intent(in), optional :: among
      integer(c_int), intent(out), optional :: ierr
    end subroutine
    subroutine plait_reduce_scatter(rt, name, x, y, counts, operation, among, ierr) &
        bind(C, name='plait_fortran_reduce_scatter')
      import
      type(plait_runtime), intent(in) :: rt
      character(len=*), intent(in) :: name
      type(*), dimension(..), intent(in), asynchronous, target, optional :: x
      type(*), dimension(..), intent(inout), asynchronous, target :: y
      integer(c_int), intent(in) :: counts(:), operation
      type(plait_comm), intent(in), optional :: among
      integer(c_int), intent(out), optional :: ierr
    end subroutine

    ! --- parts of different sizes.  Counts and displacements are in elements, of each rank; displacements begin with 0,
    ! as MPI's, and without them one part follows the other.  Of gatherv and scatterv the root's count.
    subroutine plait_gatherv(rt, name, x, y, counts, root, displacements, among, ierr) &
        bind(C, name='plait_fortran_gatherv')
      import
      type(plait_runtime), intent(in) :: rt
      character(len=*), intent(in) :: name
      type(*), dimension(..), intent(in), asynchronous, target, optional :: x
      type(*), dimension(..), intent(inout), asynchronous, target :: y
      integer(c_int), intent(in) :: counts(:), root
      integer(c_int), intent(in), optional :: displacements(:)
      type(plait_comm), intent(in), optional :: among
      integer(c_int), intent(out), optional :: ierr
    end subroutine
    subroutine plait_scatterv(rt, name, x, y, counts, root, displacements, among, ierr) &
        bind(C, name='plait_fortran_scatterv')
      import
      type(plait_runtime), intent(in) :: rt
      character(len=*), intent(in) :: name
      type(*), dimension(..), intent(in), asynchronous, target :: x
      type(*), dimension(..), intent(inout), asynchronous, target, optional :: y
      integer(c_int), intent(in) :: counts(:), root
      integer(c_int), intent(in), optional :: displacements(:)
      type(plait_comm), intent(in), optional :: among
      integer(c_int), intent(out), optional :: ierr
    end subroutine
    subroutine plait_allgatherv(rt, name, x, y, counts, displacements, among, ierr) &
        bind(C, name='plait_fortran_allgatherv')
      import
      type(plait_runtime), intent(in) :: rt
      character(len=*), intent(in) :: name
      type(*), dimension(..), intent(in), asynchronous, target, optional :: x
      type(*), dimension(..), intent(inout), asynchronous, target :: y
      integer(c_int), intent(in) :: counts(:)
      integer(c_int), intent(in), optional :: displacements(:)
      type(plait_comm), intent(in), optional :: among
      integer(c_int), intent(out), optional :: ierr
    end subroutine
    subroutine plait_alltoallv(rt, name, x, y, sent, received, sent_at, received_at, among, ierr) &
        bind(C, name='plait_fortran_alltoallv')
      import
      type(plait_runtime), intent(in) :: rt
      character(len=*), intent(in) :: name
      type(*), dimension(..), intent(in), asynchronous, target, optional :: x
      type(*), dimension(..), intent(inout), asynchronous, target :: y
      integer(c_int), intent(in) :: sent(:), received(:)
      integer(c_int), intent(in), optional :: sent_at(:), received_at(:)
      type(plait_comm), intent(in), optional :: among
      integer(c_int), intent(out), optional :: ierr
    end subroutine

    ! --- among neighbours: a part, or a count, for each destination and of each source; plait_nobody is a missing one.
    subroutine plait_neighbour_allgather(rt, name, x, y, sources, destinations, among, ierr) &
        bind(C, name='plait_fortran_neighbour_allgather')
      import
      type(plait_runtime), intent(in) :: rt
      character(len=*), intent(in) :: name
      type(*), dimension(..), intent(in), asynchronous, target :: x
      type(*), dimension(..), intent(inout), asynchronous, target :: y
      integer(c_int), intent(in) :: sources(:), destinations(:)
      type(plait_comm), intent(in), optional :: among
      integer(c_int), intent(out), optional :: ierr
    end subroutine
    subroutine plait_neighbour_allgatherv(rt, name, x, y, received, sources, destinations, among, ierr) &
        bind(C, name='plait_fortran_neighbour_allgatherv')
      import
      type(plait_runtime), intent(in) :: rt
      character(len=*), intent(in) :: name
      type(*), dimension(..), intent(in), asynchronous, target :: x
      type(*), dimension(..), intent(inout), asynchronous, target :: y
      integer(c_int), intent(in) :: received(:), sources(:), destinations(:)
      type(plait_comm), intent(in), optional :: among
      integer(c_int), intent(out), optional :: ierr
    end subroutine
    subroutine plait_neighbour_alltoall(rt, name, x, y, sources, destinations, among, ierr) &
        bind(C, name='plait_fortran_neighbour_alltoall')
      import
      type(plait_runtime), intent(in) :: rt
      character(len=*), intent(in) :: name
      type(*), dimension(..), intent(in), asynchronous, target :: x
      type(*), dimension(..), intent(inout), asynchronous, target :: y
      integer(c_int), intent(in) :: sources(:), destinations(:)
      type(plait_comm), intent(in), optional :: among
      integer(c_int), intent(out), optional :: ierr
    end subroutine
    subroutine plait_neighbour_alltoallv(rt, name, x, y, sent, received, sources, destinations, among, ierr) &
        bind(C, name='plait_fortran_neighbour_alltoallv')
      import
      type(plait_runtime), intent(in) :: rt
      character(len=*), intent(in) :: name
      type(*), dimension(..), intent(in), asynchronous, target :: x
      type(*), dimension(..), intent(inout), asynchronous, target :: y
      integer(c_int), intent(in) :: sent(:), received(:), sources(:), destinations(:)
      type(plait_comm), intent(in), optional :: among
      integer(c_int), intent(out), optional :: ierr
    end subroutine

    ! --- windows; `offset` counts bytes of the target's part
    subroutine plait_window_create(rt, x, made, ierr) bind(C, name='plait_fortran_window_create')
      import
      type(plait_runtime), intent(in) :: rt
      type(*), dimension(..), intent(inout), asynchronous, target :: x
      type(plait_window), intent(out) :: made
      integer(c_int), intent(out), optional :: ierr
    end subroutine
    ! Memory that plait finds, all bytes 0: c_f_pointer(begin, x, [n]).
    subroutine plait_window_allocate(rt, bytes, begin, made, ierr) bind(C, name='plait_fortran_window_allocate')
      import
      type(plait_runtime), intent(in) :: rt
      integer(c_size_t), intent(in) :: bytes
      type(c_ptr), intent(out) :: begin
      type(plait_window), intent(out) :: made
      integer(c_int), intent(out), optional :: ierr
    end subroutine
    subroutine plait_window_bytes(window, rank, bytes, ierr) bind(C, name='plait_fortran_window_bytes')
      import
      type(plait_window), intent(in) :: window
      integer(c_int), intent(in) :: rank
      integer(c_size_t), intent(out) :: bytes
      integer(c_int), intent(out), optional :: ierr
    end subroutine
    subroutine plait_window_free(window, ierr) bind(C, name='plait_fortran_window_free')
      import
      type(plait_window), intent(inout) :: window
      integer(c_int), intent(out), optional :: ierr
    end subroutine
    subroutine plait_get(rt, name, window, target_rank, offset, x, ierr) bind(C, name='plait_fortran_get')
      import
      type(plait_runtime), intent(in) :: rt
      character(len=*), intent(in) :: name
      type(plait_window), intent(in) :: window
      integer(c_int), intent(in) :: target_rank
      integer(c_size_t), intent(in) :: offset
      type(*), dimension(..), intent(inout), asynchronous, target :: x
      integer(c_int), intent(out), optional :: ierr
    end subroutine
    ! With `flag` the target's flag is raised when the data is there.
    subroutine plait_put(rt, name, x, window, target_rank, offset, flag, ierr) bind(C, name='plait_fortran_put')
      import
      type(plait_runtime), intent(in) :: rt
      character(len=*), intent(in) :: name
      type(*), dimension(..), intent(in), asynchronous, target :: x
      type(plait_window), intent(in) :: window
      integer(c_int), intent(in) :: target_rank
      integer(c_size_t), intent(in) :: offset
      integer(c_int), intent(in), optional :: flag
      integer(c_int), intent(out), optional :: ierr
    end subroutine
    subroutine plait_await_signal(rt, name, window, source, flag, x, ierr) bind(C, name='plait_fortran_await_signal')
      import
      type(plait_runtime), intent(in) :: rt
      character(len=*), intent(in) :: name
      type(plait_window), intent(in) :: window
      integer(c_int), intent(in) :: source, flag
      type(*), dimension(..), intent(inout), asynchronous, target :: x
      integer(c_int), intent(out), optional :: ierr
    end subroutine
    subroutine plait_signal(rt, name, window, target_rank, flag, accesses, ierr) bind(C, name='plait_fortran_signal')
      import
      type(plait_runtime), intent(in) :: rt
      character(len=*), intent(in) :: name
      type(plait_window), intent(in) :: window
      integer(c_int), intent(in) :: target_rank, flag
      type(plait_access), intent(in) :: accesses(:)
      integer(c_int), intent(out), optional :: ierr
    end subroutine

    ! --- arrays with ghosts, collective: `u` is this rank's block with its ghosts, or of size 0 if the rank has none.
    ! `first` is the place of its first own cell in the whole array, from 1, `cells` are those of the whole array, and
    ! `ghosts` the layers on either side: a number for each dimension of `u`, whose own bounds do not matter.
    ! `periodic`: not 0 where the first cell comes behind the last.  `corners`: not 0 for ghosts at edges and corners too.
    ! Ghosts behind the end of the array stay as they are, but with `nearest` not 0, or a `value` of an element's type.
    subroutine plait_ghosts(rt, name, u, first, cells, ghosts, mover, periodic, corners, nearest, value, ierr) &
        bind(C, name='plait_fortran_ghosts')
      import
      type(plait_runtime), intent(in) :: rt
      character(len=*), intent(in) :: name
      type(*), dimension(..), intent(inout), asynchronous, target :: u
      integer(c_int), intent(in) :: first(:), cells(:), ghosts(:)
      type(plait_mover), intent(out) :: mover
      integer(c_int), intent(in), optional :: periodic(:), corners, nearest
      type(*), dimension(..), intent(in), optional :: value
      integer(c_int), intent(out), optional :: ierr
    end subroutine
    ! Brings all cells of an array to where they are in another division of it, whose ghosts stay as they are.
    subroutine plait_redistribution(rt, name, cells, u, first_u, ghosts_u, v, first_v, ghosts_v, mover, ierr) &
        bind(C, name='plait_fortran_redistribution')
      import
      type(plait_runtime), intent(in) :: rt
      character(len=*), intent(in) :: name
      integer(c_int), intent(in) :: cells(:)
      type(*), dimension(..), intent(in), asynchronous, target :: u
      integer(c_int), intent(in) :: first_u(:), ghosts_u(:)
      type(*), dimension(..), intent(inout), asynchronous, target :: v
      integer(c_int), intent(in) :: first_v(:), ghosts_v(:)
      type(plait_mover), intent(out) :: mover
      integer(c_int), intent(out), optional :: ierr
    end subroutine
    subroutine plait_move(rt, mover, ierr) bind(C, name='plait_fortran_move')
      import
      type(plait_runtime), intent(in) :: rt
      type(plait_mover), intent(in) :: mover
      integer(c_int), intent(out), optional :: ierr
    end subroutine
    subroutine plait_mover_free(mover, ierr) bind(C, name='plait_fortran_mover_free')
      import
      type(plait_mover), intent(inout) :: mover
      integer(c_int), intent(out), optional :: ierr
    end subroutine

    ! --- waiting, graphs, MPI of the program's own, figures
    subroutine plait_wait(rt, ierr) bind(C, name='plait_fortran_wait')
      import
      type(plait_runtime), intent(in) :: rt
      integer(c_int), intent(out), optional :: ierr
    end subroutine
    subroutine plait_wait_on(rt, x, ierr) bind(C, name='plait_fortran_wait_on')
      import
      type(plait_runtime), intent(in) :: rt
      type(*), dimension(..), intent(inout), asynchronous, target :: x
      integer(c_int), intent(out), optional :: ierr
    end subroutine
    subroutine plait_event_wait(event, ierr) bind(C, name='plait_fortran_event_wait')
      import
      type(plait_event), intent(inout) :: event  ! given back
      integer(c_int), intent(out), optional :: ierr
    end subroutine
    subroutine plait_record_begin(rt, ierr) bind(C, name='plait_fortran_record_begin')
      import
      type(plait_runtime), intent(in) :: rt
      integer(c_int), intent(out), optional :: ierr
    end subroutine
    subroutine plait_record_end(rt, graph, ierr) bind(C, name='plait_fortran_record_end')
      import
      type(plait_runtime), intent(in) :: rt
      type(plait_graph), intent(out) :: graph
      integer(c_int), intent(out), optional :: ierr
    end subroutine
    subroutine plait_replay(rt, graph, iterations, ierr) bind(C, name='plait_fortran_replay')
      import
      type(plait_runtime), intent(in) :: rt
      type(plait_graph), intent(in) :: graph
      integer(c_int), intent(in) :: iterations
      integer(c_int), intent(out), optional :: ierr
    end subroutine
    subroutine plait_graph_free(graph, ierr) bind(C, name='plait_fortran_graph_free')
      import
      type(plait_graph), intent(inout) :: graph
      integer(c_int), intent(out), optional :: ierr
    end subroutine
    subroutine plait_mpi_begin(rt, ierr) bind(C, name='plait_fortran_mpi_begin')
      import
      type(plait_runtime), intent(in) :: rt
      integer(c_int), intent(out), optional :: ierr
    end subroutine
    subroutine plait_mpi_end(rt, ierr) bind(C, name='plait_fortran_mpi_end')
      import
      type(plait_runtime), intent(in) :: rt
      integer(c_int), intent(out), optional :: ierr
    end subroutine
    subroutine plait_trace_start(rt, ierr) bind(C, name='plait_fortran_trace_start')
      import
      type(plait_runtime), intent(in) :: rt
      integer(c_int), intent(out), optional :: ierr
    end subroutine
    subroutine plait_trace_stop(rt, file, ierr) bind(C, name='plait_fortran_trace_stop')
      import
      type(plait_runtime), intent(in) :: rt
      character(len=*), intent(in) :: file
      integer(c_int), intent(out), optional :: ierr
    end subroutine
    ! Where a worker's time went since the last reset, in seconds; plait_mean: of all, on average.
    subroutine plait_get_ledger(rt, worker, ledger, ierr) bind(C, name='plait_fortran_get_ledger')
      import
      type(plait_runtime), intent(in) :: rt
      integer(c_int), intent(in) :: worker
      type(plait_ledger), intent(inout) :: ledger
      integer(c_int), intent(out), optional :: ierr
    end subroutine
    subroutine plait_reset_ledger(rt, ierr) bind(C, name='plait_fortran_reset_ledger')
      import
      type(plait_runtime), intent(in) :: rt
      integer(c_int), intent(out), optional :: ierr
    end subroutine
    subroutine plait_workers(rt, number, ierr) bind(C, name='plait_fortran_workers')
      import
      type(plait_runtime), intent(in) :: rt
      integer(c_int), intent(out) :: number
      integer(c_int), intent(out), optional :: ierr
    end subroutine
    subroutine plait_get_policy(rt, policy, ierr) bind(C, name='plait_fortran_get_policy')
      import
      type(plait_runtime), intent(in) :: rt
      character(len=*), intent(inout) :: policy
      integer(c_int), intent(out), optional :: ierr
    end subroutine
    subroutine plait_comm_rank(rt, comm, rank, ierr) bind(C, name='plait_fortran_comm_rank')
      import
      type(plait_runtime), intent(in) :: rt
      type(plait_comm), intent(in) :: comm
      integer(c_int), intent(out) :: rank
      integer(c_int), intent(out), optional :: ierr
    end subroutine
    subroutine plait_comm_size(rt, comm, number, ierr) bind(C, name='plait_fortran_comm_size')
      import
      type(plait_runtime), intent(in) :: rt
      type(plait_comm), intent(in) :: comm
      integer(c_int), intent(out) :: number
      integer(c_int), intent(out), optional :: ierr
    end subroutine

    ! --- a thread that looks after MPI_Isend and MPI_Irecv of the program's own, at MPI_THREAD_MULTIPLE and without a
    ! runtime.  Programs without modules call them as external procedures, with `ierr`.
    subroutine plait_progress_start(interval_s, ierr) bind(C, name='plait_fortran_progress_start')
      import
      real(c_double), intent(in), optional :: interval_s
      integer(c_int), intent(out), optional :: ierr
    end subroutine
    subroutine plait_progress_stop(ierr) bind(C, name='plait_fortran_progress_stop')
      import
      integer(c_int), intent(out), optional :: ierr
    end subroutine
  end interface
end module
