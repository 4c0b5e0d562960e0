/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * jobtrail-load: run records into a store. See jobtrail-load(1).
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <stdbool.h>

#include "damaged.h"
#include "loader.h"

#define DEFAULT_STORE "sqlite:/var/lib/jobtrail/jobtrail.db"
#define DEFAULT_BATCH 1000
#define MAX_BATCH     100000

enum exit_code { ALL_LOADED = 0, SET_ASIDE = 1, USAGE = 2, STORE_TROUBLE = 3 };

static const char usage[] =
    "Usage: jobtrail-load [OPTION]... DIR|FILE...\n"
    "Load run records (run.*.json) into a store.\n"
    "\n"
    "  -s, --store sqlite:FILE  the store; made when it is missing (default: $JOBTRAIL_STORE,\n"
    "                           else " DEFAULT_STORE ")\n"
    "  -b, --batch N            files in one transaction (default: 1000)\n"
    "  -d, --delete             remove each file once the store holds it\n"
    "  -q, --quarantine DIR     move damaged files there, each beside a .reason file\n"
    "  -n, --dry-run            change nothing, on disk or in the store\n"
    "  -j, --json               summary as one JSON object\n"
    "  -h, --help               this text\n"
    "  -V, --version            the version\n"
    "\n"
    "Exit status: 0 all loaded, 1 something was set aside, 2 usage or unreadable input,\n"
    "3 trouble with the store.\n";

struct options {
    const char *store, *quarantine;
    size_t batch;
    bool delete_files, dry_run, json;
};

static const struct option long_options[] = {
    {"store", required_argument, NULL, 's'},
    {"batch", required_argument, NULL, 'b'},
    {"delete", no_argument, NULL, 'd'},
    {"dry-run", no_argument, NULL, 'n'},
    {"quarantine", required_argument, NULL, 'q'},
    {"json", no_argument, NULL, 'j'},
    {"help", no_argument, NULL, 'h'},
    {"version", no_argument, NULL, 'V'},
    {0},
};

static int parse_batch(const char *text, size_t *batch)
{
    char *end;
    long value = strtol(text, &end, 10);
    if (end == text || *end != '\0' || value < 1 || value > MAX_BATCH) {
        fprintf(stderr, "jobtrail-load: --batch takes a number from 1 to %d\n", MAX_BATCH);
        return -EINVAL;
    }
    *batch = (size_t)value;
    return 0;
}

/* Returns 0; -EINVAL after saying why; 1 when the answer has been printed already. */
static int parse_options(int argc, char **argv, struct options *options)
{
    int letter;
    while ((letter = getopt_long(argc, argv, "s:b:dq:njhV", long_options, NULL)) != -1) {
        switch (letter) {
        case 's':
            options->store = optarg;
            break;
        case 'b':
            if (parse_batch(optarg, &options->batch) != 0)
                return -EINVAL;
            break;
        case 'd':
            options->delete_files = true;
            break;
        case 'q':
            options->quarantine = optarg;
            break;
        case 'n':
            options->dry_run = true;
            break;
        case 'j':
            options->json = true;
            break;
        case 'h':
            fputs(usage, stdout);
            return 1;
        case 'V':
            puts("jobtrail-load " JOBTRAIL_VERSION);
            return 1;
        default:
            fputs("Try 'jobtrail-load --help'.\n", stderr);
            return -EINVAL;
        }
    }
    if (optind == argc) {
        fputs("jobtrail-load: which directory or file? Try 'jobtrail-load --help'.\n", stderr);
        return -EINVAL;
    }
    return 0;
}

static const char *default_store(void)
{
    const char *store = getenv("JOBTRAIL_STORE");
    return store == NULL || store[0] == '\0' ? DEFAULT_STORE : store;
}

static const struct database_ops *find_store(const char *address, const char **location)
{
    const struct database_ops *ops = store_kind(address, location);
    if (ops == NULL)
        fprintf(stderr,
                "jobtrail-load: %s is no store; write sqlite:FILE or mariadb://HOST/DATABASE\n",
                address);
    return ops;
}

static int open_quarantine(const struct options *options, int *fd)
{
    *fd = -1;
    if (options->quarantine == NULL || options->dry_run)
        return 0;
    int opened = damaged_open(options->quarantine);
    if (opened < 0) {
        fprintf(stderr, "jobtrail-load: quarantine %s: %s\n", options->quarantine,
                strerror(-opened));
        return opened;
    }
    *fd = opened;
    return 0;
}

static void print_summary(const struct load_counts *counts, bool dry_run)
{
    printf("%zu read: %zu new, %zu updated, %zu unchanged; %zu set aside, %zu of them moved; "
           "%zu deleted%s\n",
           load_counts_read(counts), counts->fresh, counts->updated, counts->unchanged,
           counts->damaged, counts->quarantined, counts->deleted,
           dry_run ? " (dry run: nothing changed)" : "");
}

static void print_json(const struct load_counts *counts, bool dry_run)
{
    printf("{\"read\":%zu,\"new\":%zu,\"updated\":%zu,\"unchanged\":%zu,\"damaged\":%zu,"
           "\"quarantined\":%zu,\"deleted\":%zu,\"dry_run\":%s}\n",
           load_counts_read(counts), counts->fresh, counts->updated, counts->unchanged,
           counts->damaged, counts->quarantined, counts->deleted, dry_run ? "true" : "false");
}

static enum exit_code load_all(struct loader *loader, char **paths)
{
    int error = 0;
    for (; *paths != NULL && error == 0; paths++)
        error = loader_load(loader, *paths);
    if (error != 0)
        return STORE_TROUBLE;
    if (loader->input_trouble)
        return USAGE;
    return loader->counts.damaged > 0 ? SET_ASIDE : ALL_LOADED;
}

static enum exit_code load(const struct options *options, char **paths)
{
    const char *location = NULL;
    const struct database_ops *ops = find_store(options->store, &location);
    struct loader loader = {
        .batch = options->batch,
        .delete_files = options->delete_files,
        .dry_run = options->dry_run,
        .show_progress = isatty(STDERR_FILENO) == 1,
    };
    if (ops == NULL || open_quarantine(options, &loader.quarantine_fd) != 0)
        return USAGE;

    enum exit_code outcome = STORE_TROUBLE;
    if (loader_init(&loader) != 0)
        fputs("jobtrail-load: out of memory\n", stderr);
    else if (store_open(ops, location, options->dry_run, &loader.store) != 0)
        fprintf(stderr, "jobtrail-load: store %s: %s\n", location, store_error(loader.store));
    else
        outcome = load_all(&loader, paths);
    store_close(loader.store);
    (options->json ? print_json : print_summary)(&loader.counts, options->dry_run);
    if (loader.quarantine_fd >= 0)
        close(loader.quarantine_fd);
    loader_free(&loader);
    return outcome;
}

int main(int argc, char **argv)
{
    struct options options = {.store = default_store(), .batch = DEFAULT_BATCH};
    int parsed = parse_options(argc, argv, &options);
    if (parsed != 0)
        return parsed < 0 ? USAGE : ALL_LOADED;
    return (int)load(&options, argv + optind);
}
