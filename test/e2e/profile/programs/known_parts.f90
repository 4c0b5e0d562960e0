! SPDX-License-Identifier: LGPL-2.1-or-later
subroutine outer(x)
    implicit none
    integer, intent(inout) :: x
    integer :: i
    do i = 1, 10
        call inner(x)
    end do
end subroutine outer
