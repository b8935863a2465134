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
  call plait_progress_start(-1d0, code)
  call expect(plait_err_usage, 'the interval of looks is a number of seconds')
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
  call refuse_arrays()
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

  ! What one rank is refused for is refused on all.
  subroutine refuse_arrays()
    type(plait_mover) :: mover
    real(c_double), target :: u(4, 3), v(2, 2), w(1, 1, 1, 1, 1)
    real(c_double), pointer :: none(:, :)
    real(c_float) :: small
    none => null()
    u = 0
    v = 0
    w = 0
    small = 0
    call plait_ghosts(rt, 'no number', u, [1], [4, 3], [1, 1], mover, ierr=code)
    call expect(plait_err_usage, "'no number': it needs a number for each dimension")
    call plait_ghosts(rt, 'no number', u, [1, 1], [4, 3], [1, 1], mover, periodic=[1], ierr=code)
    call expect(plait_err_usage, "'no number': it needs a number for each dimension")
    call plait_ghosts(rt, 'five', w, [1, 1, 1, 1, 1], [1, 1, 1, 1, 1], [0, 0, 0, 0, 0], mover, ierr=code)
    call expect(plait_err_usage, "'five': it has another number of dimensions than 1 to 4")
    call plait_ghosts(rt, 'nowhere', none, [1, 1], [4, 3], [1, 1], mover, ierr=code)
    call expect(plait_err_usage, "'nowhere': it is not allocated; a rank without cells")
    call plait_ghosts(rt, 'small', u, [1, 1], [2, 1], [1, 1], mover, value=small, ierr=code)
    call expect(plait_err_usage, "'small': its value is of another size")
    call plait_ghosts(rt, 'narrow', v, [1, 1], [4, 3], [1, 1], mover, ierr=code)
    call expect(plait_err_usage, 'plait_ghosts: ')
    call plait_ghosts(rt, 'twice', u, [1, 1], [2, 1], [1, 1], mover, ierr=code)
    call expect(plait_err_usage, 'blocks must not overlap')
    if (rank == 1) then
      call plait_ghosts(rt, 'one', none, [1, 1], [4, 3], [1, 1], mover, ierr=code)
      call expect(plait_err_usage, "'one': it is not allocated")
    else
      call plait_ghosts(rt, 'one', u, [1, 1], [4, 3], [0, 0], mover, ierr=code)
      call expect(plait_err_usage, 'plait_ghosts: rank 1: plait_ghosts: the array is a null pointer')
    end if
    call plait_redistribution(rt, 'back', [4, 3], u, [1, 1], [0, 0], v, [1, 1], [0], mover, ierr=code)
    call expect(plait_err_usage, "'back': it needs a number for each dimension")
    call plait_move(rt, mover, ierr=code)
    call expect(plait_err_usage, 'plait_move: the mover is a null pointer')
    call plait_mover_free(mover, ierr=code)
    if (code /= plait_success) call expect(plait_success, 'no mover is no error')
  end subroutine

  ! Without a last extent.
  subroutine assumed_size(x)
    real(c_double), target :: x(*)
    type(plait_mover) :: mover
    call plait_send(rt, 'all of it', x, rank, 0, ierr=code)
    call expect(plait_err_usage, "'all of it': its last extent is not known here, since it is x(*) in this procedure")
    call plait_task(rt, 'all of it', fails, one, [plait_inout(x)], ierr=code)
    call expect(plait_err_usage, "'all of it': its last extent is not known")
    call plait_ghosts(rt, 'all of it', x, [1], [2], [1], mover, ierr=code)
    call expect(plait_err_usage, "'all of it': its last extent is not known")
  end subroutine
end program
