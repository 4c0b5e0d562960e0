! SPDX-License-Identifier: LGPL-2.1-or-later
subroutine inner(x)
    implicit none
    integer, intent(inout) :: x
    x = mod(x * 3 + 1, 1000)
end subroutine inner
