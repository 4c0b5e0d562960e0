/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The connection to MariaDB, and what an error of it means.
 */
#include "submit/load/database/mariadb_inside.h"

#include <errno.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <errmsg.h>
#include <mysqld_error.h>

#include "submit/load/database/credentials.h"

#define OLDEST_SERVER      100700
#define ER_WSREP_NOT_READY 1047 /* ER_UNKNOWN_COM_ERROR, from a Galera node that has no quorum */

/* ---- Trouble -------------------------------------------------------------------------------- */

int maria_refuse(struct database *database, int error, const char *text)
{
    database_message(database->error, sizeof database->error, text);
    return error;
}

static int kind_of_error(unsigned code)
{
    switch (code) {
    case CR_SERVER_GONE_ERROR:
    case CR_SERVER_LOST:
    case CR_CONNECTION_ERROR:
    case CR_CONN_HOST_ERROR:
    case ER_SERVER_SHUTDOWN:
    case ER_CONNECTION_KILLED:
    case ER_QUERY_INTERRUPTED:
    case ER_WSREP_NOT_READY:
    case ER_LOCK_DEADLOCK:
    case ER_LOCK_WAIT_TIMEOUT:
    case ER_DUP_ENTRY: /* another loader was faster */
    case ER_CHECKREAD:
        return -EAGAIN;
    case ER_DATA_TOO_LONG:
    case ER_TRUNCATED_WRONG_VALUE:
    case ER_TRUNCATED_WRONG_VALUE_FOR_FIELD:
    case ER_WARN_DATA_OUT_OF_RANGE:
    case ER_NET_PACKET_TOO_LARGE:
    case ER_TOO_BIG_ROWSIZE:
        return -EBADMSG;
    default:
        return -EIO;
    }
}

void maria_disconnect(struct database *database)
{
    for (struct statement *at = database->statements; at != NULL; at = at->next) {
        if (at->prepared != NULL)
            mysql_stmt_close(at->prepared);
        at->prepared = NULL;
    }
    if (database->connection != NULL)
        mysql_close(database->connection);
    database->connection = NULL;
}

static int fail_connection(struct database *database, unsigned code, const char *text)
{
    int error = maria_refuse(database, kind_of_error(code), text);
    if (code == CR_SERVER_GONE_ERROR || code == CR_SERVER_LOST || code == ER_SERVER_SHUTDOWN ||
        code == ER_CONNECTION_KILLED || code == ER_WSREP_NOT_READY)
        maria_disconnect(database);
    return error;
}

int maria_trouble(struct database *database)
{
    return fail_connection(database, mysql_errno(database->connection),
                           mysql_error(database->connection));
}

int maria_statement_trouble(struct database *database, MYSQL_STMT *prepared)
{
    char text[sizeof database->error];
    snprintf(text, sizeof text, "%s", mysql_stmt_error(prepared));
    return fail_connection(database, mysql_stmt_errno(prepared), text);
}

/* ---- Who the server is ---------------------------------------------------------------------- */

/* Whether a server's certificate is that of the host that was asked for.
 *
 * Connector/C up to 3.3 checks that by itself. 3.4 does not compare the name where the host is
 * 127.0.0.1 or ::1, and it does not look who has signed the certificate there. At other hosts a
 * certificate that is signed by itself is good enough where no authority is named: the server hears
 * the user's name and a scramble of the password, and is to prove then that it has the password,
 * too. Source: plugins/auth/my_auth.c of Connector/C 3.4, send_client_reply_packet(). */

/* MARIADB_OPT_TLS_VERIFICATION_CALLBACK: headers up to 3.4.1 have no name for it. What was built
 * with them may be run with a newer library. */
#define VERIFICATION_CALLBACK ((enum mysql_option)7031)

/* Connectors before 3.4 check by themselves. 3.4.0 and 3.4.1 do not, and call nobody. */
static bool checks_by_itself(void)
{
    unsigned major = 0, minor = 0;
    return sscanf(mysql_get_client_info(), "%u.%u", &major, &minor) == 2 &&
           (major < 3 || (major == 3 && minor < 4));
}

/* How MARIADB_TLS begins, since 3.0. Its own header includes one that packages do not have. */
struct tls {
    void *data, *pvio;
    SSL *ssl;
};

/* What is wrong with the certificate, or NULL. The connector goes on after a fault of the chain. */
static const char *fault_of(SSL *ssl, const char *host)
{
    long chain = SSL_get_verify_result(ssl);
    if (chain != X509_V_OK)
        return X509_verify_cert_error_string(chain);
    X509 *certificate = SSL_get1_peer_certificate(ssl);
    bool is_of_host = certificate != NULL && (X509_check_host(certificate, host, 0, 0, NULL) == 1 ||
                                              X509_check_ip_asc(certificate, host, 0) == 1);
    X509_free(certificate);
    return is_of_host ? NULL : "it is not certified for this host";
}

/* The connector calls it after the handshake, before it tells the user's name; `flags` is what it
 * would check. Its own environment variable, which switches checks off, does not count. */
