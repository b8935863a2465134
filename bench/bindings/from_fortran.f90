! SPDX-License-Identifier: BSD-3-Clause
! Tasks from Fortran: from_fortran HOW TASKS CHAINS WORKERS.  HOW is `bytes`, one access, or `sections`, three sections
! of arrays; the argument has 8 bytes, as that of C.
module empty_task
  use, intrinsic :: iso_c_binding
  implicit none
  interface
    integer(c_int) function start_mpi() bind(C)
      import
    end function
    real(c_double) function mpi_seconds() bind(C)
      import
    end function
    subroutine end_mpi() bind(C)
    end subroutine
  end interface
contains
  recursive integer(c_int) function nothing(argument) bind(C) result(code)
    type(c_ptr), value :: argument
    code = 0
    if (.not. c_associated(argument)) code = 1
  end function
end module

program from_fortran
  use plait
  use empty_task
  implicit none
  integer, parameter :: width = 10
  type :: blocks  ! those inside of v are written
    real(c_double) :: u(width, width), v(width, width)
  end type
  real(c_double), allocatable, target, asynchronous :: objects(:, :)
  type(blocks), allocatable, target, asynchronous :: pairs(:)
  type(plait_runtime) :: rt
  type(plait_graph) :: graph
  type(plait_options) :: options
  character(len=32) :: how
  integer :: comm, tasks, once, iterations
  real(c_double) :: began, seconds, replay_seconds

  call get_command_argument(1, how)
  tasks = number(2)
  options%workers = number(4)
  options%in_flight = 4096
  comm = start_mpi()
  call plait_init(comm, rt, options)
  allocate (objects(8, number(3)), pairs(number(3)))

  call submit(tasks/10)
  call plait_wait(rt)
  began = mpi_seconds()
  call submit(tasks)
  call plait_wait(rt)
  seconds = mpi_seconds() - began

  once = 16*size(pairs)
  iterations = (tasks + once - 1)/once
  call plait_record_begin(rt)
  call submit(once)
  call plait_record_end(rt, graph)
  call plait_replay(rt, graph, 1 + iterations/10)
  call plait_wait(rt)
  began = mpi_seconds()
  call plait_replay(rt, graph, iterations)
  call plait_wait(rt)
  replay_seconds = mpi_seconds() - began

  print '(a, es14.6, a, es14.6, a)', '{"ns_per_task":', 1d9*seconds/tasks, &
    ', "ns_per_replayed_task":', 1d9*replay_seconds/(real(iterations, c_double)*once), '}'
  call plait_graph_free(graph)
  call plait_finalize(rt)
  call end_mpi()

contains

  integer function number(which)
    integer, intent(in) :: which
    character(len=32) :: text
    call get_command_argument(which, text)
    read (text, *) number
  end function

  subroutine submit(count)
    integer, intent(in) :: count
    integer :: i, c
    do i = 0, count - 1
      c = 1 + mod(i, size(pairs))
      if (how == 'bytes') then
        call plait_task(rt, 'nothing', nothing, c_loc(objects(1, c)), [plait_inout(objects(:, c))])
      else
        call plait_task(rt, 'nothing', nothing, c_loc(pairs(c)), &
                        [plait_in(pairs(c)%u(:, 2:width - 1)), plait_in(pairs(c)%u(2:width - 1, :)), &
                         plait_out(pairs(c)%v(2:width - 1, 2:width - 1))])
      end if
    end do
  end subroutine
end program
