#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# The pages of documentation in jobtrail-web: what is found, beside who uses its library, and what is not shown.
# bats file_tags=needs:answers,needs:libraries
# shellcheck disable=SC2030,SC2031 # bats runs each test in a subshell

bats_require_minimum_version 1.5.0
load ../fixture/site

NOVEMBER='from=2024-11-01&to=2024-11-30'

setup() {
    export TZ=UTC LC_ALL=C.UTF-8
    umask 022
    PLACE=$(readlink -f "$BATS_TEST_TMPDIR")
    local above=$PLACE
    while [[ $above == "$(readlink -f "$BATS_RUN_TMPDIR")"* ]]; do
        chmod 755 "$above"
        above=$(dirname "$above")
    done
    site_records "$PLACE/site"
    site_load "sqlite:$PLACE/store.db" >/dev/null
    export JOBTRAIL_ALLDOC=$PLACE/alldoc.db
    mkdir -p "$PLACE"/doc/hdf5-1.14 "$PLACE"/man/man3 "$PLACE"/module/hdf5 "$PLACE"/doc/strange
    printf '.TH H5Fopen 3 "2024" "HDF5 1.14.3"\n.SH NAME\nH5Fopen \\- opens a file\n.SH SYNOPSIS\nhid_t H5Fopen(char *name)\nlink with -lhdf5\n' \
        >"$PLACE/man/man3/H5Fopen.3"
    printf 'Chunks of a dataset are cached.\nLine <b>two</b> & more \e[31m.\n' >"$PLACE/doc/hdf5-1.14/README"
    printf 'help([[Loads HDF5]])\n' >"$PLACE/module/hdf5/1.14.3.lua"
    printf 'help([[Loads HDF5]])\n' >"$PLACE/module/hdf5/1.12.lua"
    printf '<svg onload=owned=1> chunks\n' >"$PLACE/doc/strange/"$'a<b>\n&"\377'
    install -d -m 777 "$PLACE/ran"
    # shellcheck disable=SC2016 # of the shell that is started
    printf 'command hdf5 /bin/sh -c "echo chunks of $(id -u); : >%s/$$"\n' "$PLACE/ran" >"$PLACE/sources"
    index
}

index() {
    "$JOBTRAIL_BIN/jobtrail-alldoc" index --quiet --man "$PLACE/man" --doc "$PLACE/doc" --module "$PLACE/module" --pkgconfig none \
        --header none --sources "$PLACE/sources"
}

teardown() {
    [[ -z ${WEB_PID-} ]] || kill "$WEB_PID" || true
}

# serve: $ADDRESS and $COOKIE of jobtrail-web over the store
serve() {
    mkfifo "$PLACE/said"
    "$JOBTRAIL_BIN/jobtrail-web" --store "sqlite:$PLACE/store.db" >"$PLACE/said" 2>"$PLACE/err" 3>&- &
    WEB_PID=$!
    read -r ADDRESS <"$PLACE/said"
    COOKIE=$(fetch "?secret=${ADDRESS#*secret=}" | sed -n 's/^Set-Cookie: jobtrail=\([0-9a-f]*\);.*/\1/p')
    [[ $COOKIE ]]
}

