/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A run as jobtrail writes it is read from its text, without making objects of it: what benches
 * measure is what nodes send. Files that are named as arguments are looked at instead.
 */
#define OWN_MAIN

#include "submit/load/parse/load_record.h"
#include "test/unit/fixture/cases.h"
#include "test/unit/fixture/sample_records.h"

/* Takes the text, which is the record's from then on. */
static bool takes_fast_path(char *text)
{
    struct record record;
    struct load_reason reason = {""};
    if (load_record(text, strlen(text), RECORD_RUN, NULL, &record, &reason) != 0)
        fail_msg("%s: %s", reason.text, text);
    bool is_fast = record.root == NULL;
    load_record_free(&record);
    return is_fast;
}

TEST(a_run_as_jobtrail_writes_it_takes_the_fast_path)
{
    assert_true(takes_fast_path(sample_record(RECORD_RUN)));
}

TEST(so_do_a_start_and_a_static_program)
{
    assert_true(takes_fast_path(sample_start_record()));
    assert_true(takes_fast_path(sample_static_record()));
}

/* The test would notice: an object in an unknown place is parsed. */
TEST(what_nobody_writes_does_not)
{
    assert_false(takes_fast_path(
        strdup("{\"userT\":{\"run_uuid\":\"" SAMPLE_UUID "\"},\"unheard\":{\"of\":1}}")));
}

/* TAP, one test for each file. */
static int look_at_files(int count, char **names)
{
    int failed = 0;
    printf("1..%d\n", count);
    for (int i = 0; i < count; i++) {
        char *text = NULL;
        size_t room = 0;
        FILE *file = fopen(names[i], "r");
        bool is_fast = file != NULL && getline(&text, &room, file) > 0 && takes_fast_path(text);
        printf("%sok %d - %s\n", is_fast ? "" : "not ", i + 1, names[i]);
        failed |= !is_fast;
        if (file != NULL)
            fclose(file);
    }
    return failed;
}

int main(int argc, char **argv)
{
    return argc > 1 ? look_at_files(argc - 1, argv + 1) : run_cases();
}
