/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * jobtrail-submit witness, the kernel witness of a node: what the kernel tells root of every
 * process of a job (fork, exec, exit, exit status, times, memory) is written into the job's file
 * KERNEL_NOTES_NAME, whatever the process did with its environment, session, namespaces or
 * privileges. It wakes once a second, and when a quarter of a ring is full.
 *
 * Of memory it takes rings of 4 MiB for each CPU, 64 MiB for all of them at the most, 16 MiB for
 * ends of threads that wait, tables of 30 MiB at the most, and for each job 64 KiB and its
 * programs. Without the kernel's events nothing is written, and it ends; without ends of threads
 * there is no status and no use of resources. Which of them the kernel refuses is in its state
 * (contrib/witness/job/witness_state.h).
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/clocks.h"
#include "conf/base/privileges.h"
#include "conf/base/process.h"
#include "conf/base/stderr_or_syslog.h"
#include "contrib/witness/job/witness_state.h"
#include "contrib/witness/kernel_rings.h"
#include "contrib/witness/task_end.h"
#include "contrib/witness/witness_jobs.h"
#include "spank/spool_path.h"
#include "submit/command/submit_command.h"
#include "submit/job/spool_read.h"

/* SETTLE_MS: what the kernel begins to write has its time from just before; so what is younger is
 * for the next round, or is waited for. ENDS_AT_ONCE: more than fit into the socket's room. */
enum { TURN_MS = 1000, SETTLE_MS = 10, ENDS_AT_ONCE = KERNEL_ENDS_MAX, DESCRIPTORS = 8192 };

/* SHORT_TURN_NS: the shortest that the kernel takes. START_TICKS: see is_alive(). */
enum { SHORT_TURN_NS = 100000, START_TICKS = 3, TICK_NS = 10000000 };

/* Of two readings of two clocks; what moves more has been set. */
#define CLOCK_ERROR_NS 10000

struct witness {
    struct kernel_rings *rings;
    struct kernel_processes *processes;
    struct witness_jobs *jobs;
    struct witness_state state;
    struct kernel_listen listen;
    uint64_t lost, overruns; /* events, and times that ends had no room, in this round */
    uint64_t lost_from_ns, lost_to_ns;
    uint64_t round_ns;             /* since boot: the last one of kernel_processes_round() */
    uint64_t before_ns;            /* until then an earlier one has heard all; 0: unknown */
    int64_t offset_ns;             /* real time less time since boot, as it was told last */
    int lock, signals, wake, ends; /* descriptors; ends -1: the kernel reports none */
};

static int fail(int error, const char *what, const char *why)
{
    fprintf(stderr, "jobtrail-submit: witness: %s: %s\n", what, why);
    return error;
}

/* ---- What the kernel tells ------------------------------------------------------------------- */

static void take_task_end(void *context, const struct task_end *end)
{
    struct witness *witness = context;
    kernel_processes_end(witness->processes, end);
}

static void add_lost(struct witness *witness, uint64_t count, uint64_t from_ns, uint64_t to_ns)
{
    from_ns = from_ns < witness->listen.boot_ns ? witness->listen.boot_ns : from_ns;
    if (witness->lost == 0 || from_ns < witness->lost_from_ns)
        witness->lost_from_ns = from_ns;
    if (witness->lost == 0 || to_ns > witness->lost_to_ns)
        witness->lost_to_ns = to_ns;
    witness->lost += count;
}

static void take_event(void *context, const struct kernel_event *event)
{
    struct witness *witness = context;
    if (event->kind == KERNEL_EVENT_LOST)
        add_lost(witness, event->lost, event->since_ns, event->time_ns);
    else
        kernel_processes_event(witness->processes, event);
}

static uint32_t take_program(void *context, uint32_t job, const struct kernel_event *event)
{
    struct job_notes *notes = witness_jobs_notes(((struct witness *)context)->jobs, job);
    return notes == NULL ? 0 : job_notes_program(notes, event);
}

static uint32_t take_objects(void *context, uint32_t job, const uint32_t *file, size_t count)
{
    struct job_notes *notes = witness_jobs_notes(((struct witness *)context)->jobs, job);
    return notes == NULL ? 0 : job_notes_objects(notes, file, count);
}

static void take_end(void *context, uint32_t job, const struct kernel_note *note)
{
    struct witness *witness = context;
    struct job_notes *notes = witness_jobs_notes(witness->jobs, job);
    if (notes == NULL)
        return;
    bool has_room = job_notes_end(notes, note);
    witness->state.noted += has_room;
    witness->state.left += !has_room;
}

