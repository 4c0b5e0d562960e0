#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# jobtrail-libq and jobtrail-libdate, on logs as those of 1995 and as ours.
# shellcheck disable=SC2154,SC2030,SC2031 # bats sets stderr and output, and runs each test in a subshell

# bats file_tags=needs:libraries

bats_require_minimum_version 1.5.0

setup() {
    PATH=$JOBTRAIL_BIN:$PATH
    export TZ=America/Los_Angeles LC_ALL=C.UTF-8
    cd "$BATS_TEST_TMPDIR" || return
    # lines of "Monitoring Object Libraries" (R. K. Owen, 1995)
    cat >libnag.log <<'LOG'
Mon_Mar_06_1995_07:00 Wed_Feb_08_1995_09:39 LOG_CREATED
Tue_Aug_22_1995_17:00 Tue_Aug_22_1995_16:04 LIB_MODIFIED
LOG
    cat >use.log <<'LOG'
Mon_Mar_06_1995_17:00 LOG_CREATED
Tue_Mar_21_1995_16:30
Tue_Mar_21_1995_16:40
. . .
Fri_May_26_1995_16:00
Mon_Jun_05_1995_11:30 LIB_MODIFIED
Tue_Jun_06_1995_09:40
Tue_Jun_06_1995_13:10
. . .
LOG
    cat >libimsl20.log <<'LOG'
Wed_May_17_1995_08:49 L2TCG filei
Wed_May_17_1995_08:49 LFSCG filei
Fri_Jun_02_1995_16:54 QDAGS mrgoers
Wed_Jun_07_1995_17:26 QDAGS mrgoers
Wed_Jun_14_1995_15:57 LSGRR ilu
Thu_Jun_15_1995_08:40 LSGRR ilu
Thu_Jun_15_1995_08:47 LSGRR ilu
LOG
}

libq() {
    run --separate-stderr jobtrail-libq "$@"
}

# squeezed: a table without what makes its columns equally wide
squeezed() {
    tr -s ' -'
}

@test "lines are those of the range, which has defaults at both ends" {
    libq libimsl20.log
    [[ $status == 0 && $output == "$(cat libimsl20.log)" && ! $stderr ]]
    libq -S Jun_1995 libimsl20.log
    [[ $output == "$(tail -n 5 libimsl20.log)" ]]
    libq -E Wed_May_17_1995_08:49 libimsl20.log
    [[ $output == "$(head -n 2 libimsl20.log)" ]]
    libq -S Wed_Jun_14_1995_15:57 -E 1995-06-15T08:40 libimsl20.log
    [[ $output == "$(sed -n 5,6p libimsl20.log)" ]]
    libq --starttime 1995-06 --endtime=1995-06-14 libimsl20.log
    [[ $output == "$(sed -n 3,5p libimsl20.log)" ]]
    libq use.log
    [[ $output == "$(grep -vF ". . ." use.log)" ]]
    libq -S 1995-06-15T15:47Z libimsl20.log # 08:47 there
    [[ $output == "$(tail -n 1 libimsl20.log)" ]]
}

@test "lines of the proceedings as they stand, with the ends of lines lost, have their first date" {
    line="Mon_Mar_06_1995_07:00 Wed_Feb_08_1995_09:39 LOG_CREATED Tue_Aug_22_1995_17:00 Tue_Aug_22_1995_16:04 LIB_MODIFIEDThe first"
    run jobtrail-libq -S 1995-03-06 -E 1995-03-06 <<<"$line"
    [[ $status == 0 && $output == "$line" ]]
    run jobtrail-libq -S 1995-08-22 <<<"$line"
    [[ $status == 1 && ! $output ]]
}

