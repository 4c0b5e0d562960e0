/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * jobtrail-load: records into a store. See jobtrail-load(1).
 */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <malloc.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/command_options.h"
#include "conf/base/days.h"
#include "conf/base/grow.h"
#include "conf/base/text.h"
#include "conf/library_modules.h"
#include "conf/secret_file.h"
#include "submit/load/read/damaged.h"
#include "submit/load/read/load_inputs.h"
#include "submit/load/read/load_slurm.h"
#include "submit/load/store/store_state.h"

#define DEFAULT_STORE "sqlite:/var/lib/jobtrail/jobtrail.db"
#define DEFAULT_BATCH 4000
#define MAX_BATCH     100000
#define MAX_DAYS      36500

enum exit_code {
    ALL_LOADED = 0,
    SET_ASIDE = 1,
    USAGE = 2,
    STORE_TROUBLE = 3,
    STOPPED = 4,
    NO_JOBS = 5,
    NO_RECORDS = 6
};

static const char usage[] =
    "Usage: jobtrail-load [OPTION]... [DIR|FILE|-]...\n"
    "Load records into a store: of directories, of syslog files, of standard input.\n"
    "\n"
    "  -s, --store ADDRESS      sqlite:FILE, made when it is missing, or mariadb://HOST/DATABASE\n"
    "                           (default: $JOBTRAIL_STORE, else " DEFAULT_STORE ")\n"
    "  -f, --follow             go on with what comes, until a signal\n"
    "  -d, --delete             remove each file once the store holds it\n"
    "  -k, --key FILE           a key that nodes sign records with; may be repeated\n"
    "  -r, --require-signature  set aside records that none of the keys has signed\n"
    "  -q, --quarantine DIR     move what is damaged there, each beside a .reason file\n"
    "  -m, --modules FILE       map of paths to modules, also for what is stored\n"
    "  -a, --accounts FILE      fields of science of accounts\n"
    "      --slurm[=DAYS]       ask sacct for Slurm's jobs: since the last time, or of these days\n"
    "      --slurm-rows FILE    read Slurm's jobs from FILE, as sacct writes them; -: stdin\n"
    "      --history            records of jobtrail-xalt-history: what the store has is not\n"
    "                           counted twice\n"
    "      --timezone ZONE      of the store's dates and days, as [site] timezone of the nodes\n"
    "  -e, --expire DAYS        remove runs and jobs that started more than DAYS days ago\n"
    "  -b, --batch N            records in one transaction (default: 4000)\n"
    "  -n, --dry-run            change nothing, on disk or in the store\n"
    "  -j, --json               summary as one JSON object\n"
    "  -h, --help               this text\n"
    "  -V, --version            the version\n"
    "\n"
    "Exit status: 0 all loaded, 1 something was set aside, 2 usage or unreadable input,\n"
    "3 trouble with the store, 4 stopped by a signal before all was loaded,\n"
    "5 no jobs from Slurm, 6 an input holds no records.\n";

struct load_options {
    const char *store, *quarantine, *modules, *accounts;
    const char *slurm;      /* days, "": since the last time; NULL: Slurm is not asked */
    const char *slurm_rows; /* a file of them */
    uint32_t slurm_days;
    const char *timezone; /* NULL: the store's */
    uint32_t batch;
    uint32_t expire_days; /* 0: keep all */
    bool delete_files, dry_run, json, follow, require_signature, history, help, version;
    const char *key; /* the last */
    const char *key_file[PROOF_KEYS_MAX];
    size_t key_files;
};

/* What was done beside loading. */
struct chores {
    size_t expired, renamed;
    struct slurm_counts jobs;
    size_t slurm_damaged;
    size_t other_zones; /* coverage records */
    char zones[2][256]; /* the store's, and that of the first of them; printable */
    bool stopped;       /* by a signal, before all was done */
};

static volatile sig_atomic_t stop;

#define MEMBER(name) offsetof(struct load_options, name)