fetch() { # TARGET: the status, the fields and the body
    /usr/bin/python3 - "${ADDRESS%\?*}$1" "${COOKIE-}" <<'PYTHON'
import sys, urllib.error, urllib.request
class Stay(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None
request = urllib.request.Request(sys.argv[1], headers={"Cookie": "jobtrail=" + sys.argv[2]})
try:
    answer = urllib.request.build_opener(Stay).open(request)
except urllib.error.HTTPError as error:
    answer = error
sys.stdout.buffer.write(b"%d\n%s%s" % (answer.status, answer.headers.as_bytes(), answer.read()))
PYTHON
}

page() { # TARGET: $output has it
    run fetch "$1"
    PAGE_STATUS=${lines[0]}
    output=$(sed '1,/^\r*$/d' <<<"$output")
}

rows() { # TABLE FILTER: of the JSON in $output
    jq -c "[.tables[] | select(.name == \"$1\").rows[] | $2]" <<<"$output"
}

@test "words, routine, library and kind find documents, with the use of their libraries beside" {
    serve
    page "documentation.json?words=chunks&$NOVEMBER"
    [[ $PAGE_STATUS == 200 && $(rows documentation .kind | jq -c sort) == '["command","doc","doc"]' ]]
    [[ $(rows use '[.library, .runs > 0, .users]') == '[["hdf5 1.14.3",true,1]]' ]]
    page "documentation.json?routine=h5fopen&$NOVEMBER"
    [[ $(rows documentation '[.document, .kind, .version]') == '[["H5Fopen(3)","man","1.14.3"]]' && $(rows use .library) == '["hdf5 1.14.3"]' ]]
    page "documentation.json?library=hdf5&kind=module&table=documentation"
    [[ $(rows documentation .document) == '["hdf5/1.12","hdf5/1.14.3"]' ]]
    page "documentation.csv?words=%22dataset+are%22&table=documentation"
    [[ $PAGE_STATUS == 200 && $output == document,kind,*README*"Chunks of a dataset are cached."* ]]
    page "documentation?words=chunks&$NOVEMBER"
    [[ $output == *'<a href="library?name=hdf5&amp;from=2024-11-01&amp;to=2024-11-30">hdf5</a>'* && $output == *"chunks of "* ]]
    [[ $output != *"<svg onload"* && $output == *'doc/strange/a&lt;b&gt;\n&amp;&quot;\xff'* ]]
    [[ $output == *'aria-current="page">Documentation</a>'* ]]
    page "$(grep -o 'document?path=[^"]*strange[^"]*' <<<"$output" | sed 's/&amp;/\&/g')"
    [[ $PAGE_STATUS == 200 && $output == *'&lt;svg onload=owned=1&gt; chunks'* && $output == *'<h1>a&lt;b&gt;\n&amp;&quot;\xff</h1>'* ]]
    # by the index alone
    [[ $(find "$PLACE/ran" -type f | wc -l) == 1 ]]
    page "documentation?words=nothingofthekind"
    [[ $PAGE_STATUS == 200 && $output == *"Nothing was found."* ]]
    page "documentation?routine=h5fopne"
    [[ $output == *"Nothing was found; did you mean H5Fopen?"* ]]
    page "documentation"
    [[ $PAGE_STATUS == 200 && $output == *'<input name="routine"'* ]]
    page "documentation?kind=manual"
    [[ $PAGE_STATUS == 400 && $output == *"did you mean man"* ]]
    page "documentation?words=%2D"
    [[ $PAGE_STATUS == 400 && $output == *"There is no word"* || $output == *"there is no word"* ]]
    page "documentation?word=x"
    [[ $PAGE_STATUS == 400 && $output == *"did you mean words"* ]]
}

@test "the page of a library and of a module has its documentation" {
    serve
    page "library.json?name=hdf5+1.14.3&$NOVEMBER"
    [[ $PAGE_STATUS == 200 && $(rows documentation .kind | jq -c unique) == '["command","doc","man","module"]' ]]
    page "library?name=hdf5&$NOVEMBER"
    [[ $output == *'<a href="document?path='*'H5Fopen.3&amp;name=H5Fopen%283%29&amp;from=2024-11-01&amp;to=2024-11-30">H5Fopen(3)</a>'* ]]
    page "module.json?name=hdf5%2F1.14.3&$NOVEMBER"
    [[ $(rows documentation 'select(.kind == "module").document') == '["hdf5/1.14.3"]' ]]
    rm "$JOBTRAIL_ALLDOC"
    page "library.json?name=hdf5&$NOVEMBER"
    [[ $PAGE_STATUS == 200 && $(rows documentation .) == "[]" ]]
    page "library?name=hdf5&$NOVEMBER"
    [[ $PAGE_STATUS == 200 && $output != *ocumentation* ]]
    page "documentation?words=chunks"
    [[ $PAGE_STATUS == 404 && $output == *"no index of documentation"* ]]
}

@test "the text of a document is shown where everybody may read it, and nothing but what the index has" {
    serve
    page "document?path=$PLACE/doc/hdf5-1.14/README&name=README"
    [[ $PAGE_STATUS == 200 && $output == *'Line &lt;b&gt;two&lt;/b&gt; &amp; more \x1b[31m.'* ]]
    page "document.json?path=$PLACE/man/man3/H5Fopen.3&name=H5Fopen(3)"
    [[ $(jq -r .text <<<"$output") == *"hid_t H5Fopen(char *name)"* ]]
    page "document.json?path=$PLACE/man/man3/H5Fopen.3&name=H5Fopen(3)&$NOVEMBER"
    [[ $(rows use .library) == '["hdf5 1.14.3"]' ]]
    page "document?path=$PLACE/man/man3/H5Fopen.3&name=H5Fopen(3)&$NOVEMBER"
    [[ $output == *'<a href="library?name=hdf5%201.14.3'* ]]
    for path in /etc/passwd "$PLACE/doc/hdf5-1.14/../hdf5-1.14/README" "$PLACE/doc//hdf5-1.14/README" doc/README ""; do
        page "document?path=$path&name=README"
        [[ $PAGE_STATUS == 40[04] && $output != *Chunks* && $output != *root:* ]]
    done
    # closed, or a link to what only some may read, since the index was made
    chmod 600 "$PLACE/doc/hdf5-1.14/README"
    page "document?path=$PLACE/doc/hdf5-1.14/README&name=README"
    [[ $PAGE_STATUS == 404 && $output == *"no longer readable for everybody"* && $output != *Chunks* ]]
    page "documentation.json?words=cached&table=documentation"
    [[ $(rows documentation .line) == "[null]" ]]
    printf 'cached secret\n' >"$PLACE/secret" && chmod 600 "$PLACE/secret"
    ln -sf "$PLACE/secret" "$PLACE/doc/hdf5-1.14/README"
    page "document?path=$PLACE/doc/hdf5-1.14/README&name=README"
    [[ $PAGE_STATUS == 404 && $output != *secret* ]]
    page "documentation?words=cached"
    [[ $output != *secret* ]]
    printf 'no index' >"$JOBTRAIL_ALLDOC"
    page "documentation?words=cached"
    [[ $PAGE_STATUS == 500 && $output != *Traceback* && $(cat "$PLACE/err") == "" ]]
}
