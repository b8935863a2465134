! SPDX-License-Identifier: BSD-3-Clause
! Rank 1 leaves while rank 0 waits for a message of its: stops, error_stops, stops_in_a_task,
! stops_with_an_error (in a task), returns_a_code.
module leaving_tasks
  use, intrinsic :: iso_c_binding
  implicit none
contains
  recursive integer(c_int) function leave(argument) bind(C) result(code)
    type(c_ptr), value :: argument
    integer(c_int), pointer :: how
    call c_f_pointer(argument, how)
    if (how == 1) stop
    if (how == 2) error stop 'as asked'
    code = how
  end function
end module

program leaves
  use mpi
  use, intrinsic :: iso_c_binding
  use plait
  use leaving_tasks
  implicit none
  type(plait_runtime) :: rt
  character(len=32) :: how
  real(c_double), target :: x
  integer :: provided, rank, code
  integer(c_int) :: word
  call get_command_argument(1, how)
  call MPI_Init_thread(MPI_THREAD_SERIALIZED, provided, code)
  call plait_init(MPI_COMM_WORLD, rt)
  call plait_rank(rt, rank)
  x = 0
  word = 0
  select case (how)
  case ('stops_in_a_task')
    word = 1
  case ('stops_with_an_error')
    word = 2
  case ('returns_a_code')
    word = 3
  end select
  if (rank == 0) then
    call plait_recv(rt, 'never sent', x, 1, 0)
  else if (how == 'error_stops') then
    error stop 'as asked'
  else if (word == 0) then
    stop
  else
    call plait_task(rt, 'leaves', leave, word, [plait_inout(x)])
  end if
  call plait_wait(rt)
  call plait_finalize(rt)
  call MPI_Finalize(code)
end program
