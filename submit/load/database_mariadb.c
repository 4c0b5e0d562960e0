/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The store in a MariaDB database: mariadb://[USER@][HOST[:PORT][,HOST...]]/DATABASE. What is not
 * in the address, above all the password, comes from the credentials file.
 */
#include "database.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <errmsg.h>
#include <mysql.h>
#include <mysqld_error.h>

#include "credentials.h"
#include "schema.h"

#define ER_WSREP_NOT_READY 1047 /* ER_UNKNOWN_COM_ERROR, from a Galera node that has no quorum */
#define MAX_COLUMNS        256  /* and parameters */
#define RESULT_BYTES       (RESULT_TEXT_MAX + 1)
#define RESULT_TEXT_MAX    65535u
#define BULK_BYTES         (4u << 20) /* of one message to the server, about */

struct statement {
    char *sql;
    MYSQL_STMT *prepared; /* NULL until it is used, and after the connection broke */
    MYSQL_BIND *results;  /* of a query; NULL before the first */
    unsigned columns;
    struct statement *next;
};

struct address {
    char *text; /* owned; the rest points into it, NULL when not said */
    char *user, *host, *database;
    unsigned port;
};

struct database {
    MYSQL *connection; /* NULL when it broke */
    struct statement *statements;
    struct address address;
    bool dry_run;
    size_t packet_bytes; /* what the server takes in one message */
    char error[512];
};

/* ---- Trouble ------------------------------------------------------------------------------- */