@test "names of files only, counts, and what is not in the range" {
    libq -l -S Aug_1995 ./*.log
    [[ $status == 0 && $output == ./libnag.log ]]
    libq -c -S May_1995 -E May_1995 libimsl20.log libnag.log use.log
    [[ $output == $'libimsl20.log:2\nlibnag.log:0\nuse.log:1' ]]
    libq -c libimsl20.log
    [[ $output == 7 ]]
    libq -v -S Mar_1995 -E May_1995 use.log
    [[ $output == $'. . .\nMon_Jun_05_1995_11:30 LIB_MODIFIED\nTue_Jun_06_1995_09:40\nTue_Jun_06_1995_13:10\n. . .' ]]
    libq -S Jul_1995 libimsl20.log libnag.log
    [[ $output == "libnag.log:Tue_Aug_22_1995_17:00 Tue_Aug_22_1995_16:04 LIB_MODIFIED" ]]
    libq --no-filename -S Jul_1995 libimsl20.log libnag.log
    [[ $output == Tue_Aug_22_1995_17:00* ]]
    libq -l -S 1996 ./*.log
    [[ $status == 1 && ! $output && ! $stderr ]]
}

@test "the second date of a line is asked for by an option" {
    libq -2 -E Feb_1995 libnag.log use.log
    [[ $output == "libnag.log:Mon_Mar_06_1995_07:00 Wed_Feb_08_1995_09:39 LOG_CREATED" ]]
}

# made WEEKDAYS-OR-MONTHS DATE...: logs of which the table is the one on stdin: for each column a DATE
made() {
    local library counts i
    mkdir -p logs
    while IFS='|' read -r library counts; do
        [[ $library != Library* && $library != Total* && $library != --* ]] || continue
        read -ra counts -d '' <<<"${counts//|/ }" || true
        for ((i = 1; i <= $#; i++)); do
            yes "${!i} ROUTINE user" | head -n "${counts[i - 1]}"
        done >"logs/lib${library% }.log"
    done
}

@test "use by weekday is the table of the proceedings" {
    cat >table <<'TABLE'
Library | Sun | Mon | Tue | Wed | Thu | Fri | Sat | Total |
---|---|---|---|---|---|---|---|---|
bcsext | 5 | 14 | 6 | 13 | 30 | 6 | 2 | 76 |
bcslib | 345 | 830 | 837 | 785 | 777 | 624 | 498 | 4696 |
crayfishpak | 73 | 217 | 160 | 193 | 144 | 202 | 115 | 1104 |
imsl | 500 | 1507 | 1769 | 1650 | 1648 | 1458 | 468 | 9000 |
lapack | 0 | 0 | 1 | 0 | 0 | 5 | 1 | 7 |
nag | 4 | 29 | 61 | 72 | 87 | 26 | 17 | 296 |
slatec | 1 | 47 | 36 | 23 | 19 | 22 | 5 | 153 |
Total | 928 | 2644 | 2870 | 2736 | 2705 | 2343 | 1106 | 15332 |
TABLE
    made Sun_Jun_04_1995_00:00 Mon_Jun_05_1995_23:59 Jun_06_1995_12:00 1995-06-07T01:00 1995-06-08 \
        1995-06-10T06:59Z Sat_Jun_10_1995_12:00 <table
    libq --by weekday logs/*.log
    [[ $status == 0 && $(squeezed <<<"$output") == "$(squeezed <table)" ]]
}

@test "use by month is the table of the proceedings, from the first month of the range on" {
    cat >table <<'TABLE'
Library | Sep | Oct | Nov | Dec | Jan | Feb | Mar | Apr | May | Jun | Jul | Aug | Total |
---|---|---|---|---|---|---|---|---|---|---|---|---|---|
bcsext | 0 | 0 | 2 | 3 | 0 | 4 | 1 | 0 | 3 | 45 | 0 | 18 | 76 |
bcslib | 457 | 727 | 449 | 446 | 502 | 297 | 282 | 465 | 234 | 180 | 289 | 368 | 4696 |
crayfishpak | 47 | 6 | 34 | 26 | 91 | 184 | 55 | 90 | 189 | 190 | 153 | 39 | 1104 |
imsl | 657 | 333 | 868 | 747 | 858 | 727 | 506 | 766 | 1064 | 1068 | 669 | 737 | 9000 |
lapack | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 5 | 0 | 2 | 7 |
nag | 65 | 53 | 3 | 10 | 30 | 19 | 8 | 10 | 4 | 36 | 37 | 21 | 296 |
slatec | 2 | 0 | 23 | 20 | 7 | 15 | 6 | 0 | 43 | 35 | 1 | 1 | 153 |
Total | 1228 | 1119 | 1379 | 1252 | 1488 | 1246 | 858 | 1331 | 1537 | 1559 | 1149 | 1186 | 15332 |
TABLE
    made 1994-{09,10,11,12}-15T12:00 1995-{01,02,03,04,05,06,07,08}-15T12:00 <table
    libq --by month -S Sep_1994 -E Aug_1995 logs/*.log
    [[ $status == 0 && $(squeezed <<<"$output") == "$(squeezed <table)" ]]
    libq --by month -S Sep_1994 --csv logs/*.log
    [[ $output == "$(sed '/^---/d; s/ | /,/g; s/ |$//' table)" ]]
    libq --by month --json logs/*.log
    [[ $(jq -r '.columns[0], .total.total, (.libraries[] | select(.library == "nag") | .counts[8])' <<<"$output" |
        paste -sd ' ') == "Jan 15332 65" ]]
}

@test "the line that a log begins with counts in no table, and a log without lines has a row" {
    libq --by weekday --csv libnag.log use.log
    [[ ${lines[1]} == "nag,0,0,1,0,0,0,0,1" && ${lines[2]} == "use,0,1,4,0,0,1,0,6" ]]
    libq --by weekday --csv -S 1996 libnag.log
    [[ $status == 1 && ${lines[1]} == "nag,0,0,0,0,0,0,0,0" ]]
}

@test "logs with the same library are one row, rotated ones too" {
    mkdir old
    cp libimsl20.log old/libimsl20.log.1
    libq --by month --csv libimsl20.log old/*
    [[ ${#lines[@]} == 3 && ${lines[1]} == imsl20,*,14 ]]
    libq -c --json libimsl20.log old/*
    [[ $(jq -r '.logs[] | [.file, .library, .lines] | join(" ")' <<<"$output") == \
        $'libimsl20.log imsl20 7\nold/libimsl20.log.1 imsl20 7' ]]
}

@test "a line of a log of uses counts once, whatever it says, and each source has lines of its own" {
    mkdir atime
    echo "Wed_May_17_1995_08:49 filei LIB_OPENED count=400 path=/opt/libfft.so" >fft.log
    echo "Wed_May_17_1995_08:49 root LIB_COPIED count=1 path=/opt/libfft.so" >>fft.log
    echo "Wed_May_17_1995_08:49 unknown LIB_READ count=1 how=atime after=Wed_May_17_1995_08:39 path=/opt/libfft.so" >atime/fft.log
    libq --by weekday --csv fft.log atime/fft.log
    [[ ${#lines[@]} == 3 && ${lines[1]} == "fft,0,0,0,3,0,0,0,3" ]]
}

@test "libxyz and xyz are two libraries, and what was not read as a whole has no row and no count" {
    cp libimsl20.log libxyz.log
    cp use.log xyz.log
    libq --by month --csv libxyz.log xyz.log libnag.log
    [[ ${lines[1]} == libxyz,*,7 && ${lines[2]} == nag,*,1 && ${lines[3]} == xyz,*,6 ]]
    libq -c --csv libxyz.log xyz.log libnag.log
    [[ $output == $'File,Library,Lines\nlibxyz.log,libxyz,7\nxyz.log,xyz,7\nlibnag.log,nag,2' ]]
    gzip -c xyz.log >xyz.log.1.gz
    mkdir libnag.log.1
    libq --by month --csv xyz.log.1.gz libxyz.log xyz.log libnag.log libnag.log.1
    [[ $status == 2 && ${#lines[@]} == 3 && ${lines[1]} == libxyz,*,7 && ${lines[2]} == Total,*,7 ]]
    libq -c xyz.log xyz.log.1.gz
    [[ $status == 2 && $output == xyz.log:7 && $stderr == *"xyz.log.1.gz: is compressed"* ]]
    libq -c --json xyz.log.1.gz
    [[ $status == 2 && $(jq -c .logs <<<"$output") == "[]" ]]
}

@test "a remark that begins as bzip2 does is no compressed log" {
    { echo "BZhang started this log" && cat use.log; } >text.log
    libq -c text.log
    [[ $status == 0 && $output == 7 && ! $stderr ]]
    python3 -c 'import bz2, sys; sys.stdout.buffer.write(bz2.compress(b"x\n") + b"\n")' >use.log.bz2
    python3 -c 'import bz2, sys; sys.stdout.buffer.write(bz2.compress(b""))' >empty.bz2
    for file in use.log.bz2 empty.bz2; do
        libq -c $file
        [[ $status == 2 && $stderr == *"is compressed"* ]]
    done
}

@test "a local time that comes twice is in both of its hours" {
    export TZ=Europe/Berlin
    for hour in 0 1 2; do
        jobtrail-libdate -d "@$((1792888200 + hour * 3600))"
        jobtrail-libdate --iso -d "@$((1792888200 + hour * 3600))"
    done >night.log
    [[ $(sed -n '1p; 3p; 5p' night.log | paste -sd ' ') == "Sun_Oct_25_2026_02:30 Sun_Oct_25_2026_02:30 Sun_Oct_25_2026_03:30" ]]
    libq -c -S Sun_Oct_25_2026_02:30 -E Sun_Oct_25_2026_02:30 night.log
    [[ $output == 4 ]]
    libq -S 2026-10-25T02:30+02:00 -E 2026-10-25T02:30+02:00 night.log
    [[ $output == $'Sun_Oct_25_2026_02:30\n2026-10-25T02:30:00+02:00\nSun_Oct_25_2026_02:30' ]]
    libq -S 2026-10-25T02:30+01:00 -E 2026-10-25T02:30+01:00 night.log
    [[ $output == $'Sun_Oct_25_2026_02:30\nSun_Oct_25_2026_02:30\n2026-10-25T02:30:00+01:00' ]]
}

@test "what our logs say of their order is believed where it is so, and --unsorted asks nobody" {
    {
        echo "# jobtrail: sorted"
        for day in {10..30}; do
            for ((i = 0; i < 600; i++)); do echo "Jun_${day}_1995_12:00 line $i"; done
        done
    } >ours.log
    (($(stat -c %s ours.log) > 300000))
    libq -c -S 1995-06-12 -E 1995-06-13 ours.log
    [[ $status == 0 && $output == 1200 ]]
    libq -c ours.log
    [[ $output == 12600 ]]
    tac ours.log >backwards
    { head -n 1 ours.log && cat backwards; } >liar.log
    for option in --sorted --unsorted --no-filename; do
        libq -c $option -S 1995-06-12 -E 1995-06-13 liar.log
        [[ $status == 0 && $output == 1200 ]]
    done
    # one line in the range that is days too old
    { sed '/^Jun_13/,$d' ours.log && echo "Jun_01_1995_12:00 late" && sed '1,/^Jun_12_1995_12:00 line 599/d' ours.log; } >fault.log
    libq -c -S 1995-06-12 -E 1995-06-13 fault.log
    [[ $status == 2 && ! $output && $stderr == *"fault.log: its times go back, so lines may be missing; ask with --unsorted" ]]
    libq -c --unsorted -S 1995-06-12 -E 1995-06-13 fault.log
    [[ $status == 0 && $output == 1200 ]]
}

@test "a log is read in the zone that it names, others in that of --timezone, whoever asks" {
    printf '%s\n' "# jobtrail: sorted Asia/Tokyo" Thu_Jun_15_1995_08:40 Thu_Jun_15_1995_09:40 >tokyo.log
    printf '%s\n' "# jobtrail: sorted" Wed_Jun_14_1995_23:40 Thu_Jun_15_1995_00:40 >ours.log
    gzip -k tokyo.log
    for zone in UTC Asia/Tokyo America/Los_Angeles; do
        TZ=$zone libq -S 1995-06-14T23:50Z -E 1995-06-15T00:50Z tokyo.log
        [[ $status == 0 && $output == Thu_Jun_15_1995_09:40 && ! $stderr ]]
        TZ=$zone libq -c --sorted -E 1995-06-15T08:59 tokyo.log
        [[ $output == 1 ]]
        TZ=$zone libq -c --timezone UTC -S 1995-06-15 ours.log tokyo.log ours.log
        [[ $output == $'ours.log:1\ntokyo.log:2\nours.log:1' ]]
        TZ=$zone libq -c --timezone UTC -S 1995-06-14T23:50Z < <(zcat tokyo.log.gz; cat ours.log)
        [[ $output == 2 ]]
    done
    libq -c -S 1995-06-15 tokyo.log ours.log # TZ is back
    [[ $output == $'tokyo.log:2\nours.log:1' ]]
    # now, and today, are those of the log
    { head -n 1 tokyo.log && TZ=Asia/Tokyo jobtrail-libdate; } >now.log
    for zone in UTC Pacific/Kiritimati Pacific/Pago_Pago; do
        TZ=$zone libq -c -S today -E now now.log
        [[ $status == 0 && $output == 1 ]]
    done
    # what is in no order has a zone, too, and is read as a whole
    { echo "# jobtrail: unsorted Asia/Tokyo" && yes Fri_Jun_16_1995_12:00 | head -n 5000 && echo Thu_Jun_15_1995_09:40 && yes Sat_Jun_17_1995_12:00 | head -n 5000; } >calls.log
    TZ=UTC libq -S 1995-06-15T00:00Z -E 1995-06-15T00:50Z calls.log
    [[ $status == 0 && $output == Thu_Jun_15_1995_09:40 && ! $stderr ]]
    TZ=UTC libq -c -S 1995-06-15T00:00Z -E 1995-06-15T00:50Z < <(cat calls.log)
    [[ $output == 1 ]]
    sed -i 's|Asia/Tokyo|Moon/Tycho|' tokyo.log
    libq tokyo.log
    [[ $status == 2 && ! $output && $stderr == *"tokyo.log: its first line names a time zone that is not known"*--timezone* ]]
    libq --timezone Asia/Tokyo -S 1995-06-15T00:00Z tokyo.log
    [[ $status == 0 && $output == Thu_Jun_15_1995_09:40 ]]
    libq --timezone Moon/Tycho use.log
    [[ $status == 2 && ! $output && $stderr == *"Moon/Tycho"* ]]
}

@test "long lines, NUL bytes and a last line without an end are passed on as they are" {
    {
        printf 'Thu_Jun_15_1995_08:40 \0 nul\n'
        printf 'Thu_Jun_15_1995_08:41 '
        head -c 3000000 /dev/zero | tr '\0' x
        printf '\nThu_Jun_15_1996_08:41 '
        head -c 3000000 /dev/zero | tr '\0' y
        printf '\nThu_Jun_15_1995_08:42 end'
    } >long.log
    jobtrail-libq -S 1995 -E 1995 long.log >found
    { grep -av y long.log; } | cmp - found
    [[ $(jobtrail-libq -c long.log) == 4 && $(jobtrail-libq -v -E 1995 long.log | wc -c) == 3000023 ]]
}

@test "names of others do nothing to a terminal, a table or a spreadsheet" {
    bad=$'lib\e[31m|x\n.log'
    cp libimsl20.log "$bad"
    cp libimsl20.log 'lib=1+1,"a".log'
    run script -qec "jobtrail-libq -l lib*m*" /dev/null
    [[ $output != *$'\e[31m'* && $output == *'lib\x1b[31m\x7cx\x0a.log'* ]]
    printf 'Thu_Jun_15_1995_08:40 \e]0;x\a\n' >escapes.log
    run script -qec "jobtrail-libq escapes.log" /dev/null
    [[ $output != *$'\e]'* && $output == *'\x1b]0;x\x07'* ]]
    [[ $(jobtrail-libq escapes.log) == "$(cat escapes.log)" ]]
    libq --by weekday "$bad"
    [[ ${#lines[@]} == 4 && $output == *'\x1b[31m\x7cx\x0a '* ]]
    libq --by weekday --csv 'lib=1+1,"a".log'
    [[ ${lines[1]} == \"\'=1+1,\"\"a\"\"\",* ]]
    libq --by weekday --json "$bad"
    [[ $(jq -r '.libraries[0].library' <<<"$output") == $'\e[31m|x' ]] # bash takes the newline
    jobtrail-libq -l -0 "$bad" use.log | cmp - <(printf '%s\0use.log\0' "$bad")
}

# cells: of the page in $output, one row a line, "|" between; fails unless it is well-formed and has no other elements than a table
cells() {
    python3 -c '
import html.parser, sys
class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.rows, self.seen = [], [], []
    def handle_starttag(self, tag, attributes):
        self.seen.append(tag)
        if tag != "meta": self.open.append(tag)
        if tag == "tr": self.rows.append([])
        if tag in ("td", "th"): self.rows[-1].append("")
    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag
    def handle_data(self, data):
        if self.open and self.open[-1] in ("td", "th"): self.rows[-1][-1] += data
page = Page()
page.feed(sys.stdin.read())
page.close()
allowed = "html head meta style title body h1 p table thead tbody tfoot tr th td"
assert not page.open and set(page.seen) <= set(allowed.split()), page.seen
for row in page.rows: print("|".join(row))' <<<"$output"
}

@test "a table is a page that stands alone, with the numbers of the others, and names in it are text" {
    bad=$'lib<script>alert(1)</script>&amp;"\'\e[31m\377.log'
    cp libimsl20.log "${bad//\//_}"
    for by in weekday month; do
        libq --by $by --json -S Jun_1995 -E "Aug_1995" ./*.log
        json=$(jq -r '([["Library"] + .columns + ["Total"]] + [.libraries[], .total | [.library] + .counts + [.total]])[] | map(tostring) | join("|")' \
            <<<"$output")
        libq --by $by --html -S Jun_1995 -E "Aug_1995" ./*.log
        [[ $status == 0 && $output == "<!DOCTYPE html>"* && $output == *"<p>From Jun_1995 to Aug_1995</p>"* && $output != *$'\e'* ]]
        [[ $(cells | tail -n +2 | cut -d '|' -f 2-) == "$(tail -n +2 <<<"$json" | cut -d '|' -f 2-)" ]]
        [[ $(cells | head -1) == "$(head -1 <<<"$json")" ]]
    done
    [[ $(cells) == *'<script>alert(1)<_script>&amp;"'\''\x1b[31m\xff|5|0|'* && $output != *"<script"* && $output != *http:* ]]
    # the page is one where there is nothing, too
    libq --by month --html -S 2020 use.log
    [[ $status == 1 && $(cells | tail -1) == "Total|0|"*"|0" ]]
}

@test "words that a script passes on do nothing to a terminal in a message" {
    bad=$'\e[31mX'
    for options in "-S $bad" "-E $bad" "--by $bad" "--timezone $bad" "$bad"; do
        # shellcheck disable=SC2086 # words
        libq $options
        [[ $status == 2 && $stderr == *'\x1b[31mX'* && $stderr != *$'\e'* ]] || { echo "$options"; false; }
    done
    for options in "-d $bad" "-r $bad" "$bad"; do
        # shellcheck disable=SC2086 # words
        run jobtrail-libdate $options
        [[ $status != 0 && $output == *'\x1b[31mX'* && $output != *$'\e'* ]] || { echo "$options"; false; }
    done
}

@test "what cannot be read is told, the rest is read, and nobody waits for a FIFO" {
    mkfifo fifo
    gzip -k use.log
    libq -c missing . use.log.gz libimsl20.log fifo
    [[ $status == 2 && $output == *libimsl20.log:7* && $output == *fifo:0* ]]
    [[ $stderr == *"missing: No such file or directory"*".: Is a directory"*"use.log.gz: is compressed; "*"zcat"* ]]
    run --separate-stderr jobtrail-libq -c < <(zcat use.log.gz)
    [[ $status == 0 && $output == 7 ]]
    run jobtrail-libq use.log -c libimsl20.log - <libnag.log
    [[ $output == $'use.log:7\nlibimsl20.log:7\n-:2' ]]
    run bash -c 'jobtrail-libq use.log >/dev/full'
    [[ $status == 2 && $output == *"No space left on device"* ]]
}

@test "what is asked wrongly is told" {
    libq --by weekdy use.log
    [[ $status == 2 && $stderr == *"--by takes weekday or month: weekdy"* ]]
    libq -S Mar_6_1995 use.log
    [[ $status == 2 && $stderr == *"not a date"*"Mar_6_1995"* ]]
    libq -S Tue_Mar_06_1995 use.log
    [[ $status == 2 && $stderr == *"weekday"* ]]
    libq -S 1996 -E 1995 use.log
    [[ $status == 2 && $stderr == *"ends (1995) before it begins (1996)"* ]]
    for options in "-l -c" "--json" "-c --csv --json" "--html" "-c --html" "--by month --json --html" "-0" "--sorted --unsorted" "--sorted -2" "--with-filename --no-filename" "--nothing"; do
        # shellcheck disable=SC2086 # words
        libq $options use.log
        [[ $status == 2 && $stderr && ! $output ]] || { echo "$options"; false; }
    done
    libq --help
    [[ $status == 0 && $output == Usage* ]]
    libq --version
    [[ $status == 0 && $output == "jobtrail-libq "[0-9]* ]]
}

@test "a date is printed in the form that is read, English in each locale" {
    [[ $(LC_ALL=de_DE.UTF-8 jobtrail-libdate -d @794502005) == Mon_Mar_06_1995_07:00 ]]
    [[ $(jobtrail-libdate --iso -d @794502005) == 1995-03-06T07:00:05-08:00 ]]
    [[ $(jobtrail-libdate -d 1995-03-06T16:00+01:00) == Mon_Mar_06_1995_07:00 ]]
    touch -d @794502005 file
    [[ $(jobtrail-libdate -r file) == Mon_Mar_06_1995_07:00 ]]
    echo "$(jobtrail-libdate) $(id -un)" >now.log
    libq -S yesterday -E now now.log
    [[ $status == 0 && $output == "$(cat now.log)" ]]
}

@test "jobtrail-libdate tells what it cannot print" {
    run -1 jobtrail-libdate -r missing
    [[ $output == "jobtrail-libdate: missing: No such file or directory" ]]
    run -1 jobtrail-libdate -d @999999999999999
    for date in @ @x "@ 1" @99999999999999999999 "" Tue_Mar_06_1995_07:00; do
        run -2 jobtrail-libdate -d "$date"
        [[ $output == *"not a date"* ]]
    done
    run -2 jobtrail-libdate now
    run -2 jobtrail-libdate -d 1995 -r libnag.log
    run -1 bash -c 'jobtrail-libdate >/dev/full'
    run -0 jobtrail-libdate --help
    run -0 jobtrail-libdate --version
}
