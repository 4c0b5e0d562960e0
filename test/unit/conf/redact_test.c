/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What is taken out of command lines, by the built-in rules and by a site's own.
 */
#include "conf/redact.h"
#include "test/unit/fixture/cases.h"
#include "test/unit/fixture/made_policy.h"

/* A token's form without a token that anybody would look for in this file. */
#define TEN   "ABCDEFGHIJ"
#define FORTY TEN TEN TEN TEN

static void *policy;
static struct redactor redactor;

static int make_redactor(void **state)
{
    (void)state;
    policy = compiled("");
    redactor_make(policy, &redactor);
    return 0;
}

static int free_redactor(void **state)
{
    (void)state;
    free(policy);
    return 0;
}

/* `text` with '~' between arguments, redacted by `by`; malloc'ed. */
static char *redacted(const struct redactor *by, const char *text)
{
    size_t size = strlen(text), out_size = size;
    char *bytes = strdup(text), *out = NULL;
    for (size_t i = 0; i < size; i++)
        if (bytes[i] == '~')
            bytes[i] = '\0';
    /* its own memory, so that AddressSanitizer knows the end */
    char *whole = malloc(size + (size == 0));
    memcpy(whole, bytes, size);
    int rc = redact(by, whole, size, &out, &out_size);
    assert_int_equal(rc, out != NULL);
    char *result = calloc(out_size + 1, 1);
    memcpy(result, rc == 1 ? out : whole, out_size);
    for (size_t i = 0; i < out_size; i++)
        if (result[i] == '\0')
            result[i] = '~';
    free(bytes);
    free(whole);
    free(out);
    return result;
}

struct redact_case {
    const char *text, *becomes; /* NULL: it stays */
};

static void check(const struct redactor *by, const struct redact_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char *once = redacted(by, cases[i].text);
        char *twice = redacted(by, once);
        if (strcmp(once, cases[i].becomes == NULL ? cases[i].text : cases[i].becomes) != 0)
            fail_msg("%s: %s", cases[i].text, once);
        assert_string_equal(once, twice);
        free(once);
        free(twice);
    }
}

#define CHECK(cases) check(&redactor, cases, sizeof cases / sizeof cases[0])

TEST(values_of_secret_names_are_taken_out)
{
    static const struct redact_case cases[] = {
        {"run~--password=hunter2~next", "run~--password=[redacted]~next"},
        {"run~--password~hunter2~next", "run~--password~[redacted]~next"},
        {"run~--PassWord~hunter2", "run~--PassWord~[redacted]"},
        {"run~--passwd=x", "run~--passwd=[redacted]"},
        {"run~--token~x~--secret=y", "run~--token~[redacted]~--secret=[redacted]"},
        {"run~--client-secret~x", "run~--client-secret~[redacted]"},
        {"run~--api-key~x~--api_key=x~--apikey=x",
         "run~--api-key~[redacted]~--api_key=[redacted]~--apikey=[redacted]"},
        {"run~-password~x", "run~-password~[redacted]"},
        /* a value of several words, with quotes and signs in it */
        {"run~--password=a b;c&d\"e'f~next", "run~--password=[redacted]~next"},
        {"run~--password~a b~next", "run~--password~[redacted]~next"},
        /* assignments: of the environment, of properties, in scripts, in queries */
        {"env~API_KEY=x~MYTOKEN=y~DB_PASSWORD=z~CLIENT_SECRET=a~cmd",
         "env~API_KEY=[redacted]~MYTOKEN=[redacted]~DB_PASSWORD=[redacted]~CLIENT_SECRET=[redacted]"
         "~cmd"},
        {"java~-Djavax.net.ssl.keyStorePassword=x~Main",
         "java~-Djavax.net.ssl.keyStorePassword=[redacted]~Main"},
        {"run~--env=DB_PASSWORD=x", "run~--env=DB_PASSWORD=[redacted]"},
        {"sh~-c~export TOKEN=x; ./run --key='a b' -n 5",
         "sh~-c~export TOKEN=[redacted] ./run --key='[redacted]' -n 5"},
        {"sh~-c~./run --password x -n 5", "sh~-c~./run --password [redacted] -n 5"},
        {"sh~-c~./run --password 'x y' -n 5", "sh~-c~./run --password '[redacted]' -n 5"},
        {"python~-c~password = \"a\\\"b\"; go()", "python~-c~password = \"[redacted]\"; go()"},
        {"python~-c~run([\"x\", \"--token\", \"abc\", \"y\"])",
         "python~-c~run([\"x\", \"--token\", \"[redacted]\", \"y\"])"},
        {"curl~https://h/p?n=5&token=x", "curl~https://h/p?n=5&token=[redacted]"},
        {"curl~-d~{\"user\": \"a\", \"password\": \"b c\", \"n\": 1}",
         "curl~-d~{\"user\": \"a\", \"password\": \"[redacted]\", \"n\": 1}"},
        {"sh~-c~curl -d \"{\\\"token\\\":\\\"x\\\"}\"",
         "sh~-c~curl -d \"{\\\"token\\\":\\\"[redacted]\""},
        {"openssl~-passin~pass:x", "openssl~-passin~[redacted]"},
        /* nothing is there, or another option follows */
        {"run~--password=~x", NULL},
        {"run~--password", NULL},
        {"run~--password~--host=h~x", NULL},
        {"run~--password~-v~x", NULL},
        {"run~--token~-9aKz_~x", "run~--token~[redacted]~x"},
    };
    CHECK(cases);
}