static void take_replaced(void *context, uint32_t job, const struct kernel_note *note)
{
    struct job_notes *notes = witness_jobs_notes(((struct witness *)context)->jobs, job);
    if (notes != NULL)
        job_notes_replaced(notes, note);
}

static void take_loss(void *context, uint32_t job)
{
    struct witness *witness = context;
    struct job_notes *notes = witness_jobs_notes(witness->jobs, job);
    witness->state.left++;
    if (notes != NULL)
        job_notes_left(notes);
}

/* ---- A round --------------------------------------------------------------------------------- */

/* The kernel reports a fork after the start that /proc shows in ticks of 10 ms. */
static bool is_alive(int32_t pid, uint64_t start_ns)
{
    struct process_stat stat;
    int error = process_stat_read(pid, &stat);
    if (error != 0)
        return error != -ESRCH;
    uint64_t ticks = start_ns / TICK_NS;
    return !process_stat_is_over(&stat) && stat.start_ticks <= ticks &&
           ticks - stat.start_ticks <= START_TICKS;
}

/* Which jobs lost events are of is not known. A process whose ends of threads were lost would live
 * for ever here. */
static void tell_lost(struct witness *witness, uint64_t now_ns)
{
    for (uint32_t job = 0; (job = witness_jobs_next(witness->jobs, job)) != 0;) {
        struct job_notes *notes = witness_jobs_notes(witness->jobs, job);
        if (witness->lost > 0)
            job_notes_lost(notes, witness->lost_from_ns, witness->lost_to_ns, witness->lost);
        if (witness->overruns > 0)
            job_notes_numbers(notes, "overrun", now_ns, witness->overruns);
    }
    kernel_processes_sweep(witness->processes, now_ns, is_alive);
    witness->state.lost += witness->lost;
    witness->state.overruns += witness->overruns;
    witness->lost = witness->overruns = 0;
}

static void tell_clock(struct witness *witness)
{
    const struct clock_pair now = clock_pair_read();
    int64_t offset_ns = (int64_t)(now.real_ns - now.boot_ns);
    int64_t moved_ns = offset_ns - witness->offset_ns;
    if (moved_ns > -CLOCK_ERROR_NS && moved_ns < CLOCK_ERROR_NS)
        return;
    witness->offset_ns = offset_ns;
    for (uint32_t job = 0; (job = witness_jobs_next(witness->jobs, job)) != 0;)
        job_notes_numbers(witness_jobs_notes(witness->jobs, job), "clock", now.boot_ns,
                          now.real_ns);
}

static void write_notes(struct witness *witness)
{
    witness->state.jobs = 0;
    for (uint32_t job = 0; (job = witness_jobs_next(witness->jobs, job)) != 0;) {
        job_notes_write(witness_jobs_notes(witness->jobs, job));
        witness->state.jobs++;
    }
}

/* The state has what an earlier witness has heard, until the first round of this one. */
static uint64_t heard_until(const struct witness *witness)
{
    const struct witness_state *state = &witness->state;
    return state->until_ns > state->since_ns ? state->until_ns : state->since_ns;
}

/* Journals are read first: they name a step's daemon before that forks a task. Ends of threads come
 * before the events of their exits. `is_asked`: somebody waits for what has just happened. */
static int run_round(struct witness *witness, bool is_asked)
{
    const struct timespec settle = {.tv_nsec = SETTLE_MS * 1000000L};
    const uint64_t young_ns = is_asked ? 0 : SETTLE_MS * UINT64_C(1000000);
    const uint64_t until_ns = clock_ns(CLOCK_BOOTTIME) - young_ns;
    if (is_asked)
        nanosleep(&settle, NULL);
    int error = witness_jobs_look(witness->jobs, witness->processes, heard_until(witness));
    if (error != 0)
        return fail(error, "the spool", strerror(-error));
    if (witness->ends >= 0)
        error = task_end_socket_read(witness->ends, ENDS_AT_ONCE, take_task_end, witness,
                                     &witness->overruns);
    if (error < 0)
        return fail(error, "ends of processes", strerror(-error));
    tell_clock(witness);
    uint64_t bad = kernel_rings_read(witness->rings, until_ns, take_event, witness);
    if (bad > 0)
        add_lost(witness, bad, witness->state.until_ns, until_ns);
    if (until_ns > witness->round_ns + TURN_MS * UINT64_C(1000000)) {
        kernel_processes_round(witness->processes);
        witness->round_ns = until_ns;
    }
    if (witness->lost > 0 || witness->overruns > 0)
        tell_lost(witness, until_ns);
    write_notes(witness);
    witness->state.unmatched = kernel_processes_unmatched(witness->processes);
    witness->state.until_ns = until_ns;
    witness_state_write(witness->lock, &witness->state);
    return 0;
}

