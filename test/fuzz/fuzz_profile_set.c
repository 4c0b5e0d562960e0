/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A file with the profiles of a node, and what is made of it.
 */
#include <stdlib.h>

#include "contrib/profile/log_notes.h"
#include "contrib/profile/profile_rows.h"
#include "contrib/profile/routine_summary.h"
#include "contrib/profile/set_file.h"
#include "contrib/profile/set_order.h"
#include "test/fuzz/fuzz.h"
#include "test/fuzz/fuzz_file.h"

static void tell(void *context, uint32_t step, uint32_t first, uint32_t last, uint32_t ranks)
{
    (void)context;
    (void)step;
    if (first > last || last >= ranks)
        abort();
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    static int fd = -1;
    static FILE *nowhere;
    char path[FUZZ_PATH_SIZE];
    struct profile_set set, read;
    struct set_order order;
    struct set_sum *sums;
    struct routine_summary summary;
    size_t count;
    if (nowhere == NULL)
        nowhere = fopen("/dev/null", "we");
    fuzz_file(&fd, data, size, path);
    if (set_file_read(fd, &read) != 0)
        return 0;
    if (profile_set_begin(&set) != 0 || profile_set_merge(&set, &read) != 0 ||
        profile_set_drop_repeated(&set, &count) != 0 || set_order_make(&set, &order) != 0 ||
        set_sums_make(&set, NULL, &sums, &count) != 0 ||
        routine_summary_make(&set, NULL, &summary) != 0 ||
        missing_ranks(&set, NULL, tell, NULL) != 0 || log_origins(&set, NULL, nowhere) != 0)
        abort();
    free(sums);
    free(summary.routine);
    set_order_free(&order);
    profile_set_free(&set);
    return 0;
}
