/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What each transport does, by the one that others begin with.
 */
#include "conf/base/clocks.h"
#include "submit/outbox/transport.h"
#include "test/unit/fixture/cases.h"

enum { ITEMS = 3 };

static const struct conf conf;
static struct transport_item items[ITEMS];
static struct transport_trouble trouble;
static void *opened;

static int set_up(void **state)
{
    static const char *const texts[ITEMS] = {"{\"a\":1}", "", "{\"b\":2}"};
    (void)state;
    trouble = (struct transport_trouble){.text = ""};
    for (size_t i = 0; i < ITEMS; i++)
        items[i] =
            (struct transport_item){.record = record_view("run.json", texts[i], strlen(texts[i]))};
    return transport_null.open(&conf, &opened, &trouble);
}

static int tear_down(void **state)
{
    (void)state;
    transport_null.close(opened);
    return 0;
}

TEST(each_item_gets_its_outcome)
{
    assert_int_equal(transport_null.send(opened, items, ITEMS, clock_deadline(60000), &trouble), 0);
    assert_int_equal(items[0].outcome, TRANSPORT_ACCEPTED);
    assert_int_equal(items[1].outcome, TRANSPORT_REFUSED);
    assert_string_equal(items[1].why, "it is empty");
    assert_int_equal(items[2].outcome, TRANSPORT_ACCEPTED);
}

TEST(what_is_settled_is_left_alone)
{
    items[1].outcome = TRANSPORT_ACCEPTED;
    assert_int_equal(transport_null.send(opened, items, ITEMS, clock_deadline(60000), &trouble), 0);
    assert_int_equal(items[1].outcome, TRANSPORT_ACCEPTED);
}

TEST(what_there_is_no_time_for_stays_pending)
{
    assert_int_equal(transport_null.send(opened, items, ITEMS, 1, &trouble), -ETIMEDOUT);
    for (size_t i = 0; i < ITEMS; i++)
        assert_int_equal(items[i].outcome, TRANSPORT_PENDING);
}

TEST(a_receiver_that_takes_records_is_reached)
{
    assert_int_equal(transport_null.ask(opened, clock_deadline(60000), &trouble), 0);
    assert_string_equal(trouble.text, "");
}

TEST(nobody_can_choose_it)
{
    assert_null(transport_find("null", &trouble));
}

EACH(set_up, tear_down)
