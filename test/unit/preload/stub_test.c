/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Stubs as the library writes them, read as the flush reads them; and a slot full of noise, in
 * which they are written nevertheless where they belong.
 */
#include <sys/mman.h>

#include "preload/fields.h"
#include "preload/slot.h"
#include "preload/stub.h"
#include "test/unit/fixture/cases.h"
#include "test/unit/fixture/made_tree.h"
#include "test/unit/fixture/page_sizes.h"

enum { LEDGER_BYTES = 1 << 20, ROOM = 1 << 16, NOISE_ROUNDS = 20000 };

static char path[64];
static unsigned char *shared; /* the whole ledger */
static _Alignas(8) unsigned char captured[ROOM];

static int set_up(void **state)
{
    page_bytes = IMAGE_PAGE_MAX;
    if (made_tree_set_up(state) != 0)
        return 1;
    snprintf(path, sizeof path, "%s/ledger", made_tree);
    FILE *file = fopen(path, "we");
    if (file == NULL || ftruncate(fileno(file), LEDGER_BYTES) != 0 || fclose(file) != 0)
        return 1;
    file = fopen(path, "r+e");
    if (file == NULL)
        return 1;
    shared = mmap(NULL, LEDGER_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file), 0);
    fclose(file);
    if (shared == MAP_FAILED)
        return 1;
    *(struct ledger_header *)(void *)shared = (struct ledger_header){
        .magic = LEDGER_MAGIC,
        .size_bytes = LEDGER_BYTES,
        .backed_bytes = LEDGER_BYTES,
        .used_bytes = LEDGER_FIRST,
    };
    return 0;
}

static int tear_down(void **state)
{
    munmap(shared, LEDGER_BYTES);
    return made_tree_tear_down(state);
}

static struct slot_claim claim_for(size_t size)
{
    static char scratch[SLOT_PATH_ROOM];
    struct slot_ledger ledger;
    struct slot_claim claim;
    assert_true(slot_open_ledger(made_tree, getuid(), page_bytes, scratch, &ledger));
    assert_true(slot_claim(&ledger, size, true, &claim));
    slot_close_ledger(&ledger, 1);
    return claim;
}

static void let_go(const struct slot_claim *claim)
{
    unmap_claim(claim);
}

/* The run of a program, with a variable of `more` bytes. Returns the size of its fields. */
static size_t capture_of(const char *program, size_t more)
{
    static char variable[ROOM];
    struct fields fields = {.start = captured, .room = sizeof captured};
    int32_t parents[] = {41, 40};
    fields_put(&fields, LEDGER_EXEC, program, strlen(program));
    fields_put(&fields, LEDGER_TASK, "1.2.40", 6);
    fields_put(&fields, LEDGER_ENV, variable, more);
    for (size_t i = 0; i < 2; i++)
        fields_put(&fields, LEDGER_ANCESTOR, &parents[i], sizeof parents[i]);
    fields_put(&fields, LEDGER_OBJECT, "", 1);
    return fields.used;
}

static struct stub_source source_of(int32_t pid, size_t size)
{
    return (struct stub_source){
        .head = {.start_ns = 5, .end_ns = 9, .elapsed_ns = 4, .pid = pid, .ppid = 41, .size = 1},
        .captured = captured,
        .captured_bytes = size,
        .room = sizeof captured,
    };
}

/* A run of the program, up to its end. */
static struct slot_claim begin_run(int32_t pid, const char *program, size_t more,
                                   struct stub_source *source)
{
    const struct ledger_slot head = {.pid = pid, .start_ns = 5, .size = 1};
    size_t size = capture_of(program, more);
    struct slot_claim claim = claim_for(sizeof head + size + 256);
    slot_count_run(&claim, pid);
    slot_publish(&claim, &head, captured, size, 0);
    *source = source_of(pid, size);
    return claim;
}

static uint32_t leave(int32_t pid, const char *program)
{
    struct stub_source source;
    struct slot_claim claim = begin_run(pid, program, 0, &source);
    uint32_t bytes = stub_write(&claim, &source);
    if (bytes != 0)
        slot_leave_stub(&claim, bytes);
    let_go(&claim);
    return bytes;
}

/* The content of a stub's field, of this kind, at `place`, counted in units from the slot's end. */
static const char *field_at(const struct ledger_slot *slot, uint32_t place, uint32_t kind,
                            uint32_t *size)
{
    struct ledger_field field;
    const char *at = (const char *)slot + slot->slot_bytes - place * LEDGER_STUB_UNIT;
    memcpy(&field, at, sizeof field);
    assert_int_equal(field.kind, kind);
    *size = field.length;
    return at + sizeof field;
}

static void print_stub(const struct ledger_slot *slot, const struct ledger_stub *stub, char *text,
                       size_t room)
{
    uint32_t size;
    const char *exec = field_at(slot, stub->exec_at, LEDGER_EXEC, &size);
    snprintf(text, room, "-%d %.*s;", stub->pid, (int)size, exec);
    const char *task = field_at(slot, stub->rest_at, LEDGER_TASK, &size);
    assert_int_equal(size, 6);
    assert_memory_equal(task, "1.2.40", size);
    static const int32_t parents[] = {41, 40};
    const char *pids = field_at(slot, stub->rest_at - 2, LEDGER_PARENTS, &size);
    assert_int_equal(size, sizeof parents);
    assert_memory_equal(pids, parents, size);
}

