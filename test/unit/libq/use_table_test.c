/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/libraries/libq/use_table.h"

#include "test/unit/fixture/cases.h"

TEST(days_are_counted_by_weekday)
{
    struct use_table table;
    use_table_begin(&table, USE_BY_WEEKDAY, 9);
    int64_t nag = use_table_row(&table, "nag"), imsl = use_table_row(&table, "imsl");
    assert_int_equal(use_table_row(&table, "nag"), nag);
    for (int32_t day = 0; day < 14; day++) { /* 1970-01-01 was a Thursday */
        use_table_add(&table, nag, day);
        use_table_add(&table, imsl, 0);
    }
    use_table_finish(&table);
    assert_int_equal(table.rows, 2);
    assert_string_equal(table.row[0].library, "imsl");
    assert_int_equal(table.row[0].count[4], 14);
    assert_int_equal(use_table_columns(&table), 7);
    assert_string_equal(use_table_head(&table, 0), "Sun");
    assert_string_equal(use_table_head(&table, 6), "Sat");
    for (size_t i = 0; i < 7; i++)
        assert_int_equal(table.row[1].count[i], 2);
    assert_int_equal(use_row_sum(&table.row[1]), 14);
    assert_int_equal(use_column_sum(&table, 4), 16);
    assert_int_equal(use_table_sum(&table), 28);
    use_table_free(&table);
}

TEST(months_begin_with_that_of_the_range)
{
    struct use_table table;
    use_table_begin(&table, USE_BY_MONTH, 9);
    int64_t row = use_table_row(&table, "nag");
    use_table_add(&table, row, 30);  /* Jan 31 */
    use_table_add(&table, row, 31);  /* Feb 1 */
    use_table_add(&table, row, -1);  /* Dec 31 */
    use_table_add(&table, row, 395); /* Jan 31 of the next year */
    use_table_add(&table, row, 243); /* Sep 1 */
    use_table_add(&table, row, 242); /* Aug 31 */
    assert_int_equal(use_table_columns(&table), 12);
    assert_string_equal(use_table_head(&table, 0), "Sep");
    assert_string_equal(use_table_head(&table, 3), "Dec");
    assert_string_equal(use_table_head(&table, 4), "Jan");
    assert_string_equal(use_table_head(&table, 11), "Aug");
    const uint64_t expected[12] = {1, 0, 0, 1, 2, 1, 0, 0, 0, 0, 0, 1};
    assert_memory_equal(table.row[0].count, expected, sizeof expected);
    use_table_free(&table);
}

TEST(rows_that_may_lack_lines_are_left_out_and_names_shortened_where_they_stay_apart)
{
    static const char *const names[] = {"libxyz", "xyz", "libnag", "liblib", "lib", "libhalf"};
    static const char *const expected[] = {"lib", "liblib", "libxyz", "nag", "xyz"};
    struct use_table table;
    use_table_begin(&table, USE_BY_WEEKDAY, 1);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        use_table_add(&table, use_table_row(&table, names[i]), 0);
    table.row[5].is_partial = true;
    use_table_finish(&table);
    assert_int_equal(table.rows, sizeof expected / sizeof *expected);
    for (size_t i = 0; i < table.rows; i++) {
        assert_string_equal(table.row[i].library, expected[i]);
        assert_int_equal(use_row_sum(&table.row[i]), 1);
    }
    use_table_free(&table);
}
