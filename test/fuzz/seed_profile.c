/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Writes the first inputs of fuzz_profile_set and fuzz_profile_samples, as a flush writes these
 * files, from an input of fuzz_profile: so they never fall behind their formats, and it ends with 1
 * where that input does.
 *
 *     fuzz-seed-profile INPUT SET SAMPLES
 *
 * There are samples where a rank has some.
 */
#include <fcntl.h>
#include <stdio.h>

#include "contrib/profile/sample_file.h"
#include "test/fuzz/fuzz_profile_file.h"

enum { INPUT_MAX = 1 << 16 };

static struct rank_samples taken;

static const char *name(void *context, const struct profiled_object *object, uint64_t address)
{
    (void)object;
    snprintf(context, 32, "f_%llx", (unsigned long long)address % 0x1000);
    return context;
}

/* Those of the first rank. */
static int sampled(void *context, size_t rank, const struct profile_sample *samples, size_t count,
                   uint64_t interval_ns)
{
    (void)context;
    if (rank != 0 || taken.count != 0)
        return 0;
    taken.sample = malloc(count * sizeof *samples);
    if (taken.sample == NULL)
        return -1;
    memcpy(taken.sample, samples, count * sizeof *samples);
    taken.count = count;
    taken.interval_ns = interval_ns;
    return 0;
}

static int put(void *context, const void *bytes, size_t size)
{
    return fwrite(bytes, 1, size, context) == size ? 0 : -1;
}

static int write_set(const char *path, struct profile_set *set)
{
    int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0666);
    int error = fd < 0 ? -1 : set_file_write(fd, set);
    return error != 0 ? error : close(fd);
}

static int write_samples(const char *path, const struct profile_set *set)
{
    FILE *file = fopen(path, "we");
    const struct set_file_sink sink = {put, file};
    int error = file == NULL ? -1 : sample_file_write_to(&sink, set, &set->ranks[0], &taken);
    return error != 0 ? error : fclose(file);
}

int main(int argc, char **argv)
{
    static unsigned char data[INPUT_MAX];
    int fd = -1;
    char text[32];
    const struct collect_facts facts = {
        .node = "n1", .name = name, .sampled = sampled, .context = text};
    struct profile_content content;
    struct profile_set set;
    FILE *file = argc == 4 ? fopen(argv[1], "re") : NULL;
    if (file == NULL)
        return 2;
    fuzz_profile_file(&fd, data, fread(data, 1, sizeof data, file));
    fclose(file);
    if (profile_read(fd, UINT64_C(1) << 30, &content) != 0 || profile_set_begin(&set) != 0 ||
        profile_collect(&content, &facts, &set) != 0 || set.rank_count == 0 ||
        write_set(argv[2], &set) != 0 || (taken.count != 0 && write_samples(argv[3], &set) != 0)) {
        fprintf(stderr, "%s: is no profile of this format\n", argv[1]);
        return 1;
    }
    free(taken.sample);
    profile_set_free(&set);
    profile_content_free(&content);
    return 0;
}