static int check_peer(struct tls *tls, unsigned flags)
{
    (void)flags;
    MYSQL *connection = SSL_get_app_data(tls->ssl);
    const char *fault = fault_of(tls->ssl, connection->host);
    if (fault == NULL)
        return 0;
    connection->net.last_errno = CR_SSL_CONNECTION_ERROR;
    snprintf(connection->net.last_error, sizeof connection->net.last_error,
             "the server's certificate is refused: %s", fault);
    /* It heeds a refusal only where an authority is named. */
    mysql_options(connection, MYSQL_OPT_SSL_CA, "/nonexistent");
    return 1;
}

/* Has the connection, which is not made yet, refuse a server whose certificate is not that of its
 * host before that hears anything; to be called after the authorities are set. Returns NULL, or why
 * that cannot be. */
static const char *use_peer_check(MYSQL *connection)
{
    const char *library = "";
    if (mysql_optionsv(connection, VERIFICATION_CALLBACK, check_peer) != 0)
        return checks_by_itself() ? NULL
                                  : "libmariadb 3.4.0 and 3.4.1 take any certificate where no "
                                    "authority is named: install a newer one";
    mariadb_get_infov(connection, MARIADB_TLS_LIBRARY, &library);
    return strncmp(library, "OpenSSL", strlen("OpenSSL")) == 0
               ? NULL
               : "libmariadb was built without OpenSSL: it cannot check the server's certificate";
}

/* ---- The connection ------------------------------------------------------------------------- */

/* //[USER@][HOST[:PORT]]/DATABASE */
int maria_parse_address(struct address *address, const char *location)
{
    address->text = strdup(location);
    if (address->text == NULL)
        return -ENOMEM;
    char *at = address->text;
    char *slash = strncmp(at, "//", 2) == 0 ? strchr(at + 2, '/') : NULL;
    if (slash == NULL || slash[1] == '\0' || strpbrk(slash + 1, "/?#") != NULL)
        return -EINVAL;
    *slash = '\0';
    address->database = slash + 1;
    at += 2;
    char *host = strchr(at, '@');
    if (host != NULL) {
        *host++ = '\0';
        address->user = at;
        at = host;
    }
    bool several = strchr(at, ',') != NULL; /* libmariadb takes the first that answers */
    char *port = several ? NULL : strrchr(at, ':');
    if (port != NULL) {
        *port++ = '\0';
        address->port = (unsigned)atoi(port);
    }
    address->host = *at == '\0' ? NULL : at;
    return 0;
}

int maria_script(struct database *database, const char *sql)
{
    if (database->connection == NULL)
        return maria_refuse(database, -EAGAIN, "the connection broke");
    if (mysql_query(database->connection, sql) != 0)
        return maria_trouble(database);
    int more;
    do {
        MYSQL_RES *result = mysql_store_result(database->connection);
        mysql_free_result(result);
        more = mysql_next_result(database->connection);
    } while (more == 0);
    return more > 0 ? maria_trouble(database) : 0;
}

int maria_query_number(struct database *database, const char *sql, long long *number)
{
    if (mysql_query(database->connection, sql) != 0)
        return maria_trouble(database);
    MYSQL_RES *result = mysql_store_result(database->connection);
    MYSQL_ROW row = result == NULL ? NULL : mysql_fetch_row(result);
    *number = row == NULL || row[0] == NULL ? 0 : atoll(row[0]);
    mysql_free_result(result);
    return 0;
}

/* The tables have columns of the type UUID. */
static int check_server(struct database *database, MYSQL *connection)
{
    if (mariadb_connection(connection) && mysql_get_server_version(connection) >= OLDEST_SERVER)
        return 0;
    char text[128];
    snprintf(text, sizeof text, "the server is %.70s; the store needs MariaDB 10.7 or newer",
             mysql_get_server_info(connection));
    return maria_refuse(database, -EIO, text);
}

/* What proves that we know the password without telling it. */
#define PLUGINS "mysql_native_password,client_ed25519"

/* The server proves its name before anything is sent: nobody in between can listen or answer for
 * it. A socket has nobody between. Connector/C 3.4 would check by itself, so off is said too. */
static int set_tls(struct database *database, MYSQL *connection,
                   const struct credentials *credentials, bool is_used)
{
    static const struct {
        enum credential credential;
        enum mysql_option option;
    } texts[] = {
        {CREDENTIAL_SSL_CA, MYSQL_OPT_SSL_CA},
        {CREDENTIAL_SSL_CAPATH, MYSQL_OPT_SSL_CAPATH},
        {CREDENTIAL_SSL_CERT, MYSQL_OPT_SSL_CERT},
        {CREDENTIAL_SSL_KEY, MYSQL_OPT_SSL_KEY},
        {CREDENTIAL_SSL_CIPHER, MYSQL_OPT_SSL_CIPHER},
        {CREDENTIAL_SSL_CRL, MYSQL_OPT_SSL_CRL},
        {CREDENTIAL_TLS_VERSION, MARIADB_OPT_TLS_VERSION},
    };
    const char *said = credentials->value[CREDENTIAL_VERIFY];
    my_bool enforce = is_used, verify = is_used && (said == NULL || said[0] == '1');
    for (size_t i = 0; is_used && i < sizeof texts / sizeof texts[0]; i++)
        if (credentials->value[texts[i].credential] != NULL)
            mysql_options(connection, texts[i].option, credentials->value[texts[i].credential]);
    mysql_options(connection, MYSQL_OPT_SSL_ENFORCE, &enforce);
    mysql_options(connection, MYSQL_OPT_SSL_VERIFY_SERVER_CERT, &verify);
    const char *trouble = verify ? use_peer_check(connection) : NULL;
    return trouble == NULL ? 0 : maria_refuse(database, -EIO, trouble);
}

