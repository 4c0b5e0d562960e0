// SPDX-License-Identifier: LGPL-2.1-or-later
// calls: main 1, work 2016, step 20160, leave 8, wait 8
// Two thousand threads one after another, eight at once, eight that leave by pthread_exit(), and
// eight that are cancelled.
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#define KEPT __attribute__((noinline))

KEPT static long step(long x)
{
    __asm__ volatile("" : "+r"(x));
    return x + 1;
}

KEPT static void leave(void)
{
    pthread_exit(NULL);
}

KEPT static void wait(void)
{
    for (;;)
        pause();
}

static void *work(void *what)
{
    long x = 0;
    for (int i = 0; i < 10; i++)
        x = step(x);
    if (what == (void *)1)
        leave();
    return (void *)x;
}

static __attribute__((no_instrument_function)) void *be_cancelled(void *unused)
{
    wait();
    return unused;
}

static long run(int threads, void *(*function)(void *), void *what, int cancels)
{
    pthread_t thread[8];
    long sum = 0;
    for (int i = 0; i < threads; i++)
        if (pthread_create(&thread[i], NULL, function, what) != 0)
            return -1;
    for (int i = 0; i < threads; i++) {
        void *result = NULL;
        if (cancels)
            pthread_cancel(thread[i]);
        pthread_join(thread[i], &result);
        sum += (long)result;
    }
    return sum;
}

int main(void)
{
    long sum = 0;
    for (int i = 0; i < 2000; i++)
        sum += run(1, work, NULL, 0);
    sum += run(8, work, NULL, 0);
    run(8, work, (void *)1, 0);
    run(8, be_cancelled, NULL, 1);
    printf("%ld\n", sum);
    return 0;
}