/* "PID PROGRAM" of the capture ("+") and the stubs ("-") of the first slot, the newest first. */
static void assert_slot(const char *expected)
{
    char found[1024] = "";
    const struct ledger_slot *slot = (const void *)(shared + LEDGER_FIRST);
    const char *end = (const char *)slot + slot->slot_bytes;
    struct ledger_stub stub;
    if (slot->state != LEDGER_FREE)
        snprintf(found, sizeof found, "+%d;", slot->pid);
    for (size_t left = slot->stub_units * (size_t)LEDGER_STUB_UNIT; left > 0;
         left -= sizeof stub + stub.field_units * (size_t)LEDGER_STUB_UNIT) {
        assert_true(left >= sizeof stub);
        memcpy(&stub, end - left, sizeof stub);
        print_stub(slot, &stub, found + strlen(found), sizeof found - strlen(found));
    }
    assert_string_equal(found, expected);
}

TEST(runs_that_follow_one_another_leave_their_stubs_in_one_slot)
{
    uint32_t first = leave(50, "/bin/a");
    uint32_t second = leave(51, "/bin/a");
    uint32_t third = leave(52, "/bin/bb");
    uint32_t fourth = leave(53, "/bin/a");
    assert_int_equal(second - first, sizeof(struct ledger_stub));
    assert_int_equal(third - second, sizeof(struct ledger_stub) + sizeof(struct ledger_field) + 8);
    assert_int_equal(fourth - third, sizeof(struct ledger_stub));
    assert_slot("-53 /bin/a;-52 /bin/bb;-51 /bin/a;-50 /bin/a;");
}

/* As one store makes the stub and takes the capture away, there is always one of them. */
TEST(a_process_that_is_killed_meanwhile_leaves_its_capture)
{
    struct stub_source source;
    leave(50, "/bin/a");
    struct slot_claim claim = begin_run(51, "/bin/b", 0, &source);
    assert_slot("+51;-50 /bin/a;");
    uint32_t bytes = stub_write(&claim, &source);
    assert_slot("+51;-50 /bin/a;");
    slot_leave_stub(&claim, bytes);
    assert_slot("-51 /bin/b;-50 /bin/a;");
    let_go(&claim);
}

TEST(a_slot_is_used_until_a_capture_has_no_room_beside_its_stubs)
{
    const struct ledger_header *header = (const void *)shared;
    char name[64];
    uint32_t bytes = 0;
    int32_t pid = 50;
    do {
        snprintf(name, sizeof name, "/bin/a_program_of_its_own_%d", pid);
        bytes = leave(pid++, name);
    } while (header->used_bytes == LEDGER_FIRST + LEDGER_PAGE);
    assert_int_equal(header->used_bytes, LEDGER_FIRST + 2 * LEDGER_PAGE);
    assert_int_equal(header->stub_slot_bytes, 2 * LEDGER_PAGE);
    assert_true(pid > 70);
    assert_true(bytes < 200); /* the first one of the next slot */
    /* who needs more takes another slot, and that one is used again by those who need less */
    struct stub_source source;
    struct slot_claim claim = begin_run(pid, "/bin/large", 3000, &source);
    assert_int_equal(claim.size, 2 * LEDGER_PAGE);
    let_go(&claim);
}

TEST(slots_with_stubs_take_half_of_the_ledger)
{
    struct ledger_header *header = (void *)shared;
    struct stub_source source;
    header->stub_slot_bytes = LEDGER_BYTES / 2 - LEDGER_PAGE + 1;
    struct slot_claim claim = begin_run(50, "/bin/a", 0, &source);
    assert_int_equal(stub_write(&claim, &source), 0);
    slot_discard(&claim, 7);
    let_go(&claim);
    assert_int_equal(header->others_runs, 1);
    assert_int_equal(header->others_ns, 7);
    assert_slot("");
    header->stub_slot_bytes--;
    assert_true(leave(51, "/bin/a") > 0);
    assert_int_equal(header->used_bytes, LEDGER_FIRST + LEDGER_PAGE);
}

TEST(what_does_not_fit_is_not_written)
{
    struct stub_source source;
    char name[600];
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    struct slot_claim claim = begin_run(50, name, 2000, &source);
    memset((unsigned char *)claim.slot + claim.size - 256, 0x5a, 256);
    claim.size = (uint32_t)(sizeof(struct ledger_slot) + source.captured_bytes + 300);
    assert_int_equal(stub_write(&claim, &source), 0);
    claim.size = claim.slot->slot_bytes;
    let_go(&claim);
}

/* Other processes of the user may write anything anywhere: nothing is written out of the room
 * between the capture and the stubs, and nothing else is read. */
TEST(noise_in_older_stubs_harms_nobody)
{
    struct stub_source source;
    struct slot_claim claim = begin_run(50, "/bin/a", 0, &source);
    unsigned char *slot = (unsigned char *)claim.slot;
    srandom(1);
    for (int round = 0; round < NOISE_ROUNDS; round++) {
        claim.stub_bytes = LEDGER_STUB_UNIT * (uint32_t)(random() % 400);
        for (uint32_t at = claim.size - claim.stub_bytes; at < claim.size; at += 2) {
            uint16_t word = (uint16_t)(random() % 3 == 0 ? random() % 64 : random());
            memcpy(slot + at, &word, sizeof word);
        }
        size_t end = sizeof(struct ledger_slot) + source.captured_bytes;
        memset(slot + end, 0, claim.size - claim.stub_bytes - end);
        uint32_t bytes = stub_write(&claim, &source);
        assert_true(bytes == 0 || (bytes > claim.stub_bytes && bytes <= claim.size - end));
        assert_memory_equal(slot + sizeof(struct ledger_slot), captured, source.captured_bytes);
    }
    let_go(&claim);
}

EACH(set_up, tear_down)
