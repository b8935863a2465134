! SPDX-License-Identifier: BSD-3-Clause
! Variant `plait_fortran`: the tasks and messages of `plait`, submitted from Fortran.  Arrays come as they lie in memory,
! rows and planes padded; a section of them is an access or a message.
module jacobi3d_steps
  use, intrinsic :: iso_c_binding
  use plait
  implicit none

  type, bind(C) :: cells  ! as block.h has it
    integer(c_int64_t) :: low(3), high(3)
  end type
  type, bind(C) :: message
    type(cells) :: face
    integer(c_int64_t) :: first, count, peer
  end type
  type, bind(C) :: block
    type(c_ptr) :: u, v, b
    integer(c_int64_t) :: extent(3), stride(3), streamed
    type(c_funptr) :: relax
    type(c_ptr) :: sends
    integer(c_int64_t) :: send_count
    type(c_ptr) :: receives
    integer(c_int64_t) :: receive_count
    type(c_ptr) :: interior
    integer(c_int64_t) :: interior_count
    type(c_ptr) :: rim
    integer(c_int64_t) :: rim_count, workers, policy, in_flight, recorded
  end type
  type, bind(C) :: piece  ! a task's argument, which the task copies
    type(c_ptr) :: u, b, v
    integer(c_int64_t) :: stride_y, stride_z, nx, ny, nz, streamed
  end type

  interface
    subroutine jacobi3d_relax(u, b, v, stride_y, stride_z, nx, ny, nz, streamed) bind(C)
      import
      type(c_ptr), value :: u, b, v
      integer(c_int64_t), value :: stride_y, stride_z, nx, ny, nz, streamed
    end subroutine
  end interface

  type(plait_runtime) :: rt
  type(plait_graph) :: both_steps

contains

  recursive integer(c_int) function relax(argument) bind(C, name='jacobi3d_fortran_relax') result(code)
    type(c_ptr), value :: argument
    type(piece), pointer :: p
    call c_f_pointer(argument, p)
    call jacobi3d_relax(p%u, p%b, p%v, p%stride_y, p%stride_z, p%nx, p%ny, p%nz, p%streamed)
    code = 0
  end function

  ! Sections of `from` with a layer more along each axis: what the stencil reads, and no corner.
  subroutine submit_relax(of, name, from, to, b, c, priority)
    type(block), intent(in) :: of
    character(len=*), intent(in) :: name
    real(c_double), intent(inout), target, asynchronous :: from(0:, 0:, 0:), to(0:, 0:, 0:), b(0:, 0:, 0:)
    type(cells), intent(in) :: c
    integer(c_int), intent(in) :: priority
    integer(c_int64_t) :: i, j, k, ie, je, ke
    i = c%low(1); j = c%low(2); k = c%low(3)
    ie = c%high(1) - 1; je = c%high(2) - 1; ke = c%high(3) - 1
    call plait_task(rt, name, relax, &
      piece(c_loc(from(i, j, k)), c_loc(b(i, j, k)), c_loc(to(i, j, k)), of%stride(2), of%stride(3), &
            ie - i + 1, je - j + 1, ke - k + 1, of%streamed), &
      [plait_in(from(i - 1:ie + 1, j:je, k:ke)), plait_in(from(i:ie, j - 1:je + 1, k:ke)), &
       plait_in(from(i:ie, j:je, k - 1:ke + 1)), plait_in(b(i:ie, j:je, k:ke)), plait_out(to(i:ie, j:je, k:ke))], &
      priority=priority)
  end subroutine

  ! `values` are those of `from` in a row.
  subroutine step(of, from, to, b, values)
    type(block), intent(in) :: of
    real(c_double), intent(inout), target, asynchronous :: from(0:, 0:, 0:), to(0:, 0:, 0:), b(0:, 0:, 0:), values(0:)
    type(message), pointer :: sends(:), receives(:)
    type(cells), pointer :: interior(:), rim(:)
    integer :: n
    call c_f_pointer(of%sends, sends, [of%send_count])
    call c_f_pointer(of%receives, receives, [of%receive_count])
    call c_f_pointer(of%interior, interior, [of%interior_count])
    call c_f_pointer(of%rim, rim, [of%rim_count])
    do n = 1, size(sends)
      associate (m => sends(n), low => sends(n)%face%low, high => sends(n)%face%high)
        if (m%count > 0) then
          call plait_send(rt, 'ghosts', values(m%first:m%first + m%count - 1), int(m%peer), 0)
        else
          call plait_send(rt, 'ghosts', from(low(1):high(1) - 1, low(2):high(2) - 1, low(3):high(3) - 1), &
                          int(m%peer), 0)
        end if
      end associate
    end do
    do n = 1, size(receives)
      associate (m => receives(n), low => receives(n)%face%low, high => receives(n)%face%high)
        if (m%count > 0) then
          call plait_recv(rt, 'ghosts', values(m%first:m%first + m%count - 1), int(m%peer), 0)
        else
          call plait_recv(rt, 'ghosts', from(low(1):high(1) - 1, low(2):high(2) - 1, low(3):high(3) - 1), &
                          int(m%peer), 0)
        end if
      end associate
    end do
    do n = 1, size(interior)
      call submit_relax(of, 'interior', from, to, b, interior(n), plait_normal)
    end do
    do n = 1, size(rim)
      call submit_relax(of, 'rim', from, to, b, rim(n), plait_high)
    end do
  end subroutine

  ! Without `ierr` an error ends the job with its text.
  subroutine start_steps(of, comm, u, v, b, values_u, values_v, made) bind(C, name='jacobi3d_fortran_start_steps')
    type(block), intent(in) :: of
    integer(c_int), value :: comm
    real(c_double), intent(inout), target, asynchronous :: u(0:, 0:, 0:), v(0:, 0:, 0:), b(0:, 0:, 0:)
    real(c_double), intent(inout), target, asynchronous :: values_u(0:), values_v(0:)
    type(c_ptr), intent(out) :: made
    type(plait_options) :: options
    options%workers = int(of%workers, c_int)
    options%policy = int(of%policy, c_int)
    options%in_flight = of%in_flight
    call plait_init(comm, rt, options)
    made = rt%handle
    if (of%recorded == 0) return
    call plait_record_begin(rt)  ! kept, not run
    call step(of, u, v, b, values_u)
    call step(of, v, u, b, values_v)
    call plait_record_end(rt, both_steps)
  end subroutine

  subroutine run_steps(of, steps, u, v, b, values_u, values_v) bind(C, name='jacobi3d_fortran_run_steps')
    type(block), intent(in) :: of
    integer(c_int64_t), value :: steps
    real(c_double), intent(inout), target, asynchronous :: u(0:, 0:, 0:), v(0:, 0:, 0:), b(0:, 0:, 0:)
    real(c_double), intent(inout), target, asynchronous :: values_u(0:), values_v(0:)
    integer(c_int64_t) :: n, first
    first = 0
    if (of%recorded /= 0) then
      call plait_replay(rt, both_steps, int(steps/2))
      first = steps - mod(steps, 2_c_int64_t)
    end if
    do n = first, steps - 1
      if (mod(n, 2_c_int64_t) == 0) then
        call step(of, u, v, b, values_u)
      else
        call step(of, v, u, b, values_v)
      end if
    end do
    call plait_wait(rt)
  end subroutine

  integer(c_int) function finish_steps() bind(C, name='jacobi3d_fortran_finish') result(code)
    if (c_associated(both_steps%handle)) call plait_graph_free(both_steps)
    call plait_finalize(rt)
    code = 0
  end function
end module
