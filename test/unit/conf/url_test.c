/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Whether a URL leads to this host, so that a secret may be sent in clear text. A form that
 * programs read differently does not.
 */
#include "conf/conf_transport.h"
#include "test/unit/fixture/cases.h"

TEST(this_host_is_known_without_asking_anybody)
{
    static const char *const urls[] = {
        "http://localhost",
        "http://localhost/x",
        "http://LocalHost:8088/services",
        "http://127.0.0.1",
        "http://127.0.0.1:9200/",
        "http://127.255.255.254/",
        "http://[::1]",
        "http://[::1]:8088/x",
        "http://localhost?a=http://example.org",
        "http://localhost#fragment",
    };
    for (size_t i = 0; i < sizeof urls / sizeof urls[0]; i++)
        if (!url_is_loopback(urls[i]))
            fail_msg("%s", urls[i]);
}

TEST(what_only_looks_like_this_host_is_another)
{
    static const char *const urls[] = {
        "",
        "localhost",
        "http://",
        "http:///",
        "http://:80",
        "http://example.org",
        "http://example.org/localhost",
        "http://example.org/?127.0.0.1",
        "http://localhost.example.org",
        "http://localhost.",
        "http://127.0.0.1.example.org",
        "http://127.0.0.1x",
        "http://127.1",
        "http://0177.0.0.1",
        "http://2130706433",
        "http://128.0.0.1",
        "http://0.0.0.0",
        "http://[::2]",
        "http://[::1",
        "http://[::1]x",
        "http://[::ffff:127.0.0.1]",
        "http://localhost@example.org",
        "http://localhost:80@example.org/",
        "http://a@localhost",
        "http://localhost\\@example.org",
        "http://localhost\\.example.org",
        "http://localhost /",
        " http://localhost:x@example.org",
    };
    for (size_t i = 0; i < sizeof urls / sizeof urls[0]; i++)
        if (url_is_loopback(urls[i]))
            fail_msg("'%s'", urls[i]);
}

TEST(people_see_no_password)
{
    static const struct {
        const char *url, *printed;
        bool has_user;
    } cases[] = {
        {"https://example.org/x?a@b", "https://example.org/x?a@b", false},
        {"https://alice:secret@example.org:8088/x", "https://example.org:8088/x", true},
        {"https://alice@example.org", "https://example.org", true},
        {"https://a:p@ss@example.org/", "https://example.org/", true},
        {"https://@example.org/", "https://example.org/", true},
        {"https://example.org/@", "https://example.org/@", false},
        {"no url", "no url", false},
        {"", "", false},
    };
    char text[64];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        url_print(cases[i].url, text, sizeof text);
        assert_string_equal(text, cases[i].printed);
        assert_int_equal(url_has_user(cases[i].url), cases[i].has_user);
    }
    /* cut: still without it */
    url_print("https://alice:secret@example.org/", text, 15);
    assert_string_equal(text, "https://exampl");
}
