! SPDX-License-Identifier: BSD-3-Clause
! What module plait refuses when it runs: a code, a text, and the program goes on.
module refused_tasks
  use, intrinsic :: iso_c_binding
  use plait
  implicit none
contains
  recursive integer(c_int) function fails(argument) bind(C) result(code)
    type(c_ptr), value :: argument
    integer(c_int), pointer :: wanted
    call c_f_pointer(argument, wanted)
    code = wanted
  end function

  ! A function inside another procedure would be code on the stack, which is gone when that has returned.
  subroutine give_internal_procedure(rt, x, code)
    type(plait_runtime), intent(in) :: rt
    real(c_double), intent(inout), target :: x(:)
    integer, intent(out) :: code
    integer :: host
    host = size(x)
    call plait_task(rt, 'inside', inside, host, [plait_inout(x)], ierr=code)
  contains
    integer(c_int) function inside(argument) bind(C)
      type(c_ptr), value :: argument
      inside = host
      if (c_associated(argument)) host = host + 1
    end function
  end subroutine
end module

program refusals
  use mpi
  use, intrinsic :: iso_c_binding
  use plait
  use refused_tasks
  implicit none
  type(plait_runtime) :: rt
  integer :: provided, code, rank, one
  real(c_double), target :: x(6), y(3, 2, 3, 2, 3, 2, 3)
  integer(c_int64_t), target :: n
  real(c_double), allocatable, target :: nowhere(:)
  character(len=plait_error_length) :: text

  call MPI_Init_thread(MPI_THREAD_SERIALIZED, provided, code)
  call plait_wait(rt, code)
  call expect(plait_err_state, 'there is no runtime')
  call plait_init(MPI_COMM_WORLD, rt)
  call plait_rank(rt, rank)
  one = 1
  x = 0
  call assumed_size(x)
  call give_internal_procedure(rt, x, code)
  call expect(plait_err_usage, "'inside': its function is an internal procedure")
  call plait_send(rt, 'nothing', nowhere, rank, 0, ierr=code)
  call expect(plait_err_usage, "'nothing': it is not allocated")
  call plait_task(rt, 'nothing', fails, one, [plait_in(nowhere)], ierr=code)
  call expect(plait_err_usage, "'nothing': it is not allocated")
  call plait_send(rt, 'apart', y(1:3:2, :, 1:3:2, :, 1:3:2, :, 1:3:2), rank, 0, ierr=code)
  call expect(plait_err_usage, "'apart': more than four of its dimensions lie apart")
  call plait_allreduce(rt, 'two types', x(1), n, plait_sum, ierr=code)
  call expect(plait_err_usage, "'two types': its variables are of two types")
  call plait_allreduce_in_place(rt, 'text', text, plait_sum, ierr=code)
  call expect(plait_err_usage, "'text': its elements are of no type that is added")
  call plait_send(rt, 'far', x, 99, 0, ierr=code)
  call expect(plait_err_usage, 'far')
  call plait_task(rt, 'argument', fails, x(1:5:2), [plait_in(x)], ierr=code)
  call expect(plait_err_usage, "'argument': its argument does not lie in one piece")
  call plait_mpi_end(rt, code)
  call expect(plait_err_state, 'plait_mpi_begin')
  one = 7
  call plait_task(rt, 'fails', fails, one, [plait_inout(x)])
  call plait_wait(rt, code)
  call expect(plait_err_task, "task 'fails': its function returned 7")
  call plait_finalize(rt, code)
  call MPI_Allreduce(MPI_IN_PLACE, one, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, code)
  call MPI_Finalize(code)
  if (rank == 0) print '(a)', 'all is refused'

contains

  subroutine expect(wanted, words)
    integer, intent(in) :: wanted
    character(len=*), intent(in) :: words
    call plait_error_text(text)
    if (code == wanted .and. index(text, words) > 0) return
    print '(a, i0, a, i0, 4a)', 'expected ', wanted, ', got ', code, ': ', trim(text), '; expected: ', words
    call MPI_Abort(MPI_COMM_WORLD, 1, code)
  end subroutine

  ! Without a last extent.
  subroutine assumed_size(x)
    real(c_double), target :: x(*)
    call plait_send(rt, 'all of it', x, rank, 0, ierr=code)
    call expect(plait_err_usage, "'all of it': its last extent is not known here, since it is x(*) in this procedure")
    call plait_task(rt, 'all of it', fails, one, [plait_inout(x)], ierr=code)
    call expect(plait_err_usage, "'all of it': its last extent is not known")
  end subroutine
end program