TEST(headers_urls_and_keys_are_known)
{
    static const struct redact_case cases[] = {
        {"curl~-H~Authorization: Bearer xyz~u", "curl~-H~Authorization: [redacted]~u"},
        {"curl~-H~authorization:Basic abc=~u", "curl~-H~authorization:[redacted]~u"},
        {"curl~-H~X-Auth-Token: x", "curl~-H~X-Auth-Token: [redacted]"},
        {"sh~-c~curl -H 'Authorization: Bearer a b' u",
         "sh~-c~curl -H 'Authorization: [redacted]' u"},
        {"run~Bearer~xyz", "run~Bearer~[redacted]"},
        {"run~--auth~Bearer xyz~n", "run~--auth~[redacted]~n"},
        {"run~x bearer xyz n", "run~x bearer [redacted] n"},
        {"git~clone~https://me:pw@host/r", "git~clone~https://me:[redacted]@host/r"},
        {"psql~postgresql://me:p@w@host:5432/db", "psql~postgresql://me:[redacted]@host:5432/db"},
        {"redis~redis://:pw@h", "redis~redis://:[redacted]@h"},
        {"x~postgres://me:p/w@host/db", "x~postgres://me:[redacted]@host/db"},
        {"sh~-c~a https://u:p@h b https://v:q@h", "sh~-c~a https://u:[redacted]@h b "
                                                  "https://v:[redacted]@h"},
        {"run~-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----~n",
         "run~-----BEGIN RSA PRIVATE KEY-----[redacted]-----END RSA PRIVATE KEY-----~n"},
        {"run~-----BEGIN PRIVATE KEY-----\nabc", "run~-----BEGIN PRIVATE KEY-----[redacted]"},
        {"run~gh"
         "p_" FORTY "~n",
         "run~[redacted]~n"},
        {"git~clone~https://gh"
         "p_" FORTY "@h/r",
         "git~clone~https://[redacted]@h/r"},
        {"run~AK"
         "IA" TEN "ABCDEF",
         "run~[redacted]"},
        {"run~h"
         "f_" FORTY,
         "run~[redacted]"},
        {"run~ey"
         "J" FORTY "." FORTY "." FORTY,
         "run~[redacted]"},
    };
    CHECK(cases);
}

TEST(short_options_are_those_of_known_programs)
{
    static const struct redact_case cases[] = {
        {"mysql~-u~root~-psecret~db", "mysql~-u~root~-p[redacted]~db"},
        {"/usr/bin/mysqldump~-psec ret", "/usr/bin/mysqldump~-p[redacted]"},
        {"srun~-n~1~mysql~-psecret", "srun~-n~1~mysql~-p[redacted]"},
        {"sh~-c~cd /x; mariadb-dump -psecret >f", "sh~-c~cd /x; mariadb-dump -p[redacted] >f"},
        {"sh~-c~mysql -p'a b' >f", "sh~-c~mysql -p'[redacted]' >f"},
        {"sshpass~-p~secret~ssh~h", "sshpass~-p~[redacted]~ssh~h"},
        {"curl~-u~me:pw~u", "curl~-u~[redacted]~u"},
        {"curl~-ume:pw~u", "curl~-u[redacted]~u"},
        {"ldapsearch~-w~pw", "ldapsearch~-w~[redacted]"},
        {"docker~login~-u~me~-p~pw~h", "docker~login~-u~me~-p~[redacted]~h"},
        {"az login -p pw", "az login -p [redacted]"},
        {"openssl~enc~-aes256~-k~pw~-in~f", "openssl~enc~-aes256~-k~[redacted]~-in~f"},
        {"openssl~dgst~-hmac~pw~f", "openssl~dgst~-hmac~[redacted]~f"},
        {"ssh-keygen~-N~pw~-f~f", "ssh-keygen~-N~[redacted]~-f~f"},
        {"python~-c~run(['curl', '-u', 'u:p', 'h'])",
         "python~-c~run(['curl', '-u', '[redacted]', 'h'])"},
        /* of many programs in one script */
        {"sh~-c~mysql; curl; ldapsearch; zip; redis-cli; sshpass; ipmitool; openssl enc -k pw",
         "sh~-c~mysql; curl; ldapsearch; zip; redis-cli; sshpass; ipmitool; openssl enc -k "
         "[redacted]"},
        /* of others they say something else */
        {"mkdir~-p~dir", NULL},
        {"gcc~-pthread~-pg~x.c", NULL},
        {"ssh~-p8022~h", NULL},
        {"ls~mysqlfiles/x~-p", NULL},
        {"docker~run~-p~8080:80~x", NULL},
        {"openssl~req~-keyout~f~-keyform~PEM~-psk_identity~x", NULL},
        {"curl~-otu~-Huv~-sSLo~u~h", NULL},
    };
    CHECK(cases);
}

