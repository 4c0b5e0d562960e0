/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Slots of a ledger that somebody else writes to while they are claimed, filled, ended and given
 * back: whatever stands in it, a claim lies within the file, and all comes to an end.
 */
#define OWN_MAIN

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "preload/fields.h"
#include "preload/slot.h"
#include "test/unit/fixture/cases.h"
#include "test/unit/fixture/made_tree.h"
#include "test/unit/fixture/page_sizes.h"

enum { LEDGER_BYTES = 1 << 20, ROUNDS = 7000, NOISY_WORDS = 32 };

static char path[64];
static unsigned char *shared; /* the whole ledger, as another process has it */
static char scratch[SLOT_PATH_ROOM];

static struct ledger_header *header(void)
{
    return (struct ledger_header *)(void *)shared;
}

static void reset(void)
{
    memset(shared, 0, LEDGER_BYTES);
    header()->magic = LEDGER_MAGIC;
    header()->size_bytes = LEDGER_BYTES;
    header()->backed_bytes = LEDGER_BYTES;
    header()->used_bytes = LEDGER_FIRST;
}

static int set_up(void **state)
{
    if (made_tree_set_up(state) != 0)
        return 1;
    snprintf(path, sizeof path, "%s/ledger", made_tree);
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0 || posix_fallocate(fd, 0, LEDGER_BYTES) != 0)
        return 1;
    shared = mmap(NULL, LEDGER_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (shared == MAP_FAILED)
        return 1;
    reset();
    return 0;
}

static int tear_down(void **state)
{
    munmap(shared, LEDGER_BYTES);
    return made_tree_tear_down(state);
}

static int claim_one(size_t size, struct slot_claim *claim)
{
    struct slot_ledger ledger;
    if (!slot_open_ledger(made_tree, getuid(), page_bytes, scratch, &ledger))
        return 0;
    int claimed = slot_claim(&ledger, size, false, claim);
    slot_close_ledger(&ledger, claimed);
    return claimed;
}

static void let_go(const struct slot_claim *claim)
{
    unmap_claim(claim);
}

static int is_sound(const struct slot_claim *claim, size_t size)
{
    return claim->offset >= LEDGER_FIRST && claim->offset % LEDGER_PAGE == 0 &&
           claim->size >= size && claim->size <= LEDGER_SLOT_MAX &&
           claim->offset <= LEDGER_BYTES - claim->size;
}

static void claims(size_t size, uint64_t offset)
{
    struct slot_claim claim;
    assert_true(claim_one(size, &claim));
    assert_true(is_sound(&claim, size));
    assert_int_equal(claim.offset, offset);
    assert_true(mapped_in_pages(path, shared) > 0);
    let_go(&claim);
}

static void does_not_claim(size_t size)
{
    struct slot_claim claim;
    assert_false(claim_one(size, &claim));
}

TEST(a_slot_is_given_back_and_taken_again)
{
    struct ledger_slot head = {.pid = 77, .random = 5};
    struct slot_claim claim;
    assert_true(claim_one(5000, &claim));
    assert_true(slot_count_run(&claim, 77));
    assert_false(slot_count_run(&claim, 77));
    slot_publish(&claim, &head, "fields", 6, 0);
    assert_int_equal(claim.slot->state, LEDGER_OPEN);
    assert_int_equal(claim.slot->slot_bytes, 2 * LEDGER_PAGE);
    assert_int_equal(claim.slot->fields_bytes, 6);
    assert_memory_equal(claim.slot + 1, "fields", 6);
    slot_discard(&claim, 0);
    assert_int_equal(LEDGER_RUNS(header()->runs[77]), 1);
    let_go(&claim);
    claims(5000, LEDGER_FIRST);
    claims(5000, LEDGER_FIRST + 2 * LEDGER_PAGE);
}