/* clang-format off */
static const struct option_row option_rows[] = {
    {"store", 's', OPTION_TEXT, MEMBER(store), 0, 0, NULL},
    {"follow", 'f', OPTION_FLAG, MEMBER(follow), 0, 0, NULL},
    {"delete", 'd', OPTION_FLAG, MEMBER(delete_files), 0, 0, NULL},
    {"key", 'k', OPTION_TEXT, MEMBER(key), 0, 0, NULL},
    {"require-signature", 'r', OPTION_FLAG, MEMBER(require_signature), 0, 0, NULL},
    {"quarantine", 'q', OPTION_TEXT, MEMBER(quarantine), 0, 0, NULL},
    {"modules", 'm', OPTION_TEXT, MEMBER(modules), 0, 0, NULL},
    {"accounts", 'a', OPTION_TEXT, MEMBER(accounts), 0, 0, NULL},
    {"slurm", 'S', OPTION_TEXT, MEMBER(slurm), 0, 0, ""},
    {"slurm-rows", 'R', OPTION_TEXT, MEMBER(slurm_rows), 0, 0, NULL},
    {"history", 'X', OPTION_FLAG, MEMBER(history), 0, 0, NULL},
    {"timezone", 'Z', OPTION_TEXT, MEMBER(timezone), 0, 0, NULL},
    {"expire", 'e', OPTION_NUMBER, MEMBER(expire_days), 1, MAX_DAYS, NULL},
    {"batch", 'b', OPTION_NUMBER, MEMBER(batch), 1, MAX_BATCH, NULL},
    {"dry-run", 'n', OPTION_FLAG, MEMBER(dry_run), 0, 0, NULL},
    {"json", 'j', OPTION_FLAG, MEMBER(json), 0, 0, NULL},
    {"help", 'h', OPTION_FLAG, MEMBER(help), 0, 0, NULL},
    {"version", 'V', OPTION_FLAG, MEMBER(version), 0, 0, NULL},
    {NULL, 0, 0, 0, 0, 0, NULL},
};
/* clang-format on */

static int check_options(const struct load_options *options, char **paths)
{
    bool asks_slurm = options->slurm != NULL || options->slurm_rows != NULL;
    bool has_chore = options->modules != NULL || options->accounts != NULL ||
                     options->expire_days != 0 || options->timezone != NULL || asks_slurm;
    if (options->require_signature && options->key_files == 0) {
        fputs("jobtrail-load: --require-signature needs the --key that signatures are checked "
              "with\n",
              stderr);
        return -EINVAL;
    }
    if (options->timezone != NULL && !days_has_zone(options->timezone)) {
        fputs("jobtrail-load: --timezone: this machine has no such time zone\n", stderr);
        return -EINVAL;
    }
    if (paths[0] == NULL && !has_chore) {
        fputs("jobtrail-load: which directory or file? Try 'jobtrail-load --help'.\n", stderr);
        return -EINVAL;
    }
    if (options->follow && (options->expire_days != 0 || asks_slurm)) {
        fprintf(stderr, "jobtrail-load: --follow does not end, so %s needs a call of its own\n",
                asks_slurm ? "--slurm" : "--expire");
        return -EINVAL;
    }
    struct stat facts;
    char shown[TERMINAL_WORD_SIZE];
    for (; options->follow && !options->delete_files && *paths != NULL; paths++) {
        if (stat(*paths, &facts) == 0 && S_ISDIR(facts.st_mode)) {
            fprintf(stderr,
                    "jobtrail-load: --follow of the directory %s needs --delete, else all that is "
                    "in it is read again and again\n",
                    terminal_word(*paths, shown));
            return -EINVAL;
        }
    }
    return 0;
}

/* Returns 0; -EINVAL after saying why; 1 when the answer has been printed already. */
static int parse_options(int argc, char **argv, struct load_options *options)
{
    int letter;
    while ((letter = options_next(argc, argv, "s:fdk:rq:m:a:e:b:njhV", option_rows, options)) !=
           OPTIONS_END) {
        if (letter == OPTIONS_WRONG) {
            fputs("Try 'jobtrail-load --help'.\n", stderr);
            return -EINVAL;
        }
        if (options->help || options->version) {
            fputs(options->help ? usage : "jobtrail-load " JOBTRAIL_VERSION "\n", stdout);
            return 1;
        }
        if (letter == 'k' && options->key_files == PROOF_KEYS_MAX) {
            fprintf(stderr, "jobtrail-load: no more than %d keys\n", PROOF_KEYS_MAX);
            return -EINVAL;
        }
        if (letter == 'S' && options->slurm[0] != '\0' &&
            options_number(options->slurm, 1, MAX_DAYS, &options->slurm_days) != 0) {
            fprintf(stderr, "jobtrail-load: --slurm takes a whole number of days from 1 to %d\n",
                    MAX_DAYS);
            return -EINVAL;
        }
        if (letter == 'k')
            options->key_file[options->key_files++] = options->key;
    }
    return check_options(options, argv + optind);
}

