/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What differs between the ancestors of two runs of one script: pids, and the job's number.
 */
#include "submit/load/parse/record_reader.h"
#include "test/unit/fixture/cases.h"

TEST(pids_and_the_jobs_number_are_taken_out)
{
    static const struct {
        const char *text, *job, *split, *pids;
    } cases[] = {
        {"[]", "4711", "[]", NULL},
        {"[{\"pid\":17,\"name\":\"bash\"},{\"pid\":1}]", NULL,
         "[{\"pid\":0,\"name\":\"bash\"},{\"pid\":0}]", "[17,1]"},
        {"[{\"cmd_path\":\"/spool/job4711/slurm_script\",\"pid\":4711}]", "4711",
         "[{\"cmd_path\":\"/spool/job%j/slurm_script\",\"pid\":0}]", "[4711]"},
        /* numbers of which it is a part stay */
        {"[\"14711\",\"47110\",\"4711\",\"x4711y\"]", "4711",
         "[\"14711\",\"47110\",\"%j\",\"x%jy\"]", NULL},
        {"[\"50%\",\"%j\"]", "4711", "[\"50%%\",\"%%j\"]", NULL},
        /* within a string the key's quotes are escaped; a blank is not as we write it */
        {"[\"\\\"pid\\\":17\"]", NULL, "[\"\\\"pid\\\":17\"]", NULL},
        {"[{\"pid\": 17}]", NULL, "[{\"pid\": 17}]", NULL},
        {"[{\"ppid\":17}]", NULL, "[{\"ppid\":17}]", NULL},
        {"[{\"pid\":-17}]", NULL, "[{\"pid\":-17}]", NULL},
        /* 19 digits may be no number of 64 bits */
        {"[{\"pid\":999999999999999999}]", NULL, "[{\"pid\":0}]", "[999999999999999999]"},
        {"[{\"pid\":9999999999999999999}]", NULL, "[{\"pid\":9999999999999999999}]", NULL},
        {"\"pid\":1", NULL, "\"pid\":0", "[1]"},
        {"", "1", "", NULL},
        {"1", "1", "%j", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        size_t size = strlen(cases[i].text);
        /* without a NUL behind it, so that AddressSanitizer knows its end */
        char *copy = malloc(size == 0 ? 1 : size), *text, *pids;
        assert_non_null(copy);
        memcpy(copy, cases[i].text, size);
        assert_int_equal(
            ancestor_pids_split((struct json_slice){copy, size}, cases[i].job, &text, &pids), 0);
        assert_string_equal(text, cases[i].split);
        if (cases[i].pids == NULL)
            assert_null(pids);
        else
            assert_string_equal(pids, cases[i].pids);
        free(text);
        free(pids);
        free(copy);
    }
}
