// SPDX-License-Identifier: LGPL-2.1-or-later
// calls: moon_many 2, moon_variadic 1, moon_pair 1, moon_large 1, moon_long_double 1, moon_calls 23, moon_burns 23, moon_waits 1
// With an argument it prints the nanoseconds within moon_burns(), called by moon_calls(), and around the two.
#include <moon.h>

#include <csetjmp>
#include <cstdio>
#include <ctime>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static std::jmp_buf back;
static long long within;

static long long now()
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void throws() { throw 7; }
static void jumps() { std::longjmp(back, 1); }
static void burns() { within = moon_burns(50000000); }
static void deep() { static int depth; if (++depth < 20) moon_calls(deep); }
static void *waits(void *)
{
    moon_waits();
    return nullptr;
}
static void *short_ones(void *)
{
    for (int i = 0; i < 10; i++)
        moon_burns(0);
    return nullptr;
}

int main(int argc, char **)
{
    std::printf("%ld\n", moon_many(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16));
    std::printf("%g\n", moon_variadic(10, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5, 9.5, 10.5));
    struct moon_pair pair = moon_pair(1, 2);
    std::printf("%g %g %ld %Lg\n", pair.first, pair.second, moon_large(3).part[8], moon_long_double(1.25L));
    try {
        moon_calls(throws);
    } catch (int number) {
        std::printf("caught %d\n", number);
    }
    if (setjmp(back) == 0)
        moon_calls(jumps);
    long long start = now();
    moon_calls(burns);
    long long around = now() - start;
    moon_calls(deep); // deeper than calls are timed
    pthread_t thread;
    pthread_create(&thread, nullptr, waits, nullptr);
    pthread_cancel(thread);
    pthread_join(thread, nullptr);
    pthread_create(&thread, nullptr, short_ones, nullptr);
    pthread_join(thread, nullptr);
    pid_t child = fork();
    if (child == 0) {
        moon_burns(0);
        _exit(moon_burns(0) < 0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    for (int i = 0; i < 10; i++)
        moon_burns(0);
    std::printf("%d %ld\n", status, moon_many(1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1));
    if (argc > 1)
        std::printf("%lld %lld\n", within, around);
    return 3;
}
