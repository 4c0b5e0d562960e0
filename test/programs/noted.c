// SPDX-License-Identifier: LGPL-2.1-or-later
// noted NOTES CPU-MS SLEEP-MS END [WORD...]: works and sleeps for so long, ends as told, and
// appends to the file NOTES what happened (test/slurm/numbers/schedule), times in seconds since the
// Epoch, PID first. END:
//
//   exit CODE, _exit CODE, signal NUMBER
//   wait                                 until it is killed
//   exec PROGRAM WORD...                 becomes that
//   run MS SIGNAL PROGRAM WORD...        waits for it as a child, to which it sends the signal
//   after so long; 0: none
//
// A witness (tell_witness.h) sees when the kernel ends it.
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test/programs/tell_witness.h"

static const char *notes;

static double now(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static double seconds(const struct rusage *use)
{
    return (double)(use->ru_utime.tv_sec + use->ru_stime.tv_sec) +
           (double)(use->ru_utime.tv_usec + use->ru_stime.tv_usec) / 1e6;
}

__attribute__((format(printf, 1, 2))) static void note(const char *format, ...)
{
    char line[1024];
    va_list values;
    va_start(values, format);
    int size = vsnprintf(line, sizeof line, format, values);
    va_end(values);
    int fd = open(notes, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0 || write(fd, line, (size_t)size) != size)
        abort();
    close(fd);
}

static const char *variable(const char *name)
{
    const char *value = getenv(name);
    return value == NULL || *value == '\0' ? "-" : value;
}

static const char *rank(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK",
                                        "SLURM_PROCID"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (getenv(names[i]) != NULL)
            return getenv(names[i]);
    return "-";
}

static void note_start(void)
{
    char path[512] = "", host[64] = "";
    if (readlink("/proc/self/exe", path, sizeof path - 1) < 0 ||
        gethostname(host, sizeof host) != 0)
        abort();
    note("%d start %.6f %s %s %s %s %s %s %s\n", (int)getpid(), now(CLOCK_REALTIME), host,
         variable("SLURM_JOB_ID"), variable("SLURM_STEP_ID"), variable("SLURM_RESTART_COUNT"),
         rank(), variable("JOBTRAIL_LEADER"), path);
}

static void note_end(const char *word, int value)
{
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    note("%d end %.6f %s %d %.6f\n", (int)getpid(), now(CLOCK_REALTIME), word, value,
         seconds(&use));
}

static int run(int ms, int number, char **words)
{
    struct rusage use;
    int status;
    double before = 0;
    pid_t child = fork();
    if (child == 0) {
        execv(words[0], words);
        _exit(127);
    }
    if (number != 0) {
        usleep((useconds_t)ms * 1000);
        before = now(CLOCK_REALTIME);
        kill(child, number);
    }
    wait4(child, &status, 0, &use);
    note("%d child %.6f %.6f %d %.6f\n", (int)child, before, now(CLOCK_REALTIME), status,
         seconds(&use));
    return 0;
}

int main(int argc, char **argv)
{
    if (argc < 5)
        return 127;
    const char *way = argv[4];
    const int value = argc > 5 ? atoi(argv[5]) : 0;
    notes = argv[1];
    int seen = tell_witness(strcmp(way, "exec") == 0 ? "exec" : "exit");
    note_start();
    while (now(CLOCK_PROCESS_CPUTIME_ID) < atof(argv[2]) / 1e3)
        continue;
    usleep((useconds_t)atoi(argv[3]) * 1000);
    if (strcmp(way, "wait") == 0)
        sleep(600);
    if (strcmp(way, "run") == 0)
        run(value, atoi(argv[6]), argv + 7);
    note_end(way, strcmp(way, "run") == 0 ? 0 : value);
    tell_witness_now(seen);
    if (strcmp(way, "exec") == 0)
        execv(argv[5], argv + 5);
    if (strcmp(way, "signal") == 0)
        kill(getpid(), value);
    if (strcmp(way, "_exit") == 0)
        _exit(value);
    exit(strcmp(way, "run") == 0 ? 0 : value);
}