/* What it is filled with here stands for zeros that are there, or are not. */
TEST(zeros_are_written_where_the_slot_had_another_run_alone)
{
    const struct ledger_slot head = {.pid = 77};
    const unsigned char fields[16] = "fields", noise[8] = "noise";
    struct slot_claim claim;
    for (int i = 0; i < 2; i++) {
        unsigned char *behind;
        assert_true(claim_one(5000, &claim));
        assert_int_equal(claim.offset, LEDGER_FIRST);
        slot_count_run(&claim, 77);
        behind = (unsigned char *)(claim.slot + 1) + 8;
        memcpy(behind, noise, sizeof noise);
        slot_publish(&claim, &head, fields, sizeof fields, 8);
        assert_int_equal(claim.slot->fields_bytes, sizeof fields);
        assert_memory_equal(behind, i == 0 ? noise : fields + 8, 8);
        slot_discard(&claim, 0);
        let_go(&claim);
    }
}

TEST(another_users_ledger_is_left_alone)
{
    struct slot_ledger ledger;
    assert_false(slot_open_ledger(made_tree, getuid() + 1, page_bytes, scratch, &ledger));
    assert_int_equal(header()->used_bytes, LEDGER_FIRST);
}

TEST(a_header_that_lies_costs_a_slot_alone)
{
    header()->size_bytes = LEDGER_BYTES + 1;
    does_not_claim(1);
    header()->size_bytes = LEDGER_BYTES;
    static const uint64_t places[] = {0,
                                      1,
                                      LEDGER_PAGE,
                                      LEDGER_FIRST - LEDGER_PAGE,
                                      LEDGER_FIRST - 1,
                                      LEDGER_FIRST + 8,
                                      LEDGER_BYTES - LEDGER_PAGE + 1,
                                      LEDGER_BYTES,
                                      UINT64_MAX - LEDGER_PAGE + 1,
                                      UINT64_MAX};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        header()->used_bytes = places[i];
        does_not_claim(1);
    }
    header()->used_bytes = LEDGER_BYTES - LEDGER_PAGE;
    does_not_claim(LEDGER_PAGE + 1);
    claims(LEDGER_PAGE, LEDGER_BYTES - LEDGER_PAGE);
}

TEST(a_free_list_that_lies_is_passed_over)
{
    enum { FIRST = LEDGER_FIRST / LEDGER_PAGE };
    header()->free_list[0] = LEDGER_BYTES / LEDGER_PAGE;
    claims(1, LEDGER_FIRST);
    header()->free_list[0] = UINT32_MAX;
    claims(1, LEDGER_FIRST + LEDGER_PAGE);
    header()->free_list[0] = FIRST - 1; /* before the slots */
    claims(1, LEDGER_FIRST + 2 * LEDGER_PAGE);
    header()->free_list[1] = LEDGER_BYTES / LEDGER_PAGE - 1; /* begins within, ends beyond */
    claims(2 * LEDGER_PAGE, LEDGER_FIRST + 3 * LEDGER_PAGE);
    header()->free_list[0] = 17; /* a ring of one */
    ((struct ledger_slot *)(void *)(shared + 17 * LEDGER_PAGE))->next_free = 17;
    claims(1, 17 * LEDGER_PAGE);
    claims(1, 17 * LEDGER_PAGE);
}

TEST(a_run_is_found_from_its_bucket_until_it_is_signed)
{
    struct ledger_slot head = {.pid = 5};
    struct slot_claim first, second, third;
    assert_true(claim_one(1, &first) && claim_one(1, &second) && claim_one(1, &third));
    assert_true(slot_count_run(&first, 5));
    slot_publish(&first, &head, "", 0, 0);
    assert_false(slot_count_run(&second, 5 + LEDGER_BUCKETS));
    slot_publish(&second, &head, "", 0, 0);
    assert_int_equal(LEDGER_RUNS(header()->runs[5]), 2);
    assert_int_equal(LEDGER_LAST(header()->runs[5]), second.offset / LEDGER_PAGE);
    assert_int_equal(second.slot->next_free, first.offset / LEDGER_PAGE);
    slot_end(&second, 1, LEDGER_END_OWN);
    assert_int_equal(LEDGER_RUNS(header()->runs[5]), 1);
    assert_int_equal(LEDGER_LAST(header()->runs[5]), first.offset / LEDGER_PAGE);
    slot_count_run(&third, 5);
    slot_publish(&third, &head, "", 0, 0);
    slot_end(&first, 1, LEDGER_END_REPLACED); /* in another order */
    assert_int_equal(first.slot->end_by, LEDGER_END_REPLACED);
    assert_int_equal(LEDGER_LAST(header()->runs[5]), third.offset / LEDGER_PAGE);
    slot_discard(&third, 0);
    assert_int_equal(LEDGER_RUNS(header()->runs[5]), 0);
    let_go(&first);
    let_go(&second);
    let_go(&third);
}

