! SPDX-License-Identifier: BSD-3-Clause
! Regions of a program, whose times `plait attach` gives one by one.  Compile this file with the
! program.  Nothing is linked: where plait is not attached, a call does nothing.
!
!   use plait_regions
!   call plait_region_begin("solve")
!   ...
!   call plait_region_end("solve")
!
! Regions may lie inside each other, and those of the same name are the same.  Blanks at the end of a
! name do not count, nor what is behind its first 63 characters.
module plait_regions
  use, intrinsic :: iso_c_binding, only: c_char, c_f_procpointer, c_funptr, c_associated, &
    c_null_char, c_null_ptr, c_ptr
  implicit none
  private
  public :: plait_region_begin, plait_region_end

  integer, parameter :: longest = 63

  abstract interface
    subroutine region_call(name) bind(c)
      import :: c_char
      character(kind=c_char), intent(in) :: name(*)
    end subroutine
  end interface

  interface
    ! Of the C library: a function by its name, among all that the program has loaded from its
    ! start on.
    function dlsym(among, symbol) result(found) bind(c, name="dlsym")
      import :: c_char, c_funptr, c_ptr
      type(c_ptr), value :: among
      character(kind=c_char), intent(in) :: symbol(*)
      type(c_funptr) :: found
    end function
  end interface

  logical :: is_looked_up = .false.
  procedure(region_call), pointer :: begins => null(), ends => null()

contains

  ! All are recursive: threads call them at the same time.
  ! Begins a region of this thread inside the one that it is in.
  recursive subroutine plait_region_begin(name)
    character(len=*), intent(in) :: name
    if (.not. is_looked_up) call look_up()
    if (associated(begins)) call pass_on(begins, name)
  end subroutine

  ! Ends the region of that name, and those inside it that are still open.
  recursive subroutine plait_region_end(name)
    character(len=*), intent(in) :: name
    if (.not. is_looked_up) call look_up()
    if (associated(ends)) call pass_on(ends, name)
  end subroutine

  recursive subroutine pass_on(to, name)
    procedure(region_call) :: to
    character(len=*), intent(in) :: name
    character(kind=c_char, len=longest + 1) :: text
    integer :: length
    length = min(len_trim(name), longest)
    text(1:length) = name(1:length)
    text(length + 1:length + 1) = c_null_char
    call to(text)
  end subroutine

  recursive subroutine look_up()
    type(c_funptr) :: found
    found = dlsym(c_null_ptr, c_char_"plait_region_begin" // c_null_char)
    if (c_associated(found)) call c_f_procpointer(found, begins)
    found = dlsym(c_null_ptr, c_char_"plait_region_end" // c_null_char)
    if (c_associated(found)) call c_f_procpointer(found, ends)
    is_looked_up = .true.
  end subroutine

end module