static const struct database_ops *find_store(const char *address, const char **location)
{
    const struct database_ops *ops = store_kind(address, location);
    char shown[TERMINAL_WORD_SIZE];
    if (ops == NULL)
        fprintf(stderr,
                "jobtrail-load: %s is no store; write sqlite:FILE or mariadb://HOST/DATABASE\n",
                terminal_word(address, shown));
    return ops;
}

static int open_quarantine(const struct load_options *options, int *fd)
{
    *fd = -1;
    if (options->quarantine == NULL || options->dry_run)
        return 0;
    char culprit[PATH_MAX], shown[TERMINAL_WORD_SIZE], other[TERMINAL_WORD_SIZE];
    int opened = damaged_open(options->quarantine, culprit, sizeof culprit);
    if (opened == -EPERM) {
        fprintf(stderr,
                "jobtrail-load: quarantine %s: others than root can change %s: give it to root, "
                "writable by root alone, or run this as another user\n",
                terminal_word(options->quarantine, shown), terminal_word(culprit, other));
        return opened;
    }
    if (opened < 0) {
        fprintf(stderr, "jobtrail-load: quarantine %s: %s\n",
                terminal_word(options->quarantine, shown), strerror(-opened));
        return opened;
    }
    *fd = opened;
    return 0;
}

static void print_summary(const struct load_counts *counts, const struct chores *chores,
                          const struct load_options *options)
{
    printf("%zu read: %zu new, %zu updated, %zu unchanged; %zu set aside, %zu of them moved; "
           "%zu deleted; %zu unproven%s%s\n",
           load_counts_read(counts), counts->fresh, counts->updated, counts->unchanged,
           counts->damaged, counts->quarantined, counts->deleted, counts->unproven,
           chores->stopped ? "; stopped by a signal" : "",
           options->dry_run ? " (dry run: nothing changed)" : "");
    if (counts->conflicts != 0)
        printf("%zu in conflict with another's uuid: see the view conflict\n", counts->conflicts);
    for (size_t i = 0; counts->without_room != 0 && run_parts[i] != NULL; i++)
        printf("%zu %s\n", counts->without_room, run_parts[i]->no_room);
    for (size_t i = 0; i < LOAD_EXTENSIONS; i++)
        if (counts->unread[i] != 0)
            printf("%s of %zu runs are left out: this jobtrail is built without them\n",
                   load_extensions[i].words, counts->unread[i]);
    if (chores->other_zones != 0)
        printf("%zu coverage records have days of another time zone than the store's, %s: %s\n",
               chores->other_zones, chores->zones[0], chores->zones[1]);
    if (options->modules != NULL)
        printf("modules of %zu paths changed\n", chores->renamed);
    if (options->slurm != NULL || options->slurm_rows != NULL)
        printf("%zu jobs of Slurm: %zu new, %zu updated, %zu unchanged; %zu damaged rows\n",
               chores->jobs.fresh + chores->jobs.updated + chores->jobs.unchanged,
               chores->jobs.fresh, chores->jobs.updated, chores->jobs.unchanged,
               chores->slurm_damaged);
    if (options->expire_days != 0)
        printf("%zu runs expired\n", chores->expired);
}

static void print_json(const struct load_counts *counts, const struct chores *chores,
                       const struct load_options *options)
{
    printf("{\"read\":%zu,\"new\":%zu,\"updated\":%zu,\"unchanged\":%zu,\"conflicts\":%zu,"
           "\"damaged\":%zu,\"incomplete\":%zu,\"quarantined\":%zu,\"deleted\":%zu,"
           "\"unproven\":%zu,\"without_room\":%zu,\"expired\":%zu,"
           "\"slurm_new\":%zu,\"slurm_updated\":%zu,\"slurm_unchanged\":%zu,"
           "\"slurm_damaged\":%zu,\"other_timezones\":%zu,"
           "\"modules_changed\":%zu,\"stopped\":%s,\"dry_run\":%s}\n",
           load_counts_read(counts), counts->fresh, counts->updated, counts->unchanged,
           counts->conflicts, counts->damaged, counts->incomplete, counts->quarantined,
           counts->deleted, counts->unproven, counts->without_room, chores->expired,
           chores->jobs.fresh, chores->jobs.updated, chores->jobs.unchanged, chores->slurm_damaged,
           chores->other_zones, chores->renamed, chores->stopped ? "true" : "false",
           options->dry_run ? "true" : "false");
}

/* ---- What is done ---------------------------------------------------------------------------- */