static int listen_on(struct witness *witness)
{
    struct pollfd ready[] = {{.fd = witness->signals, .events = POLLIN},
                             {.fd = witness->wake, .events = POLLIN},
                             {.fd = kernel_rings_descriptor(witness->rings), .events = POLLIN}};
    int error = run_round(witness, true);
    while (error == 0 && (ready[0].revents & POLLIN) == 0) {
        poll(ready, sizeof ready / sizeof *ready, TURN_MS);
        char bytes[1024];
        while ((ready[1].revents & POLLIN) != 0 && read(witness->wake, bytes, sizeof bytes) > 0)
            continue;
        error = run_round(witness, ((ready[0].revents | ready[1].revents) & POLLIN) != 0);
    }
    return error;
}

/* ---- Beginning ------------------------------------------------------------------------------- */

/* Of fcntl(2): it goes with the process. */
static int take_lock(int spool)
{
    int fd = openat(spool, WITNESS_STATE, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return fail(-errno, WITNESS_STATE, strerror(errno));
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (fcntl(fd, F_SETLK, &whole) == 0)
        return fd;
    int error = errno == EACCES || errno == EAGAIN ? -EWOULDBLOCK : -errno;
    close(fd);
    return fail(error, WITNESS_STATE,
                error == -EWOULDBLOCK ? "another witness runs" : strerror(-error));
}

/* A time after now is of an earlier boot. To be called before take_lock(): closing the file gives
 * the lock back. */
static uint64_t heard_before(int spool)
{
    struct witness_state state;
    bool is_running;
    bool is_known = witness_state_read(spool, &state, &is_running) == 0;
    return is_known && state.until_ns <= clock_ns(CLOCK_BOOTTIME) ? state.until_ns : 0;
}

static int open_wake(int spool)
{
    struct stat status;
    if (mkfifoat(spool, WITNESS_WAKE, 0600) != 0 && errno != EEXIST)
        return fail(-errno, WITNESS_WAKE, strerror(errno));
    int fd = openat(spool, WITNESS_WAKE, O_RDWR | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return fail(-errno, WITNESS_WAKE, strerror(errno));
    if (fstat(fd, &status) == 0 && S_ISFIFO(status.st_mode) && status.st_uid == geteuid())
        return fd;
    close(fd);
    return fail(-EINVAL, WITNESS_WAKE, "it is no named pipe of this user's");
}

static int take_signals(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigprocmask(SIG_BLOCK, &set, NULL);
    int fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    return fd < 0 ? fail(-errno, "signals", strerror(errno)) : fd;
}

/* A descriptor for each CPU and each job. */
static void raise_descriptors(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= DESCRIPTORS)
        return;
    limit.rlim_cur = limit.rlim_max < DESCRIPTORS ? limit.rlim_max : DESCRIPTORS;
    setrlimit(RLIMIT_NOFILE, &limit);
}

static const char *why_no_ends(int error)
{
    return error == -ENOENT    ? "the kernel has no taskstats"
           : error == -ENOTSUP ? "the kernel is older than 5.19"
           : error == -EINVAL  ? "this is not the first pid namespace"
           : error == -EXDEV   ? "the kernel sends none, as outside of the first network namespace"
                               : strerror(-error);
}

/* The lowest priority stays. From Linux 6.12 on a process that asks for short turns gets them soon
 * after it wakes, and no more of the processor: on a busy node a ring is read before it is full.
 * Older kernels pay no heed. */
static void ask_for_short_turns(void)
{
    /* sched_setattr(2); its struct is in headers that exclude each other */
    const struct {
        uint32_t size, policy; /* 0: SCHED_OTHER */
        uint64_t flags;
        int32_t nice;
        uint32_t priority;
        uint64_t runtime, deadline, period;
    } turns = {
        .size = sizeof turns, .nice = getpriority(PRIO_PROCESS, 0), .runtime = SHORT_TURN_NS};
    syscall(SYS_sched_setattr, 0, &turns, 0);
}

/* Then capabilities are not needed any more. */
static int open_kernel(struct witness *witness, uint32_t level)
{
    raise_descriptors();
    ask_for_short_turns();
    int error = kernel_rings_open(level == CONF_WITNESS_OBJECTS, &witness->rings);
    witness->state.events = -error;
    if (error == 0)
        witness->ends = task_end_socket_open();
    witness->state.ends = error == 0 && witness->ends < 0 ? -witness->ends : 0;
    if (level == CONF_WITNESS_AUTO && (error != 0 || witness->ends < 0))
        return -ENOTSUP;
    if (error != 0)
        return fail(error, "events of processes",
                    error == -EINVAL ? "the kernel is too old" : strerror(-error));
    if (witness->ends < 0)
        fail(witness->ends, "ends of processes", why_no_ends(witness->ends));
    error = capabilities_drop();
    return error == 0 ? 0 : fail(error, "capabilities", strerror(-error));
}

/* The walk comes after the kernel has begun to tell, so that no process is missed. */
static int get_ready(struct witness *witness, const struct conf *conf, int spool)
{
    witness->state.level = conf->witness;
    witness->state.until_ns = witness->before_ns;
    int error = open_kernel(witness, conf->witness);
    witness_state_write(witness->lock, &witness->state);
    if (error != 0)
        return error;
    const struct clock_pair now = clock_pair_read();
    witness->state.since_ns = now.boot_ns;
    witness->listen =
        (struct kernel_listen){now.boot_ns, now.real_ns, conf->witness == CONF_WITNESS_OBJECTS,
                               witness->ends >= 0, witness->before_ns};
    witness->offset_ns = (int64_t)(witness->listen.real_ns - witness->listen.boot_ns);
    const struct kernel_processes_calls calls = {take_program,
                                                 take_objects,
                                                 take_end,
                                                 take_replaced,
                                                 take_loss,
                                                 witness,
                                                 witness->listen.has_maps,
                                                 witness->listen.has_ends};
    witness->processes = kernel_processes_new(&calls);
    witness->jobs = witness_jobs_new(spool, &witness->listen);
    if (witness->processes == NULL || witness->jobs == NULL)
        return fail(-ENOMEM, "memory", strerror(ENOMEM));
    error = witness_jobs_look(witness->jobs, witness->processes, heard_until(witness));
    if (error == 0)
        error = witness_jobs_walk(witness->jobs, witness->processes);
    return error == 0 ? 0 : fail(error, "the processes that run", strerror(-error));
}

/* Listens until SIGTERM, for the jobs of the spool directory open at `spool`. Then all that was
 * reported is written. Returns 0; -EWOULDBLOCK where another one runs for this spool; -ENOTSUP
 * where CONF_WITNESS_AUTO is off; or -errno, which was reported on stderr. */
static int witness_run(const struct conf *conf, int spool)
{
    struct witness witness = {
        .before_ns = heard_before(spool), .lock = -1, .signals = -1, .wake = -1, .ends = -1};
    witness.lock = take_lock(spool);
    if (witness.lock < 0)
        return witness.lock;
    witness.wake = open_wake(spool);
    witness.signals = witness.wake < 0 ? witness.wake : take_signals();
    int error = witness.signals < 0 ? witness.signals : get_ready(&witness, conf, spool);
    if (error == 0)
        error = listen_on(&witness);
    witness_jobs_free(witness.jobs);
    kernel_processes_free(witness.processes);
    kernel_rings_free(witness.rings);
    const int fds[] = {witness.ends, witness.signals, witness.wake, witness.lock};
    for (size_t i = 0; i < sizeof fds / sizeof *fds; i++)
        if (fds[i] >= 0)
            close(fds[i]);
    return error;
}

enum submit_status command_witness(const struct submit_options *options)
{
    char path[PATH_MAX];
    struct conf conf;
    if (options->detach)
        stderr_or_syslog_switch();
    if (submit_conf_load(options, &conf) != SUBMIT_OK)
        return SUBMIT_UNUSABLE;
    int error = spool_expand(conf.spool, options->node, path, sizeof path);
    CLEANUP_CLOSE int spool = error != 0 ? error : spool_open_node(path);
    if (conf.witness == CONF_WITNESS_OFF) {
        fputs("jobtrail-submit: witness: [witness] level of jobtrail.conf is off: nothing to do\n",
              stderr);
        error = 0;
    } else {
        error = spool < 0 ? fail(spool, conf.spool, strerror(-spool)) : witness_run(&conf, spool);
    }
    const bool is_off = conf.witness == CONF_WITNESS_AUTO && error == -ENOTSUP;
    conf_free(&conf);
    return error == 0 || is_off ? SUBMIT_OK : SUBMIT_UNUSABLE;
}
