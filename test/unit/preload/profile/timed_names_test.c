/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/profile/timed_names.h"

#include "preload/profile/timed_sizes.h"
#include "test/unit/fixture/cases.h"

TEST(names_of_mpi_are_those_of_c_and_of_fortran_compilers)
{
    static const char *const mpi[] = {"MPI_Send",      "mpi_send_",     "mpi_send__",
                                      "mpi_send",      "MPI_SEND",      "MPI_Init",
                                      "mpi_send_f08_", "MPI_File_open", "MPI_WTIME"};
    static const char *const others[] = {"MPI_",
                                         "mpi_",
                                         "MPI_T_init_thread",
                                         "PMPI_Send",
                                         "MPIR_Send",
                                         "MPI_NULL_COPY_FN",
                                         "mpi_null_copy_fn_",
                                         "mpi_conversion_fn_null__",
                                         "MPI_DUP_FN",
                                         "xmpi_send_"};
    for (size_t i = 0; i < sizeof mpi / sizeof mpi[0]; i++)
        assert_true(timed_name_is_mpi(mpi[i]));
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        assert_false(timed_name_is_mpi(others[i]));
    assert_false(timed_name_is_fortran("MPI_Send"));
    assert_true(timed_name_is_fortran("MPI_SEND"));
}

TEST(arguments_are_known_however_a_compiler_writes_the_name)
{
    static const char *const names[] = {"mpi_send", "MPI_SEND", "mpi_send_", "mpi_send__"};
    int arguments;
    const struct timed_size in_c = timed_size_of("MPI_Send", &arguments);
    assert_true(in_c.count >= 0);
    assert_int_equal(arguments, 6);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const struct timed_size size = timed_size_of(names[i], &arguments);
        assert_true(size.is_fortran);
        assert_int_equal(size.count, in_c.count);
        assert_int_equal(arguments, 7);
    }
    assert_int_equal(timed_size_of("MPI_SENDX", &arguments).count, -1);
    assert_int_equal(arguments, -1);
}

TEST(no_stub_stands_before_what_returns_twice_or_takes_arguments_otherwise)
{
    static const char *const plain[] = {"pow",       "_gfortran_transfer_real", "__kmpc_barrier",
                                        "_ZN3fooEv", "GOMP_parallel",           "_setjmp_count"};
    static const char *const never[] = {"setjmp",       "_setjmp",          "__sigsetjmp",
                                        "vfork",        "__vfork",          "dlopen",
                                        "__cxa_throw",  "_Unwind_Resume",   "mcount",
                                        "_mcount",      "__fentry__",       "__tls_get_addr",
                                        "__asan_load8", "__libc_start_main"};
    static const char *const missed[] = {"_ZGVbN2v_sin", "__svml_pow2", "__regcall3__f",
                                         "__kmpc_fork_call"};
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++)
        assert_int_equal(timed_name_kind(plain[i]), TIMED_NAME_PLAIN);
    for (size_t i = 0; i < sizeof never / sizeof never[0]; i++)
        assert_int_equal(timed_name_kind(never[i]), TIMED_NAME_NEVER);
    for (size_t i = 0; i < sizeof missed / sizeof missed[0]; i++)
        assert_int_equal(timed_name_kind(missed[i]), TIMED_NAME_MISSED);
}
