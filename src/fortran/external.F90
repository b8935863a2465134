! SPDX-License-Identifier: BSD-3-Clause
! For programs without modules, such as those of Fortran 77.
subroutine plait_progress_start(ierr)
  use, intrinsic :: iso_c_binding, only: c_double, c_int
  implicit none
  integer(c_int), intent(out) :: ierr
  interface
    subroutine start(interval_s, ierr) bind(C, name='plait_fortran_progress_start')
      import :: c_double, c_int
      real(c_double), intent(in), optional :: interval_s
      integer(c_int), intent(out), optional :: ierr
    end subroutine
  end interface
  call start(ierr=ierr)
end subroutine

subroutine plait_progress_stop(ierr)
  use, intrinsic :: iso_c_binding, only: c_int
  implicit none
  integer(c_int), intent(out) :: ierr
  interface
    subroutine finish(ierr) bind(C, name='plait_fortran_progress_stop')
      import :: c_int
      integer(c_int), intent(out), optional :: ierr
    end subroutine
  end interface
  call finish(ierr)
end subroutine