static int refuse(struct database *database, int error, const char *text)
{
    snprintf(database->error, sizeof database->error, "%s", text);
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

static bool is_broken(unsigned code)
{
    return code == CR_SERVER_GONE_ERROR || code == CR_SERVER_LOST || code == ER_SERVER_SHUTDOWN ||
           code == ER_CONNECTION_KILLED || code == ER_WSREP_NOT_READY;
}

static void forget_statements(struct database *database)
{
    for (struct statement *at = database->statements; at != NULL; at = at->next) {
        if (at->prepared != NULL)
            mysql_stmt_close(at->prepared);
        at->prepared = NULL;
    }
}

static void disconnect(struct database *database)
{
    forget_statements(database);
    if (database->connection != NULL)
        mysql_close(database->connection);
    database->connection = NULL;
}

static int fail(struct database *database, unsigned code, const char *text)
{
    int error = refuse(database, kind_of_error(code), text);
    if (is_broken(code))
        disconnect(database);
    return error;
}

static int trouble(struct database *database)
{
    return fail(database, mysql_errno(database->connection), mysql_error(database->connection));
}

static int statement_trouble(struct database *database, MYSQL_STMT *prepared)
{
    char text[sizeof database->error];
    snprintf(text, sizeof text, "%s", mysql_stmt_error(prepared));
    return fail(database, mysql_stmt_errno(prepared), text);
}

static const char *error_text(const struct database *database)
{
    return database == NULL ? "out of memory" : database->error;
}

/* ---- The connection -------------------------------------------------------------------------- */

static int script(struct database *database, const char *sql)
{
    if (database->connection == NULL)
        return refuse(database, -EAGAIN, "the connection broke");
    if (mysql_query(database->connection, sql) != 0)
        return trouble(database);
    int more;
    do {
        MYSQL_RES *result = mysql_store_result(database->connection);
        mysql_free_result(result);
        more = mysql_next_result(database->connection);
    } while (more == 0);
    return more > 0 ? trouble(database) : 0;
}

static int query_number(struct database *database, const char *sql, long long *number)
{
    if (mysql_query(database->connection, sql) != 0)
        return trouble(database);
    MYSQL_RES *result = mysql_store_result(database->connection);
    MYSQL_ROW row = result == NULL ? NULL : mysql_fetch_row(result);
    *number = row == NULL || row[0] == NULL ? 0 : atoll(row[0]);
    mysql_free_result(result);
    return 0;
}

static int connect_to(struct database *database, MYSQL *connection)
{
    const struct address *address = &database->address;
    unsigned timeout = 10, patience = 120;
    const char *credentials = credentials_path();
    int error = credentials_check(credentials, database->error, sizeof database->error);
    if (error < 0)
        return error;
    mysql_options(connection, MYSQL_OPT_CONNECT_TIMEOUT, &timeout);
    mysql_options(connection, MYSQL_OPT_READ_TIMEOUT, &patience);
    mysql_options(connection, MYSQL_OPT_WRITE_TIMEOUT, &patience);
    mysql_options(connection, MYSQL_SET_CHARSET_NAME, "utf8mb4");
    if (error > 0) {
        mysql_options(connection, MYSQL_READ_DEFAULT_FILE, credentials);
        mysql_options(connection, MYSQL_READ_DEFAULT_GROUP, "jobtrail");
    }
    if (mysql_real_connect(connection, address->host, address->user, NULL, address->database,
                           address->port, NULL, CLIENT_MULTI_STATEMENTS) != NULL)
        return 0;
    return refuse(database, kind_of_error(mysql_errno(connection)), mysql_error(connection));
}

/* READ COMMITTED: what another loader has just added is seen, and no gaps are locked. */
static int settle(struct database *database)
{
    long long packet = 0;
    int error =
        script(database, "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED;"
                         "SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION';"
                         "SET SESSION innodb_lock_wait_timeout = 60");
    if (error == 0)
        error = query_number(database, "SELECT @@max_allowed_packet", &packet);
    database->packet_bytes = (size_t)packet;
    return error;
}

static int reconnect(struct database *database)
{
    disconnect(database);
    MYSQL *connection = mysql_init(NULL);
    if (connection == NULL)
        return refuse(database, -ENOMEM, "out of memory");
    int error = connect_to(database, connection);
    if (error != 0) {
        mysql_close(connection);
        return error;
    }
    database->connection = connection;
    return settle(database);
}

/* ---- Statements ---------------------------------------------------------------------------- */

static struct statement *statement_of(struct database *database, const char *sql)
{
    struct statement *statement = calloc(1, sizeof *statement);
    if (statement == NULL || (statement->sql = strdup(sql)) == NULL) {
        free(statement);
        return NULL;
    }
    statement->next = database->statements;
    database->statements = statement;
    return statement;
}

static int ready(struct database *database, struct statement *statement)
{
    if (database->connection == NULL)
        return refuse(database, -EAGAIN, "the connection broke");
    if (statement->prepared != NULL)
        return 0;
    MYSQL_STMT *prepared = mysql_stmt_init(database->connection);
    if (prepared == NULL)
        return refuse(database, -ENOMEM, "out of memory");
    if (mysql_stmt_prepare(prepared, statement->sql, strlen(statement->sql)) != 0) {
        int error = statement_trouble(database, prepared);
        mysql_stmt_close(prepared);
        return error;
    }
    statement->prepared = prepared;
    return mysql_stmt_param_count(prepared) <= MAX_COLUMNS
               ? 0
               : refuse(database, -EIO, "a statement has too many parameters");
}

/* ---- Writing --------------------------------------------------------------------------------- */

static const size_t width_of[] = {
    [VALUE_NULL] = sizeof(char *), [VALUE_INT] = sizeof(long long), [VALUE_REAL] = sizeof(double),
    [VALUE_TEXT] = sizeof(char *), [VALUE_BYTES] = sizeof(char *),
};

static const enum enum_field_types type_of[] = {
    [VALUE_NULL] = MYSQL_TYPE_STRING, [VALUE_INT] = MYSQL_TYPE_LONGLONG,
    [VALUE_REAL] = MYSQL_TYPE_DOUBLE, [VALUE_TEXT] = MYSQL_TYPE_STRING,
    [VALUE_BYTES] = MYSQL_TYPE_BLOB,
};

static bool is_string(const struct value *value)
{
    return value->kind == VALUE_TEXT || value->kind == VALUE_BYTES;
}

/* A column has one kind of value, apart from NULL. */
static enum value_kind kind_of_column(const struct value *rows, size_t count, size_t columns,
                                      size_t at)
{
    for (size_t i = 0; i < count; i++)
        if (rows[i * columns + at].kind != VALUE_NULL)
            return rows[i * columns + at].kind;
    return VALUE_NULL;
}

static void fill_column(MYSQL_BIND *bind, enum value_kind kind, const struct value *values,
                        size_t count, size_t columns)
{
    for (size_t i = 0; i < count; i++) {
        const struct value *value = &values[i * columns];
        bind->u.indicator[i] =
            value->kind == VALUE_NULL ? STMT_INDICATOR_NULL : STMT_INDICATOR_NONE;
        if (value->kind == VALUE_NULL)
            continue;
        if (kind == VALUE_INT)
            ((long long *)bind->buffer)[i] = value->whole;
        else if (kind == VALUE_REAL)
            ((double *)bind->buffer)[i] = value->real;
        else
            ((const char **)bind->buffer)[i] = value->text;
        if (is_string(value))
            bind->length[i] = (unsigned long)value->size;
    }
}

static int bind_column(MYSQL_BIND *bind, const struct value *rows, size_t count, size_t columns,
                       size_t at)
{
    enum value_kind kind = kind_of_column(rows, count, columns, at);
    bind->buffer_type = type_of[kind];
    bind->buffer = calloc(count, width_of[kind]);
    bind->length = calloc(count, sizeof *bind->length);
    bind->u.indicator = calloc(count, 1);
    if (bind->buffer == NULL || bind->length == NULL || bind->u.indicator == NULL)
        return -ENOMEM;
    fill_column(bind, kind, rows + at, count, columns);
    return 0;
}

static void free_binds(MYSQL_BIND *binds, size_t columns)
{
    for (size_t i = 0; i < columns; i++) {
        free(binds[i].buffer);
        free(binds[i].length);
        free(binds[i].u.indicator);
    }
}

static int execute(struct database *database, MYSQL_STMT *prepared, MYSQL_BIND *binds,
                   unsigned count)
{
    if (mysql_stmt_attr_set(prepared, STMT_ATTR_ARRAY_SIZE, &count) != 0 ||
        mysql_stmt_bind_param(prepared, binds) != 0 || mysql_stmt_execute(prepared) != 0)
        return statement_trouble(database, prepared);
    return 0;
}

static int write_bulk(struct database *database, struct statement *statement,
                      const struct value *rows, size_t count, size_t columns)
{
    MYSQL_BIND binds[MAX_COLUMNS] = {0};
    int error = 0;
    for (size_t i = 0; error == 0 && i < columns; i++)
        error = bind_column(&binds[i], rows, count, columns, i);
    if (error == 0)
        error = execute(database, statement->prepared, binds, (unsigned)count);
    else
        refuse(database, error, "out of memory");
    free_binds(binds, columns);
    return error;
}

static size_t row_bytes(const struct value *row, size_t columns)
{
    size_t bytes = 16 * columns;
    for (size_t i = 0; i < columns; i++)
        if (is_string(&row[i]))
            bytes += row[i].size;
    return bytes;
}

/* How many of the rows go into one message; 0 when the first is too large for any. */
static size_t fitting_rows(const struct database *database, const struct value *rows, size_t count,
                           size_t columns)
{
    size_t limit =
        database->packet_bytes / 2 < BULK_BYTES ? database->packet_bytes / 2 : BULK_BYTES;
    size_t bytes = row_bytes(rows, columns);
    if (bytes + 1024 > database->packet_bytes)
        return 0;
    size_t fitting = 1;
    while (fitting < count) {
        bytes += row_bytes(rows + fitting * columns, columns);
        if (bytes > limit)
            break;
        fitting++;
    }
    return fitting;
}

static int write_rows(struct database *database, struct statement *statement,
                      const struct value *rows, size_t count)
{
    int error = ready(database, statement);
    while (error == 0 && count > 0) {
        size_t columns = mysql_stmt_param_count(statement->prepared);
        if (columns == 0)
            return mysql_stmt_execute(statement->prepared) == 0
                       ? 0
                       : statement_trouble(database, statement->prepared);
        size_t fitting = fitting_rows(database, rows, count, columns);
        if (fitting == 0)
            return refuse(database, -EBADMSG, "is larger than the database's max_allowed_packet");
        error = write_bulk(database, statement, rows, fitting, columns);
        rows += fitting * columns;
        count -= fitting;
    }
    return error;
}

/* ---- Reading --------------------------------------------------------------------------------- */

static int bind_results(struct database *database, struct statement *statement)
{
    unsigned columns = mysql_stmt_field_count(statement->prepared);
    if (statement->results == NULL) {
        statement->results = calloc(columns, sizeof *statement->results);
        statement->columns = columns;
        for (unsigned i = 0; statement->results != NULL && i < columns; i++) {
            MYSQL_BIND *bind = &statement->results[i];
            bind->buffer_type = MYSQL_TYPE_STRING;
            bind->buffer_length = RESULT_BYTES;
            bind->buffer = malloc(RESULT_BYTES);
            bind->length = &bind->length_value;
            bind->is_null = &bind->is_null_value;
            if (bind->buffer == NULL)
                return refuse(database, -ENOMEM, "out of memory");
        }
    }
    if (statement->results == NULL)
        return refuse(database, -ENOMEM, "out of memory");
    return mysql_stmt_bind_result(statement->prepared, statement->results) == 0
               ? 0
               : statement_trouble(database, statement->prepared);
}

static int select_rows(struct database *database, struct statement *statement,
                       const struct value *parameters)
{
    MYSQL_BIND binds[MAX_COLUMNS] = {0};
    int error = ready(database, statement);
    if (error != 0)
        return error;
    MYSQL_STMT *prepared = statement->prepared;
    size_t columns = mysql_stmt_param_count(prepared);
    mysql_stmt_free_result(prepared);
    for (size_t i = 0; i < columns; i++) {
        const struct value *value = &parameters[i];
        binds[i].buffer_type = value->kind == VALUE_NULL ? MYSQL_TYPE_NULL : type_of[value->kind];
        binds[i].buffer =
            is_string(value) ? (void *)(uintptr_t)value->text : (void *)(uintptr_t)&value->whole;
        binds[i].length_value = is_string(value) ? (unsigned long)value->size : 0;
        binds[i].length = &binds[i].length_value;
    }
    if ((columns > 0 && mysql_stmt_bind_param(prepared, binds) != 0) ||
        mysql_stmt_execute(prepared) != 0)
        return statement_trouble(database, prepared);
    error = bind_results(database, statement);
    if (error == 0 && mysql_stmt_store_result(prepared) != 0)
        error = statement_trouble(database, prepared);
    return error;
}

/* Everything comes as text. */
static struct value result_value(const MYSQL_BIND *bind)
{
    struct value value = {.kind = VALUE_NULL};
    if (bind->is_null_value)
        return value;
    size_t size = bind->length_value < RESULT_TEXT_MAX ? bind->length_value : RESULT_TEXT_MAX;
    ((char *)bind->buffer)[size] = '\0';
    value.kind = VALUE_TEXT;
    value.text = bind->buffer;
    value.size = size;
    return value;
}

static int next_row(struct database *database, struct statement *statement, struct value *row,
                    size_t columns)
{
    int code = mysql_stmt_fetch(statement->prepared);
    if (code == MYSQL_NO_DATA) {
        mysql_stmt_free_result(statement->prepared);
        return 0;
    }
    if (code != 0 && code != MYSQL_DATA_TRUNCATED)
        return statement_trouble(database, statement->prepared);
    for (size_t i = 0; i < columns && i < statement->columns; i++)
        row[i] = result_value(&statement->results[i]);
    return 1;
}

/* ---- Transactions --------------------------------------------------------------------------- */

static int begin(struct database *database)
{
    int error = database->connection == NULL ? reconnect(database) : 0;
    return error == 0 ? script(database, "START TRANSACTION") : error;
}

static void rollback(struct database *database)
{
    if (database->connection != NULL && mysql_rollback(database->connection) != 0)
        disconnect(database);
}

/* A dry run's transactions are all rolled back. */
static int commit(struct database *database)
{
    if (!database->dry_run)
        return script(database, "COMMIT");
    rollback(database);
    return 0;
}

/* ---- Opening and closing --------------------------------------------------------------------- */

static int version(struct database *database, int *out)
{
    long long tables = 0, number = 0;
    int error = query_number(database,
                             "SELECT count(*) FROM information_schema.tables WHERE "
                             "table_schema = database() AND table_name = 'store_state'",
                             &tables);
    if (error == 0 && tables > 0)
        error =
            query_number(database, "SELECT value FROM store_state WHERE name = 'schema'", &number);
    if (error == 0 && number == 0 && database->dry_run)
        return refuse(database, -EIO, "has no tables yet, and a dry run makes none");
    *out = (int)number;
    return error;
}

/* //[USER@][HOST[:PORT]]/DATABASE */
static int parse_address(struct address *address, const char *location)
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

static int open_database(const char *location, bool dry_run, struct database **out)
{
    struct database *database = calloc(1, sizeof *database);
    *out = database;
    if (database == NULL)
        return -ENOMEM;
    database->dry_run = dry_run;
    int error = parse_address(&database->address, location);
    if (error != 0)
        return refuse(database, error, "write mariadb://[USER@][HOST[:PORT]]/DATABASE");
    return reconnect(database);
}

static void free_statement(struct statement *statement)
{
    for (unsigned i = 0; statement->results != NULL && i < statement->columns; i++)
        free(statement->results[i].buffer);
    free(statement->results);
    free(statement->sql);
    free(statement);
}

static void close_database(struct database *database)
{
    if (database == NULL)
        return;
    disconnect(database);
    for (struct statement *at = database->statements, *next; at != NULL; at = next) {
        next = at->next;
        free_statement(at);
    }
    free(database->address.text);
    free(database);
    mysql_library_end();
}

static const struct migration migrations[SCHEMA_VERSION] = {
    [2] = {schema_mariadb_2_rename, {schema_mariadb_2_copy, NULL}},
};

const struct database_ops database_mariadb = {
    .scheme = "mariadb",
    .schema = schema_mariadb,
    .views = schema_views_mariadb,
    .migrations = migrations,
    .or_keep = "ON DUPLICATE KEY UPDATE",
    .share_lock = " LOCK IN SHARE MODE",
    .open = open_database,
    .version = version,
    .script = script,
    .statement = statement_of,
    .write = write_rows,
    .select = select_rows,
    .next = next_row,
    .begin = begin,
    .commit = commit,
    .rollback = rollback,
    .error = error_text,
    .close = close_database,
};
