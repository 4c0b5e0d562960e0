! SPDX-License-Identifier: LGPL-2.1-or-later
! calls: MAIN__ 1, outer_ 10, inner_ 100, main 1
program known
    implicit none
    integer :: i, x
    x = 1
    do i = 1, 10
        call outer(x)
    end do
    print *, x
end program known
