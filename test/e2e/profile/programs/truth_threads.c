/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Four threads, each of which knows its own times: of a part that it alone has, and of one that all
 * have. The main thread calls one that is long, of which many are short. */
#include <pthread.h>
#include <stdio.h>

#include "test/e2e/profile/programs/truth.h"

#define KEPT __attribute__((noinline))

static struct truth of_own[4], of_shared[4], of_many;

KEPT static void shared(struct truth *truth, long ns)
{
    truth->within += truth_burn(ns);
}

#define THREAD(number)                                                                             \
    KEPT static void own_##number(struct truth *truth)                                             \
    {                                                                                              \
        truth->within += truth_burn(200000L * (number + 1));                                       \
    }                                                                                              \
    static void *thread_##number(void *unused)                                                     \
    {                                                                                              \
        for (int i = 0; i < 100; i++) {                                                            \
            TRUTH_OF(&of_own[number], own_##number(&of_own[number]));                              \
            TRUTH_OF(&of_shared[number], shared(&of_shared[number], 50000L * (4 - number)));       \
        }                                                                                          \
        return unused;                                                                             \
    }
THREAD(0)
THREAD(1)
THREAD(2)
THREAD(3)

KEPT static void quick(int x)
{
    __asm__ volatile("" : "+r"(x));
}

/* The time of short calls is not known in the mode `light`, that of their caller is. */
KEPT static void many(struct truth *truth)
{
    long start = truth_now();
    for (int i = 0; i < 1000000; i++)
        quick(i);
    truth->within += truth_now() - start;
}

int main(void)
{
    static void *(*const of[4])(void *) = {thread_0, thread_1, thread_2, thread_3};
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, of[i], NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < 4; i++) {
        char stack[64];
        snprintf(stack, sizeof stack, "own_%d<thread_%d<init", i, i);
        truth_print(0, stack, &of_own[i]);
        snprintf(stack, sizeof stack, "shared<thread_%d<init", i);
        truth_print(0, stack, &of_shared[i]);
    }
    TRUTH_OF(&of_many, many(&of_many));
    truth_print(0, "many<main<init", &of_many);
    return 0;
}
