/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/facts/day_shares.h"

#include <errno.h>
#include <stdlib.h>

#include "conf/base/grow.h"

/* Sum of one owner's last day with a share. */
struct day_cell {
    cpu_ticks ticks;
    uint32_t day;
};

struct owned_share {
    uint32_t owner;
    struct partition_share share;
};

/* Idle and allocated time are the last two owners. */
struct day_shares {
    size_t owners;
    uint32_t day;
    cpu_ticks spent; /* on this day */
    struct day_cell *cell;
    struct owned_share *entry; /* of days that are over, in their order */
    size_t entry_count;
    int error;
    size_t *first; /* after the end: of an owner, in `share`; one more at the end */
    struct partition_share *share;
};

int day_shares_make(size_t owners, uint32_t day, struct day_shares **shares)
{
    struct day_shares *made = calloc(1, sizeof *made);
    if (made == NULL)
        return -ENOMEM;
    made->owners = owners + 2;
    made->day = day;
    made->cell = calloc(made->owners, sizeof *made->cell);
    made->first = calloc(made->owners + 2, sizeof *made->first);
    if (made->cell == NULL || made->first == NULL) {
        day_shares_free(made);
        return -ENOMEM;
    }
    *shares = made;
    return 0;
}

static void end_cell(struct day_shares *shares, size_t owner)
{
    struct day_cell *cell = &shares->cell[owner];
    if (cell->ticks == 0 || shares->error != 0)
        return;
    shares->error = GROW(shares->entry, shares->entry_count);
    if (shares->error != 0)
        return;
    shares->entry[shares->entry_count++] = (struct owned_share){
        (uint32_t)owner, {.day = cell->day, .core_seconds = cpu_ticks_seconds(cell->ticks)}};
    cell->ticks = 0;
}

static void add_to_cell(struct day_shares *shares, size_t owner, cpu_ticks ticks)
{
    struct day_cell *cell = &shares->cell[owner];
    if (ticks == 0)
        return;
    if (cell->day != shares->day)
        end_cell(shares, owner);
    cell->day = shares->day;
    cell->ticks += ticks;
}

void day_shares_add(struct day_shares *shares, size_t owner, cpu_ticks ticks)
{
    shares->spent += ticks;
    add_to_cell(shares, owner, ticks);
}

void day_shares_next_day(struct day_shares *shares, cpu_ticks allocated)
{
    /* sums that were rounded down on earlier days may be ahead by some ticks on this one */
    if (shares->spent < allocated)
        add_to_cell(shares, shares->owners - 2, allocated - shares->spent);
    add_to_cell(shares, shares->owners - 1, allocated);
    shares->spent = 0;
    shares->day++;
}

/* Sorts by owner, by counting: days stay in their order. */
int day_shares_end(struct day_shares *shares, cpu_ticks allocated)
{
    day_shares_next_day(shares, allocated);
    for (size_t owner = 0; owner < shares->owners; owner++)
        end_cell(shares, owner);
    if (shares->error != 0)
        return shares->error;
    shares->share = calloc(shares->entry_count + 1, sizeof *shares->share);
    if (shares->share == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < shares->entry_count; i++)
        shares->first[shares->entry[i].owner + 2]++;
    for (size_t owner = 0; owner < shares->owners; owner++)
        shares->first[owner + 1] += shares->first[owner];
    for (size_t i = 0; i < shares->entry_count; i++)
        shares->share[shares->first[shares->entry[i].owner + 1]++] = shares->entry[i].share;
    free(shares->entry);
    free(shares->cell);
    shares->entry = NULL;
    shares->cell = NULL;
    return 0;
}

struct partition_shares day_shares_of(const struct day_shares *shares, size_t owner)
{
    size_t first = shares->first[owner];
    return (struct partition_shares){&shares->share[first], shares->first[owner + 1] - first};
}

struct partition_shares day_shares_idle(const struct day_shares *shares)
{
    return day_shares_of(shares, shares->owners - 2);
}

struct partition_shares day_shares_allocated(const struct day_shares *shares)
{
    return day_shares_of(shares, shares->owners - 1);
}

void day_shares_free(struct day_shares *shares)
{
    if (shares == NULL)
        return;
    free(shares->cell);
    free(shares->entry);
    free(shares->first);
    free(shares->share);
    free(shares);
}