/* The place of a slot in the kernel's pages: at their start, within one, over the end of one. */
TEST(a_claim_writes_to_its_slot_alone)
{
    struct ledger_slot head = {.pid = 5};
    static char fields[LEDGER_SLOT_MAX], zeros[LEDGER_SLOT_MAX];
    static const size_t sizes[] = {1, 3 * LEDGER_PAGE, 1, 16 * LEDGER_PAGE, 8 * LEDGER_PAGE, 1};
    struct slot_claim claim;
    memset(fields, 'x', sizeof fields);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        uint64_t from = header()->used_bytes;
        assert_true(claim_one(sizes[i], &claim));
        assert_int_equal(claim.offset, from);
        assert_int_equal(mapped_in_pages(path, shared), 2);
        slot_publish(&claim, &head, fields, claim.size - sizeof head, 0);
        assert_memory_equal(shared + from, claim.slot, claim.size);
        assert_memory_equal(shared + from + claim.size, zeros, LEDGER_SLOT_MAX);
        unmap_claim(&claim);
        assert_int_equal(mapped_in_pages(path, shared), 0);
    }
}

/* A page that is allocated in part is a SIGBUS on a full file system. */
TEST(all_pages_of_a_slot_are_allocated_before_one_is_touched)
{
    const uint64_t step = 256 << 10, from = LEDGER_FIRST / page_bytes * page_bytes;
    struct slot_claim claim;
    struct stat status;
    assert_int_equal(truncate(path, 0), 0);
    assert_int_equal(truncate(path, LEDGER_BYTES), 0);
    header()->magic = LEDGER_MAGIC;
    header()->size_bytes = LEDGER_BYTES;
    header()->backed_bytes = LEDGER_HEAD;
    header()->used_bytes = LEDGER_FIRST;
    assert_true(claim_one(1, &claim));
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_blocks * 512, step + (from > 0 ? (size_t)sysconf(_SC_PAGESIZE) : 0));
    unmap_claim(&claim);
}

TEST(a_ledger_may_end_within_a_page)
{
    struct slot_claim claim;
    const off_t bytes = LEDGER_BYTES - 5 * (off_t)LEDGER_PAGE;
    assert_int_equal(truncate(path, bytes), 0);
    header()->size_bytes = (uint64_t)bytes;
    header()->used_bytes = (uint64_t)bytes - LEDGER_PAGE;
    assert_true(claim_one(1, &claim));
    memset(claim.slot, 1, claim.size);
    unmap_claim(&claim);
    does_not_claim(1);
}

TEST(so_many_runs_that_they_cannot_be_counted_are_never_none)
{
    struct slot_claim claim;
    assert_true(claim_one(1, &claim));
    for (unsigned i = 0; i < 2 * LEDGER_RUNS_MANY; i++)
        assert_true(slot_count_run(&claim, 5) == (i == 0));
    slot_discard(&claim, 0);
    assert_int_equal(LEDGER_RUNS(header()->runs[5]), LEDGER_RUNS_MANY);
    let_go(&claim);
}