static void set_options(MYSQL *connection, bool by_socket, unsigned patience)
{
    unsigned timeout = 10, off = 0;
    enum mysql_protocol_type protocol = by_socket ? MYSQL_PROTOCOL_SOCKET : MYSQL_PROTOCOL_TCP;
    mysql_options(connection, MYSQL_OPT_CONNECT_TIMEOUT, &timeout);
    mysql_options(connection, MYSQL_OPT_READ_TIMEOUT, &patience);
    mysql_options(connection, MYSQL_OPT_WRITE_TIMEOUT, &patience);
    mysql_options(connection, MYSQL_SET_CHARSET_NAME, "utf8mb4");
    mysql_options(connection, MYSQL_OPT_PROTOCOL, &protocol);
    mysql_options(connection, MYSQL_OPT_LOCAL_INFILE, &off);
    mysql_options(connection, MARIADB_OPT_RESTRICTED_AUTH, PLUGINS);
}

static const char *or_else(const char *text, const char *other)
{
    return text != NULL ? text : other;
}

/* What to do about a server that could not prove who it is. */
static int no_tls(struct database *database, const char *why)
{
    char text[sizeof database->error];
    snprintf(text, sizeof text,
             "%.200s; a remote server must use TLS with a valid certificate: set ssl-ca in "
             "%.120s, or switch this off (skip-ssl-verify-server-cert, skip-ssl)",
             why, credentials_path());
    return maria_refuse(database, -EIO, text);
}

static int connect_with(struct database *database, MYSQL *connection,
                        const struct credentials *credentials, unsigned patience)
{
    const struct address *address = &database->address;
    char *const *said = credentials->value;
    const char *host = or_else(address->host, said[CREDENTIAL_HOST]);
    const char *port = or_else(said[CREDENTIAL_PORT], "0");
    const char *tls = or_else(said[CREDENTIAL_SSL], "1");
    /* as MariaDB's own programs have it; several hosts are hosts */
    bool by_socket = host == NULL || strcmp(host, "localhost") == 0;
    bool by_tls = !by_socket && tls[0] == '1';
    set_options(connection, by_socket, patience);
    int error = set_tls(database, connection, credentials, by_tls);
    if (error != 0)
        return error;
    if (mysql_real_connect(
            connection, by_socket ? NULL : host, or_else(address->user, said[CREDENTIAL_USER]),
            said[CREDENTIAL_PASSWORD], address->database,
            address->port != 0 ? address->port : (unsigned)atoi(port),
            by_socket ? said[CREDENTIAL_SOCKET] : NULL, CLIENT_MULTI_STATEMENTS) != NULL)
        /* Connector/C 3.3 goes on without TLS, whatever it was told, where it is not to check the
         * server; that has heard no password then, and shall hear nothing else. */
        return by_tls && mysql_get_ssl_cipher(connection) == NULL
                   ? no_tls(database, "the server does not offer TLS")
                   : check_server(database, connection);
    unsigned code = mysql_errno(connection);
    if (code == CR_SSL_CONNECTION_ERROR)
        return no_tls(database, mysql_error(connection));
    return maria_refuse(database, kind_of_error(code), mysql_error(connection));
}

static int connect_to(struct database *database, MYSQL *connection, unsigned patience)
{
    struct credentials credentials;
    int error =
        credentials_read(credentials_path(), &credentials, database->error, sizeof database->error);
    if (error == 0)
        error = connect_with(database, connection, &credentials, patience);
    for (int i = 0; i < CREDENTIALS; i++)
        free(credentials.value[i]);
    return error;
}

/* READ COMMITTED: what another loader has just added is seen, and no gaps are locked. */
static int set_up_session(struct database *database)
{
    long long packet = 0;
    int error =
        maria_script(database, "SET SESSION autocommit = 1;"
                               "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED;"
                               "SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION';"
                               "SET SESSION innodb_lock_wait_timeout = 60");
    if (error == 0)
        error = maria_query_number(database, "SELECT @@max_allowed_packet", &packet);
    database->packet_bytes = (size_t)packet;
    return error;
}

int maria_reconnect(struct database *database, unsigned patience)
{
    maria_disconnect(database);
    MYSQL *connection = mysql_init(NULL);
    if (connection == NULL)
        return maria_refuse(database, -ENOMEM, "out of memory");
    int error = connect_to(database, connection, patience);
    if (error != 0) {
        mysql_close(connection);
        return error;
    }
    database->connection = connection;
    return set_up_session(database);
}
