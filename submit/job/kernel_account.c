/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/job/kernel_account.h"

static uint64_t overlap(uint64_t from_ns, uint64_t to_ns, const struct kernel_gap *gap)
{
    uint64_t from = from_ns > gap->from_ns ? from_ns : gap->from_ns;
    uint64_t to = to_ns < gap->to_ns ? to_ns : gap->to_ns;
    return to > from ? to - from : 0;
}

/* Before the first listener, between two, and after the last one. */
static uint64_t unheard(const struct kernel_notes *notes, uint64_t from_ns, uint64_t to_ns)
{
    const struct kernel_gap before = {0, notes->listeners == 0 ? UINT64_MAX : notes->since_ns};
    const struct kernel_gap after = {
        notes->until_ns > notes->since_ns ? notes->until_ns : notes->since_ns, UINT64_MAX};
    uint64_t sum_ns = overlap(from_ns, to_ns, &before);
    if (notes->listeners == 0)
        return sum_ns;
    for (size_t i = 0; i < notes->gap_count; i++)
        sum_ns += overlap(from_ns, to_ns, &notes->gaps[i]);
    return sum_ns + overlap(from_ns, to_ns, &after);
}

bool kernel_account_is_unheard(const struct kernel_notes *notes, uint64_t from_ns, uint64_t to_ns)
{
    return unheard(notes, from_ns, to_ns) > 0;
}

struct kernel_account kernel_account_find(const struct kernel_notes *notes, uint64_t start_ns,
                                          uint64_t end_ns, bool is_wanted)
{
    static const struct kernel_notes none;
    notes = notes == NULL ? &none : notes;
    struct kernel_account account = {
        .level = notes->listeners > 0 ? (notes->has_maps ? "objects" : "ends")
                 : is_wanted          ? "none"
                                      : "off",
        .processes = notes->count,
        .left = notes->left,
        .lost = notes->lost,
        .overruns = notes->overruns,
    };
    for (size_t i = 0; i < notes->count; i++) {
        uint32_t lack = notes->noted[i].note.lack;
        account.older += (lack & KERNEL_LACK_START) != 0;
        account.partial +=
            (lack & (KERNEL_LACK_END | KERNEL_LACK_STATUS | KERNEL_LACK_THREADS)) != 0;
    }
    if (notes->listeners > 0 || is_wanted)
        account.unheard_ns = unheard(notes, start_ns, end_ns);
    if (account.unheard_ns > end_ns - start_ns)
        account.unheard_ns = end_ns - start_ns;
    return account;
}