static enum exit_code store_trouble(const struct store *store)
{
    fprintf(stderr, "jobtrail-load: the store failed: %s\n", store_error(store));
    return STORE_TROUBLE;
}

/* Of a list that the site gives: `error` is that of reading it. */
static enum exit_code bad_list(const char *path, int error, const struct load_reason *reason)
{
    char shown[TERMINAL_WORD_SIZE];
    fprintf(stderr, "jobtrail-load: %s: %s\n", terminal_word(path, shown),
            error == -EBADMSG ? reason->text : strerror(-error));
    return USAGE;
}

static enum exit_code set_modules(struct store *store, const char *path, size_t *changed)
{
    struct module_map map = {NULL, 0};
    struct load_reason reason = {"is no map of paths to modules"};
    enum exit_code outcome = ALL_LOADED;
    int error = module_map_load(path, &map);
    if (error != 0)
        outcome = bad_list(path, error == -EINVAL ? -EBADMSG : error, &reason);
    else if (store_set_modules(store, &map, changed) != 0)
        outcome = store_trouble(store);
    module_map_free(&map);
    return outcome;
}

/* The file has account, field of science and directorate on each line, with tabs between. */
static enum exit_code set_accounts(struct store *store, const char *path)
{
    CLEANUP_FCLOSE FILE *file = fopen(path, "re");
    CLEANUP_FREE char *text = NULL;
    CLEANUP_FREE struct account_row {
        struct value column[3];
    } *rows = NULL;
    struct load_reason reason;
    size_t room = 0, count = 0;
    ssize_t size = file == NULL ? -1 : getdelim(&text, &room, '\0', file);
    int error = file == NULL || ferror(file) ? -errno : 0;
    char *rest = size < 0 ? NULL : text, *line;
    for (size_t number = 1; error == 0 && (line = strsep(&rest, "\n")) != NULL; number++) {
        line[strcspn(line, "\r")] = '\0';
        if (line[0] == '\0' || line[0] == '#')
            continue;
        const char *account = strsep(&line, "\t"), *field = strsep(&line, "\t");
        const char *directorate = strsep(&line, "\t");
        if (field == NULL || line != NULL)
            error = load_refuse(&reason, "line %zu is not account, field and directorate", number);
        else if ((error = GROW(rows, count)) == 0)
            rows[count++] =
                (struct account_row){{value_text(account), value_text(field),
                                      value_text(directorate == NULL ? "" : directorate)}};
    }
    if (error != 0)
        return bad_list(path, error, &reason);
    return store_set_accounts(store, count == 0 ? NULL : rows->column, count) == 0
               ? ALL_LOADED
               : store_trouble(store);
}

static enum exit_code load_all(struct loader *loader, const struct load_options *options,
                               char **paths)
{
    if (load_inputs(loader, paths, options->follow) != 0)
        return STORE_TROUBLE;
    if (loader->stopped && !options->follow)
        return STOPPED;
    if (loader->input_trouble)
        return USAGE;
    return loader->counts.damaged > 0 ? SET_ASIDE : ALL_LOADED;
}

static enum exit_code load_jobs(struct loader *loader, const struct load_options *options,
                                struct chores *chores)
{
    struct slurm_load load = {.store = loader->store,
                              .days = options->slurm_days,
                              .progress = {.is_shown = loader->progress.is_shown},
                              .stop = loader->stop};
    enum slurm_result result = SLURM_LOADED;
    if (options->slurm_rows != NULL)
        result = load_slurm_rows(&load, options->slurm_rows);
    if (options->slurm != NULL && result == SLURM_LOADED)
        result = load_slurm(&load);
    chores->jobs = load.counts;
    chores->slurm_damaged = load.damaged;
    switch (result) {
    case SLURM_NO_ANSWER:
        return NO_JOBS;
    case SLURM_STOPPED:
        return STOPPED;
    case SLURM_STORE_FAILED:
        return store_trouble(loader->store);
    default:
        return load.damaged > 0 ? SET_ASIDE : ALL_LOADED;
    }
}

static enum exit_code expire(struct store *store, uint32_t days, size_t *expired)
{
    double when = (double)time(NULL) - days * 86400.0;
    if (store_expire(store, when, &stop, expired) != 0)
        return store_trouble(store);
    return stop == 0 ? ALL_LOADED : STOPPED;
}