TEST(what_changes_in_a_claimed_slot_is_not_believed)
{
    struct ledger_slot head = {.pid = 5};
    struct slot_claim claim;
    assert_true(claim_one(1, &claim));
    slot_count_run(&claim, 5);
    slot_publish(&claim, &head, "", 0, 0);
    memset(claim.slot, 0xff, sizeof *claim.slot);
    uint64_t used = header()->used_bytes;
    slot_discard(&claim, 0);
    assert_int_equal(header()->used_bytes, used);
    assert_int_equal(header()->runs[5], 0);
    let_go(&claim);
    claims(1, LEDGER_FIRST);
}

TEST(a_field_is_written_and_never_read_again)
{
    static const unsigned char noise[64] = {[0 ... 63] = 0xff};
    _Alignas(8) unsigned char room[128];
    struct fields fields = {.start = room, .room = 64};
    struct ledger_field field;
    memset(room, 0x55, sizeof room);
    assert_true(fields_begin(&fields, LEDGER_CWD));
    for (int i = 0; i < 40; i++) {
        memcpy(room, noise, sizeof noise); /* somebody else has the buffer, too */
        fields_add(&fields, "0123456789", 10, 20);
    }
    fields_end(&fields);
    memcpy(&field, room, sizeof field);
    assert_int_equal(field.kind, LEDGER_CWD);
    assert_int_equal(field.length, 20);
    assert_int_equal(fields.used, 32);
    for (size_t i = 64; i < sizeof room; i++)
        assert_int_equal(room[i], 0x55);
}

/* What the other process does, until it is told to stop: anything, anywhere, but for the magic that
 * makes it a ledger. */
static int stop;

static void *scribble(void *unused)
{
    static const uint64_t likely[] = {0,
                                      1,
                                      LEDGER_FIRST,
                                      LEDGER_FIRST + 2 * LEDGER_PAGE,
                                      LEDGER_BYTES - LEDGER_PAGE,
                                      LEDGER_BYTES,
                                      UINT64_MAX,
                                      LEDGER_BYTES / LEDGER_PAGE - 1,
                                      UINT32_MAX};
    unsigned seed = 1;
    while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
        uint64_t value = likely[(unsigned)rand_r(&seed) % (sizeof likely / sizeof likely[0])];
        size_t word = 1 + (unsigned)rand_r(&seed) % NOISY_WORDS;
        size_t page = rand_r(&seed) % 4 == 0 ? (unsigned)rand_r(&seed) % 256 : 0;
        __atomic_store_n((uint64_t *)(void *)(shared + page * LEDGER_PAGE) + word, value,
                         __ATOMIC_RELAXED);
    }
    return unused;
}

/* One life of a process, in a ledger that changes. Returns whether it had a slot. */
static int live(size_t size, int discards)
{
    struct ledger_slot head = {.pid = (int32_t)size};
    struct slot_claim claim;
    if (!claim_one(size, &claim))
        return 0;
    assert_true(is_sound(&claim, size));
    slot_count_run(&claim, (int32_t)size);
    slot_publish(&claim, &head, scratch, size - sizeof head, 0);
    if (discards)
        slot_discard(&claim, 0);
    else
        slot_end(&claim, 1, LEDGER_END_OWN);
    let_go(&claim);
    return 1;
}

TEST(somebody_who_keeps_writing_harms_nobody)
{
    pthread_t other;
    int claimed = 0;
    stop = 0;
    assert_int_equal(pthread_create(&other, NULL, scribble, NULL), 0);
    for (int i = 0; i < ROUNDS || claimed == 0; i++) {
        claimed += live(sizeof(struct ledger_slot) + (unsigned)i % SLOT_PATH_ROOM, i % 2);
        if (i >= ROUNDS)
            sched_yield(); /* both may share a processor */
    }
    __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
    pthread_join(other, NULL);
    assert_true(claimed > 0);
}

EACH(set_up, tear_down)

/* Once for each size of pages from that of this kernel on */
int main(void)
{
    int failed = 0;
    for (page_bytes = (size_t)sysconf(_SC_PAGESIZE); page_bytes <= IMAGE_PAGE_MAX;
         page_bytes *= 4) {
        print_message("# pages of %zu bytes\n", page_bytes);
        failed += run_cases();
    }
    return failed;
}