TEST(short_options_are_found_in_bundles)
{
    static const struct redact_case cases[] = {
        {"curl~-su~u:p~h", "curl~-su~[redacted]~h"},
        {"curl~-sSLu~u:p~h", "curl~-sSLu~[redacted]~h"},
        {"curl~-sSLuu:p~h", "curl~-sSLu[redacted]~h"},
        {"sh~-c~curl -sSLu u:p h; curl -sume:pw h",
         "sh~-c~curl -sSLu [redacted] h; curl -su[redacted] h"},
        {"smbclient~-NU~u%p", "smbclient~-NU~[redacted]"},
        {"mysql~-Bspsecret", "mysql~-Bsp[redacted]"},
        {"zip~-rP~pw~x.zip", "zip~-rP~[redacted]~x.zip"},
        {"ldapsearch~-xLLLw~pw", "ldapsearch~-xLLLw~[redacted]"},
    };
    CHECK(cases);
}

TEST(long_options_may_be_those_of_known_programs)
{
    static const struct redact_case cases[] = {
        {"curl~--user~u:p~h", "curl~--user~[redacted]~h"},
        {"curl~--user=u:p~h", "curl~--user=[redacted]~h"},
        {"curl~--proxy-user~u:p~h", "curl~--proxy-user~[redacted]~h"},
        {"curl~--proxy-user=u:p~h", "curl~--proxy-user=[redacted]~h"},
        {"curl~--oauth2-bearer~abc~h", "curl~--oauth2-bearer~[redacted]~h"},
        {"curl~--proxy~u:p@h:1~h", "curl~--proxy~[redacted]~h"},
        {"curl~--cert~f:pw~h", "curl~--cert~[redacted]~h"},
        {"sh~-c~curl --user 'u:p' h", "sh~-c~curl --user '[redacted]' h"},
        {"python~-c~run(['curl', '--user', 'u:p'])",
         "python~-c~run(['curl', '--user', '[redacted]'])"},
        {"smbclient~--user=u%p", "smbclient~--user=[redacted]"},
        /* of others, and others of curl's */
        {"squeue~--user~me", NULL},
        {"squeue~--user=me", NULL},
        {"curl~--user-agent~x~--proxy-insecure~h", NULL},
    };
    CHECK(cases);
}

TEST(tokens_may_be_the_users_of_urls)
{
    static const struct redact_case cases[] = {
        {"git~clone~https://" FORTY "@github.com/x", "git~clone~https://[redacted]@github.com/x"},
        {"git~clone~https://" FORTY "@host:8443/x", "git~clone~https://[redacted]@host:8443/x"},
        {"git~clone~https://" FORTY ":x-oauth-basic@github.com/x",
         "git~clone~https://[redacted]:[redacted]@github.com/x"},
        {"curl~https://" FORTY ":@api/x", "curl~https://[redacted]:@api/x"},
        {"pip~install~git+https://" FORTY "@github.com/x",
         "pip~install~git+https://[redacted]@github.com/x"},
        {"sh~-c~git clone 'https://" FORTY "@h/x' y", "sh~-c~git clone 'https://[redacted]@h/x' y"},
        {"git~clone~https://abcdefghijklmnop@h/x", "git~clone~https://[redacted]@h/x"},
        /* users */
        {"git~clone~https://abcdefghijklmno@h/x", NULL},
        {"git~clone~ssh://git@host/x~https://user@host/x~ssh://me@host:22/x", NULL},
        {"x~docker://image-of-somebody@sha256:" FORTY, NULL},
        {"x~https://host.example.org/" FORTY "@v1", NULL},
        /* an '@' that is taken out with a value behind it */
        {"mysql~a://abc@defghijklmn;-p@h", "mysql~a://abc@defghijklmn;-p[redacted]"},
    };
    CHECK(cases);
}

