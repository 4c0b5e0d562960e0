/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* For programs that know the truth about their own times. A part notes the nanoseconds that passed
 * within it, its caller those that passed around the call, by the clock of the kernel. What a
 * profile says lies between the two. Programs of C, C++ and Fortran are linked with truth.c, which
 * is not instrumented. */
#ifndef TEST_E2E_PROFILE_PROGRAMS_TRUTH_H
#define TEST_E2E_PROFILE_PROGRAMS_TRUTH_H

#ifdef __cplusplus
extern "C" {
#endif

/* `late` is of the time around: the machine did something else between two looks at the clock, for
 * a microsecond or more. */
struct truth {
    long calls, within, around, late;
};

long truth_now(void);
/* Some nanoseconds pass, or more. Returns how many. */
long truth_burn(long ns);
/* A call has ended that took so long, of which so many nanoseconds were noted within. */
void truth_add(struct truth *truth, long within, long around);
/* A line: RANK CALLS WITHIN AROUND LATE STACK */
void truth_print(int rank, const char *stack, const struct truth *truth);

/* One call, which adds to truth->within. */
#define TRUTH_OF(truth, call)                                                                      \
    do {                                                                                           \
        long before_ = (truth)->within, start_ = truth_now();                                      \
        call;                                                                                      \
        truth_add(truth, (truth)->within - before_, truth_now() - start_);                         \
    } while (0)

#ifdef __cplusplus
}
#endif
#endif