/* The lists first, so that what is loaded gets its module at once. */
static enum exit_code do_all(struct loader *loader, const struct load_options *options,
                             char **paths, struct chores *chores)
{
    enum exit_code outcome = ALL_LOADED;
    if (options->modules != NULL)
        outcome = set_modules(loader->store, options->modules, &chores->renamed);
    if (options->accounts != NULL && outcome == ALL_LOADED)
        outcome = set_accounts(loader->store, options->accounts);
    if (outcome != ALL_LOADED)
        return outcome;
    outcome = load_all(loader, options, paths);
    if (outcome < STORE_TROUBLE) {
        enum exit_code jobs = load_jobs(loader, options, chores);
        outcome = jobs > outcome ? jobs : outcome;
    }
    if (options->expire_days != 0 && (outcome < STORE_TROUBLE || outcome == NO_JOBS)) {
        enum exit_code expired = expire(loader->store, options->expire_days, &chores->expired);
        outcome = expired >= STORE_TROUBLE || expired > outcome ? expired : outcome;
    }
    chores->stopped = outcome == STOPPED;
    return outcome < USAGE && loader->no_records ? NO_RECORDS : outcome;
}

static int read_keys(const struct load_options *options, struct record_proof *proof)
{
    proof->required = options->require_signature;
    for (size_t i = 0; i < options->key_files; i++) {
        int error = record_proof_add_key(proof, options->key_file[i]);
        if (error == 0)
            continue;
        char shown[TERMINAL_WORD_SIZE];
        fprintf(stderr, "jobtrail-load: key %s: %s\n", terminal_word(options->key_file[i], shown),
                key_file_trouble(error));
        return error;
    }
    return 0;
}

static void note_store(const struct store *store, struct chores *chores)
{
    const char *zones[2];
    chores->other_zones = store_other_zones(store, &zones[0], &zones[1]);
    for (size_t i = 0; i < 2; i++)
        database_message(chores->zones[i], sizeof chores->zones[i], zones[i]);
    const char *cluster = store_slurm_left_out(store);
    if (cluster[0] != '\0')
        fprintf(stderr, "jobtrail-load: --slurm asks for 64 clusters at the most, and not for %s\n",
                cluster);
}

static enum exit_code load(const struct load_options *options, char **paths)
{
    const char *location = NULL;
    struct chores chores = {0};
    const struct database_ops *ops = find_store(options->store, &location);
    struct loader loader = {
        .batch = options->batch,
        .delete_files = options->delete_files,
        .dry_run = options->dry_run,
        .is_history = options->history,
        .follows = options->follow,
        .progress = {.is_shown = isatty(STDERR_FILENO) == 1},
        .stop = &stop,
    };
    if (ops == NULL || read_keys(options, &loader.proof) != 0 ||
        open_quarantine(options, &loader.quarantine_fd) != 0) {
        record_proof_free(&loader.proof);
        return USAGE;
    }

    enum exit_code outcome = STORE_TROUBLE;
    char shown[512];
    database_message(shown, sizeof shown, location == NULL ? "" : location);
    if (store_open(ops, location, options->dry_run, &loader.store) != 0)
        fprintf(stderr, "jobtrail-load: store %s: %s\n", shown, store_error(loader.store));
    else if (store_use_zone(loader.store, options->timezone) != 0)
        store_trouble(loader.store);
    else if (loader_init(&loader) != 0)
        fputs("jobtrail-load: out of memory\n", stderr);
    else
        outcome = do_all(&loader, options, paths, &chores);
    note_store(loader.store, &chores);
    loader_free(&loader);
    record_proof_free(&loader.proof);
    store_close(loader.store);
    (options->json ? print_json : print_summary)(&loader.counts, &chores, options);
    if (loader.quarantine_fd >= 0)
        close(loader.quarantine_fd);
    return outcome;
}

static void note_signal(int number)
{
    (void)number;
    stop = 1;
}

int main(int argc, char **argv)
{
    mallopt(M_MXFAST, 0); /* else each text's allocation tidies all small ones up */
    const char *store = getenv("JOBTRAIL_STORE");
    struct load_options options = {
        .store = store == NULL || store[0] == '\0' ? DEFAULT_STORE : store,
        .batch = DEFAULT_BATCH,
    };
    int parsed = parse_options(argc, argv, &options);
    if (parsed != 0)
        return parsed < 0 ? USAGE : ALL_LOADED;
    /* What has been read is committed, then the summary is printed. */
    const struct sigaction action = {.sa_handler = note_signal};
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGINT, &action, NULL);
    return (int)load(&options, argv + optind);
}
