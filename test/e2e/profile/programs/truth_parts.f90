! SPDX-License-Identifier: LGPL-2.1-or-later
! Times of Fortran that are known: of a routine of its own, of one of a module, and of a function.
module parts
    use, intrinsic :: iso_c_binding
    implicit none
    type, bind(c) :: truth
        integer(c_long) :: calls = 0, within = 0, around = 0, late = 0
    end type
    interface
        function truth_now() bind(c)
            import
            integer(c_long) :: truth_now
        end function
        function truth_burn(ns) bind(c)
            import
            integer(c_long), value :: ns
            integer(c_long) :: truth_burn
        end function
        subroutine truth_add(what, within, around) bind(c)
            import
            type(truth) :: what
            integer(c_long), value :: within, around
        end subroutine
        subroutine truth_print(rank, stack, what) bind(c)
            import
            integer(c_int), value :: rank
            character(kind=c_char) :: stack(*)
            type(truth) :: what
        end subroutine
    end interface
contains
    subroutine inner(what)
        type(truth), intent(inout) :: what
        what%within = what%within + truth_burn(100000_c_long)
    end subroutine

    function valued(ns) result(passed)
        integer(c_long), intent(in) :: ns
        integer(c_long) :: passed
        passed = truth_burn(ns)
    end function
end module

subroutine outer(what)
    use parts
    implicit none
    type(truth), intent(inout) :: what
    what%within = what%within + truth_burn(200000_c_long)
end subroutine

program known
    use parts
    implicit none
    type(truth) :: of_inner, of_valued, of_outer
    integer(c_long) :: before, start
    integer :: i
    do i = 1, 200
        before = of_inner%within
        start = truth_now()
        call inner(of_inner)
        call truth_add(of_inner, of_inner%within - before, truth_now() - start)
        before = of_valued%within
        start = truth_now()
        of_valued%within = of_valued%within + valued(300000_c_long)
        call truth_add(of_valued, of_valued%within - before, truth_now() - start)
        before = of_outer%within
        start = truth_now()
        call outer(of_outer)
        call truth_add(of_outer, of_outer%within - before, truth_now() - start)
    end do
    call truth_print(0, "outer_<MAIN__<main<init"//c_null_char, of_outer)
    call truth_print(0, "__parts_MOD_inner<MAIN__<main<init"//c_null_char, of_inner)
    call truth_print(0, "__parts_MOD_valued<MAIN__<main<init"//c_null_char, of_valued)
end program