TEST(what_is_no_secret_stays)
{
    static const struct redact_case cases[] = {
        {"", NULL},
        {"~~", NULL},
        {"run~-n~5~--input=/data/token/x~--x=y", NULL},
        {"PATH=/opt/monkey:/usr/bin:/opt/key:/bin", NULL},
        {"LOADEDMODULES=gcc/12:openssl-key/1:python/3", NULL},
        {"sort~--sort-key=2", NULL},
        {"llm~--max-tokens=512~--pad-token~x", NULL},
        {"gmx~mdrun~-pin~on", NULL},
        {"apptainer~run~docker://registry:5000/image@sha256:abc", NULL},
        {"curl~http://host:8080/path", NULL},
        {"ssh~ssh://me@host:22/x", NULL},
        {"x~-----BEGIN CERTIFICATE-----\nabc", NULL},
        {"x~the secretary tokenised his keyboard", NULL},
        {"x~--public-key=abc", NULL},
        {"x~[redacted]~--password=[redacted]", NULL},
    };
    CHECK(cases);
}

TEST(a_site_adds_and_exempts)
{
    static const struct redact_case cases[] = {
        {"x~--pin~5~--PIN=5", "x~--pin~[redacted]~--PIN=[redacted]"},
        {"x~--SitePIN=5~--sitepin=5", "x~--SitePIN=[redacted]~--sitepin=5"},
        {"x~lab-12345~lab-1234", "x~[redacted]~lab-1234"},
        {"x~tool~-k5~-k~6", "x~tool~-k[redacted]~-k~[redacted]"},
        {"x~tool~-keep~5~--k~6~--keys~7", "x~tool~-keep~5~--k~[redacted]~--keys~7"},
        {"x~--token=5~--secret=6", "x~--token=5~--secret=[redacted]"},
        {"x~ftp://u:p@h~http://u:p@h", "x~ftp://u:p@h~http://u:[redacted]@h"},
    };
    static const struct redact_case own[] = {
        {"x~--password=5~--pin=5~http://u:p@h", "x~--password=5~--pin=[redacted]~http://u:p@h"},
    };
    static const struct redact_case none[] = {
        {"x~--password=5~http://u:p@h", NULL},
    };
    struct redactor by;
    void *mine = compiled("[redact]\nhide = name:pin|name:SitePIN\nhide = word:lab-[0-9]{5}\n"
                          "hide = option:tool:(-k|--k)\nkeep = option:tool:-keep\n"
                          "keep = name:token\nkeep = url:ftp\n");
    redactor_make(mine, &by);
    check(&by, cases, sizeof cases / sizeof cases[0]);
    free(mine);
    mine = compiled("[tracking]\nredact_default = no\n[redact]\nhide = name:pin\n");
    redactor_make(mine, &by);
    check(&by, own, 1);
    free(mine);
    mine = compiled("[tracking]\nredact_default = no\n");
    redactor_make(mine, &by);
    check(&by, none, 1);
    free(mine);
}

/* Counts how often a rule was named. */
static void count(void *context, const struct policy_rule *rule)
{
    assert_int_equal(rule->action, POLICY_HIDE);
    ++*(int *)context;
}

TEST(each_rule_that_hides_is_told)
{
    struct redactor telling = redactor;
    int told = 0;
    telling.note = count;
    telling.context = &told;
    free(redacted(&telling, "x~--password=5~--token~7~plain"));
    assert_int_equal(told, 2);
}

/* What a text is made of in which each look ahead could find nothing again and again. The number of
 * steps is not seen here; with a look that is not linear this does not end. */
TEST(hostile_texts_take_linear_time)
{
    static const char *const pieces[] = {"a://b:c/",   "a://b:c@",  "-----BEGIN X KEY-----",
                                         "'",          "token    ", "--password\\",
                                         "password:",  "-p",        "mysql ",
                                         "\"token\" ", "x=",        "a://",
                                         "a://b@",     "curl -sS;", "a://bbbbbbbbbbbbbbbb@"};
#ifdef __SANITIZE_ADDRESS__
    enum { SIZE = 2 << 20 }; /* how long is the other preset's question */
#else
    enum { SIZE = 16 << 20 };
#endif
    char *text = malloc(SIZE), *out;
    size_t out_size;
    for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
        for (size_t at = 0; at < SIZE; at++)
            text[at] = pieces[i][at % strlen(pieces[i])];
        out = NULL;
        assert_true(redact(&redactor, text, SIZE, &out, &out_size) >= 0);
        assert_true(out == NULL || out_size <= (size_t)REDACT_GROWTH * SIZE);
        free(out);
    }
    free(text);
}

ALL(make_redactor, free_redactor)
